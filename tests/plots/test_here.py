# SPDX-License-Identifier: MIT
"""DATA=here: each figure and each page names the device whose numbers it shows. Times of the CPU
engine are named as such in every title, and chapters that were not measured here stay with the
recorded data."""

import re
import unittest
from pathlib import Path
from unittest import mock

from plots.drawing.figure import EMULATED_RUN, EMULATED_TIMES, Drawing, Figure
from plots.drawing.words import EMULATED
from plots.page.chapters import all_chapters, all_figures
from plots.page.ladder import ladder_name
from common.tools.pages.packages import missing_packages
from plots.records.folders import THESIS
from plots.records.published import read_published
from plots.records.source import Source
from tests.plots.fixtures import GPU, HOST, DrawingTest, data_of, rank_figures

OTHER = "Other GPU 3"
POCL = "Stand-In CPU 4"  # where OpenCL's kernels run
FEW = [chapter.name for chapter in all_chapters() if chapter.figures][:3]  # those on pages
HERE = "measured here 2026-02-03"
RECORDED = "recorded 2026-02-03"


def named(list_name: str) -> set[str]:
    """The figures that the chapters' data have in such a list."""
    return {
        name for chapter in all_chapters() for name in getattr(data_of(chapter.name), list_name, ())
    }


def words_of(drawing: Drawing) -> str:
    """All that a picture, or the page beside it, says."""
    shown = (drawing.tables, drawing.variables, drawing.numbers)
    return " ".join([drawing.subtitle, drawing.ours, drawing.alt, drawing.origin, *map(str, shown)])


class HereTest(DrawingTest):
    def source(self) -> Source:
        published = read_published(THESIS)
        return Source("here", self.here, self.device, published, self.recorded / "counters")

    def figures(self) -> list[Figure]:
        """Those that draw rows: no counters, no profile, no runs on many GPUs."""
        other = named("COUNTED") | named("PROFILED") | set(rank_figures())
        return [figure for figure in all_figures() if figure.name not in other]

    def rename(self, folder: Path, devices: dict[str, str]) -> None:
        """The device of each engine's rows."""
        for path in folder.glob("*.csv"):
            text = path.read_text(encoding="utf-8")
            for engine, device in devices.items():
                text = re.sub(f",{engine},{GPU},", f",{engine},{device},", text)
            path.write_text(text, encoding="utf-8")

    def pages(self, source: Source) -> dict[str, str]:
        if missing_packages():
            self.skipTest(f"no site without {', '.join(missing_packages())}")
        from plots.page import parts, site  # need these packages

        entries = []
        for figure in self.figures():
            if figure.chapter in FEW:
                own = source.of(figure.chapter)
                drawing = figure.drawing(own)
                entries.append(parts.figure_entry(figure, drawing, self.out, own))
        few = [chapter for chapter in all_chapters() if chapter.name in FEW]
        with mock.patch.object(site, "all_chapters", return_value=few):
            return site.site_of(entries, source).pages()


EMULATED_DEVICES = {"emu": f"{OTHER} (emulated)", "opencl": POCL}


class CpuEngineTest(HereTest):
    """A machine without a GPU. Its rows name the GPU that the engine imitates."""

    def setUp(self) -> None:
        super().setUp()
        self.write_measurements(self.device)
        self.write_measurements(self.here, engine="emu", profile=False)
        self.rename(self.here, EMULATED_DEVICES)

    def test_every_title_says_whose_times_these_are(self) -> None:
        """And no word of the figure names the GPU that the engine imitates, or a recorded one."""
        kinds = {EMULATED_TIMES: 0, EMULATED_RUN: 0}
        against_serial = 0
        for figure in self.figures():
            with self.subTest(figure.name):
                drawing = figure.drawing(self.source().of(figure.chapter))
                said = words_of(drawing)
                self.assertNotIn(OTHER, said)
                if figure.name == ladder_name(figure.chapter):  # of a GPU, for it ranks the stages
                    self.assertFalse(drawing.emulated)
                    self.assertIn(f"{GPU}, {RECORDED}", drawing.subtitle)
                    continue
                self.assertNotIn(GPU, said)
                against_serial += f"against one core of {HOST}" in drawing.subtitle
                if figure.name in named("NOT_EMULATED"):  # a serial stage, or OpenCL's device
                    self.assertFalse(drawing.emulated)
                    continue
                title = figure.title_of(drawing)
                kind = EMULATED_TIMES if drawing.shows_times else EMULATED_RUN
                self.assertEqual(title, f"{figure.heading} ({kind})")
                self.assertIn(EMULATED, drawing.subtitle)
                self.assertIn(HERE, drawing.subtitle)
                kinds[kind] += 1
        self.assertGreater(kinds[EMULATED_TIMES], 30)
        self.assertEqual(kinds[EMULATED_RUN], 3)
        self.assertGreater(against_serial, 5)  # serial rows name their own processor

    def test_pages_do_not_compare_times_of_the_cpu_engine(self) -> None:
        pages = self.pages(self.source())
        for name, text in pages.items():
            self.assertNotIn(OTHER, text, name)
        for name in FEW:
            text = pages[f"{name}.html"]
            self.assertIn("No GPU ran the kernels here.", text)
            self.assertIn(f"were recorded on {GPU}.", text.replace("&nbsp;", " "))
            self.assertIn(f"({EMULATED_TIMES})</h", text)
        # Each card names the device of its ladder.
        index = pages["index.html"]
        self.assertEqual(index.count(f"<p>{GPU}, {RECORDED}.</p>"), len(FEW))
        self.assertNotIn(HERE, index)
        # Gains are those of the recorded GPU, which each chapter's row names.
        then = pages["then-and-now.html"]
        self.assertIn(">now</th>", then)
        self.assertEqual(then.count(f"now: {GPU}, recorded"), len(FEW))
        self.assertNotIn("measured here", then)


