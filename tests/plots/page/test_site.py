# SPDX-License-Identifier: MIT
"""The site: its numbers are those of the READMEs' tables, and it can be read without a network, a
mouse or colours. That each link leads to a place is tried in a browser."""

import functools
import html
import re
import sys
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from common.tools.lib.numbers import grouped, short_count, times
from plots.records.proof_data import COMMON
from plots.records.proof_rows import Reason, Row, read_reasons
from plots.records.proof_rows import read_rows as read_proof
from common.tools.lib.stages import ROOT
from plots.commands import figures
from plots.page.chapters import all_chapters, load_chapter
from plots.page.comparison import comparable, speed_up
from plots.page import links
from common.tools.pages.packages import missing_packages
from plots.page.links import links_of, page_of_stage_on_site
from plots.page.optimisations import optimisations, read_chapter
from plots.page.readme import read_document
from plots.page.stage_pages import REFERENCE, page_of_stage, shown_stages
from plots.page.speed_ups import NO_BREAK
from plots.records.folders import COUNTERS, DATA, LINES, THESIS, device_folder, proof_tables
from plots.records.lines import read_lines
from plots.records.published import read_published
from plots.records.rows import read_rows
from plots.records.stages import all_stages
from common.tools.lib.stages import Stage
from tests.plots.fixtures import PlotsTest, made_up_chapter, stages
from tests.plots.page.reader import Reader

if missing_packages():
    print(f"no page: {', '.join(missing_packages())} missing")
    sys.exit(77)

from plots.page import markup, parts, site  # noqa: E402


NAMES = [chapter.name for chapter in all_chapters()]


@functools.cache
def recorded_site_of() -> site.Site:
    image = Path("picture.svg")
    entry = parts.Entry("picture", NAMES[0], "A picture", image, "what it shows", ())
    return site.site_of([entry], figures.make_source(figures.parse_arguments([])))


@functools.cache
def recorded_site() -> dict[str, str]:
    """The pages of what is recorded, by their files, with one picture."""
    return recorded_site_of().pages()


# One page of each kind: the browser's test walks all.
KINDS = (
    "index.html",
    "then-and-now.html",
    "bounds.html",
    "montecarlo.html",
    "nbody.html",
    "nbody-03_shared_tiles.html",
    "nbody-reference.html",
)


def told_of(stage: Stage) -> str:
    """What the site says of a stage: its page."""
    return recorded_site()[page_of_stage_on_site(stage.chapter, stage.name)]


@functools.cache
def reader_of(page: str) -> Reader:
    return Reader(recorded_site()[page])


