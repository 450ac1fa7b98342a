# SPDX-License-Identifier: MIT
"""Reading measurements, and the statistics: what cannot be trusted is refused with file and line."""

import statistics
import unittest

from plots_data import PLOTS, PlotsTest, row, write_table

import measurements
from measurements import DataError, quartiles


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
    def rows_of(self, *records: list[object]) -> list[measurements.Row]:
        path = self.folder / "nbody.csv"
        write_table(path, measurements.ROW_COLUMNS, records)
        return measurements.read_rows(path)

    def refused(self, text: str, *records: list[object]) -> None:
        with self.assertRaises(DataError) as caught:
            self.rows_of(*records)
        self.assertIn(text, str(caught.exception))
        self.assertIn("nbody.csv:", str(caught.exception))

    def test_good_rows(self) -> None:
        rows = self.rows_of(row("nbody", "nbody/02_float4", "gpu", 10, 2.5, 1, "steps=100;dt=0.01"))
        self.assertEqual(rows[0].stage, "02_float4")
        self.assertEqual(rows[0].parameters, {"steps": "100", "dt": "0.01"})
        self.assertTrue(measurements.matches(rows[0], {"input": "plummer", "steps": 100}))
        self.assertFalse(measurements.matches(rows[0], {"steps": 0}))
        self.assertTrue(measurements.matches(rows[0], {"softening": 0}))

    def test_bad_rows_are_refused_with_their_line(self) -> None:
        good = row("nbody", "02_float4", "gpu", 10, 2.5)
        for bad in ("nan", "inf", "-1", "0", "", "fast"):
            self.refused("nbody.csv:3", good, row("nbody", "02_float4", "gpu", 10, bad))
        self.refused("not verified", row("nbody", "02_float4", "gpu", 10, 2.5, verified="false"))
        self.refused("not verified", row("nbody", "02_float4", "gpu", 10, 2.5, verified=""))
        self.refused("unknown engine", row("nbody", "02_float4", "fpga", 10, 2.5))
        self.refused("n is 0", row("nbody", "02_float4", "gpu", 0, 2.5))
        self.refused("3 fields", ["a", "b", "c"])

    def test_missing_empty_and_foreign_files(self) -> None:
        with self.assertRaisesRegex(DataError, "absent.csv"):
            measurements.read_rows(self.folder / "absent.csv")
        path = self.folder / "empty.csv"
        path.write_text("")
        with self.assertRaisesRegex(DataError, "empty.csv: is empty"):
            measurements.read_rows(path)
        path.write_text("x,y\n1,2\n")
        with self.assertRaisesRegex(DataError, "the header is not date,"):
            measurements.read_rows(path)

    def test_times_by_n(self) -> None:
        rows = self.rows_of(*[row("nbody", "02_float4", "gpu", n, ms)
                              for n, ms in ((20, 8000), (10, 1000), (10, 3000), (10, 2000))])
        points = measurements.times(rows)
        self.assertEqual([(p.n, p.lower, p.median, p.upper, p.repeats) for p in points],
                         [(10, 1.5, 2, 2.5, 3), (20, 8, 8, 8, 1)])

    def test_only_the_newest_version_counts(self) -> None:
        old = row("nbody", "02_float4", "gpu", 10, 9, version="1", date="2026-01-01T00:00:00Z")
        new = row("nbody", "02_float4", "gpu", 10, 5, version="2", date="2026-02-01T00:00:00Z")
        other = row("nbody", "02_float4", "gpu", 20, 7, version="1", date="2026-01-01T00:00:00Z")
        kept = measurements.newest(self.rows_of(new, old, other))
        self.assertEqual([one.total_ms for one in kept], [5, 7])


class PublishedTest(unittest.TestCase):
    def test_the_thesis_numbers(self) -> None:
        published = measurements.read_published(PLOTS / "published" / "thesis.csv")
        values = {(one.figure, one.quantity, one.stage, one.n): one.value for one in published}
        self.assertEqual(values["6.6", "speedup_over_previous", "05_rsqrt", 3_200_000], 2.25)
        self.assertEqual(values["8.2", "time", "00_cpu", 6_400_000_000], 238.62)
        # The printed speed-up is the printed times' ratio.
        ratio = values["8.2", "time", "00_cpu", 6_400_000_000] / values[
            "8.2", "time", "03_64bit_counts", 6_400_000_000]
        self.assertAlmostEqual(
            ratio, values["8.2", "speedup_over_cpu", "03_64bit_counts", 6_400_000_000], delta=0.1)
        self.assertTrue(all(one.section for one in published))


class SeedTimesTest(PlotsTest):
    def test_a_bound_is_none_or_under(self) -> None:
        path = self.folder / "seed.csv"
        good = ["time", "01_first", 95, "seconds", "", "version 1"]
        write_table(path, measurements.SEED_TIME_COLUMNS, [good, ["time", "02_second", 60, "seconds", "under", "version 2"]])
        self.assertEqual([(one.stage, one.value, one.bound, one.n, one.input) for one in measurements.read_seed_times(path)],
                         [("01_first", 95, "", 0, ""), ("02_second", 60, "under", 0, "")])
        write_table(path, measurements.SEED_TIME_COLUMNS, [good, ["time", "02_second", 60, "seconds", "over", "version 2"]])
        with self.assertRaisesRegex(measurements.DataError, r"seed\.csv:3: bound is 'over'"):
            measurements.read_seed_times(path)


if __name__ == "__main__":
    unittest.main()
