# SPDX-License-Identifier: MIT
"""make lab, make hint and make progress: a student's folder, hints, and what is remembered."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import DataError, ToolError
from common.tools.labs.folders import TASK, add_hint, start_lab
from common.tools.labs.progress import note_check, note_hint, progress_of, read_progress
from tests.common.tools.course_tools import run_tool
from tests.common.tools.labs.lab_programs import LabTest


class Folders(LabTest):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.my = Path(scratch.name, "my")
        patch = mock.patch.dict(os.environ, {"COURSE_MY": str(self.my)})
        patch.start()
        self.addCleanup(patch.stop)
        self.lab = self.labs["basics/05"]

    def run_tool(self, name: str, **variables: str):
        return run_tool(f"labs.{name}", COURSE_MY=str(self.my), **variables)

    def test_start(self) -> None:
        folder = start_lab(self.lab)
        self.assertEqual(folder, self.my / "basics_05")
        self.assertEqual(sorted(one.name for one in folder.iterdir()), [TASK, "basics.cu"])
        self.assertEqual((folder / "basics.cu").read_text("utf-8"), self.lab.start.text())
        task = (folder / TASK).read_text("utf-8")
        self.assertIn("\n".join(self.lab.idea), task)
        self.assertIn("| shared wavefronts per 32 cells | at most 5.25 | 4 |", task)
        self.assertIn("The unchanged start gets 4 of 10 points.", task)
        self.assertNotIn(self.lab.hints[0], task)

    def test_work_is_never_replaced(self) -> None:
        folder = start_lab(self.lab)
        (folder / "basics.cu").write_text("mine", "utf-8")
        with self.assertRaisesRegex(ToolError, "is there already"):
            start_lab(self.lab)
        self.assertEqual((folder / "basics.cu").read_text("utf-8"), "mine")
        self.assertEqual([one.name for one in self.my.iterdir()], ["basics_05"])

    def test_question_has_an_answer_file_and_hides_the_answer(self) -> None:
        folder = start_lab(self.labs["basics/question3"])
        self.assertEqual((folder / "answer.txt").read_text("utf-8"), "answer = ?\n")
        self.assertIn("kTile + 2", (folder / "basics.cu").read_text("utf-8"))
        self.assertNotIn("1.5", (folder / TASK).read_text("utf-8"))

    def test_hints_are_revealed_one_by_one_and_counted(self) -> None:
        task = start_lab(self.lab) / TASK
        for number in range(1, len(self.lab.hints) + 1):
            self.assertEqual(note_hint(self.lab), number - 1)
            add_hint(self.lab, number)
            text = task.read_text("utf-8")
            self.assertEqual([hint in text for hint in self.lab.hints[:number]], [True] * number)
            self.assertFalse(any(hint in text for hint in self.lab.hints[number:]))
        self.assertEqual(note_hint(self.lab), len(self.lab.hints))
        self.assertEqual(progress_of(self.lab).hints, len(self.lab.hints))
        result = self.run_tool("hint", LAB="basics/05")
        self.assertIn("there are no more hints", result.stdout)
        self.assertEqual(task.read_text("utf-8").count("## Hint 1\n"), 1)

    def test_progress_keeps_the_best(self) -> None:
        for points in (4, 10, 6):
            note_check(self.lab, points)
        one = read_progress()[self.lab.name]
        self.assertEqual((one.points, one.of, one.checks), (10, 10, 3))
        lines = self.run_tool("progress").stdout.splitlines()
        self.assertRegex(lines[1], r"^basics/05 .* done +10 of 10 +3 +0$")
        self.assertEqual(lines[-1], f"1 of {len(self.labs)} labs done; `make lab` lists them")

    def test_progress_counts_a_file_wherever_it_lies(self) -> None:
        lab = self.labs["basics/question1"]
        answer = self.my.parent / "elsewhere.txt"
        answer.write_text("answer = 2\n", "utf-8")
        checked = self.run_tool("check", LAB=lab.name, FILE=str(answer))
        self.assertEqual(checked.returncode, 0, checked.stderr)
        one = read_progress()[lab.name]
        self.assertEqual((one.points, one.of, one.checks), (lab.of, lab.of, 1))

    def test_damaged_progress_is_one_line(self) -> None:
        self.my.mkdir()
        for text in ("[]", '{"basics/05": {"hint": 1}}', "no JSON"):
            (self.my / "progress.json").write_text(text, "utf-8")
            with self.assertRaises(DataError):
                read_progress()
            result = self.run_tool("progress")
            self.assertEqual(result.returncode, 1)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_list_names_every_lab(self) -> None:
        (self.my / "nbody_03").mkdir(parents=True)
        result = self.run_tool("start")
        lines = result.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1 : 1 + len(self.labs)]], [*self.labs])
        (line,) = [line for line in lines if line.startswith("nbody/03 ")]
        self.assertTrue(line.endswith(" begun"), line)

    def test_refusals(self) -> None:
        for tool, status, part, variables in (
            ("start", 2, "no such lab", {"LAB": "basics/99"}),
            ("hint", 2, "LAB is missing", {}),
            ("check", 2, "LAB is missing", {}),
            ("check", 1, "begin with `make lab LAB=basics/02`", {"LAB": "basics/02"}),
            ("check", 1, "there is no such file", {"LAB": "basics/02", "FILE": "/no/file.cu"}),
            ("check", 2, "SEED=-1: expected", {"LAB": "basics/02", "FILE": __file__, "SEED": "-1"}),
        ):
            with self.subTest(part):
                result = self.run_tool(tool, **variables)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(part, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertFalse(self.my.exists())


if __name__ == "__main__":
    unittest.main()
