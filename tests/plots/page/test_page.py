# SPDX-License-Identifier: MIT
"""The page: its numbers are those of the READMEs' tables, and it can be read without a network, a
mouse or colours."""

import functools
import html
import re
import sys
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.numbers import short_count, times
from common.tools.lib.stages import ROOT
from plots import figures
from plots.page.chapters import all_chapters
from plots.page.comparison import comparable, speed_up
from plots.page.libraries import missing_packages
from plots.page.optimisations import optimisations, read_chapter
from plots.page.readme import cells_of, read_document
from plots.page.speed_up_tables import stages_table
from plots.page.speed_ups import NO_BREAK
from plots.records.folders import COUNTERS, DATA, THESIS, device_folder
from plots.records.published import read_published
from plots.records.rows import read_rows
from plots.records.stages import all_stages, number
from tests.plots.fixtures import PlotsTest, made_up_chapter, stages
from tests.plots.page.reader import Reader

if missing_packages():
    print(f"no page: {', '.join(missing_packages())} missing")
    sys.exit(77)

from plots.page import markup, page  # noqa: E402


@functools.cache
def recorded_page() -> str:
    """The page of what is recorded, with one picture."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "picture.svg"
        image.write_text("<svg/>", encoding="utf-8")
        entry = page.Entry(
            "picture", all_chapters()[0].name, "A picture", image, "what it shows", ()
        )
        return page.page_html([entry], figures.make_source(figures.parse_arguments([])))


@functools.cache
def recorded_reader() -> Reader:
    return Reader(recorded_page())


class RecordedPageTest(unittest.TestCase):
    """What is in the repository, as the page shows it."""

    def then_and_now(self) -> dict[str, list[str]]:
        """The row of each stage. Several chapters may have stages of one name."""
        text = recorded_page()
        table = Reader(
            text[text.index('<table class="then"') : text.index("</table>")] + "</table>"
        )
        rows, chapter = {}, -1
        names = [
            one.name for one in all_chapters() if any(stage.compared_with for stage in one.stages)
        ]
        for row in table.rows[1:]:
            if len(row) == 5:
                rows[f"{names[chapter]}/{row[0].partition('over ')[0]}"] = row
            elif not row[0].startswith("From "):
                chapter += 1
        return rows

    def test_numbers_are_those_of_the_readmes_tables(self) -> None:
        rows = self.then_and_now()
        folder = device_folder(DATA, None)
        published = read_published(THESIS)
        compared = 0
        for chapter in all_chapters():
            if not (folder / f"{chapter.name}.csv").exists():
                continue
            every = read_rows(folder / f"{chapter.name}.csv")
            recorded = comparable(chapter.rules, every)
            own = [one for one in published if one.chapter == chapter.name]
            lines = stages_table(chapter, recorded, own, every)
            for stage, line in zip(chapter.stages, lines[2:]):
                if not stage.compared_with:
                    continue
                _, _, thesis, here, _, _ = cells_of(line)
                row = [cell.replace(NO_BREAK, " ").split("\n") for cell in rows[stage.stage]]
                with self.subTest(stage.stage):
                    if thesis:  # one line per compared run
                        # The README names the card above its column, and no place of the thesis'
                        # speed-ups.
                        card = cells_of(lines[0])[2]
                        place = r" at [\d .]+[kMG]?(?! \d)"
                        said = [
                            re.sub(
                                place, "", one.replace(f" ({card})", "").replace(f"({card}, ", "(")
                            )
                            for one in row[1]
                        ]
                        self.assertEqual(
                            "<br>".join(said[: thesis.count("<br>") + 1]), re.sub(place, "", thesis)
                        )
                        compared += 1
                    if here:
                        self.assertEqual("<br>".join(row[2][: here.count("<br>") + 1]), here)
                        compared += 1
                    else:
                        self.assertNotRegex(row[2][0], "^×[^ ]* at")
        self.assertGreater(compared, 20)

    def test_ours_is_beside_each_published_number(self) -> None:
        """A stage with printed speed-ups over the serial one has ours at the same sizes."""
        rows, looked_at = self.then_and_now(), 0
        folder = device_folder(DATA, None)
        for one in read_published(THESIS):
            chapter = next(chapter for chapter in all_chapters() if chapter.name == one.chapter)
            if (
                one.quantity != "speedup_over_cpu"
                or one.parameters
                or not one.n
                or one.stage == chapter.stages.serial
            ):
                continue
            recorded = comparable(chapter.rules, read_rows(folder / f"{chapter.name}.csv"))
            found = speed_up(
                recorded,
                chapter.stages.serial,
                one.stage,
                one.n,
                chapter.timed_by_kernels(one.stage),
            )
            if found:
                here = rows[f"{one.chapter}/{one.stage}"][2].replace(NO_BREAK, " ").split("\n")
                over = f" over {chapter.stages.serial}"
                self.assertIn(f"{times(found[0])}{over} at {short_count(one.n)}", here)
                looked_at += 1
        self.assertGreater(looked_at, 5)

    def test_every_stage_that_is_compared_has_its_row_and_its_difference(self) -> None:
        compared = [stage for stage in all_stages() if stage.compared_with]
        self.assertEqual(list(self.then_and_now()), [stage.stage for stage in compared])
        ids = [one.get("id") for _, one in recorded_reader().tags]
        for stage in compared:
            self.assertIn(f"{stage.chapter}-{stage.name}", ids)

    def test_texts_are_the_readmes(self) -> None:
        text = recorded_page()
        for chapter in all_chapters():
            readme = read_document(ROOT / "chapters" / chapter.name / "README.md")
            self.assertIn(f"<h2>{markup.inline(readme.title)}</h2>", text)
            self.assertIn(markup.blocks(readme.problem(), readme.title), text)
            self.assertGreater(len(markup.plain(readme.problem())), 50)
            for stage in chapter.stages:
                pair = (number(stage.compared_with), number(stage.name))
                self.assertIn(markup.inline(readme.pairs().get(pair, "")), text)

    def test_the_flags_of_a_stage_are_told(self) -> None:
        text, known = recorded_page(), {stage.stage: stage for stage in all_stages()}
        flagged = [
            stage
            for stage in known.values()
            if stage.compared_with
            and stage.cuda_args
            and stage.cuda_args != known[f"{stage.chapter}/{stage.compared_with}"].cuda_args
        ]
        self.assertTrue(flagged)
        for stage in flagged:
            begin = text.index(f'<div id="{stage.chapter}-{stage.name}">')
            said = text[begin : text.index('<div class="code"', begin)]
            self.assertIn("flags of nvcc:\n+" + html.escape(stage.cuda_args[0]), said)

    def test_the_counters_page_is_in_it(self) -> None:
        document = read_document(page.COUNTERS_PAGE)
        text = recorded_page()
        for title, section in document.sections.items():
            self.assertIn(markup.blocks(section, title or "Counters compared, in short"), text)

    def test_sources_of_numbers_are_files_of_the_repository(self) -> None:
        said = re.findall(r"From (<code>.*?)\.</", recorded_page())
        self.assertGreater(len(said), 3)
        for line in said:
            for name in re.findall("<code>(.*?)</code>", line):
                self.assertTrue((ROOT / name).is_file(), name)
        for title in re.findall('title="([^"]*; [^"]*)"', recorded_page()):
            self.assertTrue((ROOT / title.rpartition("; ")[2]).is_file(), title)

    def test_it_is_one_file_and_nothing_runs_in_it(self) -> None:
        reader = recorded_reader()
        tags = {tag for tag, _ in reader.tags}
        self.assertFalse(tags & {"script", "link", "iframe", "object", "embed", "base"})
        ids = [one["id"] for _, one in reader.tags if "id" in one]
        self.assertEqual(len(ids), len(set(ids)))
        for _, attributes in reader.tags:
            self.assertFalse([name for name in attributes if name.startswith("on")])
            self.assertRegex(attributes.get("href") or "#", "^#")
            self.assertIn((attributes.get("href") or "#")[1:], [*ids, ""])
        self.assertNotRegex(page.STYLE.read_text(encoding="utf-8"), r"@import|url\(")

    def test_who_does_not_see_it_can_find_the_way(self) -> None:
        reader = recorded_reader()
        self.assertEqual(reader.headings[0], 1)
        self.assertEqual(reader.headings.count(1), 1)
        for before, after in zip(reader.headings, reader.headings[1:]):
            self.assertLessEqual(after, before + 1)
        for one in reader.all("th"):
            self.assertIn(one.get("scope"), ("col", "row", "rowgroup"))
        for tag, attributes in reader.tags:
            if attributes.get("tabindex"):
                self.assertEqual(attributes.get("role"), "region", tag)
                self.assertTrue(attributes.get("aria-label"), tag)


class NewChapterTest(unittest.TestCase):
    def test_a_chapter_that_is_not_recorded_yet(self) -> None:
        chapter = made_up_chapter(stages("00_cpu", "01_lead"))
        records = read_chapter(chapter, None, COUNTERS, [])
        readme = page.readme_of(ROOT / "chapters", "alchemy")
        part = page.Part(records, readme, [], optimisations(records, readme), [])
        said = str(
            page.templates()
            .get_template("macros.html")
            .module.then_and_now([part], "here", "a card", set())
        )
        self.assertEqual(
            Reader(said).rows[-1][1:],
            ["–", "not recorded yet", "not counted", "technique of 01_lead"],
        )


class FigureTest(PlotsTest):
    def test_numbers_are_not_torn_apart(self) -> None:
        for text, wanted in (
            ("135 168 bodies, 84 % busy", "135\u00a0168 bodies, 84\u00a0% busy"),
            ("×1.13 at 320 M, k = 16", "×1.13 at 320\u00a0M, k\u00a0=\u00a016"),
            ("263 µs, 1.92 s, 60 MB", "263\u00a0µs, 1.92\u00a0s, 60\u00a0MB"),
            ("2 stages at 2048 keys, 2024 2016", "2 stages at 2048 keys, 2024 2016"),
            ("2^25 keys < 5", "2<sup>25</sup> keys &lt; 5"),
        ):
            self.assertEqual(page.prose(text), wanted)

    def test_a_caption(self) -> None:
        image = self.folder / "a.svg"
        image.write_text("<svg/>", encoding="utf-8")
        entry = page.Entry(
            "a", "alchemy", 'A "title"', image, "what < is", (("Data", "here & now"),), (THESIS,)
        )
        said = str(page.templates().get_template("macros.html").module.figure(entry))
        self.assertEqual(Reader(said).all("img")[0]["alt"], "what < is")
        self.assertIn("<dt>Data</dt><dd>here &amp; now</dd>", said)
        self.assertIn("From <code>plots/published/thesis.csv</code>.", said)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class ContrastTest(unittest.TestCase):
    def test_all_text_on_all_backgrounds(self) -> None:
        style = page.STYLE.read_text(encoding="utf-8")
        schemes = [
            dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", part))
            for part in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
        ]
        self.assertEqual(len(schemes), 2)
        self.assertEqual(schemes[0].keys(), schemes[1].keys())
        for scheme in schemes:
            for front in ("text", "quiet", "link", "comment", "keyword", "string"):
                behind = ("back", "panel") + (
                    () if front in ("quiet", "link") else ("del", "del-mark", "ins", "ins-mark")
                )
                for back in behind:
                    low, high = sorted((luminance(scheme[front]), luminance(scheme[back])))
                    self.assertGreaterEqual(
                        (high + 0.05) / (low + 0.05), 4.5, f"{front} on {back}: {scheme[front]}"
                    )


if __name__ == "__main__":
    unittest.main()
