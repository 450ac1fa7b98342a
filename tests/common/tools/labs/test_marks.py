# SPDX-License-Identifier: MIT
"""Each lab's start gets the published points, its solution gets all: test_marks.py [CHAPTER]. A third
of the labs is drawn anew each time (tests/drawn.py)."""

import sys
import unittest

from tests.common.tools.labs.lab_programs import LabTest
from tests.drawn import drawn

CHAPTER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""


class Marks(LabTest):
    def test_start_and_solution(self) -> None:
        labs = [lab for lab in self.labs.values() if CHAPTER in ("", lab.chapter)]
        self.assertTrue(labs)
        for lab in drawn(labs, max(3, len(labs) // 3), "labs"):
            with self.subTest(lab.name):
                self.assert_marks(lab)


if __name__ == "__main__":
    unittest.main()
