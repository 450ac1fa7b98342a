# SPDX-License-Identifier: MIT
"""Every figure of every chapter from made-up measurements: pictures that are not empty, with the
expected series, and a site that shows them all."""

import argparse
import contextlib
import html
import io
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import ROOT, DataError, load_stages
from common.tools.pages import packages
from common.tools.pages.packages import missing_packages
from plots.commands import figures
from plots.drawing import gnuplot
from plots.drawing.animation import Animation
from plots.drawing.words import EMULATED
from plots.page.chapters import all_chapters, all_figures
from plots.page.ladder import ladder_name
from plots.records.folders import DATA, THESIS
from plots.records.published import read_published
from plots.records.source import Source
from tests.plots.fixtures import GPU, DrawingTest, data_of, labels, rank_figures
from tests.quick import QUICK

README_BYTES = 100_000  # of one figure
ALL_BYTES = 1_200_000  # of all that are committed


def of_all(name: str) -> dict[str, str]:
    """What the chapters' data say under a name: of each figure, or of each that is listed."""
    found = {}
    for chapter in all_chapters():
        said = getattr(data_of(chapter.name), name, ())
        found |= said if isinstance(said, dict) else dict.fromkeys(said, chapter.name)
    return found


def svg_text(path: Path) -> str:
    """All words of an SVG, one text element per line."""
    root = ElementTree.parse(path).getroot()
    return "\n".join(
        "".join(element.itertext()).strip()
        for element in root.iter()
        if element.tag.endswith("}text")
    )


# The committed figures are its.
OF_THE_COMMITTED = "gnuplot 5.4"


def words_of(path: Path) -> list[str]:
    """All of a picture. Another version of gnuplot has other numbers at the axes, and another
    order: without both."""
    words = svg_text(path).split("\n")
    said = subprocess.run(["gnuplot", "--version"], text=True, capture_output=True, check=True)
    if said.stdout.startswith(OF_THE_COMMITTED):
        return words
    return sorted(word for word in words if not re.fullmatch(r"[\d.]+", word))


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


