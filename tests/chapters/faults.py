# SPDX-License-Identifier: MIT
"""What the chapters' tests of faulty stages share. Each program is a stage with one fault: a run must
find it, and where the fault does nothing, the result is right.

A chapter's test_faults.py has a subclass of FaultsTest, and is called with the paths of the programs.
"""

import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path

PROGRAMS = sys.argv[1:]
del sys.argv[1:]  # unittest reads them, too

Runs = str | tuple[str, ...]  # the flags of one run, or of several


class FaultsTest(unittest.TestCase):
    chapter: str
    failing: Mapping[str, tuple[Runs, str]]  # of each fault: runs, and what each of them must say
    passing: Mapping[str, Runs] = {}
    files: Mapping[str, str] = {}  # what the programs may read, by their names

    @classmethod
    def setUpClass(cls) -> None:
        if cls is FaultsTest:
            raise unittest.SkipTest("the chapters have the faults")
        prefix = f"{cls.chapter}_fault_"
        cls.programs = {Path(path).name.removeprefix(prefix): path for path in PROGRAMS}
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        for name, text in cls.files.items():
            (cls.folder / name).write_text(text, encoding="utf-8")

    def check(self, fault: str, runs: Runs, status: int, words: str = ".*") -> None:
        """Each run ends with this status, and says the words."""
        for flags in (runs,) if isinstance(runs, str) else runs:
            with self.subTest(fault=fault, flags=flags):
                result = subprocess.run(
                    [self.programs[fault], "--check", "--quiet", *flags.split()],
                    capture_output=True,
                    text=True,
                    cwd=self.folder,
                    check=False,
                )
                said = result.stdout + result.stderr
                self.assertEqual(result.returncode, status, said)
                self.assertRegex(said, words)

    def test_all_are_built(self) -> None:
        self.assertEqual(self.programs.keys(), self.failing.keys())
        self.assertLessEqual(self.passing.keys(), self.failing.keys())

    def test_each_is_found(self) -> None:
        for fault, (runs, words) in self.failing.items():
            self.check(fault, runs, 1, words)

    def test_where_it_does_nothing_the_result_is_right(self) -> None:
        for fault, runs in self.passing.items():
            self.check(fault, runs, 0)
