# SPDX-License-Identifier: MIT
"""Stages with one fault each, on the engine with counters: the verifier finds every fault, or the
engine finds it as a race or as an access that is not allowed.

    test_faults.py PROGRAM…
"""

import subprocess
import sys
import unittest
from pathlib import Path

PREFIX = "matmul_fault_"
PROGRAMS = {Path(word).name.removeprefix(PREFIX): word for word in sys.argv[1:]}
del sys.argv[1:]
# A run that must fail, and what it must say; and a run in which the fault does nothing, if there is
# one.
FAILING = {
    "last_row_lost": ("--n 40", "cell \\(39, 0\\)"),
    "last_product_lost": ("--n 40 --input integers", "cell "),
    "old_cells_past_the_edge": ("--n 40 --m 40 --k 33 --input special", "cell |out of bounds"),
    "no_second_barrier": ("--n 70", "race"),
    "first_product_twice": ("--n 40", "cell \\(0, 0\\)"),
    "rows_are_columns": ("--n 40", "cell "),
    "all_rows_whole": ("--n 33", "cell |misaligned"),
    "one_group_twice": ("--n 80", "cell "),
    "waits_too_late": ("--n 40", "cell |race|copies"),
    "no_zeros_past_k": ("--n 40 --k 33 --input special", "cell |out of bounds"),
}
PASSING = {
    "old_cells_past_the_edge": "--n 40 --k 32",  # whole chunks
    "no_second_barrier": "--n 70 --k 32",  # one chunk
    "first_product_twice": "--n 40 --k 0",
    "all_rows_whole": "--n 36",
    "one_group_twice": "--n 40",
    "no_zeros_past_k": "--n 40 --k 32",
}


class FaultsTest(unittest.TestCase):
    def check(self, fault: str, words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAMS[fault], "--check", "--quiet", *words.split()],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_all_are_built(self) -> None:
        self.assertEqual(PROGRAMS.keys(), FAILING.keys())

    def test_each_is_found(self) -> None:
        for fault, (words, said) in FAILING.items():
            with self.subTest(fault=fault):
                result = self.check(fault, words)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertRegex(result.stdout + result.stderr, said)

    def test_where_it_does_nothing_the_result_is_right(self) -> None:
        for fault, words in PASSING.items():
            with self.subTest(fault=fault):
                result = self.check(fault, words)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