class MixedTest(HereTest):
    """One chapter was measured here, the others stay with what is recorded."""

    def setUp(self) -> None:
        super().setUp()
        self.write_measurements(self.device)
        self.chapter = FEW[0]

    def check_figures(self, mine: str) -> None:
        seen = 0
        for figure in self.figures():
            drawing = figure.drawing(self.source().of(figure.chapter))
            with self.subTest(figure.name):
                if mine.startswith(EMULATED) and figure.name == ladder_name(self.chapter):
                    self.assertIn(f"{GPU}, {RECORDED}", drawing.subtitle)
                elif figure.chapter == self.chapter:
                    self.assertIn(mine, drawing.subtitle)
                    self.assertNotIn(GPU, words_of(drawing))
                elif figure.name not in named("NOT_EMULATED"):
                    self.assertIn(RECORDED, drawing.subtitle)
                    self.assertIn(GPU, drawing.subtitle)
                    self.assertEqual(drawing.ran_on, "")
                    seen += 1
        self.assertGreater(seen, 30)

    def test_on_a_gpu(self) -> None:
        self.write_chapter(self.chapter, self.here)
        self.rename(self.here, {"gpu": OTHER, "opencl": OTHER})
        self.check_figures(f"{OTHER}, {HERE}")
        pages = self.pages(self.source())
        # A ladder of another machine than the bounds beside it is left out.
        self.assertEqual(pages["bounds.html"].count("<img"), len(FEW) - 1)
        for name, text in pages.items():
            if name == f"{self.chapter}.html":
                self.assertIn(f"were measured here, on {OTHER}.", text.replace("&nbsp;", " "))
                self.assertNotIn(GPU, text)
            elif name == "then-and-now.html":
                self.assertEqual(text.count(f"now: {OTHER}, measured here"), 1)
                self.assertEqual(text.count(f"now: {GPU}, recorded"), len(FEW) - 1)
            elif name == "index.html":
                self.assertEqual(text.count(f"{OTHER}, {HERE}"), 1)
                self.assertEqual(text.count(f"{GPU}, {RECORDED}"), len(FEW) - 1)
            elif name in [f"{chapter}.html" for chapter in FEW]:
                self.assertNotIn(OTHER, text, name)
                self.assertNotIn("measured here,", text, name)

    def test_on_the_cpu_engine(self) -> None:
        self.write_chapter(self.chapter, self.here, engine="emu", profile=False)
        self.rename(self.here, EMULATED_DEVICES)
        self.check_figures(f"{EMULATED}, {HERE}")
        texts = self.pages(self.source())
        for name in FEW[1:]:
            self.assertIn("This chapter was not measured here", texts[f"{name}.html"])
            self.assertNotIn(EMULATED_TIMES, texts[f"{name}.html"])
        self.assertIn("No GPU ran the kernels here.", texts[f"{self.chapter}.html"])

    def test_a_chapter_measured_here_needs_all_its_stages(self) -> None:
        """Rows of another machine do not fill gaps."""
        self.write_chapter(self.chapter, self.here)
        path = self.here / f"{self.chapter}.csv"
        chapter = next(one for one in all_chapters() if one.name == self.chapter)
        stage = chapter.stages.kernels[1]
        lines = [line for line in path.read_text().splitlines() if f",{stage}," not in line]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with self.refuses(f"{path}: no rows of {stage}"):
            for figure in self.figures():
                if figure.chapter == self.chapter:
                    figure.drawing(self.source().of(figure.chapter))


class RecordedTest(HereTest):
    def test_a_recorded_site_names_its_one_device(self) -> None:
        """In the heads of its pages, and says nothing about this machine."""
        self.write_measurements(self.device)
        published = read_published(THESIS)
        counters = self.recorded / "counters"
        pages = self.pages(Source("recorded", self.device, self.device, published, counters))
        self.assertIn(f"on a logarithmic axis ({GPU}).", pages["index.html"])
        self.assertIn(f"now: {GPU}</th>", pages["then-and-now.html"])
        self.assertIn("<img", pages["bounds.html"])
        for name, text in pages.items():
            self.assertNotIn("measured here,", text, name)
            self.assertNotIn("not measured here:", text, name)


if __name__ == "__main__":
    unittest.main()
