# SPDX-License-Identifier: MIT
"""Stages with one fault each: the exact count finds every fault.

    test_faults.py PROGRAM…
"""

import subprocess
import sys
import unittest
from pathlib import Path

PREFIX = "montecarlo_fault_"
PROGRAMS = {Path(word).name.removeprefix(PREFIX): word for word in sys.argv[1:]}
del sys.argv[1:]
MANY = "--n 3e8 --blocks 1"  # more than 2^20 points for each thread
# Of each fault a run that must fail, and one in which the fault does nothing (if there is any).
RUNS = {
    "two_thirty": ("--n 100000 --blocks 4", ""),
    "narrow_chunk": (MANY, "--n 1e6 --blocks 1"),
    "wrong_rotation": ("--n 100000 --blocks 4", "--n 1000 --blocks 4"),
    "wrong_distance": ("--n 100000", ""),
    "wrong_tap": ("--n 1e6 --blocks 4", ""),
    "short_tail": ("--n 100000", "--n 22784 --blocks 1"),  # 89 points for each thread
    "no_remainder": ("--n 100001", "--n 1024 --blocks 4"),
    "next_jump": ("--n 100000", ""),
    "one_chunk": ("--n 1e6 --chunk 131072", "--n 100000"),
    "closed_edge": ("--n 1e6", ""),
}


class FaultsTest(unittest.TestCase):
    def check(self, fault: str, arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAMS[fault], "--check", *arguments.split()],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_all_are_built(self) -> None:
        self.assertEqual(PROGRAMS.keys(), RUNS.keys())

    def test_each_is_found(self) -> None:
        for fault, (failing, _) in RUNS.items():
            with self.subTest(fault=fault):
                result = self.check(fault, failing)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertRegex(result.stdout + result.stderr, "inside|standard errors")

    def test_where_it_does_nothing_the_count_is_right(self) -> None:
        for fault, (_, passing) in RUNS.items():
            if passing:
                with self.subTest(fault=fault):
                    result = self.check(fault, passing)
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
