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
from common.tools.labs.catalogue import load_labs
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
        return job_of("anna", LAB, source, seed, {LAB.name: mark}, self.home)

    def test_a_grade_is_that_of_its_file_lab_and_seed(self) -> None:
        job = self.job()
        self.assertIsNone(read_kept(job))
        job.kept.parent.mkdir()
        job.kept.write_text(json.dumps({"key": job.key, "grade": {"points": 3}}), "utf-8")
        self.assertEqual(read_kept(self.job()), {"points": 3})
        for other in (self.job(source=b"other"), self.job(seed=8), self.job(mark="other")):
            self.assertEqual(other.kept, job.kept)
            self.assertIsNone(read_kept(other))
        for text in ("", "[]", "{}", '{"key": 1}'):
            job.kept.write_text(text, "utf-8")
            self.assertIsNone(read_kept(job))

    def test_only_what_is_not_kept_is_graded(self) -> None:
        first, second = self.job(), job_of("bob", LAB, b"text", 7, {LAB.name: "lab"}, self.home)
        first.kept.parent.mkdir()
        first.kept.write_text(json.dumps({"key": first.key, "grade": {}}), "utf-8")
        with mock.patch.object(grade, "grade_job", return_value=second) as graded:
            grade.grade_all([first, second], 7)
        self.assertEqual([call.args for call in graded.call_args_list], [(second, 7)])

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
