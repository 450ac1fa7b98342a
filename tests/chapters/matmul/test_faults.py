# SPDX-License-Identifier: MIT
"""Stages with one fault each, on the engine with counters: the verifier finds every fault, or the
engine finds it as a race or as an access that is not allowed.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

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
    "tiles_wait_too_late": ("--n 40", "cell |race|copies"),
    "two_swizzles": ("--n 40", "cell "),
    "no_wait_for_copies": ("--n 40", "cell |race|copies|copy"),
    "no_wait_for_bytes": ("--n 40", "cell |race|copies|copy"),
    "too_few_bytes": ("--n 40", "cell |race|copies|copy|bytes"),
    "always_the_even_phase": ("--n 40 --k 400", "cell |race|copies|copy|never"),
    "sums_too_early": ("--n 40", "race"),
    "old_rows": ("--n 40 --k 64", "cell |uninitialised"),
}
PASSING = {
    "old_cells_past_the_edge": "--n 40 --k 32",  # whole chunks
    "no_second_barrier": "--n 70 --k 32",  # one chunk
    "first_product_twice": "--n 40 --k 0",
    "all_rows_whole": "--n 36",
    "one_group_twice": "--n 40",
    "no_zeros_past_k": "--n 40 --k 32",
    "always_the_even_phase": "--n 40 --k 64",
    "old_rows": "--n 40 --k 32",  # no more chunks than come before the loop
}


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "matmul"
    failing = FAILING
    passing = PASSING


if __name__ == "__main__":
    unittest.main()
