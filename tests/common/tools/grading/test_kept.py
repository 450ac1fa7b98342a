# SPDX-License-Identifier: MIT
"""What make grade keeps beside the submissions: the seed, and each finished grade with what it
depends on."""

import dataclasses
import json
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from common.tools.grading import grade, sandbox
from common.tools.grading.grade import Job, job_of, read_kept, seed_of_class
from common.tools.grading.submissions import Submission
from common.tools.labs.catalogue import load_labs
from common.tools.labs.result import Result
from common.tools.lib.stages import DataError, ToolError
from tests.common.tools.grading.attacks import RIGHT

LABS = load_labs()
LAB = LABS[RIGHT]


class KeptTest(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        patch = mock.patch.dict(os.environ)
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("SEED", "LABS", "DIR"):
            os.environ.pop(name, None)

    def job(self, source: bytes = b"text", seed: int = 7, mark: str = "lab") -> Job:
        return self.job_of("anna", source, seed, mark)

    def job_of(
        self, student: str, source: bytes = b"text", seed: int = 7, mark: str = "lab"
    ) -> Job:
        one = Submission(student, self.home, files={LAB.name: source})
        return job_of(one, LAB, seed, {LAB.name: mark}, self.home / "kept")

    def test_a_grade_is_that_of_its_file_lab_and_seed(self) -> None:
        job = self.job()
        self.assertIsNone(read_kept(job))
        job.kept.parent.mkdir(parents=True)
        job.kept.write_text(json.dumps({"key": job.key, "grade": {"points": 3}}), "utf-8")
        self.assertEqual(read_kept(self.job()), {"points": 3})
        for other in (self.job(source=b"other"), self.job(seed=8), self.job(mark="other")):
            self.assertEqual(other.kept, job.kept)
            self.assertIsNone(read_kept(other))
        for text in ("", "[]", "{}", '{"key": 1}'):
            job.kept.write_text(text, "utf-8")
            self.assertIsNone(read_kept(job))

    def test_only_what_is_not_kept_is_graded(self) -> None:
        first, second = self.job(), self.job_of("bob")
        first.kept.parent.mkdir(parents=True)
        first.kept.write_text(json.dumps({"key": first.key, "grade": {}}), "utf-8")
        with mock.patch.object(grade, "grade_job", return_value=(second, "")) as graded:
            grade.grade_all([first, second], 7)
        self.assertEqual([call.args for call in graded.call_args_list], [(second, 7)])

    def test_what_the_machine_fails_at_is_no_grade(self) -> None:
        first, second = self.job(), self.job_of("bob")
        result = Result(LAB.name, of=LAB.of, seed=7)
        for error in (sandbox.NotGraded("no memory"), OSError("no memory")):
            for failures, reached in ((2, result), (3, None)):
                first.kept.unlink(missing_ok=True)
                answers = [error] * failures + [result]
                with (
                    mock.patch.object(grade, "grade", side_effect=answers),
                    mock.patch.object(grade.time, "sleep"),
                ):
                    job, why = grade.grade_job(first, 7)
                self.assertEqual(job, first)
                self.assertEqual(why, "" if reached else "no memory")
                self.assertEqual(read_kept(first) is None, reached is None)
        with mock.patch.object(grade, "grade_job", side_effect=lambda job, _: (job, "why")):
            self.assertEqual(
                grade.grade_all([first, second], 7), {first.kept: "why", second.kept: "why"}
            )

    def test_folders_of_a_grader_that_was_killed_are_removed(self) -> None:
        home = self.home / "tmp"
        home.mkdir()
        left = home / f"{grade.OWN_FOLDER}left"
        left.mkdir()
        (left / grade.LOCK).touch()
        (left / "grade-x").mkdir()
        with mock.patch.object(tempfile, "tempdir", str(home)):
            with grade.own_folder():
                inside = Path(tempfile.gettempdir())
                self.assertEqual([one.name for one in home.iterdir()], [inside.name])
                with mock.patch.object(tempfile, "tempdir", str(home)), grade.own_folder():
                    self.assertTrue(inside.exists())  # its grader is running
            self.assertEqual(list(home.iterdir()), [])

    def test_what_a_grade_depends_on(self) -> None:
        with mock.patch.object(grade, "fingerprint", return_value="libraries"):
            mark = grade.marks_of([LAB], 7)[LAB.name]
            changed = dataclasses.replace(LAB, sizes=(*LAB.sizes, 99))
            self.assertNotEqual(grade.marks_of([changed], 7)[LAB.name], mark)
            with mock.patch.object(grade, "RULES", grade.RULES + 1):
                self.assertNotEqual(grade.marks_of([LAB], 7)[LAB.name], mark)
        with mock.patch.object(grade, "fingerprint", return_value="other libraries"):
            self.assertNotEqual(grade.marks_of([LAB], 7)[LAB.name], mark)

    def test_the_seed(self) -> None:
        folder = self.home / "class-grades"
        drawn = seed_of_class(folder)
        self.assertEqual(seed_of_class(folder), drawn)
        self.assertNotEqual(seed_of_class(self.home / "other-grades"), drawn)
        os.environ["SEED"] = "42"
        self.assertEqual(seed_of_class(folder), 42)
        del os.environ["SEED"]
        self.assertEqual(seed_of_class(folder), 42)
        (folder / "seed").write_text("none", "utf-8")
        with self.assertRaisesRegex(DataError, "is no seed"):
            seed_of_class(folder)

    def test_chosen_labs(self) -> None:
        self.assertEqual(grade.chosen_labs(LABS), list(LABS.values()))
        os.environ["LABS"] = "nbody/03, basics/02"
        self.assertEqual([lab.name for lab in grade.chosen_labs(LABS)], ["basics/02", "nbody/03"])
        os.environ["LABS"] = "basics/99"
        with self.assertRaises(ToolError):
            grade.chosen_labs(LABS)

    def test_an_interruption_ends_all(self) -> None:
        self.addCleanup(sandbox.interrupted.clear)
        begun = threading.Event()
        seen: list[bool] = []

        def wait() -> None:
            begun.set()
            seen.append(sandbox.interrupted.wait(20))

        def fail() -> None:
            begun.wait(20)
            raise KeyboardInterrupt

        with mock.patch.object(grade.os, "sched_getaffinity", return_value={0, 1}):
            with self.assertRaises(KeyboardInterrupt):
                grade.in_parallel([wait, fail])
        self.assertEqual(seen, [True])


if __name__ == "__main__":
    unittest.main()
