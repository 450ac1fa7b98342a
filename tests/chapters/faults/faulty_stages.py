# SPDX-License-Identifier: MIT
"""What the chapters' tests of faulty stages share. Each program is a stage with one fault: a run must
find it, and where the fault does nothing, the result is right. A few are drawn anew each time
(tests/drawn.py).

A chapter's test_faults.py has a subclass of FaultsTest, and is called with the paths of the programs.
"""

import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path

from tests.drawn import build, drawn

PROGRAMS = sys.argv[1:]
del sys.argv[1:]  # unittest reads them, too

Runs = str | tuple[str, ...]  # the flags of one run, or of several

# So many are drawn in each run: a program takes a quarter of a minute to compile.
FEW = 3


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
        cls.programs = {path.name.removeprefix(prefix): path for path in map(Path, PROGRAMS)}
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.drawn = drawn(
            sorted(cls.failing.keys() | cls.passing.keys()), FEW, f"faults of {cls.chapter}"
        )
        build([cls.programs[fault] for fault in cls.drawn if fault in cls.programs])
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
                if status == 0:  # what is right is accused of nothing
                    self.assertEqual(result.stderr, "")

    def test_all_have_a_run(self) -> None:
        self.assertEqual(self.programs.keys(), self.failing.keys() | self.passing.keys())

    def test_each_is_found(self) -> None:
        for fault in self.drawn:
            if fault in self.failing:
                self.check(fault, self.failing[fault][0], 1, self.failing[fault][1])

    def test_where_it_does_nothing_the_result_is_right(self) -> None:
        for fault in set(self.drawn) & self.passing.keys():
            self.check(fault, self.passing[fault], 0)
