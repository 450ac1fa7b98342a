# SPDX-License-Identifier: MIT
"""Stages with one change each, on the engine with counters. The verifier or the engine finds each
fault; a change that is no fault is accused of nothing.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

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
    "ties": "--input turned --init above --k 2",
    "wrong_edge": "--n 3000 --k 9",
    "no_slack": "--input column --init border --k 2",
    "last_gap": "--n 3000 --k 3",
    "tasks_remain": "--n 3000 --k 3",
    "ties_of_cells": "--n 3000 --k 9",
    "sums_of_32_bits": "--n 3000 --k 9",
    "guess_not_checked": "--input outlier --k 2",
    "new_labels": "--n 3000 --k 9",
    "short_graphs": "--n 3000 --k 9 --max-iterations 33 --all-iterations",
    "narrow_sums": "--input crowd --k 1",
    "all_lanes_add": "--input pile --k 1",
}
PASSING = {
    "ties": "--input wall --init beside --k 2",
    "wrong_edge": "--n 3000 --k 1",
    "no_slack": "--n 3000 --k 1",
    "tasks_remain": "--n 3000 --k 3 --max-iterations 1",
    "ties_of_cells": "--n 3000 --k 1",
    "sums_of_32_bits": "--n 3000 --k 9 --max-coordinate 1000",
    "guess_not_checked": "--n 60 --input all-equal",
    "new_labels": "--input outlier --k 1",
    "short_graphs": "--n 3000 --k 9 --max-iterations 34 --all-iterations",
    "right_one_block": "--n 66000 --k 7 --max-iterations 2",
    "right_small_tiles": "--n 9000 --k 9 --max-iterations 2",
    "right_sampled_rows": "--n 70000 --max-coordinate 100000 --k 9 --max-iterations 2",
    "right_rows_overflow": "--n 70000 --max-coordinate 100000 --k 9 --max-iterations 2",
    "right_outside_of_guess": "--input far --k 2 --max-iterations 2",
    "narrow_sums": "--n 3000 --k 9 --max-coordinate 1000",
    "all_lanes_add": "--n 300 --k 9",
}


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "kmeans"
    failing = {fault: (run, ".*") for fault, run in FAILING.items()}
    passing = PASSING
    files = {name: "".join(f"{x} {y}\n" for x, y in points) for name, points in FILES.items()}


if __name__ == "__main__":
    unittest.main()
