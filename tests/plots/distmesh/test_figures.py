# SPDX-License-Identifier: MIT
"""Distmesh's figures beside the printed tables, its README and its sweeps."""

import re
import unittest
from unittest import mock

from common.tools.lib.columns import PROFILE_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.stages import DataError
from plots.distmesh.figures import CHAPTER
from plots.distmesh.stages import FILE as PRINTED_FILE
from plots.distmesh.stages import (
    CIRCLE,
    GLOBAL,
    KERNELS,
    LAST,
    PRINTED,
    SAID_BY,
    SHARED,
    SHOWN,
    STAGES,
)
from plots.distmesh.tables import goals_table, occupancy_table, table_1, table_2
from plots.page.optimisations import read_chapter, speed_ups
from plots.page.speed_ups import printed_over_serial, printed_speed_up
from plots.records.folders import COUNTERS, DATA, PLOTS, device_folder
from plots.records.rows import read_profile
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.distmesh.data import profile_records, reports, rows
from tests.plots.fixtures import GPU, DrawingTest, ReadmeTest, write_table


class FiguresTest(DrawingTest):
    def test_beside_the_printed_tables(self) -> None:
        """Kernels of stage i take 1/2^i of the serial loops, which are a quarter of a run; copies
        and set-up a tenth each."""
        self.write_chapter(STAGES.chapter, self.device)
        names = (
            "--only",
            "distmesh_table_1",
            "distmesh_table_2",
            "distmesh_counts",
            "distmesh_copies",
        )
        self.assertEqual(self.draw(*names), (0, mock.ANY, ""))

        def blocks(name: str) -> list[list[list[float]]]:
            return self.numbers(f"distmesh_{name}")

        sizes = [1261, 1452, 20_109, 31_409]
        places = [1 + KERNELS.index(stage) for stage in SHOWN]
        for i, whole, kernels in zip(
            (0, *places), blocks("table_1_time"), blocks("table_2_time"), strict=True
        ):
            self.assertEqual(
                [[line[0] for line in whole], [line[0] for line in kernels]], [sizes, sizes]
            )
            for line, inner in zip(whole, kernels):
                part = 1.02e-5 * line[0]
                self.assertAlmostEqual(inner[1] / (part / 2**i), 1, places=6)
                self.assertAlmostEqual(
                    line[1] / (part * (3 + 1 / 2**i + (0.2 if i else 0))), 1, places=6
                )
                self.assertTrue(line[2] < line[1] < line[3] and inner[2] < inner[1] < inner[3])
        for i, gains in zip(places, blocks("table_2_gain"), strict=True):
            for line, n in zip(gains, sizes, strict=True):
                self.assertEqual(line[0], n)
                self.assertAlmostEqual(line[1], 2**i, places=6)
        self.assertEqual(blocks("table_1_theirs")[1][0], [1452, 0.13])
        self.assertEqual(
            [blocks("table_1_printed")[0][-1], blocks("table_2_printed")[0][-1]],
            [[20_109, 6.28], [31_409, 53.38]],
        )
        self.assertEqual(
            blocks("counts_iterations"),
            [[[n, 1000 + n % 100 + more] for n in sizes] for more in (0, 1)],
        )
        self.assertEqual(blocks("counts_theirstriangulations")[1][-1], [31_409, 719])
        shares = blocks("copies_shares")
        self.assertEqual([len(block) for block in shares], [1 + len(KERNELS)] * 4)
        for i in range(1 + len(KERNELS)):
            parts = [1 / 2**i, 0.1 * bool(i), 0.1 * bool(i), 3]
            for place, block in enumerate(shares):
                for end, many in zip(block[i], (None, place, place + 1), strict=True):
                    self.assertAlmostEqual(
                        end, i if many is None else 100 * sum(parts[:many]) / sum(parts), places=6
                    )

    def test_what_cannot_be_compared(self) -> None:
        self.write_chapter(STAGES.chapter, self.device)
        path = self.device / "distmesh_report.csv"
        text = path.read_text(encoding="utf-8")
        for change, words in (
            (
                lambda line: re.sub("iterations,.*", "iterations,many", line),
                f"iterations of {STAGES.serial} is 'many', no count",
            ),
            (
                lambda line: line if f",{LAST}," not in line else "",
                f"no iterations of {LAST}",
            ),
        ):
            path.write_text("".join(map(change, text.splitlines(keepends=True))), encoding="utf-8")
            status, _, said = self.draw("--only", "distmesh_counts")
            self.assertEqual(status, 1)
            self.assertIn(f"distmesh_report.csv: {words}", said)
        records = [one for one in rows("gpu") if (one[3] == STAGES.serial) == (one[6] == 1261)]
        write_table(self.device / "distmesh.csv", ROW_COLUMNS, records)
        status, _, said = self.draw("--only", "distmesh_table_1")
        self.assertEqual(status, 1)
        self.assertIn(
            f"distmesh.csv: no n of both {STAGES.serial} and the stages with kernels", said
        )


