# SPDX-License-Identifier: MIT
"""The numbers of the n-body figures, its sweeps, and the thesis' numbers."""

import unittest
from dataclasses import replace

from common.tools.lib.columns import PROFILE_COLUMNS
from common.tools.lib.stages import DataError
from plots.nbody import accesses, tiles
from plots.nbody.beyond import (
    NAMED,
    STEPS,
    best_at,
    instructions_table,
    leapfrog_table,
    rates_table,
)
from plots.nbody.figures import AFTER, BEYOND, KERNELS, PROFILED, STAGES, pairs
from plots.records.counters import read_counters
from plots.records.folders import COUNTERS, PLOTS, THESIS
from plots.records.medians import Point
from plots.records.published import read_published
from plots.records.rows import Row, read_profile
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import DrawingTest, PlotsTest, TraceTest, timed
from tests.plots.nbody.data import OPCODES, profile_records


class AccessesTest(TraceTest):
    """Figures 6.1 to 6.3."""

    def test_each_thread_walks_the_whole_list(self) -> None:
        for number, one in enumerate(accesses.read_threads(self.source)):
            self.assertEqual((one.own, one.stored), (number, number))
            self.assertEqual(one.bodies, list(range(accesses.BODIES)))

    def test_requests_have_the_sectors_that_are_counted(self) -> None:
        """The counters of another run have the same sectors per request."""
        counted = {}
        for one in read_counters(COUNTERS / f"{STAGES.chapter}.csv"):
            if one.kernel == accesses.KERNEL:
                counted[one.stage] = one.counters
        for trace, words in ((accesses.FLOAT3, 32), (accesses.FLOAT4, 128), (accesses.LISTS, 32)):
            requests = accesses.read_requests(self.source, trace)
            self.assertTrue(all(len(one.words) == words for one in requests))
            if requests[0].operation == "store":
                own = counted[trace.stage.partition("/")[2]]
                each = own["global_store.sectors"] / own["global_store.requests"]
                self.assertEqual({len(one.sectors) for one in requests}, {each})
        self.assertEqual(
            [len(one.sectors) for one in accesses.read_requests(self.source, accesses.FLOAT3)],
            [12, 12, 12],
        )

    def test_a_lane_that_is_missing_is_refused(self) -> None:
        self.change("nbody_float4", "0,load,a1,31,496,16\n", "")
        with self.assertRaisesRegex(DataError, r"nbody_float4\.csv: request 0 is not one of a"):
            accesses.prepare_requests(self.source)

    def test_the_tiles_are_the_list(self) -> None:
        found, own = tiles.read_tiles(self.source)
        self.assertEqual(own, 256)
        self.assertEqual([one.first for one in found], [0, 256, 512])
        self.assertEqual([one.loaded for one in found], [256, 256, 88])
        self.assertEqual({(one.stored, one.read) for one in found}, {(256, 256)})
        self.change("nbody_tiles", "load,shared,0,256", "load,shared,0,255")
        with self.assertRaisesRegex(DataError, r"nbody_tiles\.csv: the tiles are not the list"):
            tiles.prepare_tiles(self.source)


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


class BeyondTest(PlotsTest):
    """The tables of the stages beyond the thesis, from made-up rows."""

    def rows(self, *, factor: float = 1.0, left_out: int = 0) -> list[Row]:
        """Stage i takes i * 1e-9 ms per pair and step; a step takes `factor` times as long."""
        return [
            replace(
                timed(
                    stage, n, 1.0, (i + 1) * n * n * (1 + steps * factor) * 1e-9, steps=str(steps)
                ),
                input="plummer",
            )
            for i, stage in enumerate(BEYOND)
            for n in NAMED
            if n != left_out
            for steps in (0, STEPS)
        ]

    def test_rates(self) -> None:
        lines = rates_table(self.rows(), BEYOND)
        self.assertEqual(len([line for line in lines if line.startswith("|")]), 2 + len(BEYOND))
        # 1e-9 ms per pair are 1e12 pairs per second, and 20 operations each.
        self.assertIn("| 1 T pairs/s, 20.0 TFLOP/s |", lines[2].replace("1.00 T", "1 T"))
        self.assertIn("10.0 TFLOP/s", lines[3])
        with self.refuses("no rows of .* with 262144 bodies"):
            rates_table(self.rows(left_out=NAMED[1]), BEYOND)

    def test_leapfrog(self) -> None:
        lines = leapfrog_table(self.rows(), BEYOND)
        self.assertEqual(lines[2].count("×1.000"), len(NAMED))
        self.assertIn("×1.050", leapfrog_table(self.rows(factor=1.0505), BEYOND)[2])
        with self.refuses("no rows of 100 steps"):
            leapfrog_table([row for row in self.rows() if row.parameters["steps"] == "0"], BEYOND)

    def test_instructions(self) -> None:
        path = self.write("nbody_profile.csv", PROFILE_COLUMNS, profile_records(OPCODES))
        lines = instructions_table(read_profile(path), PROFILED)
        self.assertEqual(
            lines[2],
            f"| {STAGES.kernels[0]} | 8 | 2 | 3 | 1 | 1 |  | 1 | 16 |",
        )
        with self.refuses("the profile has no metrics of 99_absent"):
            instructions_table(read_profile(path), ("99_absent",))

    def test_the_fastest_at_each_size(self) -> None:
        slow, fast = [Point(n, 1, 2, 3, 1) for n in (1, 2)], [Point(2, 1, 1, 1, 1)]
        self.assertEqual(best_at({"slow": slow, "fast": fast}), {2: "fast"})
        with self.refuses("no n at which every stage was measured"):
            best_at({"slow": slow[:1], "fast": fast})


class DataTest(unittest.TestCase):
    def test_sweeps_have_the_sizes_of_the_thesis(self) -> None:
        found: dict[tuple[str, object], set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record":
                for stage in sweep.stages:
                    found.setdefault((stage, dict(sweep.match)["steps"]), set()).update(sweep.sizes)
        for stage in KERNELS:
            self.assertLessEqual({100_000 * 2**i for i in range(6)}, found[stage, 0])
            self.assertLessEqual({10_000 * 2**i for i in range(6)}, found[stage, 100])
        self.assertLessEqual({160_000, 320_000}, found[STAGES.serial, 0])
        for stage in BEYOND:
            self.assertLessEqual({1024, *NAMED}, found[stage, 0])

    def test_the_thesis_numbers(self) -> None:
        values = {
            (one.figure, one.quantity, one.stage, one.n): one.value
            for one in read_published(THESIS)
        }
        self.assertEqual(values["6.6", "speedup_over_previous", AFTER, 3_200_000], 2.25)


if __name__ == "__main__":
    unittest.main()
