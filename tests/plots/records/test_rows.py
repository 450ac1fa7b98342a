# SPDX-License-Identifier: MIT
"""Reading rows, and their medians: a row that cannot be trusted is refused with file and line."""

import statistics
import unittest

from common.tools.lib.columns import ROW_COLUMNS
from common.tools.lib.stages import DataError
from plots.records.medians import quartiles, times
from plots.records.rows import Row, matches, newest, read_rows
from tests.plots.fixtures import PlotsTest, row


class QuartilesTest(unittest.TestCase):
    def test_known_values(self) -> None:
        # Hyndman and Fan's type 7, as R's quantile() gives.
        self.assertEqual(quartiles([1, 2, 3, 4, 5]), (2, 3, 4))
        self.assertEqual(quartiles([4, 1, 3, 2]), (1.75, 2.5, 3.25))
        self.assertEqual(quartiles([7]), (7, 7, 7))
        self.assertEqual(quartiles([1, 2]), (1.25, 1.5, 1.75))

    def test_as_the_standard_library(self) -> None:
        values = [((i * 37) % 101) ** 1.5 for i in range(23)]
        expected = statistics.quantiles(values, n=4, method="inclusive")
        for actual, wanted in zip(quartiles(values), expected):
            self.assertAlmostEqual(actual, wanted)

    def test_nothing_and_nan_are_refused(self) -> None:
        for values in ([], [1.0, float("nan")], [float("inf")]):
            with self.assertRaises(ValueError):
                quartiles(values)


class RowsTest(PlotsTest):
    def rows_of(self, *records: list[object]) -> list[Row]:
        return read_rows(self.write("alchemy.csv", ROW_COLUMNS, records))

    def refused(self, text: str, *records: list[object]) -> None:
        with self.assertRaises(DataError) as caught:
            self.rows_of(*records)
        self.assertIn(text, str(caught.exception))
        self.assertIn("alchemy.csv:", str(caught.exception))

    def test_good_rows(self) -> None:
        rows = self.rows_of(
            row("alchemy", "alchemy/02_iron", "gpu", 10, 2.5, 1, "steps=100;dt=0.01")
        )
        self.assertEqual(rows[0].stage, "02_iron")
        self.assertEqual(rows[0].parameters, {"steps": "100", "dt": "0.01"})
        self.assertTrue(matches(rows[0], {"input": "plummer", "steps": 100}))
        self.assertFalse(matches(rows[0], {"steps": 0}))
        self.assertTrue(matches(rows[0], {"softening": 0}))

    def test_bad_rows_are_refused_with_their_line(self) -> None:
        good = row("alchemy", "02_iron", "gpu", 10, 2.5)
        for bad in ("nan", "inf", "-1", "0", "", "fast"):
            self.refused("alchemy.csv:3", good, row("alchemy", "02_iron", "gpu", 10, bad))
        self.refused("not verified", row("alchemy", "02_iron", "gpu", 10, 2.5, verified="false"))
        self.refused("not verified", row("alchemy", "02_iron", "gpu", 10, 2.5, verified=""))
        self.refused("unknown engine", row("alchemy", "02_iron", "fpga", 10, 2.5))
        self.refused("n is 0", row("alchemy", "02_iron", "gpu", 0, 2.5))
        self.refused("3 fields", ["a", "b", "c"])

    def test_missing_empty_and_foreign_files(self) -> None:
        with self.assertRaisesRegex(DataError, "absent.csv"):
            read_rows(self.folder / "absent.csv")
        path = self.folder / "empty.csv"
        path.write_text("")
        with self.assertRaisesRegex(DataError, "empty.csv: is empty"):
            read_rows(path)
        path.write_text("x,y\n1,2\n")
        with self.assertRaisesRegex(DataError, "the header is not date,"):
            read_rows(path)

    def test_times_by_n(self) -> None:
        rows = self.rows_of(
            *[
                row("alchemy", "02_iron", "gpu", n, ms)
                for n, ms in ((20, 8000), (10, 1000), (10, 3000), (10, 2000))
            ]
        )
        points = times(rows)
        self.assertEqual(
            [(p.n, p.lower, p.median, p.upper, p.repeats) for p in points],
            [(10, 1.5, 2, 2.5, 3), (20, 8, 8, 8, 1)],
        )

    def test_only_the_newest_version_counts(self) -> None:
        old = row("alchemy", "02_iron", "gpu", 10, 9, version="1", date="2026-01-01T00:00:00Z")
        new = row("alchemy", "02_iron", "gpu", 10, 5, version="2", date="2026-02-01T00:00:00Z")
        other = row("alchemy", "02_iron", "gpu", 20, 7, version="1", date="2026-01-01T00:00:00Z")
        kept = newest(self.rows_of(new, old, other))
        self.assertEqual([one.total_ms for one in kept], [5, 7])

    def test_uncommitted_changes_count_as_their_commit(self) -> None:
        versions = ("1-dirty", "2", "2-dirty")
        rows = self.rows_of(
            *[
                row("alchemy", "02_iron", "gpu", 10, ms, version=version, date=f"2026-0{ms}-01")
                for ms, version in enumerate(versions, start=1)
            ]
        )
        self.assertEqual([one.total_ms for one in newest(rows)], [2, 3])

    def test_runs_of_a_sweep_over_seeds_are_no_times(self) -> None:
        """At n = 10 seed 1 was repeated, so it counts; at n = 20 no seed was. One seed alone may have
        one run."""
        runs = ((10, 1, 2), (10, 2, 1), (10, 3, 1), (20, 2, 1), (20, 3, 1), (30, 4, 1))
        rows = self.rows_of(
            *[
                row("alchemy", "02_iron", "gpu", n, 5, repeat, seed=seed)
                for n, seed, repeats in runs
                for repeat in range(1, repeats + 1)
            ]
        )
        kept = [(one.n, one.seed) for one in newest(rows)]
        self.assertEqual(kept, [(10, 1), (10, 1), (30, 4)])


if __name__ == "__main__":
    unittest.main()
