# SPDX-License-Identifier: MIT
"""Stages with one change each, on the engine with counters. The verifier or the engine finds each
fault; a change that is no fault is accused of nothing.

    test_changes.py PROGRAM…
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = {Path(word).name.removeprefix("kmeans_"): word for word in sys.argv[1:]}
del sys.argv[1:]
# Cells of 256 coordinates: the points of a whole edge are equally near to two centroids.
WALL = [(2048, 16 * y) for y in range(256)] + [(0, 0), (4095, 4095)]
FILES = {
    "wall": WALL,
    "turned": [(y, x) for x, y in WALL],
    "beside": [(1948, 2000), (2148, 2000)],
    "above": [(2000, 1948), (2000, 2148)],
    # The last points of a column, half a unit behind the border of two centroids. In floats, the
    # border is 129 units farther.
    "column": [(3 * 2**28 - 1, i) for i in range(9)]
    + [(-(2**30), -(2**30)), (2**30, 2**30)],
    "border": [(596292231, 0), (1014320502, 0)],
    # Points of one cell of a wide grid, as far from its corner as can be.
    "crowd": [(3 * 2**28 - 1 - i, 3 * 2**28 - 1 - i) for i in range(99)]
    + [(-(2**30), -(2**30)), (2**30, 2**30)],
    # So many points of one cell that all lanes of a warp add all their keys to it.
    "pile": [(12_345, 54_321)] * 9000 + [(-(10**6), -(10**6)), (10**6, 10**6)],
    # The sample that the grid is guessed from is every 64th point: it does not see the last one.
    "far": [(i % 251, i % 241) for i in range(70_000)] + [(90_000, -80_000)],
    "outlier": [(i % 7, i % 5) for i in range(200)] + [(90_000, -80_000)],
}
# A run that must fail, and a run in which the fault does nothing, if there is one.
FAILING = {
    "fault_ties": "--input turned --init above --k 2",
    "fault_wrong_edge": "--n 3000 --k 9",
    "fault_no_slack": "--input column --init border --k 2",
    "fault_last_gap": "--n 3000 --k 3",
    "fault_tasks_remain": "--n 3000 --k 3",
    "fault_ties_of_cells": "--n 3000 --k 9",
    "fault_sums_of_32_bits": "--n 3000 --k 9",
    "fault_guess_not_checked": "--input outlier --k 2",
    "fault_new_labels": "--n 3000 --k 9",
    "fault_short_graphs": "--n 3000 --k 9 --max-iterations 33 --all-iterations",
    "fault_narrow_sums": "--input crowd --k 1",
    "fault_all_lanes_add": "--input pile --k 1",
}
PASSING = {
    "fault_ties": "--input wall --init beside --k 2",
    "fault_wrong_edge": "--n 3000 --k 1",
    "fault_no_slack": "--n 3000 --k 1",
    "fault_tasks_remain": "--n 3000 --k 3 --max-iterations 1",
    "fault_ties_of_cells": "--n 3000 --k 1",
    "fault_sums_of_32_bits": "--n 3000 --k 9 --max-coordinate 1000",
    "fault_guess_not_checked": "--n 60 --input all-equal",
    "fault_new_labels": "--input outlier --k 1",
    "fault_short_graphs": "--n 3000 --k 9 --max-iterations 34 --all-iterations",
    "right_one_block": "--n 66000 --k 7 --max-iterations 2",
    "right_small_tiles": "--n 9000 --k 9 --max-iterations 2",
    "right_sampled_rows": "--n 70000 --max-coordinate 100000 --k 9 --max-iterations 2",
    "right_rows_overflow": "--n 70000 --max-coordinate 100000 --k 9 --max-iterations 2",
    "right_outside_of_guess": "--input far --k 2 --max-iterations 2",
    "fault_narrow_sums": "--n 3000 --k 9 --max-coordinate 1000",
    "fault_all_lanes_add": "--n 300 --k 9",
}


class ChangesTest(unittest.TestCase):
    def check(self, change: str, words: str) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, points in FILES.items():
                lines = [f"{x} {y}\n" for x, y in points]
                (Path(folder) / name).write_text("".join(lines), encoding="utf-8")
            return subprocess.run(
                [PROGRAMS[change], "--check", "--quiet", *words.split()],
                capture_output=True,
                text=True,
                cwd=folder,
                check=False,
            )

    def test_all_are_built(self) -> None:
        self.assertEqual(PROGRAMS.keys(), FAILING.keys() | PASSING.keys())

    def test_each_fault_is_found(self) -> None:
        for change, words in FAILING.items():
            with self.subTest(change=change):
                result = self.check(change, words)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)

    def test_what_is_right_is_not_accused(self) -> None:
        for change, words in PASSING.items():
            with self.subTest(change=change):
                result = self.check(change, words)
                self.assertEqual(
                    (result.returncode, result.stderr), (0, ""), result.stdout + result.stderr
                )


if __name__ == "__main__":
    unittest.main()
