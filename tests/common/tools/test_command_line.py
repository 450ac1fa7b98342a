# SPDX-License-Identifier: MIT
"""Every stage's command line on bad input: one clear line, the right status, nothing half-written."""

import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from tests.common.tools.course_tools import BUILD
from common.tools.lib.gpus import has_gpu
from common.tools.lib.measuring import HEADER


@dataclass(frozen=True)
class Program:
    stage: str
    chapter: str
    engine: str
    path: Path

    def __str__(self) -> str:
        return f"{self.stage} {self.engine}"


def programs() -> list[Program]:
    """What can run on this machine."""
    return [program for program in all_programs() if program.engine != "gpu" or has_gpu()]


def all_programs() -> list[Program]:
    records = json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
    return [Program(record["stage"], record["chapter"], engine, BUILD / path)
            for record in records for engine, path in record["executables"].items()]


def one_a_chapter_and_engine(chapter: str = "") -> list[Program]:
    chosen: dict[tuple[str, str], Program] = {}
    for program in programs():
        if chapter in ("", program.chapter):
            chosen[program.chapter, program.engine] = program
    return list(chosen.values())


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, program: Program, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(program.path), *arguments], cwd=self.folder, text=True,
                              capture_output=True, check=False, timeout=100)

    def assert_refused(self, program: Program, status: int, arguments: list[str],
                       *parts: str) -> None:
        before = sorted(self.folder.rglob("*"))
        with self.subTest(f"{program} {' '.join(arguments)}"):
            result = self.run_program(program, *arguments)
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertEqual(result.stdout, "")
            for part in parts:
                self.assertRegex(result.stderr, part)
            self.assertEqual(sorted(self.folder.rglob("*")), before, "a file was left behind")

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name


