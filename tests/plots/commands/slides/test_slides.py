# SPDX-License-Identifier: MIT
"""Slides: every stage of a source's path has its own, and nothing is asked of a network."""

import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import DataError, load_stages
from common.tools.pages.packages import missing_packages
from plots.commands.slides import __main__ as command
from plots.records.stages import chapter_names

if missing_packages():
    print(f"no slides: {', '.join(missing_packages())} missing")
    sys.exit(77)

from plots.page.links import place_of  # noqa: E402
from plots.page.readme import Document, read_document  # noqa: E402
from plots.page.stage_pages import page_of_stage  # noqa: E402
from plots.commands.slides import deck  # noqa: E402

SECTION = re.compile(r'<section id="([^"]+)"')


class SlidesTest(unittest.TestCase):
    def test_every_stage_of_a_sources_path(self) -> None:
        for chapter in chapter_names():
            slides = deck.slides_of_chapter(chapter)
            names = [one.name for one in slides]
            self.assertEqual(len(names), len(set(names)), chapter)
            shown = {one.name: one for one in slides}
            stages = [one for one in load_stages() if one.chapter == chapter and not one.path]
            for stage in stages:
                if not stage.has_kernels:
                    continue  # the serial program is a label of the table
                with self.subTest(stage.stage):
                    name = place_of(chapter, stage.name)
                    page = read_document(page_of_stage(stage))
                    self.assertIn(name, shown)
                    self.assertEqual(f"{name}-code" in shown, "```" in page.sections["The code"])
                    self.assertIn(f"{name}-measured", shown)
                    pictures = len(deck.PICTURE.findall(page.sections[""]))
                    self.assertEqual(len(shown[name].parts), 1 + bool(pictures))
            self.assertIn(f"{chapter}-what-the-chapter-teaches", shown)

    def test_nothing_is_asked_of_a_network(self) -> None:
        for chapter in chapter_names():
            text = deck.render(chapter)
            self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"', text), [], chapter)
            self.assertNotIn("url(", text)
            self.assertEqual(
                SECTION.findall(text), [one.name for one in deck.slides_of_chapter(chapter)]
            )

    def test_what_a_page_has(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "README.md"
            (page.parent / "a.svg").write_text("<svg/>", encoding="utf-8")
            said = {"": "![first](a.svg)\n![second](a.svg)\n\nAn *idea* & a [link](x.md).\n"}
            said |= {"The code": "```cpp\nint a;\n```\n\nSaid.\n", "Look at": "- Why?\n"}
            slides = list(deck.slides_of_page(Document("A 01: b", said, page), "a-01"))
            kinds = [(one.name, one.kind, len(one.parts)) for one in slides]
            wanted = [("a-01", "idea", 2), ("a-01-picture-2", "picture", 1)]
            self.assertEqual(kinds, [*wanted, ("a-01-code", "code", 1), ("a-01-look", "look", 1)])
            self.assertIn("An <em>idea</em> &amp; a <span>link</span>.", slides[0].parts[0])
            self.assertNotIn("Said", slides[2].parts[0])
            with self.assertRaisesRegex(DataError, "there is no picture b.svg"):
                list(deck.slides_of_page(Document("A", {"": "![x](b.svg)\n"}, page), "a"))

    def test_the_command(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with (
                mock.patch.object(command, "build_folder", return_value=Path(folder)),
                mock.patch.dict("os.environ", CHAPTER="floyd"),
                mock.patch("builtins.print"),
            ):
                self.assertEqual(command.main(), 0)
            self.assertEqual([one.name for one in Path(folder).rglob("*.html")], ["floyd.html"])


if __name__ == "__main__":
    unittest.main()
