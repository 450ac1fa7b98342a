# SPDX-License-Identifier: MIT
"""What bounds the times: the harness's rules, asked again of every row that is kept."""

import csv
import unittest

from plots_data import GPU, LIMITS, PLOTS, PlotsTest, mergesort_rows, row, write_table

import limits
import measurements
import mergesort
from figures import NO_DEVICES, chapter_module

# As tests/common/limits/device_limits_test.cpp has them, from attributes of the boards.
RTX_3080 = limits.Limits("RTX 3080", 690e9, 2.5e12, 5 * 2**20, 0.0, 2 * 9.501e9 * 40 * 1.05, 68 * 1.71e9 * 128 * 1.25)
H200 = limits.Limits("H200", 4229e9, 7e12, 60 * 2**20, 132 * 1.98e9 * 256, 2 * 3.201e9 * 768 * 1.05,
                     132 * 1.98e9 * 128 * 1.25, 132 * 1.98e9 * 256 * 1.25)
KEYS = 4.0 * 2**25
PASSES = 24 * 2 * KEYS


def impossible_in(folder) -> list[str]:
    """Of one device's folder: rows that are quicker than their device."""
    known = limits.read_limits(folder / "limits.csv") if (folder / "limits.csv").exists() else {}
    found = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            if tuple(next(csv.reader(file))) != measurements.ROW_COLUMNS:
                continue
        module = chapter_module(path.stem)
        least = getattr(module, "BYTES_AN_ELEMENT", 4)
        working_set = getattr(module, "working_set_bytes", lambda n, least=least: least * n)
        found += limits.impossible_rows(measurements.read_rows(path), known, working_set)
    return found


class RulesTest(unittest.TestCase):
    """The same times that the harness's own test refuses or lets pass."""

    def refuses(self, one: limits.Limits, moved: float, operations: float, seconds: float, working_set: float) -> bool:
        return seconds < limits.least_seconds(one, moved, operations, working_set)

    def test_the_published_impossible_time(self) -> None:
        self.assertTrue(self.refuses(RTX_3080, PASSES, 0, 1.48e-3, 2 * KEYS))
        self.assertFalse(self.refuses(RTX_3080, PASSES, 0, 8.5e-3, 2 * KEYS))

    def test_true_times(self) -> None:
        self.assertFalse(self.refuses(H200, 16e9, 0, 16e9 / 4.7e12, 16e9))
        cached = 24 * 2 * 4.0 * 2**20
        self.assertFalse(self.refuses(H200, cached, 0, cached / 7e12, 2 * 4.0 * 2**20))
        self.assertFalse(self.refuses(H200, 1e9, 0, 0.5e9 / 4.5e12 + 0.5e9 / 7e12, 2 * 60.0 * 2**20))
        self.assertFalse(self.refuses(H200, 0, 56e12, 1.0, 0))

    def test_each_limit(self) -> None:
        self.assertTrue(self.refuses(H200, 0, 100e12, 1.0, 0))
        self.assertTrue(self.refuses(H200, 1e9, 0, 1e9 / 60e12, 1e6))
        self.assertTrue(self.refuses(H200, 10e9, 0, 10e9 / 6e12, 10e9))

    def test_nothing_is_said_of_what_is_unknown(self) -> None:
        self.assertEqual(limits.least_seconds(limits.Limits("x", 0.0), PASSES, 1e12, KEYS), 0.0)
        self.assertEqual(mergesort.least_ms(mergesort.SEED_CARD, 2**15, 2), 0.0)


class RowsTest(PlotsTest):
    def write(self, *records: list[object]) -> None:
        write_table(self.folder / "limits.csv", limits.LIMITS_COLUMNS, LIMITS)
        write_table(self.folder / "mergesort.csv", measurements.ROW_COLUMNS, records)

    def planted(self, kernels_ms: float, moved: float, operations: float = 0.0, n: int = 2**25) -> list[object]:
        record = row("mergesort", "09_multisort_merge_path", "gpu", n, kernels_ms, 1, "size-i=2;threads=32", "uniform")
        record[-3:-1] = [moved, operations]
        return record

    def test_rows_at_the_limit_and_above(self) -> None:
        self.write(*mergesort_rows("gpu", [10**7]))
        self.assertEqual(impossible_in(self.folder), [])
        # 10 GB at a peak of 12 GB/s, less what an L2 of 1 MB has of 256 MB.
        share = 2**20 / (8 * 2**25)
        least = 1000 * (1e10 * (1 - share) / 1.2e10 + 1e10 * share / 6e10)
        self.write(self.planted(least * 1.001, 1e10))
        self.assertEqual(impossible_in(self.folder), [])
        self.write(self.planted(least, 1e10), self.planted(least * 0.999, 1e10))
        found = impossible_in(self.folder)
        self.assertEqual(len(found), 1)
        self.assertIn(f"mergesort/09_multisort_merge_path n=33554432 on {GPU}", found[0])

    def test_the_cache_s_limit_where_the_list_fits(self) -> None:
        self.write(self.planted(1000 * 1e9 / 6e10 * 1.001, 1e9, n=2**16))
        self.assertEqual(impossible_in(self.folder), [])
        self.write(self.planted(1000 * 1e9 / 6e10 * 0.999, 1e9, n=2**16))
        self.assertEqual(len(impossible_in(self.folder)), 1)

    def test_a_matrix_s_working_set_grows_with_the_square(self) -> None:
        # 1 GB of a matrix of 16 MB, of which an L2 of 1 MB has a sixteenth.
        least = 1000 * (1e9 * 15 / 16 / 1.2e10 + 1e9 / 16 / 6e10)
        for kernels_ms, lines in ((least * 1.001, 0), (least * 0.999, 1)):
            record = row("floyd", "03_column_reuse", "gpu", 2048, kernels_ms, 1, "density=0.5;max-weight=1000", "random")
            record[-3:-1] = [1e9, 0.0]
            write_table(self.folder / "limits.csv", limits.LIMITS_COLUMNS, LIMITS)
            write_table(self.folder / "floyd.csv", measurements.ROW_COLUMNS, [record])
            self.assertEqual(len(impossible_in(self.folder)), lines)

    def test_operations(self) -> None:
        self.write(self.planted(0.999, 0.0, 2e10))
        self.assertEqual(len(impossible_in(self.folder)), 1)

    def test_another_device_s_limits_say_nothing(self) -> None:
        self.write(row("mergesort", "00_cpu", "cpu", 10, 1e-9, 1, "", "uniform"))
        self.assertEqual(impossible_in(self.folder), [])

    def test_the_largest_of_a_device_s_lines_counts(self) -> None:
        slow = [GPU, *(value / 2 for value in LIMITS[0][1:])]
        write_table(self.folder / "limits.csv", limits.LIMITS_COLUMNS, [slow, *LIMITS, slow])
        self.assertEqual(limits.read_limits(self.folder / "limits.csv"), {GPU: limits.Limits(*LIMITS[0])})


class RecordedTest(unittest.TestCase):
    def test_no_recorded_row_is_quicker_than_its_device(self) -> None:
        folders = [folder for folder in (PLOTS / "data").iterdir() if folder.name not in NO_DEVICES]
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder=folder):
                # Rows of this chapter never come without them: the recorder writes both.
                self.assertEqual((folder / "mergesort.csv").exists() and not (folder / "limits.csv").exists(), False)
                self.assertEqual(impossible_in(folder), [])


if __name__ == "__main__":
    unittest.main()