class TablesTest(ReadmeTest):
    def test_the_readme(self) -> None:
        self.write("distmesh.csv", ROW_COLUMNS, rows("gpu"))
        self.write("distmesh_report.csv", REPORT_COLUMNS, reports("gpu"))
        text = self.readme(CHAPTER)
        for line in (
            "sums by atomics in global memory | 196 k | ×2.00 | ×1.08 |",
            "sums in shared memory first | 392 k | ×2.00 | ×1.07 |",
            "| 1452 | 1452 | 35 ms | 0.13 s | 37 ms | ×0.95 | 59.2 ms | 54.8 ms | 51.1 ms | 49.2 ms |",
            "| 2267 |  | 0.29 s | 0.32 s | 0.112 s | ×2.59 |  |  |  |",
            "| 1261 | 1252 | 265, 253 | 1061 to 1062 | 1063 | 25, 23 | 51 | 50 | ×4.77 | ×4.00 | ×8.00 |",
            "| 2827 |  | 365, 313 |  |  | 39, 30 |  |  | ×6.81 |  |  |",
            "| 31 409 | 31 400 | 7764, 6980 | 1009 to 1010 | 1011 | 728, 719 | 59 | 58 | ×53.4 |",
            "| 1452 | 3 ms | 2.9 ms |  | 1.45 ms | 0.726 ms | yes |",
            "| 31 409 | 12 ms | 62.8 ms |  | 31.4 ms | 15.7 ms | no |",
            "| 100 000 | 40 ms |  |  |  |  |  |",
        ):
            self.assertIn(line, text)
        self.assertIn(f"{SAID_BY} ran on a Xeon", text)
        for make in (table_1, table_2, goals_table):
            with self.assertRaises(DataError):
                make([], [], {})

    def test_occupancy(self) -> None:
        path = self.write("profile.csv", PROFILE_COLUMNS, profile_records())
        text = "\n".join(occupancy_table(read_profile(path)))
        for line in (
            f"| sum_lengths_kernel | {SHARED} | 256 | 64 | 368 | 3 | 38 % | 22 % |",
            f"| repair_kernel | {KERNELS[-1]} | 256 | 64 | 368 | 3 | 38 % |  |",
            f"on {GPU}, the first launches of a run of 31 409 points",
        ):
            self.assertIn(line, text)
        with self.assertRaises(DataError):
            occupancy_table([])


class SpeedUpTest(unittest.TestCase):
    def test_whole_runs_beside_kernels_say_so(self) -> None:
        """Table I is of whole runs, ours are of the kernels; table II compares kernels with a
        CPU."""
        for before, stage, value in ((STAGES.serial, GLOBAL, 1.60), (GLOBAL, SHARED, 3.92)):
            found = printed_speed_up(CHAPTER, before, stage)
            assert found is not None
            self.assertAlmostEqual(found.value, value, delta=0.005)
            self.assertEqual((found.n, found.remark), (20_109, "whole runs"))
        self.assertIsNone(printed_speed_up(CHAPTER, SHARED, KERNELS[2]))
        found = printed_over_serial(CHAPTER, SHARED)
        assert found is not None
        self.assertEqual(
            (found.value, found.over, found.n, found.path),
            (53.38, STAGES.serial, 31_409, PRINTED_FILE),
        )

    def test_ours_is_beside_each_printed_number(self) -> None:
        records = read_chapter(CHAPTER, device_folder(DATA, None), COUNTERS, [])
        printed, here = speed_ups(records, GLOBAL, SHARED)
        serial = STAGES.serial
        self.assertEqual(
            [(one.over, one.n) for one in printed], [(GLOBAL, 20_109), (serial, 31_409)]
        )
        if here:  # recorded under these names
            self.assertEqual(
                [(one.over, one.n) for one in here],
                [(GLOBAL, 31_409), (GLOBAL, 20_109), (serial, 31_409)],
            )
            self.assertTrue(all(one.where.startswith("kernels, medians") for one in here))


class SweepsTest(unittest.TestCase):
    def test_every_size_of_the_printed_tables(self) -> None:
        printed = {cell.n for cell in PRINTED.cells} - {0}
        self.assertEqual(len(printed), 13)
        found: dict[tuple[str, str, str], set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if {name: str(value) for name, value in dict(sweep.match).items()} == CIRCLE:
                for stage in sweep.stages:
                    found.setdefault((sweep.scope, sweep.engine, stage), set()).update(sweep.sizes)
        self.assertEqual(found["record", "cpu", STAGES.serial], printed)
        serial = found["here", "cpu", STAGES.serial]
        for stage in KERNELS:
            self.assertEqual(found["record", "gpu", stage], printed)
            for engine in ("gpu", "emu"):
                own = found["here", engine, stage]
                self.assertTrue(len(own) > 1 and own <= serial, (engine, stage))


if __name__ == "__main__":
    unittest.main()
