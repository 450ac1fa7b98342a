# SPDX-License-Identifier: MIT
"""make draw: what stages wrote becomes pictures, and what they did not write is refused."""

import contextlib
import io
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import DataError, ToolError
from plots.commands.draw import __main__ as command
from plots.commands.draw import pictures
from plots.records.folders import TRACES

POINTS = "x,y,label\n0,0,0\n10,0,0\n0,90,1\n10,90,1\n5,96,1\n"
ORBITS = "step,body,x,y,z,vx,vy,vz\n" + "".join(
    f"{step},{body},{body + step / 10},{step},0,0,0,0\n" for step in (0, 5, 10) for body in (0, 1)
)
MESH = (TRACES / "distmesh_circle.csv").read_text(encoding="utf-8")
# Of a ring of 0, 1, 2, 3 and an edge to 4, which leads nowhere.
HOPS = "0,1,1,1,1\n2,1,2,2,2\n3,3,2,3,3\n0,0,0,3,4\n-1,-1,-1,-1,4\n"
TEXTS = {"kmeans": POINTS, "nbody": ORBITS, "distmesh": MESH, "floyd": HOPS}


class DrawTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def file(self, text: str, name: str = "result.csv") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_kinds(self) -> None:
        for chapter, text in TEXTS.items():
            for asked in ("", chapter):
                self.assertEqual(pictures.kind_of(self.file(text), asked).chapter, chapter)
        for text, asked in (("a,b\n1,2\n", ""), ("", ""), (POINTS, "nbody"), (POINTS, "storms")):
            with self.assertRaisesRegex(DataError, "no result"):
                pictures.kind_of(self.file(text), asked)
        with self.assertRaisesRegex(DataError, "FILE=.*nothing.csv: No such file"):
            pictures.kind_of(self.folder / "nothing.csv", "")

    def test_points(self) -> None:
        drawn = pictures.draw_points(self.file(POINTS), "")
        self.assertEqual([len(one.rows) for one in drawn.tables["points"]], [2, 3])
        self.assertEqual(drawn.tables["centres"][0].rows, [(5, 0), (5, 92)])
        self.assertIn("5 points in 2 clusters of 2 to 3, and their means.", drawn.subtitle)
        with mock.patch.object(pictures, "MOST_POINTS", 3):
            drawn = pictures.draw_points(self.file(POINTS), "")
        self.assertEqual([len(one.rows) for one in drawn.tables["points"]], [1, 2])
        self.assertIn("one point in 2 is drawn", drawn.subtitle)
        for line, said in (
            ("1,2,-1", ":7: label"),
            ("1,x,0", ":7: y is 'x'"),
            ("1,2", ":7: 2 fields"),
        ):
            with self.assertRaisesRegex(DataError, said):
                pictures.draw_points(self.file(f"{POINTS}{line}\n"), "")

    def test_orbits(self) -> None:
        drawn = pictures.draw_orbits(self.file(ORBITS), "")
        self.assertEqual([len(one.rows) for one in drawn.tables["ways"]], [3, 3])
        self.assertEqual(drawn.tables["ways"][1].rows, [(1.0, 0.0), (1.5, 5.0), (2.0, 10.0)])
        self.assertEqual(drawn.tables["ends"][0].rows, [(1.0, 10.0, 0), (2.0, 10.0, 1)])

    def test_mesh(self) -> None:
        drawn = pictures.draw_mesh(self.file(MESH), "")
        lines = MESH.count("\n") - 1
        self.assertIn(f"{lines} triangles", drawn.subtitle)
        with mock.patch.object(pictures, "MOST_TRIANGLES", 5):
            with self.assertRaisesRegex(DataError, "at most 5"):
                pictures.draw_mesh(self.file(MESH), "")

    def test_path(self) -> None:
        path = self.file(HOPS)
        drawn = pictures.draw_path(path, "")
        self.assertEqual([row[2] for row in drawn.tables["labels"][0].rows], list("01234"))
        self.assertEqual(len(drawn.tables["edges"][0].rows), 5)
        self.assertIn("the path from 0 to 4: 4 steps", drawn.subtitle)
        drawn = pictures.draw_path(path, "3,1")
        self.assertEqual([row[2] for row in drawn.tables["labels"][0].rows], list("301"))
        wrong = {"0": "write two vertices", "0,5": "from 0 to 4", "4,0": "no path from 4 to 0"}
        for between, said in wrong.items():
            with self.assertRaisesRegex(DataError, said):
                pictures.draw_path(path, between)
        for text, said in (
            ("0,1\n0\n", ":2: 1 fields where 2"),
            ("0,2\n0,1\n", ":1: a next hop is no vertex"),
            ("0,1,1\n1,1,0\n0,0,2\n", "return to 0"),
        ):
            with self.assertRaisesRegex(DataError, said):
                pictures.draw_path(self.file(text), "")
        square = pictures.draw_path(self.file("0,1,2,1\n0,1,0,3\n0,0,2,3\n2,1,2,3\n"), "0,3")
        self.assertEqual(
            [row[:2] for row in square.tables["vertices"][0].rows],
            [(0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (1.0, 0.0)],
        )

    def draw(self, **variables: str) -> str:
        said = io.StringIO()
        with (
            mock.patch.object(command, "build_folder", return_value=self.folder),
            mock.patch.dict("os.environ", variables),
            contextlib.redirect_stdout(said),
        ):
            self.assertEqual(command.main(), 0)
        return said.getvalue()

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is missing")
    def test_pictures(self) -> None:
        for chapter, text in TEXTS.items():
            path = self.file(text, f"{chapter}.csv")
            endings = ("png", "svg", "gif") if chapter == "nbody" else ("png", "svg")
            printed = self.draw(FILE=str(path), CHAPTER=chapter)
            files = [self.folder / "draw" / f"{chapter}.{ending}" for ending in endings]
            self.assertEqual(printed.split(), [str(one) for one in files])
            for one in files:
                self.assertGreater(one.stat().st_size, 700, one)
            self.assertIn(f"{chapter}.csv", files[1].read_text(encoding="utf-8"))

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is missing")
    def test_a_file_is_needed(self) -> None:
        with self.assertRaisesRegex(ToolError, "FILE is missing"):
            self.draw(FILE="")


if __name__ == "__main__":
    unittest.main()
