# SPDX-License-Identifier: MIT
"""Blocked stages with one fault each, on the engine with counters: the verifier finds every fault,
or the engine finds it as a race.

    test_faults.py PROGRAM…
"""

import unittest

from tests.chapters.faults import faulty_stages

# With the rows of the pivots from after the round, vertices 0 and 32 send the walk to 1 to each
# other.
LOOP = "0,32,0\n32,0,0\n0,33,2\n33,1,0\n"
CUT = "--n 130 --input cycle --max-weight 4161000"
# A run that must fail, and what it must say; and a run in which the fault does nothing, if there is
# one.
FAILING = {
    "closed_rows": ("--input loop.csv", "comes back to"),
    "ties_in_phase_2": ("--n 290 --density 0.02 --max-weight 1", "comes back to|next hop"),
    "no_tag_of_pivot_0": ("--n 33", "from "),
    "no_second_search": (CUT, "from "),
    "infinity_drifts": ("--n 97 --density 0.03 --negative", "from "),
    "diagonal_not_tested": ("--n 70 --input negative-cycle", "does not report it"),
    "waits_too_late": ("--n 130", "from |race|copies"),
    "one_set_of_panels": ("--n 400", "from |race"),
    "does_not_wait": ("--n 400", "from |race"),
}
PASSING = {
    "closed_rows": "--n 200 --input cycle",
    "no_second_search": "--n 130",
    "infinity_drifts": "--n 130 --density 1",
    "diagonal_not_tested": "--n 130 --negative",
    "one_set_of_panels": "--n 128",  # one round
    "does_not_wait": "--n 128",
}


class FaultsTest(faulty_stages.FaultsTest):
    chapter = "floyd"
    failing = FAILING
    passing = PASSING
    files = {"loop.csv": LOOP}


if __name__ == "__main__":
    unittest.main()