class FiguresTest(DrawingTest):
    def check_png(self, name: str) -> None:
        self.assertEqual(png_size(self.out / f"{name}.png"), (1600, 900))
        # An empty picture of this size has some 5 kB.
        self.assertGreater((self.out / f"{name}.png").stat().st_size, 20_000)

    def check_words(self, name: str, words: tuple[str, ...]) -> None:
        shown = svg_text(self.out / f"{name}.svg")
        for word in words:
            self.assertIn(word, shown)

    def test_every_figure_is_covered(self) -> None:
        names = [figure.name for figure in all_figures()]
        self.assertEqual(set(names), set(labels()))
        self.assertEqual(len(names), len(set(names)))

    def test_recorded(self) -> None:
        self.write_measurements(self.device)
        # Figures of one script differ by their data only, so one of them is drawn as PNG too.
        one_each = {figure.script_path: figure.name for figure in all_figures()}.values()
        with mock.patch.object(gnuplot, "FORMATS", ("png",)):
            self.assertEqual(self.draw("--only", *one_each)[0], 0)
        for name in one_each:
            self.check_png(name)
        with mock.patch.object(gnuplot, "FORMATS", ("svg",)):
            status, printed, said = self.draw("--publish", site=not QUICK)
        self.assertEqual((status, said), (0, ""))
        self.check_published()
        for name, words in labels().items():
            with self.subTest(figure=name):
                self.assertIn(f"{name}.{{png,svg}}", printed)
                undated = (*of_all("COUNTED"), *rank_figures())
                date = () if name in undated else ("recorded 2026-02-03",)
                self.check_words(name, (*words, *date))
        if QUICK:
            return
        if missing_packages():
            self.skipTest(f"no site without {', '.join(missing_packages())}")
        self.check_site()

    @unittest.skipIf(QUICK, "belongs to the long tests")
    def test_here_on_the_cpu_engine(self) -> None:
        self.write_measurements(self.device)
        self.write_measurements(self.here, engine="emu", profile=False)
        # Drawings of traces are those of test_recorded.
        measured = {name: words for name, words in labels().items() if name not in of_all("TRACED")}
        ladders = [ladder_name(chapter.name) for chapter in all_chapters()]
        with mock.patch.object(gnuplot, "FORMATS", ("svg",)):  # half the time
            status, printed, said = self.draw("--data", "here", "--only", *measured)
        self.assertEqual((status, said), (0, ""))
        for name, words in measured.items():
            with self.subTest(figure=name):
                if name in of_all("PROFILED"):
                    words = ("Recorded data: this machine gives no profiler counters",)
                elif name in ladders:  # those of a GPU
                    words = (GPU, "recorded 2026-02-03")
                elif name not in (*of_all("COUNTED"), *rank_figures()):
                    device = of_all("NOT_EMULATED").get(name, EMULATED)
                    title = () if name in of_all("NOT_EMULATED") else ("the CPU engine",)
                    words = (device, "measured here 2026-02-03", *title)
                self.check_words(name, words)
        self.assertEqual(printed.count("recorded data"), len(of_all("PROFILED")))

    def test_here_on_a_gpu(self) -> None:
        if not any("gpu" in stage.executables for stage in load_stages()):
            self.skipTest("without nvcc, no stage has an executable for a GPU")
        self.write_measurements(self.here)
        source = Source("here", self.here, None, read_published(THESIS), self.recorded / "counters")
        for figure in all_figures():
            drawing = figure.prepare(source)
            said = f"{drawing.subtitle} {drawing.tables} {drawing.variables}"
            self.assertNotIn(EMULATED, said, figure.name)
            self.assertEqual(drawing.emulated, figure.name in of_all("EMULATED"), figure.name)

    def test_subtitles_fit(self) -> None:
        self.write_measurements(self.device)
        self.write_measurements(self.here, engine="emu", profile=False)
        published = read_published(THESIS)
        for kind, folder in (("recorded", self.device), ("here", self.here)):
            source = Source(kind, folder, self.device, published, self.recorded / "counters")
            for figure in all_figures():
                self.assertLessEqual(len(figure.prepare(source).subtitle), 165, figure.name)

    def check_site(self) -> None:
        """Every figure is on one of its chapter's pages, and in the archive."""
        texts = {
            chapter.name: "\n".join(
                page.read_text(encoding="utf-8")
                for pattern in (f"{chapter.name}.html", f"{chapter.name}-*.html")
                for page in sorted(self.out.glob(pattern))
            )
            for chapter in all_chapters()
        }
        with zipfile.ZipFile(self.out / "site.zip") as archive:
            mailed = archive.namelist()
        for figure in all_figures():
            text = texts[figure.chapter]
            begin = text.index(f'<figure id="{figure.name}">')
            said = text[begin : text.index("</figure>", begin)]
            self.assertIn(f'src="{figure.name}.svg"', said)
            self.assertIn(f"site/{figure.name}.svg", mailed)
            self.assertIn("From <code>", said, figure.name)
            self.assertGreater(len(re.findall(r'alt="([^"]+)"', said)[0]), 60)
            if figure.name in of_all("PRINTED"):
                file = data_of(figure.chapter).PRINTED_FILE
                self.assertIn(f"<code>plots/published/{file}.csv</code>", said, figure.name)
        for word in (GPU, "2026-02-03", "Thesis", "Here", "3 runs each: medians and quartiles"):
            self.assertIn(html.escape(word), texts[all_chapters()[1].name])
        for chapter in (one for one in all_chapters() if one.figures):
            rows = f"<code>{self.device / chapter.name}.csv</code>"
            self.assertIn(rows, texts[chapter.name])

    def check_published(self) -> None:
        """What the READMEs show is copied to them."""
        published = sorted(path.relative_to(self.chapters) for path in self.chapters.rglob("*.*"))
        expected = sorted(
            Path(figure.chapter) / "figures" / f"{figure.name}.svg"
            for figure in all_figures()
            if figure.in_readme
        )
        self.assertEqual(published, expected)
        for path in published:
            self.assertLess((self.chapters / path).stat().st_size, README_BYTES)

    def test_committed(self) -> None:
        """The READMEs' figures are those that recorded data give, word for word."""
        committed = {path.stem: path for path in (ROOT / "chapters").glob("*/figures/*.svg")}
        shown = sorted(figure.name for figure in all_figures() if figure.in_readme)
        self.assertEqual(sorted(committed), shown)
        self.assertLess(sum(path.stat().st_size for path in committed.values()), ALL_BYTES)
        if QUICK:
            return
        self.recorded = DATA
        with mock.patch.object(gnuplot, "FORMATS", ("svg",)):
            status, _, said = self.draw("--only", *shown)
        self.assertEqual((status, said), (0, ""))
        for name, path in committed.items():
            with self.subTest(figure=name):
                self.assertEqual(words_of(path), words_of(self.out / path.name))


