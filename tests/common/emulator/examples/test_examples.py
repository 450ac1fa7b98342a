#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_examples.py PROGRAM...

Each program ends with 0 under each schedule of blocks and warps: its oracle agrees, and the
counting engine has no finding. Of the warnings only writes of the same value are allowed."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

SCHEDULES = ("in-order", "reversed", "shuffled:7")
PROGRAMS: list[str] = []


class ExampleTest(unittest.TestCase):
    def test_results_and_findings(self) -> None:
        for program in PROGRAMS:
            for schedule in SCHEDULES:
                environment = os.environ | {
                    "EMULATOR_COUNTERS": "none",
                    "EMULATOR_SCHEDULE": schedule,
                }
                with self.subTest(program=Path(program).name, schedule=schedule):
                    result = subprocess.run(
                        [program],
                        env=environment,
                        capture_output=True,
                        text=True,
                        check=False,
                        timeout=60,
                    )
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertNotIn("warning: barrier", result.stderr)
                    self.assertNotIn("warning: memory leak", result.stderr)


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