class CommandLineTest(ProgramTest):
    """What all stages have."""

    def test_bad_flags(self) -> None:
        for program in programs():
            for arguments, parts in (
                    (["--no-such-flag"], ["--no-such-flag"]),
                    (["--n", "0"], ["--n", "0"]),
                    (["--n", "-5"], ["--n", "-5"]),
                    (["--n", "many"], ["--n", "many"]),
                    (["--n", "99999999999999999999999"], ["--n", "9999"]),
                    (["--n", "1.5"], ["--n", "1.5"]),
                    (["--n"], ["--n"]),
                    (["--repeats", "0"], ["--repeats"]),
                    (["--seed", "x"], ["--seed", "x"]),
                    (["left-over"], ["left-over"])):
                self.assert_refused(program, 2, ["--check", *arguments], *map(re.escape, parts))

    def test_outputs_that_cannot_be_written(self) -> None:
        (self.folder / "directory").mkdir()
        for program in one_a_chapter_and_engine():
            for flag in ("--output", "--csv", "--json"):
                for path in ("none/file", "directory"):
                    self.assert_refused(program, 1, ["--n", "10", flag, path], re.escape(path))

    def test_nothing_is_written_when_the_input_is_bad(self) -> None:
        for program in one_a_chapter_and_engine():
            self.assert_refused(program, 2, ["--n", "0", "--csv", "rows.csv", "--json", "run.json",
                                             "--output", "out.csv"])

    def test_help_and_version(self) -> None:
        for program in one_a_chapter_and_engine():
            result = self.run_program(program, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            for flag in ("--n", "--input", "--output", "--seed", "--repeats", "--warmup",
                         "--device", "--check", "--csv", "--json", "--profile", "--quiet",
                         "--no-races", "--counters", "--trace"):
                self.assertIn(flag, result.stdout)
            self.assertEqual(self.run_program(program, "--version").returncode, 0)

    def test_a_good_run_writes_everything(self) -> None:
        for program in one_a_chapter_and_engine():
            with self.subTest(str(program)):
                # Without --quiet counting says what it counted, on stderr.
                quiet = ["--quiet"] if program.engine == "count" else []
                result = self.run_program(program, "--n", "100", "--repeats", "2", "--csv", "rows.csv",
                                          "--json", "run.json", "--output", "out.csv", *quiet)
                self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)
                with (self.folder / "rows.csv").open(encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual(list(rows[0]), HEADER)
                self.assertEqual([row["repeat"] for row in rows], ["1", "2"])
                self.assertEqual({(row["n"], row["engine"], row["verified"]) for row in rows},
                                 {("100", program.engine, "true")})
                document = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
                self.assertIs(document["verified"], True)
                self.assertTrue((self.folder / "out.csv").stat().st_size)
                self.assertEqual(len(list(self.folder.iterdir())), 3)

    def test_rows_on_stdout_alone(self) -> None:
        for program in one_a_chapter_and_engine():
            result = self.run_program(program, "--n", "100", "--repeats", "1", "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(len(result.stdout.splitlines()), 2)
            self.assertEqual(result.stdout.splitlines()[0], ",".join(HEADER))

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_no_gpu(self) -> None:
        for program in all_programs():
            if program.engine == "gpu":
                self.assert_refused(program, 77, ["--check", "--n", "10"], "no usable .*device")


class CountingTest(ProgramTest):
    """The flags that only the engine with counters has."""

    def counting(self) -> list[Program]:
        return [program for program in one_a_chapter_and_engine() if program.engine == "count"]

    def test_other_engines_refuse(self) -> None:
        for program in one_a_chapter_and_engine():
            if program.engine != "count":
                for arguments in (["--no-races"], ["--counters", "-"], ["--trace", "trace.csv"]):
                    self.assert_refused(program, 2, ["--n", "10", *arguments], "--counters")

    def test_counters_and_trace(self) -> None:
        for program in self.counting():
            with self.subTest(str(program)):
                made = []
                for name in ("first.json", "second.json"):
                    result = self.run_program(program, "--check", "--n", "100", "--quiet", "--no-races",
                                              "--counters", name, "--trace", "trace.csv")
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                    made.append((self.folder / name).read_bytes()
                                + (self.folder / "trace.csv").read_bytes())
                self.assertEqual(made[0], made[1])
                self.assertTrue(json.loads((self.folder / "first.json").read_text())["kernels"])
                on_stdout = self.run_program(program, "--check", "--n", "100", "--counters", "-")
                self.assertEqual(json.loads(on_stdout.stdout),
                                 json.loads((self.folder / "first.json").read_text()))
                self.assertRegex(on_stdout.stderr, "^OK ")

    def test_a_table_for_people(self) -> None:
        for program in self.counting():
            result = self.run_program(program, "--check", "--n", "100")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, "^OK .*\n$")
            self.assertIn("_kernel", result.stderr)

    def test_files_that_cannot_be_written(self) -> None:
        (self.folder / "directory").mkdir()
        for program in self.counting():
            for flag in ("--counters", "--trace"):
                for path in ("none/file", "directory"):
                    self.assert_refused(program, 1, ["--n", "10", flag, path], re.escape(path))
            self.assert_refused(program, 2, ["--counters", "-", "--csv", "-"], "only one of")


class NbodyTest(ProgramTest):
    """What only the chapter with input files can be given."""

    def nbody(self) -> list[Program]:
        return one_a_chapter_and_engine("nbody")

    def test_more_than_the_memory(self) -> None:
        for program in self.nbody():
            self.assert_refused(program, 2, ["--n", "1000000000000000"], "--n", "1000000000000000")

    def test_bad_files(self) -> None:
        good = "1 0 0 0 0 0 0\n"
        (self.folder / "directory").mkdir()
        for name, text, parts in (
                ("empty", "", ["empty"]),
                ("comments", "# nothing\n\n", ["comments"]),
                ("short", good + "1 2 3\n", ["short:2: "]),
                ("long", good + "1 2 3 4 5 6 7 8\n", ["long:2: "]),
                ("text", "# mass x\n" + good + "1 0 zero 0 0 0 0\n", ["text:3: ", "zero"]),
                ("nan", good + "1 nan 0 0 0 0 0\n", ["nan:2: "]),
                ("infinity", "1 0 0 0 inf 0 0\n", ["infinity:1: "]),
                ("overflow", "1 0 1e999 0 0 0 0\n", ["overflow:1: "]),
                ("negative-mass", good + "-1 0 0 0 0 0 0\n", ["negative-mass:2: "])):
            self.write(name, text)
            for program in self.nbody():
                self.assert_refused(program, 1, ["--input", f"./{name}", "--output", "out.csv"],
                                    *map(re.escape, parts))
        for program in self.nbody():
            self.assert_refused(program, 1, ["--input", "./none"], "none")
            self.assert_refused(program, 1, ["--input", "./directory"], "directory")

    def test_an_unreadable_file(self) -> None:
        name = self.write("secret", "1 0 0 0 0 0 0\n")
        (self.folder / name).chmod(0)
        if os.access(self.folder / name, os.R_OK):
            self.skipTest("root reads everything")
        for program in self.nbody():
            self.assert_refused(program, 1, ["--input", f"./{name}"], "secret")

    def test_a_good_file(self) -> None:
        name = self.write("two", "# mass x y z vx vy vz\n1 -1 0 0 0 0 0\n\n1 1 0 0 0 0 0\n")
        for program in self.nbody():
            result = self.run_program(program, "--check", "--input", f"./{name}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("n=2", result.stdout)

    def test_bad_numbers(self) -> None:
        for program in self.nbody():
            for arguments, part in ((["--dt", "0"], "--dt"), (["--dt", "nan"], "--dt"),
                                    (["--dt", "soon"], "soon"), (["--steps", "-1"], "--steps"),
                                    (["--softening", "-1"], "--softening"),
                                    (["--softening", "inf"], "--softening"),
                                    (["--output-every", "0"], "--output-every")):
                self.assert_refused(program, 2, ["--check", *arguments], re.escape(part))


if __name__ == "__main__":
    unittest.main()
