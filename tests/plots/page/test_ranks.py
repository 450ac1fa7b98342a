#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures and tables of stages for many GPUs: with measured points, and without."""

import unittest
from collections.abc import Sequence

from common.tools.explain.rank_model import FURTHER, LINKS, STAGES, predict, read_links
from common.tools.lib.columns import RANK_COLUMNS
from common.tools.lib.stages import ROOT
from plots.page.chapters import all_chapters
from plots.page.ranks import measured, modelled, rank_figure, ranks_table, speed_ups
from plots.records.folders import DATA, rank_table
from plots.records.rows import Row, read_rank_rows
from plots.records.source import Source
from plots.records.stages import stages_of
from tests.plots.fixtures import PlotsTest, row


def records(ranks: int, n: int, *times: float, engine: str = "gpu") -> list[list[object]]:
    """Rows with the column `ranks`."""
    made = [
        row("quicksort", stages_of("quicksort").for_ranks, engine, n, ms, i + 1)
        for i, ms in enumerate(times)
    ]
    return [[*one[:6], ranks, *one[6:]] for one in made]


class RanksTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        model = modelled("quicksort")
        assert model is not None
        self.model = model

    def rows(self, records: Sequence[Sequence[object]]) -> list[Row]:
        return read_rank_rows(self.write("quicksort_ranks.csv", RANK_COLUMNS, records))

    def test_times_are_medians_of_the_largest_n(self) -> None:
        rows = self.rows(
            [
                *records(1, 1000, 4.0),
                *records(1, 2000, 10.0, 12.0, 11.0),
                *records(2, 2000, 6.0, 5.0, 5.5),
                *records(4, 2000, 1.0, engine="emu"),
            ]
        )
        times = measured(rows, self.model)
        self.assertEqual(times, {1: 11.0, 2: 5.5})
        self.assertEqual(speed_ups(times), {1: 1.0, 2: 2.0})
        self.assertEqual(speed_ups({2: 5.5}), {})

    def test_the_model_fits_what_was_recorded(self) -> None:
        """It begins with the time of one GPU, and is at most 15 % off with two."""
        for model in (*STAGES, *FURTHER):
            chapter = model.chapter
            path = rank_table(DATA / "nvidia-h200", chapter)
            times = measured(read_rank_rows(path), model)
            with self.subTest(model.chapter):
                self.assertAlmostEqual(1e3 * model.seconds / times[1], 1, delta=0.01)
                predicted = 1e3 * predict(model, 2, read_links())
                self.assertAlmostEqual(predicted / times[2], 1, delta=0.15)

    def test_the_table_shows_both(self) -> None:
        rows = self.rows([*records(1, 2000, 11.0), *records(2, 2000, 5.5)])
        table = ranks_table(self.model, rows)
        self.assertRegex(table[2], r"^\| 2 \| .* \| 5\.5 ms \(×2\) \|$")
        self.assertRegex(table[3], r"^\| 4 \| .* \| not measured \|$")
        self.assertIn("this stage: 11 ms", "\n".join(table))
        alone = ranks_table(self.model, [])
        self.assertEqual([line.count("not measured") for line in alone[2:6]], [1, 1, 1, 1])
        self.assertEqual(
            [line.rpartition("|")[0].rpartition("|")[0] for line in alone[2:6]],
            [line.rpartition("|")[0].rpartition("|")[0] for line in table[2:6]],
        )

    def test_the_figure_shows_points_only_where_there_are_rows(self) -> None:
        (figure,) = rank_figure("quicksort")
        source = Source("recorded", self.folder, None, ())
        without = figure.prepare(source)
        self.assertNotIn("measured", without.tables)
        self.assertIn("Not measured", without.subtitle)
        self.rows([*records(1, 2000, 11.0), *records(2, 2000, 5.5)])
        drawn = figure.prepare(source)
        self.assertEqual(drawn.tables["measured"][0].rows, [(1, 1.0), (2, 2.0)])
        self.assertIn("recorded 2026-02-03", drawn.subtitle)
        self.assertEqual(drawn.tables["model"], without.tables["model"])
        self.assertEqual(list(source.read), [LINKS, self.folder / "quicksort_ranks.csv"])

    def test_other_work_of_a_stage_has_a_table_of_its_own(self) -> None:
        model = modelled("kmeans")
        assert model is not None
        (streaming,) = [one for one in FURTHER if one.chapter == model.chapter]
        times = {("16", 1): 4.0, ("16", 2): 2.5, ("64", 1): 200.0, ("64", 2): 101.0}
        made = []
        for (k, ranks), ms in times.items():
            one = row(
                "kmeans",
                stages_of("kmeans").for_ranks,
                "gpu",
                2000,
                ms,
                parameters=f"k={k}",
                version=k,
            )
            made.append([*one[:6], ranks, *one[6:]])
        rows = read_rank_rows(self.write("kmeans_ranks.csv", RANK_COLUMNS, made))
        self.assertEqual(measured(rows, model), {1: 4.0, 2: 2.5})
        self.assertEqual(measured(rows, streaming), {1: 200.0, 2: 101.0})
        self.assertIs(modelled("kmeans", {"k": "64"}), streaming)
        self.assertIsNone(modelled("kmeans", {"k": "65"}))
        table = [line for line in ranks_table(model, rows) if line.startswith("| 2 ")]
        self.assertIn("2.5 ms (×1.6)", table[0])
        self.assertIn("101 ms (×1.98)", table[1])
        (figure,) = rank_figure("kmeans")
        drawn = figure.prepare(Source("recorded", self.folder, None, ()))
        self.assertEqual(drawn.tables["measured"][0].rows, [(1, 1.0), (2, 1.6)])

    def test_another_device_may_have_the_rows(self) -> None:
        own, other = self.folder / "one-gpu", self.folder / "two-gpus"
        own.mkdir()
        self.assertEqual(rank_table(own, "quicksort", self.folder), own / "quicksort_ranks.csv")
        self.rows(records(1, 2000, 11.0))
        other.mkdir()
        (self.folder / "quicksort_ranks.csv").rename(other / "quicksort_ranks.csv")
        for folder in (own, other):
            found = rank_table(folder, "quicksort", self.folder)
            self.assertEqual(found, other / "quicksort_ranks.csv")
        # Folders that are not recorded data do not help each other.
        self.assertEqual(rank_table(own, "quicksort"), own / "quicksort_ranks.csv")

    def test_a_wrong_number_of_ranks_is_refused(self) -> None:
        with self.refuses("quicksort_ranks.csv:2: ranks is 0"):
            self.rows(records(0, 2000, 11.0))

    def test_each_chapter_with_such_a_stage_has_a_figure(self) -> None:
        for chapter in all_chapters():
            found = bool(list((ROOT / "chapters" / chapter.name).glob("*many_gpus")))
            self.assertEqual(bool(rank_figure(chapter.name)), found, chapter.name)


if __name__ == "__main__":
    unittest.main()