class MistakesTest(DrawingTest):
    """One chapter's figures, of which the first one shows measurements."""

    def setUp(self) -> None:
        super().setUp()
        self.chapter = next(one for one in all_chapters() if self.measured(one.name))
        self.name, self.figure = self.chapter.name, self.measured(self.chapter.name)[0]
        self.heading = next(one.heading for one in all_figures() if one.name == self.figure)
        self.write_chapter(self.name, self.device)

    @staticmethod
    def measured(chapter: str) -> list[str]:
        """The figures that need rows of each stage with kernels."""
        data = data_of(chapter)
        other = {*getattr(data, "COUNTED", ()), *getattr(data, "PROFILED", ())}
        return [
            name for name in data.LABELS if name not in other and name not in of_all("NOT_EMULATED")
        ]

    def test_missing_data_is_an_error_that_names_the_file(self) -> None:
        self.assertEqual(self.draw("--only", self.figure)[0], 0)
        rows = self.device / f"{self.name}.csv"
        rows.unlink()
        status, printed, said = self.draw("--only", self.figure)
        self.assertEqual(status, 1)
        self.assertIn(f"{self.heading}: {rows}", said)
        # The picture of the earlier run is gone.
        self.assertFalse((self.out / f"{self.figure}.svg").exists())
        self.assertNotIn(self.figure, printed)

    def test_a_chapter_that_is_not_recorded_yet_is_left_out(self) -> None:
        other = next(one for one in all_chapters() if one.name != self.name)
        self.write_chapter(other.name, self.device)
        few = tuple(one for one in all_figures() if one.chapter in (self.name, other.name))
        with mock.patch.object(figures, "all_figures", return_value=few):
            self.assertEqual(self.draw()[0], 0)
            (self.device / f"{self.name}.csv").unlink()
            status, printed, said = self.draw()
            self.assertEqual((status, said), (0, ""))
            self.assertIn(
                f"{self.heading}: left out, {self.device} has no rows of {self.name}", printed
            )
            self.assertFalse((self.out / f"{self.figure}.svg").exists())
            self.assertIn(f"{few[-1].name}.{{png,svg}}", printed)
            for words in (("--chapter", self.name), ("--only", self.figure)):
                status, _, said = self.draw(*words)
                self.assertEqual(status, 1)
                self.assertIn(f"{self.device / self.name}.csv: No such file", said)

    def test_no_recorded_data_at_all(self) -> None:
        shutil.rmtree(self.device)
        status, _, said = self.draw()
        self.assertEqual(status, 1)
        self.assertIn(str(self.recorded), said)

    def test_a_stage_without_rows_is_an_error(self) -> None:
        path = self.device / f"{self.name}.csv"
        stage = self.chapter.stages.kernels[1]
        lines = [line for line in path.read_text().splitlines() if f",{stage}," not in line]
        path.write_text("\n".join(lines) + "\n")
        status, _, said = self.draw("--chapter", self.name)
        self.assertEqual(status, 1)
        self.assertIn(f"no rows of {stage}", said)

    def test_another_device_shows_what_it_has_and_the_course_the_rest(self) -> None:
        other = self.recorded / "other-card-2"
        self.write_chapter(self.name, other)
        rows = other / f"{self.name}.csv"
        text = rows.read_text().replace(GPU, "Other Card 2")
        rows.write_text(text)
        for path in other.iterdir():
            os.utime(path, (0, 0))  # the course's are the newest
        words = ("--device", "card", "--only", self.figure)
        status, printed, said = self.draw(*words)
        self.assertEqual((status, said), (0, ""))
        self.assertNotIn("has not all", printed)
        self.check_device("Other Card 2", GPU)
        stage = self.chapter.stages.kernels[1]
        lines = [line for line in text.splitlines() if f",{stage}," not in line]
        rows.write_text("\n".join(lines) + "\n")
        os.utime(rows, (0, 0))
        status, printed, said = self.draw(*words)
        self.assertEqual((status, said), (0, ""))
        self.assertIn("(of stand-in-gpu-1: other-card-2 has not all of its rows)", printed)
        self.check_device(GPU, "Other Card 2")

    def check_device(self, named: str, unnamed: str) -> None:
        shown = svg_text(self.out / f"{self.figure}.svg")
        self.assertIn(named, shown)
        self.assertNotIn(unnamed, shown)

    def test_rows_that_cannot_be_trusted_are_an_error(self) -> None:
        path = self.device / f"{self.name}.csv"
        text = path.read_text()
        for before, after in (
            (",true\n", ",false\n"),
            (",1000000.0,1000000.0,true", ",nan,nan,true"),
        ):
            path.write_text(text.replace(before, after, 1))
            self.assertNotEqual(path.read_text(), text)
            status, _, said = self.draw("--only", self.figure)
            self.assertEqual(status, 1)
            self.assertRegex(said, rf"{self.name}\.csv:\d+: ")

    def test_unknown_names_are_told_with_the_nearest_right_one(self) -> None:
        for words, said in (
            (("--only", f"{self.figure}x"), f"did you mean '{self.figure}'?"),
            (("--chapter", f"{self.name}s"), f"did you mean '{self.name}'?"),
            (("--device", "gtx-1"), "gtx-1: no such device; choose one of stand-in-gpu-1"),
        ):
            status, _, told = self.draw(*words)
            self.assertEqual(status, 1)
            self.assertIn(said, told)

    def test_quotes_in_names_do_no_harm(self) -> None:
        path = self.folder / "it's a folder"
        self.recorded, self.device, self.out = path, path / "gpu-1", path / "out"
        self.write_chapter(self.name, self.device)
        self.assertEqual(self.draw("--device", "gpu-1", "--only", self.figure)[0], 0)

    def test_without_its_packages_there_is_no_site_and_a_line_says_why(self) -> None:
        with mock.patch.dict(
            packages.PACKAGES, {"no_such_module": "python3-no-such-module"}, clear=True
        ):
            status, printed, _ = self.draw("--only", self.figure, site=True)
        self.assertEqual(status, 0)
        self.assertIn("no pages: python3-no-such-module is missing\n", printed)
        self.assertFalse((self.out / "index.html").exists())


