# SPDX-License-Identifier: MIT
"""chapters/thesis.md: which stage, figures and numbers each section of the thesis has."""

import re
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import ROOT
from plots.maintain.tables import THESIS_PAGE
from plots.maintain import thesis_table as page
from plots.page.chapters import all_chapters
from plots.page.stage_head import read_head
from plots.records.folders import THESIS
from plots.records.published import Published, read_published
from tests.plots.fixtures import PlotsTest, made_up_chapter, stages, timed


class WordsTest(PlotsTest):
    def test_what_a_head_comment_names(self) -> None:
        for source, found in (
            ("Thesis 6.2.", ("6.2", "")),
            ("Thesis 4.2.1, 4.3, figures 4.4, 4.6 and 4.10.", ("4.2.1, 4.3", "4.4, 4.6 and 4.10")),
            ("Thesis 4.3.1 (x1.2), figure 4.10.", ("4.3.1", "4.10")),
            ("Thesis 5.3, figures 5.1 to 5.4.", ("5.3", "5.1 to 5.4")),
            (
                "Thesis 8.3 and appendix F, figures 8.1 and 8.2.",
                ("8.3 and appendix F", "8.1 and 8.2"),
            ),
            ("Thesis 2.1: warps and branches.", None),
            ("Not of the thesis.", None),
        ):
            self.assertEqual(page.sections_of({"Source": source}), found, source)

    def test_figures_that_exist_are_links(self) -> None:
        (self.folder / "alchemy/figures").mkdir(parents=True)
        (self.folder / "alchemy/figures/figure_3_9.svg").touch()
        self.assertEqual(
            page.with_links("3.8 and 3.9", "alchemy", self.folder),
            "3.8 and [3.9](alchemy/figures/figure_3_9.svg)",
        )

    def test_numbers_of_a_stage_stand_below_one_another(self) -> None:
        heads = {
            "00_cpu": "Thesis 3.1.",
            "01_iron": "Thesis 3.2, figure 3.9.",
            "02_gold": "Not of the thesis.",
        }
        chapter = made_up_chapter(stages(*heads))
        rows = [timed("00_cpu", 10, 8.0, engine="cpu"), timed("01_iron", 10, 2.0)]
        published = [
            Published("3.9", "alchemy", name, "01_iron", 10, value, section)
            for name, value, section in (
                ("speedup_over_previous", 3.0, "3.4"),
                ("time", 0.5, "3.5"),
            )
        ]

        def head(source: Path) -> dict[str, str]:
            return {"Source": heads[source.parent.name]}

        with mock.patch.object(page, "read_head", head):
            lines = page.thesis_table(chapter, rows, [], published, rows, self.folder)
        self.assertEqual(
            lines[2:],
            [
                "| 3.1 | [00_cpu](alchemy/00_cpu/README.md) |  |  |  |  |  |  |",
                "| 3.2 | [01_iron](alchemy/01_iron/README.md) | 3.9 | 3.4 | speed-up over the stage before"
                " | 10 | ×3.00 | ×4.00 |",
                "|  |  |  | 3.5 | time | 10 | 0.5 s | 2 ms |",
            ],
        )


class RecordedTest(unittest.TestCase):
    def test_every_number_and_every_stage_of_the_thesis_is_on_the_page(self) -> None:
        text = (ROOT / "chapters" / THESIS_PAGE).read_text(encoding="utf-8")
        own = {
            one.stage
            for chapter in all_chapters()
            for one in chapter.stages
            if page.sections_of(read_head(ROOT / one.source))
        }
        self.assertEqual({one for one in re.findall(r"\]\((\w+/\w+)/README\.md\)", text)}, own)
        lines = [line for line in text.splitlines() if line.count("|") == 9]
        numbers = [line for line in lines if line.split("|")[7].strip(" -")]
        self.assertEqual(len(numbers) - text.count("| section |"), len(read_published(THESIS)))


if __name__ == "__main__":
    unittest.main()
