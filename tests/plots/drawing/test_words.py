# SPDX-License-Identifier: MIT
"""Numbers, axes and words of figures."""

import re
import unittest

from common.tools.lib import numbers
from common.tools.lib.columns import ROW_COLUMNS
from plots.drawing.axes import log_marks, log_range, time_marks
from plots.drawing.words import provenance
from plots.records.folders import THESIS
from plots.records.published import Published
from plots.records.rows import read_rows
from plots.records.source import Source
from tests.plots.fixtures import GPU, PlotsTest, row


class NumbersTest(unittest.TestCase):
    def test_counts(self) -> None:
        for n, text in (
            (3_200_000, "3.2 M"),
            (160_000, "160 k"),
            (512, "512"),
            (1250, "1250"),
            (6080, "6080"),
            (9000, "9 k"),
            (640_000_000_000, "640 G"),
            (540_672, "540 672"),
        ):
            self.assertEqual(numbers.short_count(n), text)

    def test_three_digits(self) -> None:
        for value, text in (
            (0.03149, "0.0315"),
            (1.0, "1"),
            (999.6, "1000"),
            (1053, "1050"),
            (20_812, "20 800"),
            (-1234.0, "-1230"),
        ):
            self.assertEqual(numbers.three_digits(value), text)

    def test_speed_ups(self) -> None:
        values = (1.066, 45.31, 203.9, 3731.0, 0.094, 0.00352)
        said = ["×1.07", "×45.3", "×204", "×3730", "×0.09", "×0.0035"]
        self.assertEqual([numbers.times(value) for value in values], said)

    def test_rates(self) -> None:
        values = (3.0712e9, 8.1e5, 999.6e6, 12.3, 1.114e12)
        self.assertEqual(
            [numbers.short_rate(value) for value in values],
            ["3.07 G", "810 k", "1 G", "12.3", "1.11 T"],
        )

    def test_times(self) -> None:
        seconds = (95, 0.25, 1.03e-3, 5e-7)
        self.assertEqual(
            [numbers.short_time(value) for value in seconds],
            ["95 s", "0.25 s", "1.03 ms", "0.5 µs"],
        )
        self.assertEqual(
            [numbers.format_ms(value) for value in (0.023451, 999.94, 18299.4)],
            ["0.02345", "999.9", "18299"],
        )
        self.assertEqual(
            [numbers.rough_time(value) for value in (0.2, 59, 720, 11_100)],
            ["1 s", "59 s", "12 min", "3 h 5 min"],
        )

    def test_other_forms(self) -> None:
        self.assertEqual(numbers.power_of_two(2**25), "2²⁵")
        self.assertEqual(
            [numbers.whole_or_three_digits(value) for value in (131_136, 1 / 3)],
            ["131 136", "0.333"],
        )
        self.assertEqual(numbers.short_ms(1330.4), "1330 ms")


class AxesTest(unittest.TestCase):
    def test_marks_of_an_axis_of_rates(self) -> None:
        for low, high, marks in (
            (3e8, 5e11, "1 G, 10 G, 100 G"),
            (4e11, 5e12, "1 T, 3 T"),
            (8e11, 2.1e12, "900 G, 1 T, 1.2 T, 1.5 T"),
        ):
            found = re.findall("'(.*?)'", log_marks(low, high, numbers.short_rate))
            self.assertEqual(", ".join(found), marks)
        for step in range(300):  # also where all stages are equally fast
            low, high = log_range([10 ** (3 + step / 30)], 0.08)
            self.assertGreaterEqual(log_marks(low, high, numbers.short_rate).count("' "), 2)

    def test_marks_of_an_axis_of_seconds(self) -> None:
        for low, high, marks in (
            (0.01, 100, "0.1 s, 1 s, 10 s"),
            (1e-4, 1e3, "1 ms, 0.1 s, 10 s"),
            (0.5, 5, "1 s, 3 s"),
            (0.0021, 0.021, "3 ms, 10 ms"),
            (0.0036, 0.036, "5 ms, 10 ms, 20 ms"),
        ):
            self.assertEqual(", ".join(re.findall("'(.*?)'", time_marks(low, high))), marks)
        for step in range(1000):
            low = 10 ** (-6 + step / 150)
            for decades in (1, 1.7, 4.2, 8):
                self.assertIn(time_marks(low, low * 10**decades).count("' "), range(2, 6))

    def test_room_above(self) -> None:
        low, high = log_range([1.6, 62.5], 0.5)
        self.assertAlmostEqual(low, 1)
        self.assertAlmostEqual(high, 10_000)


class SourceTest(PlotsTest):
    def test_which_files_a_figure_read(self) -> None:
        path = self.write("alchemy.csv", ROW_COLUMNS, [row("alchemy", "01_iron", "gpu", 1000, 2.0)])
        printed = [Published("6.6", "alchemy", "time", "01_iron", 1, 1.0, "1.1")]
        source = Source("recorded", self.folder, self.folder, printed)
        source.rows("alchemy")
        source.published("6.6", "time")
        self.assertEqual(list(source.read), [path, THESIS])
        self.assertEqual(list(source.afresh().read), [])
        with self.refuses("no time of figure 6.7"):
            source.published("6.7", "time")

    def test_provenance(self) -> None:
        records = [
            row("alchemy", "01_iron", "gpu", n, 2.0, repeat)
            for n in (1000, 2000)
            for repeat in (1, 2, 3)
        ]
        records.append(row("alchemy", "02_gold", "gpu", 1000, 2.0))
        rows = read_rows(self.write("alchemy.csv", ROW_COLUMNS, records))
        said = provenance(rows[:-1], "gpu", "recorded")
        self.assertEqual(
            said,
            f"{GPU}, recorded 2026-02-03. n from 1 k to 2 k, 3 runs each: medians and quartiles.",
        )
        self.assertIn(
            "n = 1 k, 1 to 3 runs each",
            provenance([one for one in rows if one.n == 1000], "gpu", "recorded"),
        )
        self.assertTrue(provenance(rows[-1:], "gpu", "recorded").endswith("n = 1 k, 1 run each."))


if __name__ == "__main__":
    unittest.main()
