# SPDX-License-Identifier: MIT
"""The stages' command lines: bad input gets one clear line, and leaves no partial file."""

import csv
import json
import re
import unittest
from collections.abc import Sequence
from typing import TypeVar

from common.tools.lib.columns import ROW_COLUMNS
from tests.common.tools.programs import (
    Program,
    ProgramTest,
    Refusal,
    one_per_chapter_and_engine,
    programs,
)

BAD_FLAGS = (
    ["--no-such-flag"],
    ["--n", "0"],
    ["--n", "-5"],
    ["--n", "many"],
    ["--n", "99999999999999999999999"],
    ["--n", "1.5"],
    ["--n"],
    ["--repeats", "0"],
    ["--seed", "x"],
    ["left-over"],
)

T = TypeVar("T")


def shared_on_a_gpu(program: Program, place: int, cases: Sequence[T]) -> Sequence[T]:
    """On a GPU, where a start takes long, the programs share the cases: they have the same code for
    these."""
    return [cases[place % len(cases)]] if program.engine in ("gpu", "opencl") else cases


class CommandLineTest(ProgramTest):
    """Flags that all stages have."""

    def test_bad_flags(self) -> None:
        """The message names the flag and its value. One stage per chapter and engine has all bad
        flags, and each other stage has one: they share the code that reads flags."""
        chosen = set(one_per_chapter_and_engine())
        self.assert_all_refused(
            [
                Refusal(program, 2, ["--check", *arguments], tuple(map(re.escape, arguments)))
                for i, program in enumerate(programs())
                for j, arguments in enumerate(BAD_FLAGS)
                if program in chosen or i % len(BAD_FLAGS) == j
            ]
        )

    def test_outputs_that_cannot_be_written(self) -> None:
        (self.folder / "directory").mkdir()
        bad = [
            (flag, path)
            for flag in ("--output", "--csv", "--json")
            for path in ("none/file", "directory")
        ]
        self.assert_all_refused(
            [
                Refusal(program, 1, ["--n", "10", flag, path], (re.escape(path),))
                for i, program in enumerate(one_per_chapter_and_engine())
                for flag, path in shared_on_a_gpu(program, i, bad)
            ]
        )

    def test_nothing_is_written_when_the_input_is_bad(self) -> None:
        for program in one_per_chapter_and_engine():
            self.assert_refused(
                program,
                2,
                ["--n", "0", "--csv", "rows.csv", "--json", "run.json", "--output", "out.csv"],
            )

    def test_help_and_version(self) -> None:
        for program in one_per_chapter_and_engine():
            result = self.run_program(program, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            for flag in (
                "--n",
                "--input",
                "--output",
                "--seed",
                "--repeats",
                "--warmup",
                "--device",
                "--check",
                "--csv",
                "--json",
                "--profile",
                "--quiet",
                "--no-races",
                "--counters",
                "--trace",
            ):
                self.assertIn(flag, result.stdout)
            self.assertEqual(self.run_program(program, "--version").returncode, 0)

    def test_a_good_run_writes_everything(self) -> None:
        for program in one_per_chapter_and_engine():
            with self.subTest(str(program)):
                # Without --quiet, counting prints a table on stderr.
                quiet = ["--quiet"] if program.engine == "count" else []
                result = self.run_program(
                    program,
                    "--n",
                    "100",
                    "--repeats",
                    "2",
                    "--csv",
                    "rows.csv",
                    "--json",
                    "run.json",
                    "--output",
                    "out.csv",
                    *quiet
                )
                self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)
                with (self.folder / "rows.csv").open(encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual(tuple(rows[0]), ROW_COLUMNS)
                self.assertEqual([row["repeat"] for row in rows], ["1", "2"])
                self.assertEqual(
                    {(row["n"], row["engine"], row["verified"]) for row in rows},
                    {("100", program.engine, "true")},
                )
                document = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
                self.assertIs(document["verified"], True)
                self.assertTrue((self.folder / "out.csv").stat().st_size)
                self.assertEqual(len(list(self.folder.iterdir())), 3)

    def test_rows_on_stdout_alone(self) -> None:
        for program in one_per_chapter_and_engine():
            result = self.run_program(program, "--n", "100", "--repeats", "1", "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(len(result.stdout.splitlines()), 2)
            self.assertEqual(result.stdout.splitlines()[0], ",".join(ROW_COLUMNS))


class CountingTest(ProgramTest):
    """Flags that only the engine with counters has."""

    def counting(self) -> list[Program]:
        return [program for program in one_per_chapter_and_engine() if program.engine == "count"]

    def test_other_engines_refuse(self) -> None:
        flags = (["--no-races"], ["--counters", "-"], ["--trace", "trace.csv"])
        self.assert_all_refused(
            [
                Refusal(program, 2, ["--n", "10", *arguments], ("--counters",))
                for i, program in enumerate(one_per_chapter_and_engine())
                for arguments in shared_on_a_gpu(program, i, flags)
                if program.engine != "count"
            ]
        )

    def test_counters_and_trace(self) -> None:
        for program in self.counting():
            with self.subTest(str(program)):
                made = []
                for name in ("first.json", "second.json"):
                    result = self.run_program(
                        program,
                        "--check",
                        "--n",
                        "30",
                        "--quiet",
                        "--no-races",
                        "--counters",
                        name,
                        "--trace",
                        "trace.csv",
                    )
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                    made.append(
                        (self.folder / name).read_bytes() + (self.folder / "trace.csv").read_bytes()
                    )
                self.assertEqual(made[0], made[1])
                self.assertTrue(json.loads((self.folder / "first.json").read_text())["kernels"])
                on_stdout = self.run_program(program, "--check", "--n", "30", "--counters", "-")
                self.assertEqual(
                    json.loads(on_stdout.stdout),
                    json.loads((self.folder / "first.json").read_text()),
                )
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


if __name__ == "__main__":
    unittest.main()
