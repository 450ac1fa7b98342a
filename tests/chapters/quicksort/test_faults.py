# SPDX-License-Identifier: MIT
"""Stages of the sample sort with one fault each: the verifier or a check of the engine finds every
fault.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

# The run that must fail, and what it must say. A fault that makes a region overflow is not found
# here: what did not fit is sorted again, and the result is right.
WRONG = "WRONG RESULT"
FINDING = "WRONG RESULT|out of bounds|uninitialised|race|misaligned"
UNINITIALISED = "uninitialised (shared|global) memory"
FAILING = {
    "no_barrier": ("--n 20000", "race: .* without a barrier between the two; add __syncthreads"),
    "upper_lanes_keep_less": ("--n 20000", WRONG),
    "short_room": ("--n 20000", "race"),
    "first_part_is_constant": ("--n 20000", WRONG),
    "constant_parts_are_not_counted": ("--n 20000 --bits 5 --input few-unique", FINDING),
    "silent_overflow": ("--n 30000 --bits 5 --slack 0", FINDING),
    "nobody_is_left_out": ("--n 20000 --bits 5", FINDING),
    "runs_overlap": ("--n 20000", UNINITIALISED),
    "no_fence": ("--n 20000", "missing proxy fence"),
    "no_wait": ("--n 20000", "copy never waited for"),
    "shifted_runs": ("--n 20000", UNINITIALISED),
    "every_fourth_pair_is_missed": ("--n 20000 --input sawtooth", WRONG),
    "equal_neighbours_share_a_place": ("--n 20000 --input nearly-sorted", FINDING),
    "only_keys_are_compared": ("--n 3000 --input few-unique", WRONG),
    "only_keys_move": ("--n 20000", FINDING),
    "narrow_runs": ("--n 20000", FINDING),
}


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "quicksort"
    failing = FAILING


if __name__ == "__main__":
    unittest.main()
