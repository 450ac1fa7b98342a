# SPDX-License-Identifier: MIT
"""The estimates of the Monte Carlo figures, its sweeps, and the thesis' numbers."""

import unittest

from plots.montecarlo.figures import BEST, KERNELS, SAMPLE_DEVIATION, STAGES
from plots.records.folders import PLOTS, THESIS
from plots.records.published import read_published
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import GPU, DrawingTest


class FiguresTest(DrawingTest):
    def test_an_estimate_that_is_no_number_is_an_error(self) -> None:
        self.write_chapter(STAGES.chapter, self.device)
        with (self.device / "montecarlo_report.csv").open("a") as file:
            file.write(f"montecarlo,{BEST},gpu,{GPU},1000,blocks=8,9,estimate,nan\n")
        status, _, said = self.draw("--only", "montecarlo_error")
        self.assertEqual(status, 1)
        self.assertIn("montecarlo_report.csv", said)

    def test_the_deviation_of_a_point(self) -> None:
        self.assertAlmostEqual(SAMPLE_DEVIATION, 1.642, places=3)


class DataTest(unittest.TestCase):
    def test_sweeps_have_the_sizes_of_the_thesis(self) -> None:
        found: dict[str, set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record":
                for stage in sweep.stages:
                    found.setdefault(stage, set()).update(sweep.sizes)
        self.assertLessEqual({10**10 * 2**i for i in range(7)}, found[BEST])
        for stage in KERNELS[:-1]:
            self.assertLess(max(found[stage]), 2**32)  # their counts have 32 bits
        self.assertIn(6_400_000_000, found[STAGES.serial])

    def test_the_printed_speed_up_is_the_ratio_of_the_printed_times(self) -> None:
        values = {
            (one.figure, one.quantity, one.stage, one.n): one.value
            for one in read_published(THESIS)
        }
        n = 6_400_000_000
        self.assertEqual(values["8.2", "time", STAGES.serial, n], 238.62)
        ratio = values["8.2", "time", STAGES.serial, n] / values["8.2", "time", BEST, n]
        self.assertAlmostEqual(ratio, values["8.2", "speedup_over_cpu", BEST, n], delta=0.1)


if __name__ == "__main__":
    unittest.main()
