# SPDX-License-Identifier: MIT
"""The pages of chapters with a page per stage have their form: lengths, the order of parts, links."""

import unittest

from common.tools.lib.stages import ROOT, Stage, chapters_of, load_stages
from plots.page.stage_pages import CHAPTERS, PAGE, page_of_stage
from tests.pages import form

STAGES = load_stages()
PIECE = "one ~two 3 000 ×4.5, [five](six)\n```\nseven\n```\n| eight |\n![nine](ten)\n"
PATH = "chapters/nbody/02_float4/README.md"


def own_stages(chapter: str) -> list[Stage]:
    return [one for one in STAGES if one.chapter == chapter]


class PagesTest(unittest.TestCase):
    def test_pages_of_chapters(self) -> None:
        for chapter in chapters_of(STAGES):
            text = (CHAPTERS / chapter / PAGE).read_text(encoding="utf-8")
            shown = [one for one in own_stages(chapter) if page_of_stage(one).exists()]
            with self.subTest(chapter=chapter):
                self.assertEqual(list(form.mistakes_of_chapter(text, shown)), [])

    def test_pages_of_stages(self) -> None:
        for chapter in chapters_of(STAGES):
            stages = {one.name: one for one in own_stages(chapter)}
            for stage in stages.values():
                page = page_of_stage(stage)
                if stage.not_recorded and not page.exists():
                    continue  # a new stage has its page when it has its times
                with self.subTest(stage=stage.stage):
                    text = page.read_text(encoding="utf-8")
                    before = stages.get(stage.compared_with)
                    self.assertEqual(list(form.mistakes_of_stage(text, page, stage, before)), [])

    def test_pages_of_blocks(self) -> None:
        pages = sorted(CHAPTERS.glob(f"*/blocks/*/{PAGE}"))
        self.assertTrue(pages)
        for page in pages:
            with self.subTest(page=str(page.relative_to(CHAPTERS))):
                text = page.read_text(encoding="utf-8")
                self.assertEqual(list(form.too_long(text, form.OF_BLOCK)), [])


class FormTest(unittest.TestCase):
    """What is wrong with a page is said. The page is a real one, changed."""

    def setUp(self) -> None:
        stages = {one.name: one for one in own_stages("nbody")}
        self.stage, self.before = stages["02_float4"], stages["01_float3"]
        self.page = ROOT / PATH
        self.text = self.page.read_text(encoding="utf-8")

    def said(self, text: str) -> str:
        found = form.mistakes_of_stage(text, self.page, self.stage, self.before)
        return "; ".join(found)

    def test_lengths(self) -> None:
        self.assertEqual(form.words_in(PIECE), 5)
        self.assertRegex(
            self.said(self.text + "\nword" * 350), r"\d+ words, not 350; a paragraph of"
        )
        self.assertIn("a paragraph of 91 words", self.said(self.text + "\n\n" + "word " * 91))
        items = ("- " + "word " * 46 + "\n") * 2
        self.assertIn("a paragraph of 92 words", self.said(f"{self.text}\n\n{items}"))
        apart = items.replace("\n- ", "\n\n- ")
        self.assertNotIn("a paragraph", self.said(f"{self.text}\n\n{apart}"))
        failed = "## What did not help\n\n" + "- w w\n" * 51
        longer = self.text.replace("## Look at\n", failed + "\n## Look at\n")
        self.assertIn("'What did not help' has more than 100 words", self.said(longer))

    def test_parts(self) -> None:
        for old, new, said in (
            ("## Look at", "## To look at", "the parts are .*; has no part 'Look at'"),
            ("## Counters", "## Then and now", "has no part 'Counters'"),
            ("<!-- table:way -->", "<!-- table:path -->", "has no mark table:way"),
            ("<!-- code:", "<!-- table:", "shows no code of the sources"),
            ("<!-- counters:", "<!-- table:", "'?Counters|has no mark of counters"),
            ("\n\n![", "\n\nWords first.\n\n![", "its figure does not come first"),
            ("LAB=nbody/02", "LAB=nbody/03", "'Lab' does not name `make lab LAB=nbody/02`"),
        ):
            with self.subTest(said):
                self.assertIn(old, self.text)
                self.assertRegex(self.said(self.text.replace(old, new)), said)

    def test_a_chapters_page(self) -> None:
        text = "# T\n\n```\na\nb\nc\nd\ne\nf\n```\n"
        self.assertEqual(
            list(form.mistakes_of_chapter(text, [self.stage])),
            [
                "has no link to the page of 02_float4",
                "has more than five commands",
                "has no link to reference.md",
            ],
        )


if __name__ == "__main__":
    unittest.main()
