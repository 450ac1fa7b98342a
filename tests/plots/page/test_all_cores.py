# SPDX-License-Identifier: MIT
"""A chapter on all cores: its table and the sentences, with rows and before there are any."""

import unittest
from dataclasses import replace

from plots.drawing.chapter import Chapter, Rules
from plots.page.all_cores import NOT_MEASURED, all_cores_table, all_cores_words, cores_of
from plots.page.path_tables import path_table
from plots.records.rows import Row
from plots.records.stages import Stages
from tests.plots.fixtures import GPU, made_up_chapter, stage, timed

CORES = "peers/cpu_cores"


def chapter_of(marked: bool = False) -> Chapter:
    many = stage(CORES, libraries=("openmp",), not_recorded=marked)
    own = [
        stage("00_cpu"),
        stage("01_iron", "00_cpu"),
        stage("02_gold", "01_iron"),
        replace(many, compared_with="00_cpu"),
    ]
    chapter = made_up_chapter(Stages("alchemy", own, "x"), Rules(kernels_in_part=("02_gold",)))
    return replace(chapter, path_sizes={"": 10})


def on_cpu(name: str, n: int, ms: float, cores: int) -> Row:
    return replace(timed(name, n, 9.0, ms, "cpu"), grid=f"1x{cores}")


ROWS = [
    on_cpu("00_cpu", 10, 8.0, 1),
    on_cpu("00_cpu", 1000, 80.0, 1),
    on_cpu(CORES, 1000, 5.0, 16),
    on_cpu(CORES, 4000, 8.0, 16),
    timed("01_iron", 10, 9.0, 2.0),
    timed("01_iron", 1000, 9.0, 2.5),
    timed("02_gold", 1000, 9.0, 0.1),  # its kernels are not all of its work
]


class AllCoresTest(unittest.TestCase):
    def test_the_table_compares_one_core_all_cores_and_the_gpu(self) -> None:
        self.assertEqual(
            all_cores_table(chapter_of(), ROWS),
            [
                "| n | keys/s on one core | keys/s on 16 cores | gain | fastest recorded on the GPU"
                " | its gain over all cores |",
                "|---|---|---|---|---|---|",
                "| 1 k | 12.5 k | 200 k | ×16.0 | [01_iron](../../01_iron/README.md) | ×2.00 |",
                "| 4 k |  | 500 k |  |  |  |",
                "",
                f"{GPU}; kernels alone, medians.",
            ],
        )

    def test_the_caption_of_a_path_names_both(self) -> None:
        said = path_table(chapter_of(), "", 10, ROWS, {})[-1]
        self.assertIn("reaches 12.5 k keys/s at 1 k, on one core of", said)
        self.assertIn(
            f"[{CORES}]({CORES}/README.md) reaches 500 k keys/s at 4 k, on 16 cores", said
        )

    def test_nothing_is_shown_before_there_are_rows(self) -> None:
        without = [row for row in ROWS if row.stage != CORES]
        for chapter, rows in ((chapter_of(), without), (chapter_of(marked=True), ROWS)):
            self.assertEqual(all_cores_table(chapter, rows), [NOT_MEASURED])
            self.assertEqual(all_cores_words(chapter, rows), "")
            self.assertNotIn(CORES, path_table(chapter, "", 10, rows, {})[-1])

    def test_cores(self) -> None:
        self.assertEqual(cores_of(on_cpu(CORES, 10, 1.0, 16)), "16 cores")
        self.assertEqual(cores_of(on_cpu("00_cpu", 10, 1.0, 1)), "one core")


if __name__ == "__main__":
    unittest.main()
