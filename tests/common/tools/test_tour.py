# SPDX-License-Identifier: MIT
"""make: a table of all stages, each verified, and then the failures, where they are seen."""

import unittest

from tests.common.tools.course_tools import ToolTest, run_tool


class TourTest(ToolTest):
    def tour(self, **variables: str):
        # Without gnuplot: the figures have their own tests.
        return run_tool("tour", self.build, PATH=str(self.folder), **variables)

    def test_every_stage_is_run_and_verified(self) -> None:
        log = self.folder / "log"
        result = self.tour(STAND_IN_LOG=str(log))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertRegex(
            lines[1], r"^sums/00_cpu +cpu +3000 +120 +121\.5 +yes +technique of 00_cpu$"
        )
        self.assertEqual(sum(" yes " in line for line in lines), 4)
        self.assertIn("no figures: gnuplot is missing", lines[-1])
        runs = log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(runs[0], "sums/00_cpu n=3000 repeats=1 warmup=None")
        self.assertEqual(runs[1], "sums/01_plain n=1000 repeats=1 warmup=None")

    def test_failures_are_printed_last(self) -> None:
        result = self.tour(STAND_IN_FAILS_AT="3000")
        self.assertEqual(result.returncode, 1)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[1], r"^sums/00_cpu +cpu +- .* NO ")
        self.assertEqual(lines[-1], "failed: sums/00_cpu: stand-in: wrong result")

    def test_a_missing_device_is_not_a_failure(self) -> None:
        result = self.tour(STAND_IN_WITHOUT_DEVICE="02_flags")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\nsums/02_flags .* left out ")
        self.assertIn("\nno usable OpenCL device\n", result.stdout)


if __name__ == "__main__":
    unittest.main()
