# SPDX-License-Identifier: MIT
"""What the tests of the plots share: tables of made-up measurements, and a made-up chapter."""

import csv
import importlib
import io
import shutil
import tempfile
import unittest
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from common.tools.lib.columns import LIMITS_COLUMNS
from common.tools.lib.stages import ROOT, Stage, ToolError
from plots.commands import figures
from plots.maintain import tables
from plots.drawing.chapter import Chapter, PrintedTables, Rate, Rules
from plots.page.chapters import all_chapters
from plots.page.ladder import ladder_name
from plots.page.ranks import rank_figure
from plots.records.folders import COUNTERS, DATA, NO_DEVICES, THESIS, TRACES
from plots.records.counters import read_counters
from plots.records.published import read_published
from plots.records.rows import Row
from plots.records.source import Source
from plots.records.stages import Stages

GPU = "Stand-In GPU 1"
HOST = "Stand-In CPU 2"
# A device, then rates and sizes as limits.csv has them: 10 GB/s of memory, and peaks.
LIMITS = [[GPU, 1e10, 5e10, 2**20, 1e13, 1.2e10, 6e10, 2e13]]


def write_table(path: Path, columns: Sequence[str], records: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(records)


def row(
    chapter: str,
    stage: str,
    engine: str,
    n: int,
    total_ms: object,
    repeat: int = 1,
    parameters: str = "",
    input_name: str = "plummer",
    verified: str = "true",
    seed: int = 1,
    version: str = "1.0",
    date: str = "2026-02-03T04:05:06Z",
) -> list[object]:
    device = HOST if engine == "cpu" else GPU
    return [
        date,
        version,
        chapter,
        stage,
        engine,
        device,
        n,
        parameters,
        "4x256",
        input_name,
        seed,
        repeat,
        0.1,
        0.1,
        total_ms,
        0.1,
        total_ms,
        1e6,
        1e6,
        verified,
    ]


def stage(name: str, compared_with: str = "", chapter: str = "alchemy", **keys: Any) -> Stage:
    """A made-up stage: with kernels, unless it is compared with no other."""
    source = f"chapters/{chapter}/{name}/{chapter}.{'cu' if compared_with else 'cpp'}"
    given = {"technique": f"technique of {name}", "counter_unit": "key", **keys}
    lists = dict.fromkeys(("cuda_args", "emu_args", "more_checks", "counter_args"), ())
    empty = {"executables": {}, **lists}
    return Stage(
        stage=f"{chapter}/{name}",
        chapter=chapter,
        name=name,
        source=source,
        compared_with=compared_with,
        **{**empty, **given},
    )


def stages(*names: str, chapter: str = "alchemy") -> Stages:
    """A made-up chapter's stages. Each is compared with the one before."""
    return Stages(
        chapter,
        [stage(name, before, chapter) for before, name in zip(("", *names), names)],
        f"plots/{chapter}/figures.py",
    )


def made_up_chapter(
    own: Stages, rules: Rules = Rules(), printed: PrintedTables | None = None
) -> Chapter:
    return Chapter(own, (), Rate("keys"), rules, printed=printed)


def timed(
    stage_name: str,
    n: int,
    total_ms: float,
    kernels_ms: float = 1.0,
    engine: str = "gpu",
    **parameters: str,
) -> Row:
    """A row in memory."""
    return Row(
        "2026-01-01",
        "1",
        "alchemy",
        stage_name,
        engine,
        GPU,
        n,
        parameters,
        "uniform",
        1,
        kernels_ms,
        total_ms,
    )


# ---- a chapter's own made-up measurements: tests/plots/<chapter>/data.py ----


def data_of(chapter: str) -> ModuleType:
    """A chapter without figures needs none."""
    if (ROOT / "tests" / "plots" / chapter / "data.py").is_file():
        return importlib.import_module(f"tests.plots.{chapter}.data")
    empty = ModuleType(chapter)
    empty.LABELS, empty.tables = {}, lambda engine, profile=True: {}  # type: ignore[attr-defined]
    return empty


def rank_figures() -> list[str]:
    """Those of many GPUs, of which there are no measurements here: the model alone."""
    return [figure.name for one in all_chapters() for figure in rank_figure(one.name)]


def labels() -> dict[str, tuple[str, ...]]:
    """Of every figure the words that its picture shows."""
    own = {
        name: words
        for chapter in all_chapters()
        for name, words in data_of(chapter.name).LABELS.items()
    }
    ladders = {
        ladder_name(chapter.name): ("one core", "largest n")
        for chapter in all_chapters()
        if chapter.figures
    }
    ranks = dict.fromkeys(rank_figures(), ("model, one host", "Not measured", "GPUs"))
    return own | ladders | ranks


def recorded_folders(chapter: str | None = None) -> list[Path]:
    """The devices' folders of the repository's data, or those with rows of this chapter."""
    devices = [folder for folder in DATA.iterdir() if folder.name not in NO_DEVICES]
    return [one for one in devices if chapter is None or (one / f"{chapter}.csv").exists()]


class PlotsTest(unittest.TestCase):
    """Has a `folder` that is gone after the test."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name: str, columns: Sequence[str], records: Sequence[Sequence[object]]) -> Path:
        path = self.folder / name
        write_table(path, columns, records)
        return path

    def refuses(self, words: str) -> Any:
        """The next lines are refused with these words."""
        return self.assertRaisesRegex(ToolError, words)


class DrawingTest(PlotsTest):
    """Draws figures from made-up measurements: `device` is recorded, `here` this machine's."""

    def setUp(self) -> None:
        super().setUp()
        self.recorded = self.folder / "recorded"
        self.device = self.recorded / "stand-in-gpu-1"
        self.here = self.folder / "here"
        self.out = self.folder / "out"
        self.chapters = self.folder / "chapters"

    def write_measurements(self, folder: Path, engine: str = "gpu", profile: bool = True) -> None:
        """Of every chapter."""
        for chapter in all_chapters():
            self.write_chapter(chapter.name, folder, engine, profile)

    def write_chapter(
        self, chapter: str, folder: Path, engine: str = "gpu", profile: bool = True
    ) -> None:
        data = data_of(chapter)
        for (kind, columns), records in data.tables(engine, profile).items():
            place = self.recorded / COUNTERS.name if kind == "counters" else folder
            suffix = "" if kind in ("", "counters") else f"_{kind}"
            write_table(place / f"{chapter}{suffix}.csv", columns, records)
        if engine == "gpu":
            write_table(folder / "limits.csv", LIMITS_COLUMNS, LIMITS)
        shutil.copytree(TRACES, self.recorded / TRACES.name, dirs_exist_ok=True)

    def draw(self, *words: str, site: bool = False) -> tuple[int, str, str]:
        """The exit status, what is printed, and what is said on stderr. The site takes longer than
        any figure, so it is made only for tests that are about it."""
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is missing")
        printed, said = io.StringIO(), io.StringIO()
        given = [
            "--recorded",
            str(self.recorded),
            "--here-data",
            str(self.here),
            "--out",
            str(self.out),
            "--chapters",
            str(self.chapters),
            "--no-animation",
            *words,
        ]
        unasked = nullcontext() if site else mock.patch.object(figures, "draw_site")
        with redirect_stdout(printed), redirect_stderr(said), unasked:
            try:
                status = figures.main(given)
            except ToolError as error:
                status = error.status
                said.write(str(error))
        return status, printed.getvalue(), said.getvalue()

    def blocks(self, name: str) -> list[list[list[str]]]:
        """The words of a .dat file: of each block its lines without the title."""
        text = (self.out / "data" / f"{name}.dat").read_text(encoding="utf-8")
        return [[line.split() for line in block.splitlines()[1:]] for block in text.split("\n\n\n")]

    def numbers(self, name: str) -> list[list[list[float]]]:
        """The numbers of a .dat file."""
        return [
            [[float(word) for word in line if not word.startswith('"')] for line in block]
            for block in self.blocks(name)
        ]


class TraceTest(PlotsTest):
    """Reads the repository's traces through `source`, and may change a copy of them."""

    def setUp(self) -> None:
        super().setUp()
        self.traces = self.folder / TRACES.name
        shutil.copytree(TRACES, self.traces)
        self.source = Source("recorded", self.folder, None, (), self.folder / COUNTERS.name)

    def change(self, name: str, before: str, after: str) -> None:
        path = self.traces / f"{name}.csv"
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1), encoding="utf-8")


class ReadmeTest(PlotsTest):
    """Makes a chapter's pages from the made-up rows in `folder`."""

    def readme(self, chapter: Chapter) -> str:
        write_table(self.folder / "limits.csv", LIMITS_COLUMNS, LIMITS)
        counted = read_counters(COUNTERS / f"{chapter.name}.csv")
        published = [one for one in read_published(THESIS) if one.chapter == chapter.name]
        pages = tables.chapter_pages(
            chapter, self.folder, counted, published, ROOT / "chapters" / chapter.name
        )
        return "\n".join(pages.values())
