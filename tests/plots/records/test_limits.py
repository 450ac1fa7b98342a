# SPDX-License-Identifier: MIT
"""What bounds the times: the rules of the harness, applied to every recorded row."""

import unittest
from collections.abc import Callable, Mapping
from pathlib import Path

from common.tools.lib.columns import LIMITS_COLUMNS, ROW_COLUMNS
from plots.page.chapters import all_chapters
from plots.records.limits import Limits, impossible_rows, least_seconds, read_limits
from plots.records.rows import read_rows
from tests.plots.fixtures import GPU, LIMITS, PlotsTest, recorded_folders, row

# As the test of common/limits/device_limits.cpp has them, from attributes of the boards.
RTX_3080 = Limits(
    "RTX 3080", 690e9, 2.5e12, 5 * 2**20, 0.0, 2 * 9.501e9 * 40 * 1.05, 68 * 1.71e9 * 128 * 1.25
)
H200 = Limits(
    "H200",
    4229e9,
    7e12,
    60 * 2**20,
    132 * 1.98e9 * 256,
    2 * 3.201e9 * 768 * 1.05,
    132 * 1.98e9 * 128 * 1.25,
    132 * 1.98e9 * 256 * 1.25,
)
KEYS = 4.0 * 2**25
PASSES = 24 * 2 * KEYS


def impossible_in(folder: Path, working_sets: Mapping[str, Callable[[int], float]]) -> list[str]:
    """The rows of one device's folder that are faster than the device. `working_sets`: of each
    chapter."""
    known = read_limits(folder / "limits.csv") if (folder / "limits.csv").exists() else {}
    found = []
    for chapter, working_set in working_sets.items():
        path = folder / f"{chapter}.csv"
        if path.exists():
            found += impossible_rows(read_rows(path), known, working_set)
    return found


class RulesTest(unittest.TestCase):
    """The same times that the harness's own test refuses or lets pass."""

    def refuses(
        self, one: Limits, moved: float, operations: float, seconds: float, working_set: float
    ) -> bool:
        return seconds < least_seconds(one, moved, operations, working_set)

    def test_the_published_impossible_time(self) -> None:
        self.assertTrue(self.refuses(RTX_3080, PASSES, 0, 1.48e-3, 2 * KEYS))
        self.assertFalse(self.refuses(RTX_3080, PASSES, 0, 8.5e-3, 2 * KEYS))

    def test_true_times(self) -> None:
        self.assertFalse(self.refuses(H200, 16e9, 0, 16e9 / 4.7e12, 16e9))
        cached = 24 * 2 * 4.0 * 2**20
        self.assertFalse(self.refuses(H200, cached, 0, cached / 7e12, 2 * 4.0 * 2**20))
        self.assertFalse(
            self.refuses(H200, 1e9, 0, 0.5e9 / 4.5e12 + 0.5e9 / 7e12, 2 * 60.0 * 2**20)
        )
        self.assertFalse(self.refuses(H200, 0, 56e12, 1.0, 0))

    def test_each_limit(self) -> None:
        self.assertTrue(self.refuses(H200, 0, 100e12, 1.0, 0))
        self.assertTrue(self.refuses(H200, 1e9, 0, 1e9 / 60e12, 1e6))
        self.assertTrue(self.refuses(H200, 10e9, 0, 10e9 / 6e12, 10e9))

    def test_nothing_is_said_of_what_is_unknown(self) -> None:
        self.assertEqual(least_seconds(Limits("x", 0.0), PASSES, 1e12, KEYS), 0.0)


class RowsTest(PlotsTest):
    """Rows of a chapter whose working set is 8 bytes per element, or a matrix of 4 bytes per
    pair."""

    def check(
        self, *records: list[object], working_set: Callable[[int], float] = lambda n: 8.0 * n
    ) -> list[str]:
        self.write("limits.csv", LIMITS_COLUMNS, LIMITS)
        self.write("alchemy.csv", ROW_COLUMNS, records)
        return impossible_in(self.folder, {"alchemy": working_set})

    @staticmethod
    def planted(
        kernels_ms: float, moved: float, operations: float = 0.0, n: int = 2**25
    ) -> list[object]:
        record = row("alchemy", "01_iron", "gpu", n, kernels_ms, 1)
        record[-3:-1] = [moved, operations]
        return record

    def test_rows_at_the_limit_and_above(self) -> None:
        # 10 GB at a peak of 12 GB/s, less the part of 256 MB that an L2 of 1 MB holds.
        share = 2**20 / (8 * 2**25)
        least = 1000 * (1e10 * (1 - share) / 1.2e10 + 1e10 * share / 6e10)
        self.assertEqual(self.check(self.planted(least * 1.001, 1e10)), [])
        found = self.check(self.planted(least, 1e10), self.planted(least * 0.999, 1e10))
        self.assertEqual(len(found), 1)
        self.assertIn(f"alchemy/01_iron n=33554432 on {GPU}", found[0])

    def test_the_limit_of_the_cache_where_the_list_fits(self) -> None:
        self.assertEqual(self.check(self.planted(1000 * 1e9 / 6e10 * 1.001, 1e9, n=2**16)), [])
        self.assertEqual(
            len(self.check(self.planted(1000 * 1e9 / 6e10 * 0.999, 1e9, n=2**16))), 1
        )

    def test_a_matrix_grows_with_the_square(self) -> None:
        # 1 GB of a matrix of 16 MB, of which an L2 of 1 MB holds a sixteenth.
        least = 1000 * (1e9 * 15 / 16 / 1.2e10 + 1e9 / 16 / 6e10)
        for kernels_ms, lines in ((least * 1.001, 0), (least * 0.999, 1)):
            record = self.planted(kernels_ms, 1e9, n=2048)
            self.assertEqual(len(self.check(record, working_set=lambda n: 4.0 * n * n)), lines)

    def test_operations(self) -> None:
        self.assertEqual(len(self.check(self.planted(0.999, 0.0, 2e10))), 1)

    def test_the_limits_of_another_device_do_not_apply(self) -> None:
        self.assertEqual(self.check(row("alchemy", "00_cpu", "cpu", 10, 1e-9)), [])

    def test_the_largest_of_the_lines_of_a_device_counts(self) -> None:
        slow = [GPU, *(value / 2 for value in LIMITS[0][1:])]
        path = self.write("limits.csv", LIMITS_COLUMNS, [slow, *LIMITS, slow])
        self.assertEqual(read_limits(path), {GPU: Limits(*LIMITS[0])})


class RecordedTest(unittest.TestCase):
    def test_no_recorded_row_is_faster_than_its_device(self) -> None:
        working_sets = {one.name: one.working_set_bytes for one in all_chapters()}
        self.assertTrue(recorded_folders())
        for folder in recorded_folders():
            with self.subTest(folder=folder):
                self.assertTrue((folder / "limits.csv").exists())
                self.assertEqual(impossible_in(folder, working_sets), [])


if __name__ == "__main__":
    unittest.main()
