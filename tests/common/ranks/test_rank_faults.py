#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stages for many GPUs with one fault each: on three ranks, each fault is found.

test_rank_faults.py [PROGRAM ARGUMENTS WORDS]…
"""

import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

from common.tools.lib.ranks import run_ranks

FAULTS = list(zip(sys.argv[1::3], sys.argv[2::3], sys.argv[3::3], strict=True))
del sys.argv[1:]
QUIET = {"EMULATOR_COUNTERS": "none"}


class FaultsTest(unittest.TestCase):
    def test_each_is_found(self) -> None:
        for program, arguments, words in FAULTS:
            with self.subTest(fault=Path(program).name):
                flags = ["--check", *arguments.split()]
                begin = time.monotonic()
                status, said = run_ranks(Path(program), flags, 3, QUIET, stdout=subprocess.DEVNULL)
                self.assertEqual(status, 1)
                self.assertTrue(re.search(words, said), said)
                self.assertLess(time.monotonic() - begin, 30)

    def test_one_rank_does_not_meet_it(self) -> None:
        for program, arguments, _ in FAULTS:
            with self.subTest(fault=Path(program).name):
                flags = ["--check", "--quiet", *arguments.split()]
                subprocess.run([program, *flags], check=True)


if __name__ == "__main__":
    unittest.main()
