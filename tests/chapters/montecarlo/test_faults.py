# SPDX-License-Identifier: MIT
"""Stages with one fault each: the exact count finds every fault.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

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


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "montecarlo"
    failing = {fault: (run, "inside|standard errors") for fault, (run, _) in RUNS.items()}
    passing = {fault: run for fault, (_, run) in RUNS.items() if run}


if __name__ == "__main__":
    unittest.main()