class RecordedSiteTest(unittest.TestCase):
    """What is in the repository, as the site shows it."""

    def then_and_now(self) -> dict[str, list[str]]:
        """The row of each stage. Several chapters may have stages of one name."""
        rows, chapter = {}, -1
        names = [one.name for one in recorded_site_of().compared]
        for row in reader_of("then-and-now.html").rows[1:]:
            if len(row) == 5:
                rows[f"{names[chapter]}/{row[0].partition('over ')[0]}"] = row
            elif not row[0].startswith("From "):
                chapter += 1
        return rows

    def test_printed_gains_are_those_of_the_thesis(self) -> None:
        rows, compared = self.then_and_now(), 0
        for one in read_published(THESIS):
            if one.quantity == "speedup_over_previous" and not one.parameters:
                self.assertIn(times(one.value), rows[f"{one.chapter}/{one.stage}"][1])
                compared += 1
        self.assertGreater(compared, 10)

    def test_gains_are_those_of_the_rows(self) -> None:
        rows, compared = self.then_and_now(), 0
        folder = device_folder(DATA, None)
        for chapter in all_chapters():
            if not (folder / f"{chapter.name}.csv").exists():
                continue
            recorded = comparable(chapter.rules, read_rows(folder / f"{chapter.name}.csv"))
            for stage in chapter.stages:
                if not stage.compared_with or chapter.stages.races(stage.name):
                    continue
                before = chapter.stages.timed_before(stage.name)
                found = speed_up(
                    recorded, before, stage.name, kernels=chapter.timed_by_kernels(stage.name)
                )
                with self.subTest(stage.stage):
                    if found:
                        here = rows[stage.stage][2].replace(NO_BREAK, " ")
                        over = f" over {before}" if before != stage.compared_with else ""
                        self.assertIn(f"{times(found[0])}{over} at {short_count(found[1])}", here)
                        compared += 1
        self.assertGreater(compared, 60)

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

    def test_every_stage_has_its_place(self) -> None:
        compared = [stage for stage in all_stages() if stage.compared_with]
        self.assertEqual(sorted(self.then_and_now()), sorted(stage.stage for stage in compared))
        for chapter in all_chapters():
            for stage in chapter.stages:
                self.assertTrue(told_of(stage))

    def test_texts_are_the_readmes(self) -> None:
        for chapter in all_chapters():
            path = ROOT / "chapters" / chapter.name / "README.md"
            readme = read_document(path)
            link = links_of(path, all_chapters())
            text = recorded_site()[f"{chapter.name}.html"]
            self.assertIn(f"<h1>{markup.inline(readme.title)}</h1>", text)
            for name, section in readme.sections.items():
                for part in re.split(r"^!.*\n", section, flags=re.MULTILINE):
                    said = markup.with_excerpts(markup.blocks(part, name or readme.title, link))
                    self.assertIn(said.strip(), text)

    def test_stages_have_pages(self) -> None:
        """Each stage's page has its text, and links lead from the first to the last and back."""
        for chapter in all_chapters():
            stages = shown_stages(chapter.stages)
            pages = [page_of_stage_on_site(chapter.name, one.name) for one in stages]
            for i, (stage, page) in enumerate(zip(stages, pages)):
                with self.subTest(page=page):
                    text = recorded_site()[page]
                    path = page_of_stage(stage)
                    document, link = read_document(path), links_of(path, all_chapters())
                    self.assertIn(f"<h1>{markup.inline(document.title, link)}</h1>", text)
                    for title, section in document.sections.items():
                        for part in re.split(r"^!.*\n", section, flags=re.MULTILINE):
                            said = markup.with_excerpts(
                                markup.blocks(part, title or document.title, link)
                            )
                            self.assertIn(said.strip(), text)
                    for word, at in (("prev", i - 1), ("next", i + 1)):
                        way = f'<a rel="{word}" href="{pages[at] if at < len(pages) else ""}">'
                        self.assertEqual(text.count(way), 2 if 0 <= at < len(pages) else 0)
            text = recorded_site()[f"{chapter.name}-reference.html"]
            path = ROOT / "chapters" / chapter.name / REFERENCE
            for title in read_document(path).sections:
                self.assertIn(f'id="{site.slug(title)}"' if title else "<h1>", text)

    def test_a_page_says_how_to_look_inside(self) -> None:
        for stage in all_stages():
            said = f"<code>make view STAGE={stage.stage}</code>" in told_of(stage)
            self.assertEqual(said, "count" in stage.executables, stage.stage)

    def test_the_flags_of_a_stage_are_told(self) -> None:
        known = {stage.stage: stage for stage in all_stages()}
        flagged = [
            stage
            for stage in known.values()
            if stage.compared_with
            and stage.cuda_args
            and stage.cuda_args != known[f"{stage.chapter}/{stage.compared_with}"].cuda_args
        ]
        self.assertTrue(flagged)
        for stage in flagged:
            self.assertIn("flags of nvcc:\n+" + html.escape(stage.cuda_args[0]), told_of(stage))

    def test_lines_have_their_counters(self) -> None:
        """Each stage that was counted line by line has its margin, with the numbers of the
        record."""
        lines = read_lines(LINES / "nbody.csv")
        for stage in load_chapter("nbody").stages:
            text = told_of(stage)
            own = lines.get((stage.name, Path(stage.source).name), ())
            begin = text.index("<table", text.index(f'aria-label="Source of {stage.name}"'))
            sheet = Reader(text[begin : text.index("</table>", begin) + len("</table>")])
            counted = [row for row in sheet.rows[1:] if len(row) == 7 and any(row[1:6])]
            self.assertEqual(len(counted), len(own), stage.stage)
            for row, one in zip(counted, own):
                requests = one.margin.requests
                self.assertEqual(row[6].strip(), one.text)
                self.assertEqual(row[1], grouped(requests) if requests else "")

    def test_lines_of_headers_have_their_counters(self) -> None:
        """Each header that was counted for a stage has those of its lines that ask something."""
        chapter = load_chapter("kmeans")
        headers = {
            key: lines
            for key, lines in read_lines(LINES / "kmeans.csv").items()
            if key[1].endswith(".cuh") and key[0] in chapter.stages
        }
        self.assertGreater(len(headers), 20)
        for (stage, file), lines in headers.items():
            text = told_of(chapter.stages[stage])
            begin = text.index("<table", text.index(f'aria-label="Lines of {file} in {stage}"'))
            sheet = Reader(text[begin : text.index("</table>", begin) + len("</table>")])
            rows = sheet.rows[1:]
            self.assertEqual([row[6].strip() for row in rows], [line.text for line in lines])
            self.assertEqual(
                [row[1] for row in rows],
                [grouped(one.margin.requests) if one.margin.requests else "" for one in lines],
            )
            source = next((ROOT / "chapters" / "kmeans").rglob(file)).read_text(encoding="utf-8")
            for row in rows:
                self.assertEqual(source.splitlines()[int(row[0]) - 1].strip(), row[6].strip())

    def test_the_documents_are_in_it(self) -> None:
        for path, name in ((links.COUNTERS, "counters.html"), (links.BOUNDS, "bounds.html")):
            link = links_of(path, all_chapters())
            for title, section in read_document(path).sections.items():
                said = markup.blocks(section, title or "", link)
                self.assertIn(
                    re.sub(r' aria-label=".*?"', "", said).strip(),
                    re.sub(r' aria-label=".*?"', "", recorded_site()[name]),
                )

    def test_documents_lead_to_the_stages(self) -> None:
        for name in ("chapters.html", "thesis.html"):
            self.assertIn('href="nbody-03_shared_tiles.html"', recorded_site()[name])

    def test_every_number_and_reason_is_on_the_page_of_the_counters(self) -> None:
        text = recorded_site()["counters.html"].replace(NO_BREAK, " ")
        folder = device_folder(DATA, None)
        for table, reasons in (
            ("counters.csv", "hardware.toml"),
            ("instructions.csv", "instructions.toml"),
        ):
            rows = [row for path in proof_tables(folder, table) for row in read_proof(path, Row)]
            self.assertGreater(len(rows), 1000)
            for program in {row.program.removeprefix("examples/") for row in rows}:
                self.assertTrue(program in text, program)
            for reason in read_reasons(COMMON / reasons, Reason):
                first = re.split(r"[`<&>'\"]", reason.reason)[0][:40].strip()
                self.assertTrue(first in text, first)

    def test_sources_of_numbers_are_files_of_the_repository(self) -> None:
        text = "".join(recorded_site().values())
        said = re.findall(r"From (<code>.*?)\.</", text)
        self.assertGreater(len(said), 3)
        for line in said:
            for name in re.findall("<code>(.*?)</code>", line):
                self.assertTrue((ROOT / name).is_file(), name)
        for title in re.findall('title="([^"]*; [^"]*)"', text):
            self.assertTrue((ROOT / title.rpartition("; ")[2]).is_file(), title)

    def test_nothing_in_it_asks_a_network(self) -> None:
        for name in KINDS:
            reader = reader_of(name)
            tags = {tag for tag, _ in reader.tags}
            self.assertFalse(tags & {"iframe", "object", "embed", "base"})
            self.assertEqual([one["src"] for one in reader.all("script")], ["site.js"])
            for _, attributes in reader.tags:
                self.assertFalse([one for one in attributes if one.startswith("on")])
        style = (site.TEMPLATES / "site.css").read_text(encoding="utf-8")
        self.assertNotRegex(style, r"@import|url\(")

    def test_what_a_gpu_counts_otherwise_is_said(self) -> None:
        of_stage = (text for name, text in recorded_site().items() if name.startswith("matmul-05"))
        self.assertRegex(next(of_stage), r"multiply_kernel: shared load wavefronts: GPU: \d")
        self.assertNotIn(": GPU: ", recorded_site()["nbody-03_shared_tiles.html"])

    def test_then_and_now_begins_with_numbers_of_the_thesis(self) -> None:
        first = [row[1] for row in reader_of("then-and-now.html").rows[1:] if len(row) == 5][:3]
        self.assertIn("×", "".join(first))

    def test_who_does_not_see_it_can_find_the_way(self) -> None:
        for name in KINDS:
            reader = reader_of(name)
            self.assertEqual(reader.headings.count(1), 1, name)
            main = reader.headings[reader.headings.index(1) :]
            for before, after in zip(main, main[1:]):
                self.assertLessEqual(after, before + 1, name)
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
        readme = parts.readme_of(ROOT / "chapters", "alchemy")
        views = [
            parts.StageView(one, {}, found)
            for one, found in zip(list(chapter.stages)[1:], optimisations(records))
        ]
        part = parts.Part(records, readme, [], views)
        macros = site.templates().get_template("macros.html").module
        said = str(macros.then_and_now([part], "here", "a card"))
        self.assertEqual(
            Reader(said).rows[-1][1:],
            ["–", "not recorded yet", "not counted", "technique of 01_lead"],
        )
        with mock.patch.object(parts, "read_text", return_value="int x;\n"):  # it has no source
            pages = site.Site([part], None).pages()
        self.assertIn("not recorded yet", pages["alchemy-01_lead.html"])
        self.assertIn(
            "<h1>alchemy 01_lead: technique of 01_lead</h1>", pages["alchemy-01_lead.html"]
        )
        self.assertIn('href="alchemy.html"', pages["index.html"])

    def test_chapters_are_in_the_order_in_which_to_read_them(self) -> None:
        overview = site.read_document(links.OVERVIEW)
        found = [one.name for one in site.reading_order(overview, recorded_site_of().parts)]
        self.assertEqual(found[:3], ["basics", "nbody", "matmul"])
        self.assertEqual(found[9], "distmesh")
        unknown = mock.Mock()
        unknown.name = "alchemy"
        every = site.reading_order(overview, [unknown, *recorded_site_of().parts])
        self.assertIs(every[10], unknown)  # after those that it names
        index = recorded_site()["index.html"]
        self.assertEqual(re.findall(r'<h2><a href="(\w+).html"', index), found)
        self.assertRegex(index, r'<h2><a href="basics.html".*start here')
        self.assertEqual(index.count("start here"), 1)


