# SPDX-License-Identifier: MIT
"""The tables of numbers behind drawings: those that are drawn."""

import re
import unittest

from common.tools.lib.numbers import short_count, short_ratio, short_time
from plots.drawing.panels import times_table
from plots.page.chapters import all_figures, load_chapter
from plots.records.folders import COUNTERS, DATA, THESIS, device_folder
from plots.records.medians import Point
from plots.records.published import read_published
from plots.records.source import Source

FIGURES = (
    ("nbody", "figure_6_6", "gain"),  # against n
    ("quicksort", "figure_3_11", "gain"),  # bars
    ("nbody", "nbody_cpu_gpu", ""),
)


class NumbersTest(unittest.TestCase):
    def test_a_size_that_a_stage_lacks(self) -> None:
        series = {
            "01_iron": [Point(1000, 1.0, 2.0, 3.0, 5), Point(20_000, 4.0, 5.0, 6.0, 5)],
            "02_gold": [Point(20_000, 0.001, 0.002, 0.003, 1)],
        }
        self.assertEqual(
            times_table(series),
            [["n", "01_iron", "02_gold"], ["1 k", "2 s", ""], ["20 k", "5 s", "2 ms"]],
        )

    def test_recorded_figures(self) -> None:
        folder = device_folder(DATA, None)
        source = Source("recorded", folder, folder, read_published(THESIS), COUNTERS)
        for chapter, name, gain in FIGURES:
            figure = next(one for one in load_chapter(chapter).figures if one.name == name)
            drawing = figure.drawing(source.afresh())
            times, gains = drawing.numbers
            self.assertTrue(drawing.ours_repeats)
            with self.subTest(name):
                if gain:
                    for row, (label, ratio, thesis, *other) in zip(
                        gains[1:], drawing.tables["gain"][0].rows, strict=True
                    ):
                        printed = f"{thesis:g}" if thesis == thesis else ""
                        shown = [label, short_ratio(ratio), printed, *map(short_ratio, other)]
                        self.assertEqual(list(row), shown)
                        # The thesis' n is drawn, and the largest of ours beside it.
                        self.assertEqual(bool(other), name == "figure_3_11")
                else:
                    for column, block in enumerate(drawing.tables["gain"], 1):
                        drawn = {short_count(n): short_ratio(ratio) for n, ratio in block.rows}
                        self.assertEqual({row[0]: row[column] for row in gains[1:]}, drawn)
                if name != "figure_3_11":  # whose bars are of one n
                    for column, block in enumerate(drawing.tables["time"], 1):
                        drawn = {short_count(n): short_time(time) for n, time, _, _ in block.rows}
                        own = {row[0]: row[column] for row in times[1:] if row[column]}
                        self.assertEqual(own, drawn)

    def test_a_key_names_an_n_only_if_all_its_printed_numbers_have_it(self) -> None:
        published = read_published(THESIS)
        folder = device_folder(DATA, None)
        source = Source("recorded", folder, folder, published, COUNTERS)
        checked = 0
        for figure in all_figures():
            printed = [one.n for one in published if f"Figure {one.figure}" == figure.label]
            if not printed:
                continue
            key = figure.drawing(source.afresh()).variables.get("thesis_key", "")
            named = re.search(r"\((.*?) \w+\)", str(key))
            if named:
                checked += 1
                with self.subTest(figure.name):
                    known = {short_count(n) if n else "none" for n in printed}
                    self.assertEqual({named[1]}, known)
        self.assertGreater(checked, 3)


if __name__ == "__main__":
    unittest.main()
