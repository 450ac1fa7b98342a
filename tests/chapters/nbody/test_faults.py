# SPDX-License-Identifier: MIT
"""Stages with one fault each: the verifier finds every fault, and not only at one odd size.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

MASSLESS = "1 0 0 0 0 0 0\n0 1 0 0 0 1 0\n0 0 2 0 1 0 0\n"
# Runs that must fail, and runs in which the fault does nothing.
FAILING = {
    "opposite_groups_twice": ("--n 512", "--n 1000"),
    "own_group_twice": ("--n 33", "--n 1000"),
    "wrong_way_round": ("--n 257", "--n 1000"),
    "parts_overlap": ("--n 257", "--n 1000"),
    "sums_kept": ("--n 257 --steps 1",),
    "light_fillers": ("--input solar",),
    "no_floor": ("--input massless.txt",),
    "slices_overlap": ("--n 1000",),
    "last_warp_lost": ("--n 1000", "--n 225"),
    "too_few_for_all": ("--n 1001",),
}
PASSING = {
    "opposite_groups_twice": ("--n 700",),  # an odd number of groups
    "wrong_way_round": ("--n 256",),  # within a group, the travelling sums are not used
    "sums_kept": ("--n 257",),
    "light_fillers": ("--n 256",),  # there are none
    "no_floor": ("--n 257",),
    "slices_overlap": ("--n 128",),  # one slice
    "last_warp_lost": (
        "--n 224",
        "--n 4097",
    ),  # the last warp has no body; another kernel
    "too_few_for_all": ("--n 1000",),
}


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "nbody"
    failing = {fault: (runs, "accelerations|not finite") for fault, runs in FAILING.items()}
    passing = PASSING
    files = {"massless.txt": MASSLESS}


if __name__ == "__main__":
    unittest.main()