class ArchiveTest(PlotsTest):
    def test_the_same_files_give_the_same_archive(self) -> None:
        for name in ("b.html", "a.svg", "unnamed.png"):
            (self.folder / name).write_text(name)
        path = site.write_archive(self.folder, ["b.html", "a.svg"])
        first = path.read_bytes()
        (self.folder / "a.svg").touch()
        self.assertEqual(site.write_archive(self.folder, ["a.svg", "b.html"]).read_bytes(), first)
        with zipfile.ZipFile(path) as archive:
            self.assertEqual(archive.namelist(), ["site/a.svg", "site/b.html"])
            self.assertEqual(archive.read("site/b.html"), b"b.html")


class LinksTest(unittest.TestCase):
    def test_links_of_a_readme(self) -> None:
        chapter = all_chapters()[0]
        stage = list(chapter.stages)[-1]
        link = links_of(ROOT / "chapters" / NAMES[1] / "README.md", [chapter])
        for target, wanted in (
            (f"../{NAMES[0]}/README.md", f"{NAMES[0]}.html"),
            (
                f"../{NAMES[0]}/{stage.name}/{Path(stage.source).name}",
                f"{NAMES[0]}-{stage.name}.html",
            ),
            (f"../{NAMES[0]}/99_none/x.cu", None),
            (f"../{NAMES[1]}/README.md", None),  # it has no page
            ("../bounds.md", "bounds.html"),
            ("../../common/emulator/how-true-are-the-counters.md#limits", "counters.html"),
            ("../../README.md", "index.html"),
            ("../../LICENSE", None),
            ("../nbody/reference.md#errata", None),
            ("../README.md#glossary", "chapters.html#glossary"),
            ("../many-gpus.md", "many-gpus.html"),
            ("https://example.org/", None),
        ):
            self.assertEqual(link(target), wanted, target)

    def test_links_to_pages_of_stages(self) -> None:
        chapter = load_chapter("nbody")
        link = links_of(ROOT / "chapters" / "nbody" / "README.md", [chapter])
        for target, wanted in (
            ("03_shared_tiles/README.md", "nbody-03_shared_tiles.html"),
            ("03_shared_tiles/nbody.cu", "nbody-03_shared_tiles.html"),
            ("limit/99_none/README.md", None),
            ("many_gpus/README.md", "nbody-many_gpus.html"),
            ("reference.md", "nbody-reference.html"),
            ("reference.md#errata-of-the-thesis", "nbody-reference.html#errata-of-the-thesis"),
        ):
            self.assertEqual(link(target), wanted, target)


