# SPDX-License-Identifier: MIT
"""Text files as other programs write them: all chapters read them by one rule.

    test_input_files.py STAGES_JSON

The serial stages run, which have the readers of all stages.
"""

import gzip
import sys
import tempfile
import unittest
from pathlib import Path

from tests.chapters.stage_programs import execute, load_programs

STAGES_JSON = Path(sys.argv.pop())
POINTS = "1 1\n2 1\n10 10\n11 10\n1 2\n10 11\n"
RING = "0 0\n4 0\n4 4\n0 4\n0 0\n"

# By chapter: the names of the columns, rows with one blank between fields, and more flags.
TABLES = {
    "kmeans": ("x y", POINTS, ["--k", "2"]),
    "nbody": ("mass x y z vx vy vz", "1 0 0 0 0 0 0\n2.5 1 0 0 0 0.5 0\n", ["--steps", "2"]),
    "distmesh": ("x y", RING, ["--h0", "1"]),
    "floyd": ("from to weight", "0 1 4\n1 2 3\n0 2 9\n", []),
    "quicksort": ("key", "5\n3\n-9\n", []),
    "mergesort": ("key", "5\n3\n-9\n", []),
    "storms": ("position value", "4 80\n8 10\n", ["--n", "35"]),
}


class InputFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_stage(self, chapter: str, path: Path, *arguments: str) -> tuple[int, str, str]:
        program = load_programs(STAGES_JSON, "emu", chapter)["00_cpu"]
        result = execute(program, "--check", "--input", path, *arguments, "--output", "-")
        return result.returncode, result.stdout, result.stderr

    def test_each_spelling_of_a_table_is_the_same_table(self) -> None:
        for chapter, (names, rows, flags) in TABLES.items():
            before = "2\n" if chapter == "storms" else ""  # the number of particles
            plain = before + rows
            if chapter == "floyd":  # whose lists of edges have names or end in .csv
                plain = f"{names}\n{rows}"
            status, expected, said = self.run_stage(chapter, self.write("plain", plain), *flags)
            self.assertEqual(status, 0, f"{chapter}: {said}")
            self.assertGreater(expected.count("\n"), 0)
            table = f"{before}{names}\n{rows}"
            spellings = {
                "commas.csv": table.replace(" ", ","),
                "commas and blanks.csv": table.replace(" ", " , "),
                "semicolons.csv": table.replace(" ", ";"),
                "tabs.tsv": table.replace(" ", "\t"),
                "blanks": table.replace(" ", "   "),
                "lines of Windows.csv": table.replace(" ", ",").replace("\n", "\r\n"),
                "mark.csv": b"\xef\xbb\xbf" + table.replace(" ", ",").encode(),
                "capitals.csv": table.replace(" ", ",").upper(),
                "quotes.csv": '"' + table.replace(" ", '","').replace("\n", '"\n"').rstrip('"'),
                "rows that end with a comma.csv": table.replace(" ", ",").replace("\n", ",\n"),
                "without names.csv": before + rows.replace(" ", ","),
                "without a last line end.csv": table.replace(" ", ",").rstrip("\n"),
                "comments": f"# {names}\n% and more\n{table}",
            }
            for name, content in spellings.items():
                with self.subTest(chapter=chapter, spelling=name):
                    result = self.run_stage(chapter, self.write(name, content), *flags)
                    self.assertEqual(result[:2], (0, expected), result[2])
            with self.subTest(chapter=chapter, spelling="gzip"):
                path = self.write("rows.csv.gz", gzip.compress(table.encode()))
                status, out, said = self.run_stage(chapter, path, *flags)
                self.assertEqual((status, out), (1, ""))
                self.assertIn(f"{path}: is compressed by gzip: unpack it first", said)

    def test_files_that_people_reported(self) -> None:
        two_rings = RING + "\n1 1\n2 1\n2 2\n1 2\n1 1\n"
        status, out, said = self.run_stage("distmesh", self.write("polygon.txt", two_rings))
        self.assertEqual((status, out), (1, ""))
        self.assertIn(
            "polygon.txt:7: a second ring begins: a file holds one ring, and line 5", said
        )

        for chapter in ("quicksort", "mergesort"):
            keys = self.write("keys.txt", "5,3,9\n")
            self.assertEqual(self.run_stage(chapter, keys)[:2], (0, "3\n5\n9\n"))

        dimacs = self.write("upper.GR", "c own\nc\np sp 2 2\na 1 2 7\na 2 2 3\n")
        status, out, said = self.run_stage("floyd", dimacs)
        self.assertEqual((status, out), (0, "0,7\ninf,0\n"))
        self.assertIn(f"{dimacs}: read as DIMACS: its name ends in .gr\n", said)

        snap = (
            "# Directed graph: own.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n"
        )
        path = self.write("edges.txt", snap)
        status, out, said = self.run_stage("floyd", path)
        self.assertEqual((status, out), (0, "0,1,2\ninf,0,1\ninf,inf,0\n"))
        self.assertIn("read as a list of edges that weigh 1: its first line has two numbers", said)
        status, _, said = self.run_stage("floyd", path, "--quiet")
        self.assertEqual((status, said), (0, ""))


if __name__ == "__main__":
    unittest.main()
