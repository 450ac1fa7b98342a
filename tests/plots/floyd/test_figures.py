# SPDX-License-Identifier: MIT
"""The bandwidth of Floyd-Warshall, its README and its sweeps."""

import unittest

from common.tools.lib.columns import ROW_COLUMNS
from common.tools.lib.stages import DataError
from plots.floyd import cells
from plots.floyd.figures import BEST, CHAPTER, KERNELS, STAGES
from plots.records.folders import PLOTS
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import DrawingTest, ReadmeTest, TraceTest
from tests.plots.floyd.data import rows


class CellsTest(TraceTest):
    """Figures 7.1 and 7.2."""

    def test_blocks_have_rows_and_threads_have_columns(self) -> None:
        for trace, rows, row_reads in ((cells.ROWS, 1, 144), (cells.COLUMN_REUSE, 4, 36)):
            step = cells.read_step(self.source, trace)
            for (row, column), cell in step.cells.items():
                self.assertEqual((cell.block, cell.thread), (row // rows, column))
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
            self.assertEqual([line[0] for line in lines], [200, 1000, 5000, 20_000])
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
        self.assertEqual([line.split()[0] for line in times], ["1000", "5000", "20000"])


class TablesTest(ReadmeTest):
    def test_the_readme(self) -> None:
        records = rows("gpu", (1000, 2000, 3000, 4000, 5000, 20_000))
        for record in list(records):  # other inputs are not compared
            for input_name, parameters in (
                ("random", "density=0.5;max-weight=1000;negative=1"),
                ("grid", "max-weight=1000"),
                ("random", "density=0.1;max-weight=1000"),
            ):
                other = list(record)
                other[7], other[9] = parameters, input_name
                other[12:17] = [1.0] * 5
                records.append(other)
        self.write("floyd.csv", ROW_COLUMNS, records)
        text = self.readme(CHAPTER)
        for line in (
            "| ×1.14 | ×1.20 at 20 k |",
            "| ×1.06 | ×1.20 at 20 k |",
            "| ×980 at 5 k |",
            (
                f"| 7.4.1 | speed-up over the stage before | {KERNELS[1]} | 20 k | ×1.14 | ×1.20 |"
                " yes |"
            ),
            f"| 7.4.2 | speed-up over {STAGES.serial} | {BEST} | 1 k | ×3.86 | ×1410 | no |",
            f"| 7.4.2 | speed-up over {STAGES.serial} | {BEST} | 5 k | ×92.9 | ×1410 | no |",
        ):
            self.assertIn(line, text)


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
