#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stages for many GPUs with one fault each: on three ranks, each fault is found. A few are drawn
anew each time (tests/drawn.py).

test_rank_faults.py [PROGRAM ARGUMENTS WORDS]…
"""

import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

from common.tools.lib.ranks import run_ranks
from tests.drawn import build, drawn

ALL = list(zip(sys.argv[1::3], sys.argv[2::3], sys.argv[3::3], strict=True))
del sys.argv[1:]
FEW = 5  # so many are drawn in each run: a program takes half a minute to compile
QUIET = {"EMULATOR_COUNTERS": "none"}


class FaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.drawn = drawn(ALL, FEW, "faults of ranks")
        build([Path(program) for program, *_ in cls.drawn])

    def test_each_is_found(self) -> None:
        for program, arguments, words in self.drawn:
            with self.subTest(fault=Path(program).name):
                flags = ["--check", *arguments.split()]
                begin = time.monotonic()
                status, said = run_ranks(Path(program), flags, 3, QUIET, stdout=subprocess.DEVNULL)
                self.assertEqual(status, 1)
                self.assertTrue(re.search(words, said), said)
                self.assertLess(time.monotonic() - begin, 30)

    def test_one_rank_does_not_meet_it(self) -> None:
        for program, arguments, _ in self.drawn:
            with self.subTest(fault=Path(program).name):
                flags = ["--check", "--quiet", *arguments.split()]
                subprocess.run([program, *flags], check=True)


if __name__ == "__main__":
    unittest.main()
