# SPDX-License-Identifier: MIT
"""The bandwidth of Floyd-Warshall, the rates beyond the thesis, and the sweeps."""

import re
import unittest
from dataclasses import replace

from common.tools.lib.stages import DataError
from plots.floyd import cells, profile
from plots.floyd.beyond import INPUTS_AT, OF_ALL, SIZES, inputs_table, limit_of, rates_table
from plots.floyd.figures import KERNELS, RUNS, STAGES
from plots.floyd.stages import BEYOND, ROUNDS, round_of
from plots.records.counters import read_counters
from plots.records.folders import COUNTERS, PLOTS
from plots.records.limits import Limits
from plots.records.rows import Row
from common.tools.lib.stages import words_of
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import GPU, DrawingTest, PlotsTest, TraceTest, timed


class CellsTest(TraceTest):
    """Figures 7.1 and 7.2."""

    def test_blocks_have_rows_and_threads_have_columns(self) -> None:
        for trace, rows_per_block, row_reads in ((cells.ROWS, 1, 144), (cells.COLUMN_REUSE, 4, 36)):
            step = cells.read_step(self.source, trace)
            for (row, column), cell in step.cells.items():
                self.assertEqual((cell.block, cell.thread), (row // rows_per_block, column))
            self.assertEqual((step.pivot_row, step.pivot_column), (row_reads, 144))

    def test_both_stages_find_the_same_distances(self) -> None:
        found = [cells.read_step(self.source, one) for one in (cells.ROWS, cells.COLUMN_REUSE)]
        distances = [
            {place: (cell.before, cell.after) for place, cell in step.cells.items()}
            for step in found
        ]
        self.assertEqual(distances[0], distances[1])
        shorter = [before > after for before, after in distances[0].values()]
        self.assertGreater(sum(shorter), 10)
        for i in range(cells.COUNT):
            self.assertEqual(distances[0][i, i], (0, 0))

    def test_a_distance_that_is_not_the_shorter_way_is_refused(self) -> None:
        self.change("floyd_rows", "7,9,44,store,7,9,6", "7,9,44,store,7,9,7")
        with self.assertRaisesRegex(
            DataError, r"floyd_rows\.csv: cell \(7, 9\) is not the shorter"
        ):
            cells.prepare_rows(self.source)


class FiguresTest(DrawingTest):
    def test_bandwidth_of_floyd_warshall(self) -> None:
        """4 n^3 bytes at 5 GB/s and a fifth more each stage; 50 GB/s of L2 up to 1 MB, then
        less."""
        self.write_chapter(STAGES.chapter, self.device)
        self.draw("--only", "floyd_bandwidth", "figure_7_3")
        blocks = (self.out / "data" / "floyd_bandwidth_rate.dat").read_text().split("\n\n\n")
        for i, block in enumerate(blocks):
            lines = [[float(word) for word in line.split()] for line in block.splitlines()[1:]]
            self.assertEqual(
                [line[0] for line in lines], [200, 1000, 1024, 4096, 5000, 8192, 20_000]
            )
            for line in lines:
                self.assertAlmostEqual(line[1], 5 * 1.2**i / 1.02, places=6)
                self.assertTrue(line[2] < line[1] < line[3])
        reach = [
            [float(word) for word in line.split()]
            for line in (self.out / "data" / "floyd_bandwidth_reach.dat")
            .read_text()
            .splitlines()[1:]
        ]
        self.assertTrue(all(abs(rate - 50) < 1e-6 for n, rate in reach if n <= 512))
        self.assertIn(512, [n for n, _ in reach])
        n, rate = reach[-1]
        share = 2**20 / (4 * n * n)
        self.assertAlmostEqual(rate, 1 / (share / 50 + (1 - share) / 10), places=4)
        # What is smaller than the thesis' sizes is left out where its numbers stand beside.
        times = (
            (self.out / "data" / "figure_7_3_time.dat")
            .read_text()
            .split("\n\n\n")[0]
            .splitlines()[1:]
        )
        self.assertEqual(
            [line.split()[0] for line in times], ["1000", "1024", "4096", "5000", "8192", "20000"]
        )


class BeyondTest(PlotsTest):
    """The tables of the stages beyond the thesis, from made-up rows."""

    @staticmethod
    def row(stage: str, n: int, rate: float, graph: str = "random", **parameters: object) -> Row:
        known = {"density": "0.5", "max-weight": "1000"} if graph == "random" else {}
        words = {name.replace("_", "-"): str(value) for name, value in parameters.items()}
        one = timed(stage, n, 1.0, n**3 / rate * 1e3, **(known | words))
        return replace(one, input=graph)

    def test_rates(self) -> None:
        """Stage i does i + 1 G relaxations per second; only the last one is measured at all
        sizes."""
        made = [
            self.row(stage, n, (i + 1) * 1e9)
            for i, stage in enumerate(BEYOND)
            for n in (SIZES if stage == BEYOND[-1] else OF_ALL)
        ]
        limits = {GPU: Limits(GPU, 1.0, operations_per_second=8e12)}
        self.assertEqual(limit_of(limits[GPU]), 2e12)
        lines = rates_table(made, limits, RUNS.match)
        last = f"{len(BEYOND)} G"
        self.assertIn(f"| {BEYOND[-1]} | {' | '.join([last] * len(SIZES))} |", lines)
        self.assertIn(f"| one instruction per relaxation {'| 2 T ' * len(SIZES)}|", lines)
        self.assertEqual(len(rates_table(made, {}, RUNS.match)), len(lines) - 1)
        with self.refuses(f"no rows of {BEYOND[0]} with {OF_ALL[1]} vertices"):
            few = [row for row in made if (row.stage, row.n) != (BEYOND[0], OF_ALL[1])]
            rates_table(few, {}, RUNS.match)

    def test_inputs(self) -> None:
        last = BEYOND[-1]
        lines = inputs_table(
            [
                self.row(last, INPUTS_AT, 1e9, "cycle", max_weight=131_000),
                self.row(last, INPUTS_AT, 2e9, negative=1),
                self.row(last, INPUTS_AT, 3e9),
                self.row(last, INPUTS_AT, 4e9, density=0.01, max_weight=1),
                self.row(last, 2 * INPUTS_AT, 5e9),
            ]
        )
        self.assertEqual(
            lines[2:-2],
            [
                "| random, density 0.01 | 1 | 4 G |",
                "| random, density 0.5 | 1000 | 3 G |",
                "| random, density 0.5, negative edges | 1000 | 2 G |",
                "| cycle | 131 000 | 1 G |",
            ],
        )
        with self.refuses("no rows of"):
            inputs_table([self.row(last, 2 * INPUTS_AT, 5e9)])

    def test_each_stage_has_its_round(self) -> None:
        for stage in BEYOND[1:]:
            self.assertIn(words_of(stage), ROUNDS)
        self.assertEqual([round_of(stage).steps for stage in KERNELS], [1, 1, 1])

    def test_the_launches_of_a_round(self) -> None:
        """As many as are counted. With 512 vertices, the last stage has shorter rounds."""
        launches: dict[str, int] = {}
        vertices = 512
        for one in read_counters(COUNTERS / f"{STAGES.chapter}.csv"):
            self.assertEqual(one.arguments, f"--n {vertices}")
            if re.search(profile.KERNELS, one.kernel):
                name = words_of(one.stage)
                launches[name] = launches.get(name, 0) + one.counters["launches"]
        for name, one in ROUNDS.items():
            if name == "tiles_by_size":
                continue
            rounds = vertices // one.steps
            with self.subTest(stage=name):
                if one.launches_before:  # and the last round is one launch
                    expected = one.launches_before + (rounds - 1) * one.launches + 1
                else:
                    expected = rounds * one.launches
                self.assertEqual(launches[name], expected)


class SweepsTest(unittest.TestCase):
    def test_sizes_of_the_thesis(self) -> None:
        found: dict[str, set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record":
                for stage in sweep.stages:
                    found.setdefault(stage, set()).update(sweep.sizes)
        for stage in KERNELS:
            self.assertLessEqual({1000, 2000, 3000, 4000, 5000, 20_000}, found[stage])
        self.assertEqual({1000, 2000, 3000, 4000, 5000}, found[STAGES.serial])


if __name__ == "__main__":
    unittest.main()
