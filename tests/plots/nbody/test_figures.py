# SPDX-License-Identifier: MIT
"""The numbers of the n-body figures, its sweeps, and the thesis' numbers."""

import unittest

from plots.nbody.figures import AFTER, KERNELS, STAGES, pairs
from plots.records.folders import PLOTS, THESIS
from plots.records.published import read_published
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import DrawingTest, timed


class FiguresTest(DrawingTest):
    def test_speed_ups(self) -> None:
        self.write_chapter(STAGES.chapter, self.device)
        self.assertEqual(self.draw("--only", "figure_6_6", "nbody_cpu_gpu")[0], 0)
        lines = self.blocks("figure_6_6_gain")[0]
        # Stage i takes 1/i of the first one's time: 2/1, 3/2, 4/3, 5/4, 6/5.
        for line, i in zip(lines, range(2, 7), strict=True):
            self.assertAlmostEqual(float(line[1]), i / (i - 1), places=6)
        self.assertEqual([float(line[2]) for line in lines], [1.12, 1.1, 1.04, 2.25, 1.23])

    def test_without_a_profile_there_is_an_error(self) -> None:
        self.write_chapter(STAGES.chapter, self.here, engine="emu", profile=False)
        status, _, said = self.draw("--data", "here", "--chapter", STAGES.chapter)
        self.assertEqual(status, 1)
        self.assertIn("nbody_profile.csv", said)

    def test_pairs_of_a_run(self) -> None:
        self.assertEqual(pairs(timed(AFTER, 1000, 1.0, steps="0")), 1e6)
        self.assertEqual(pairs(timed(AFTER, 1000, 1.0, steps="100")), 101e6)


class DataTest(unittest.TestCase):
    def test_sweeps_have_the_sizes_of_the_thesis(self) -> None:
        found: dict[tuple[str, object], set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record":
                for stage in sweep.stages:
                    found.setdefault((stage, dict(sweep.match)["steps"]), set()).update(sweep.sizes)
        for stage in KERNELS:
            self.assertLessEqual({100_000 * 2**i for i in range(6)}, found[stage, 0])
            self.assertEqual({10_000 * 2**i for i in range(6)}, found[stage, 100])
        self.assertLessEqual({160_000, 320_000}, found[STAGES.serial, 0])

    def test_the_thesis_numbers(self) -> None:
        values = {
            (one.figure, one.quantity, one.stage, one.n): one.value
            for one in read_published(THESIS)
        }
        self.assertEqual(values["6.6", "speedup_over_previous", AFTER, 3_200_000], 2.25)


if __name__ == "__main__":
    unittest.main()
