# SPDX-License-Identifier: MIT
"""What the judge decides without a submission's program: seeds, files, ends of runs, remarks."""

import dataclasses
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.grading import judge, sandbox
from common.tools.labs import checking
from common.tools.labs.building import Built
from common.tools.labs.catalogue import load_labs
from common.tools.labs.counted_run import Expected, drawn_size, seeded
from common.tools.labs.lab import Lab
from common.tools.labs.metrics import BYTES, TO_DEVICE, TO_HOST, WAVEFRONTS
from common.tools.labs.result import GoalResult, Result
from common.tools.labs.running import run_program
from common.tools.labs.symbols import TABLE, foreign_symbols
from tests.common.tools.grading.attacks import RIGHT

LAB = load_labs()[RIGHT]


class PartsTest(unittest.TestCase):
    def test_inputs_come_from_the_teacher_s_seed(self) -> None:
        flags = ["--seed" in words and words[words.index("--seed") + 1]
                 for words in judge.judged_runs(LAB, 70)]  # fmt: skip
        self.assertEqual(flags, [str(70 + number) for number in range(len(flags))])
        self.assertGreaterEqual(len(flags), len(LAB.sizes))
        self.assertNotIn("70", judge.shown_run(judge.judged_runs(LAB, 70)[0]))

    def test_a_judge_runs_once_per_seed(self) -> None:
        lab = dataclasses.replace(LAB, sizes=(), checks=("--n 5 --seeds 3", "--n 7 --seed 2"))
        self.assertEqual(judge.judged_runs(lab, 70), [["--n", "7", "--seed", "2"]])

    def test_a_stage_that_races_on_purpose_is_no_judge(self) -> None:
        lab = load_labs()["storms/03"]
        self.assertTrue(lab.start.stage.race_on_purpose)
        with (
            mock.patch.object(judge, "pick_engine", return_value="emu"),
            mock.patch.object(judge, "executable", side_effect=lambda one, _: Path(one.name)),
        ):
            names = [path.name for path in judge.judges(lab)]
        self.assertEqual(names, [lab.solution.stage.name])

    def test_the_counted_run_has_a_size_of_the_seed(self) -> None:
        sizes = {drawn_size(LAB, seed) for seed in range(100)}
        self.assertEqual(sizes, set(range(800, 1025, 32)))
        sizes = {drawn_size(load_labs()["mergesort/02"], seed) for seed in range(100)}
        self.assertGreater(len(sizes), 50)
        self.assertEqual(seeded(LAB, None), ["--n", "1024"])
        self.assertEqual(seeded(LAB, 7)[1], str(drawn_size(LAB, 7)))

    def test_the_counted_run_has_the_teacher_s_seed(self) -> None:
        self.assertEqual(seeded(LAB, 70)[-2:], ["--seed", "70"])
        counted = mock.Mock(return_value=(None, sandbox.Ended(1, "", "")))
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(checking, "build_program") as build,
            mock.patch.object(checking, "foreign_symbols", return_value=[]),
            mock.patch.object(checking, "refused_by_nvcc", return_value=[]),
            mock.patch.object(judge, "verify", side_effect=set_right),
            mock.patch.object(judge, "unmet", return_value=[]),
            mock.patch.object(judge, "award"),
            mock.patch.object(judge, "count_run", counted),
        ):
            source = Path(folder) / "given.cu"
            source.write_text(LAB.solution.text(), encoding="utf-8")
            names = Path(folder) / "names"
            names.write_text(TABLE, encoding="utf-8")
            build.return_value = Built(Path("program"), [], names)
            result = judge.grade(LAB, source, seed=70, folder=Path(folder))
        self.assertEqual(counted.call_args.args[3], 70)
        self.assertEqual(result.messages, ["no counters: the program ended with status 1"])

    def test_only_a_run_that_ended_well_counts(self) -> None:
        race = '{"findings": [{"kind": "race", "kernel": "k", "what": "w"}]}'
        for ended, findings, is_right in (
            (sandbox.Ended(0, "", ""), '{"findings": []}', True),
            (sandbox.Ended(1, "", ""), race, True),
            (sandbox.Ended(1, "", ""), '{"findings": []}', False),
            (sandbox.Ended(3, "", ""), race, False),
            (sandbox.Ended(-11, "", ""), race, False),
            (sandbox.Ended(0, "", "", False, "disk"), '{"findings": []}', False),
            (sandbox.Ended(0, "", "", True, "time"), '{"findings": []}', False),
            (sandbox.Ended(0, "", ""), "no JSON", False),
            (sandbox.Ended(0, "", ""), None, False),
        ):
            with self.subTest(
                ended=ended, findings=findings
            ), tempfile.TemporaryDirectory() as name:
                own = Path(name) / "own"
                own.mkdir()

                def run(*_: object, **__: object) -> sandbox.Ended:
                    (own / "result").write_text("result", encoding="utf-8")
                    if findings is not None:
                        (own / "findings.json").write_text(findings, encoding="utf-8")
                    return ended

                result = Result(LAB.name, seed=7)
                with (
                    mock.patch.object(judge, "run_caged", run),
                    mock.patch.object(judge, "ask_oracle", return_value=""),
                ):
                    judge.verify(LAB, own / "program", Path(name), result)
                self.assertEqual(result.right, is_right)

    def test_only_a_plain_file_is_a_result(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "file").write_text("mine", encoding="utf-8")
            (folder / "link").symlink_to(folder / "file")
            (folder / "folder").mkdir()
            os.mkfifo(folder / "pipe")
            for one in ("link", "folder", "pipe", "nothing"):
                self.assertFalse(judge.take_file(folder / one, folder / "taken"), one)
            self.assertFalse((folder / "taken").exists())
            self.assertTrue(judge.take_file(folder / "file", folder / "taken"))
            self.assertEqual((folder / "taken").read_text(encoding="utf-8"), "mine")

    def test_a_busy_machine_gets_another_attempt(self) -> None:
        busy = Built(None, ["g++: fatal error: Resource temporarily unavailable"])
        broken = Built(None, ["basics.cu:1: error: no such thing"])
        for answers, attempts in (([busy, broken], 2), ([broken], 1)):
            build = mock.Mock(side_effect=answers)
            with (
                tempfile.TemporaryDirectory() as folder,
                mock.patch.object(checking, "build_program", build),
                mock.patch.object(judge, "unmet", return_value=[]),
                mock.patch.object(judge.time, "sleep"),
            ):
                source = Path(folder) / "given.cu"
                source.write_text(LAB.solution.text(), encoding="utf-8")
                result = judge.grade(LAB, source, seed=70, folder=Path(folder))
            self.assertEqual(build.call_count, attempts)
            self.assertEqual(result.messages, answers[attempts - 1].messages)

    def test_a_machine_that_stays_busy_grades_nothing(self) -> None:
        busy = Built(None, ["g++: fatal error: Killed signal terminated program cc1plus"])
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(checking, "build_program", return_value=busy) as build,
            mock.patch.object(judge, "unmet", return_value=[]),
            mock.patch.object(judge.time, "sleep"),
        ):
            source = Path(folder) / "given.cu"
            source.write_text(LAB.solution.text(), encoding="utf-8")
            with self.assertRaisesRegex(sandbox.NotGraded, "Killed signal"):
                judge.grade(LAB, source, seed=70, folder=Path(folder))
        self.assertEqual(build.call_count, judge.ATTEMPTS)

    def test_a_program_without_symbols_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_bytes(b"no program")
            (name,) = foreign_symbols(program, Path(folder), LAB.chapter, run_program)
        self.assertIn("nm cannot read", name)

    def test_counters_far_below_the_solution_are_noted(self) -> None:
        for yours, goal, is_right, noted in (
            (1.0, 4.2, True, True),
            (2.2, 4.2, True, False),
            (1.0, 4.2, False, False),
            (0.0, 0.0, True, False),
        ):
            result = Result(LAB.name, right=is_right, goals=[judge_goal(yours, goal, met=True)])
            self.assertEqual(bool(judge.notes_on(LAB, result)), noted, (yours, goal))

    def test_no_goal_counts_if_the_work_went_elsewhere(self) -> None:
        most = {BYTES: 40.0, WAVEFRONTS: 0.0, TO_DEVICE: 4000.0, TO_HOST: 80.0}
        expected = Expected([4.2], most, most | {BYTES: 8.0})
        right = {BYTES: 8.0, WAVEFRONTS: 9.0, TO_DEVICE: 4000.0, TO_HOST: 80.0}
        for change, part in (
            ({}, ""),
            ({BYTES: 49.0}, ""),
            ({BYTES: 51.0}, "bytes moved per 32 cells: 51, far more than the 40"),
            ({TO_DEVICE: 6000.0}, "bytes to the device: 6000, far more"),
            ({TO_DEVICE: 3599.0}, "bytes to the device: 3599, of 4000"),
            ({TO_HOST: 71.0}, "bytes to the host: 71, of 80"),
            ({BYTES: 0.1}, "kernels move 3277 bytes, of 4000 copied"),
        ):
            result = Result(LAB.name, goals=[judge_goal(3.0, 4.2, met=True)])
            with (
                mock.patch.object(checking, "expected_of", return_value=expected),
                mock.patch.object(checking, "guards_of", return_value=right | change),
            ):
                checking.refuse_goals(LAB, None, result, mock.Mock())
            self.assertEqual([goal.points for goal in result.goals], [0 if part else 3], change)
            self.assertEqual(len(result.messages), bool(part))
            self.assertIn(part, "".join(result.messages))


def set_right(lab: Lab, program: Path, folder: Path, result: Result) -> None:
    del lab, program, folder
    result.right = True


def judge_goal(yours: float, goal: float, met: bool) -> GoalResult:
    return GoalResult("sectors", yours, goal, False, met, 3, 3)


if __name__ == "__main__":
    unittest.main()
