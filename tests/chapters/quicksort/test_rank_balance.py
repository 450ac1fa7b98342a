#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of the chapter's inputs, no rank gets 10 % more keys than the mean.

test_rank_balance.py PROGRAM    a program of stage quicksort/many_gpus
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.ranks import run_ranks

PROGRAM = Path(sys.argv.pop(1))
INPUTS = (
    "uniform",
    "sorted",
    "organ-pipe",
    "few-unique",
    "all-equal",
    "zipf",
    "staggered",
    "g-group",
    "deterministic-duplicates",
    "one-heavy",
    "anded",
)
N, RANKS = 65536, 3


def most_keys(name: str, *flags: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        arguments = ["--n", str(N), "--input", name, "--repeats", "1", "--warmup", "0", "--quiet"]
        status, said = run_ranks(
            PROGRAM, [*arguments, *flags, "--json", str(path)], RANKS, stdout=subprocess.DEVNULL
        )
        if status != 0:
            raise AssertionError(said)
        return int(json.loads(path.read_text(encoding="utf-8"))["report"]["most_keys"])


class BalanceTest(unittest.TestCase):
    def test_no_rank_has_much_more_than_the_mean(self) -> None:
        for name in INPUTS:
            with self.subTest(input=name):
                self.assertLess(most_keys(name, "--samples", "2048"), 1.1 * N / RANKS)

    def test_a_bad_sample_shows(self) -> None:
        """With one key of each rank the parts differ, and the sort is right all the same."""
        self.assertGreater(most_keys("uniform", "--samples", "1"), 1.125 * N / RANKS)


if __name__ == "__main__":
    unittest.main()