@unittest.skipIf(missing_packages(), "no site without its packages")
class AnimationsTest(DrawingTest):
    def test_animations_are_of_their_chapters(self) -> None:
        def moving(_stages: object, _build: Path, output: Path) -> Animation:
            (output / "moving.gif").write_bytes(b"GIF89a")
            return Animation(
                first.name, output / "moving.gif", "It moves", "a caption", "what moves"
            )

        def failing(_stages: object, _build: Path, output: Path) -> Animation:
            raise DataError("nothing moves")

        first, second = (
            replace(one, animation=make)
            for one, make in zip(all_chapters(), (moving, failing), strict=False)
        )
        for chapter in (first, second):
            self.write_chapter(chapter.name, self.device)
        words = ["--recorded", str(self.recorded), "--out", str(self.out)]
        with mock.patch.object(figures, "all_chapters", return_value=[first, second]):
            for chapter, status, said in (
                (first, 0, ""),
                (second, 1, f"figures: animation of {second.name}: nothing moves\n"),
            ):
                errors = io.StringIO()
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
                    self.assertEqual(figures.main([*words, "--chapter", chapter.name]), status)
                self.assertEqual(errors.getvalue(), said)
                pages = list(self.out.glob(f"{chapter.name}*.html"))  # it is on one of them
                texts = [path.read_text(encoding="utf-8") for path in pages]
                moves = [text for text in texts if '<figure id="moving">' in text]
                self.assertEqual(len(moves), chapter is first)
                # The pages of the chapter that was drawn before are gone.
                other = second if chapter is first else first
                self.assertFalse((self.out / f"{other.name}.html").exists())

    def test_one_of_a_chapter_that_is_not_built_is_left_out(self) -> None:
        chapter = next(one for one in all_chapters() if one.animation is not None)
        serial = chapter.stages[chapter.stages.serial]
        arguments = argparse.Namespace(animation=True, only=None, chapter=chapter.name)
        printed = io.StringIO()
        with (
            mock.patch.dict(serial.skipped, {"cpu": "a header is missing"}),
            mock.patch.object(figures, "all_chapters", return_value=[chapter]),
            contextlib.redirect_stdout(printed),
            ThreadPoolExecutor(1) as pool,
        ):
            self.assertEqual(figures.begin_animations(arguments, pool), [])
        self.assertEqual(
            printed.getvalue(), f"animation of {chapter.name}: left out, a header is missing\n"
        )


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
