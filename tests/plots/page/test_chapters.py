# SPDX-License-Identifier: MIT
"""A chapter's CHAPTER object: every mistake in it is an error that names the file and the nearest
name."""

import sys
import unittest
from collections.abc import Callable
from types import ModuleType
from unittest import mock

from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.page import chapters
from plots.records.stages import chapter_names
from tests.plots.fixtures import PlotsTest, made_up_chapter, stages

OWN = stages("00_cpu", "01_iron", "02_gold")


def no_drawing(_source: object) -> Drawing:
    raise NotImplementedError


class ChaptersTest(PlotsTest):
    def load(self, make: Callable[[], object]) -> Chapter:
        """plots/alchemy/figures.py with this CHAPTER."""
        path = self.folder / "alchemy" / "figures.py"
        path.parent.mkdir(exist_ok=True)
        path.touch()

        def imported(name: str) -> ModuleType:
            module = ModuleType(name)
            module.CHAPTER = make()  # type: ignore[attr-defined]
            return module

        with mock.patch.object(chapters, "PLOTS", self.folder), mock.patch.object(
            chapters.importlib, "import_module", imported
        ):
            return chapters.load_chapter.__wrapped__("alchemy")

    def test_a_good_one(self) -> None:
        self.assertEqual(self.load(lambda: made_up_chapter(OWN)).name, "alchemy")

    def test_mistakes(self) -> None:
        figure = Figure("figure_1", "", "alchemy", "A title", "", no_drawing)
        for make, said in (
            (
                lambda: Chapter(OWN, (), Rate("keys"), rule=Rules()),
                "Chapter has no 'rule'; did you mean 'rules'?",
            ),
            (
                lambda: Chapter(OWN, (), Rate("keys", wrok=len)),
                "Rate has no 'wrok'; did you mean 'work'?",
            ),
            (
                lambda: made_up_chapter(OWN, Rules(kernel_timed=("01_irno",))),
                "'01_irno' is no stage of alchemy; did you mean '01_iron'?",
            ),
            (
                lambda: made_up_chapter(OWN, Rules(stage_runs={"02_glod": {}})),
                "'02_glod' is no stage of alchemy; did you mean '02_gold'?",
            ),
            (lambda: Chapter(OWN, (figure,), Rate("keys")), "figure_1: .*figure_1.gp is missing"),
            (
                lambda: made_up_chapter(stages("00_cpu", chapter="chemistry")),
                "CHAPTER has the stages of 'chemistry'",
            ),
            (dict, "CHAPTER is no Chapter"),
        ):
            with self.refuses(f"plots/alchemy/figures.py: {said}"):
                self.load(make)
        with self.refuses("plots/alchemy/figures.py is missing"), mock.patch.object(
            chapters, "PLOTS", self.folder / "nowhere"
        ):
            chapters.load_chapter.__wrapped__("alchemy")

    def test_every_chapter_of_the_build_has_its_object(self) -> None:
        self.assertEqual([one.name for one in chapters.all_chapters()], chapter_names())
        self.assertTrue(all(f"plots.{name}.figures" in sys.modules for name in chapter_names()))


if __name__ == "__main__":
    unittest.main()