class FigureTest(PlotsTest):
    def test_numbers_are_not_torn_apart(self) -> None:
        for text, wanted in (
            ("135 168 bodies, 84 % busy", "135\u00a0168 bodies, 84\u00a0% busy"),
            ("×1.13 at 320 M, k = 16", "×1.13 at 320\u00a0M, k\u00a0=\u00a016"),
            ("263 µs, 1.92 s, 60 MB", "263\u00a0µs, 1.92\u00a0s, 60\u00a0MB"),
            ("2 stages at 2048 keys, 2024 2016", "2 stages at 2048 keys, 2024 2016"),
            ("2^25 keys < 5", "2<sup>25</sup> keys &lt; 5"),
        ):
            self.assertEqual(site.prose(text), wanted)

    def test_a_caption(self) -> None:
        entry = parts.Entry(
            "a",
            "alchemy",
            'A "title"',
            Path("a.svg"),
            "what < is",
            (("Data", "here & now"), ("Thesis", "1 < 2")),
            (THESIS,),
            panels=((0.0, 0.25), (0.25, 1.0)),
            numbers=[[["n", "a"], ["1 k", "2\u00a0ms"]]],
        )
        said = str(site.templates().get_template("macros.html").module.figure(entry, 3))
        images = Reader(said).all("img")
        self.assertEqual([one["alt"] for one in images], ["what < is", ""])
        self.assertEqual({one["src"] for one in images}, {"a.svg"})
        self.assertIn('style="--begin:0.25;--wide:0.75"', said)
        self.assertIn("<dt>Data</dt><dd>here &amp; now</dd>", said)
        self.assertIn("<dt>Thesis</dt><dd>1 &lt; 2</dd>", said)
        self.assertEqual(Reader(said).rows, [["n", "a"], ["1\u00a0k", "2\u00a0ms"]])
        self.assertIn("From <code>plots/published/thesis.csv</code>.", said)

    def test_panels_are_those_of_the_script(self) -> None:
        script = self.folder / "a.gp"
        script.write_text("# SPDX\n# panels: 0.25 0.5\nplot x\n")
        self.assertEqual(parts.panels_of(script), [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)])
        script.write_text("plot x\n")
        self.assertEqual(parts.panels_of(script), [(0.0, 1.0)])
        (self.folder / "b.gp").write_text("# panels: 0.5\n")
        script.write_text("load own.'/b.gp'\n")
        self.assertEqual(parts.panels_of(script), [(0.0, 0.5), (0.5, 1.0)])


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class ContrastTest(unittest.TestCase):
    def test_all_text_on_all_backgrounds(self) -> None:
        style = (site.TEMPLATES / "site.css").read_text(encoding="utf-8")
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
