# SPDX-License-Identifier: MIT
"""What the site shows of a chapter: its figures, its README, and each stage with its idea, the
difference from the stage before, and its gain then and now."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.differences import Change, Size, changes, flags_diff, size_of
from common.tools.lib.files import read_text
from common.tools.lib.hardware import differences, texts_of
from common.tools.lib.stages import ROOT, Stage
from common.tools.lib.margins import Margin
from plots.drawing.animation import Animation
from plots.drawing.figure import Drawing, Figure, NumberTable
from plots.drawing.gnuplot import SHARED
from common.tools.pages import source_diff
from common.tools.pages.syntax import line_html, lines_of
from plots.page.drawn_numbers import numbers_of
from plots.page.ladder import ladder_name
from plots.page.links import page_of, page_of_stage_on_site, place_of, reference_of
from plots.page.optimisations import Optimisation, Records, optimisations
from plots.page.readme import Document, document_of
from plots.page.stage_head import read_head
from plots.page.stage_pages import PAGE, shown_stages
from plots.records.folders import LINES
from plots.records.source import Source
from plots.records.lines import CountedLine, CountedLines, placed, read_lines

EQUAL = "<p>The sources are equal.</p>\n"


@dataclass(frozen=True)
class Entry:
    """One picture and what is said about it: pairs of a word and a text."""

    name: str
    chapter: str
    title: str
    image: Path
    alt: str
    notes: Sequence[tuple[str, str]]
    origins: Sequence[Path] = ()  # the files that its numbers come from
    panels: Sequence[tuple[float, float]] = ((0.0, 1.0),)  # shares of its width
    numbers: Sequence[NumberTable] = ()  # what is drawn, as tables
    device: str = ""  # with the day, where the page names it beside the picture
    measured_here: bool = False  # else from recorded data

    @property
    def moves(self) -> bool:
        return self.image.suffix == ".gif"


@dataclass(frozen=True)
class CountedHeader:
    """A header of a chapter, with what its lines ask in one stage."""

    path: Path  # below the course's root
    lines: Sequence[CountedLine]

    @property
    def rows(self) -> list[tuple[int, Margin, str]] | None:
        """Number, margin and HTML of each line that asks something; None: they were counted in
        another version of the header."""
        source = read_text(ROOT / self.path)
        margins = placed(self.lines, source)
        if margins is None:
            return None
        codes = html_lines(source)
        return [(number, margin, codes[number - 1]) for number, margin in margins.items()]


def html_lines(source: str) -> list[str]:
    """Each line of a source as HTML with its syntax marked."""
    lines = lines_of(source)
    return [line_html(line).replace("\n", "") for line in lines]


@dataclass(frozen=True)
class StageView:
    """A stage, and what it changes where it is compared with another one."""

    stage: Stage
    head: dict[str, str]  # of its source: `Idea`, `Limit now`, …
    one: Optimisation | None = None
    before: Stage | None = None  # the stage that it is compared with
    lines: Sequence[CountedLine] = ()  # of its source
    headers: Sequence[CountedHeader] = ()  # those whose lines were counted
    differing: Sequence[str] = ()  # what a GPU counted otherwise

    @property
    def name(self) -> str:
        return place_of(self.stage.chapter, self.stage.name)

    @property
    def href(self) -> str:
        """Where the site tells of it."""
        return page_of_stage_on_site(self.stage.chapter, self.stage.name)

    @functools.cached_property
    def changes(self) -> list[Change]:
        """The files in which it differs from the stage that it is compared with."""
        return changes(self.before, self.stage) if self.before else []

    @property
    def size(self) -> Size:
        """What it adds in all of them."""
        return size_of(self.changes)

    @property
    def margins(self) -> dict[int, Margin] | None:
        """What the lines of its source ask, by their numbers; None: they were counted in another
        version of the source."""
        return placed(self.lines, read_text(ROOT / self.stage.source))

    @property
    def source_lines(self) -> list[str]:
        return html_lines(read_text(ROOT / self.stage.source))

    @property
    def flags(self) -> list[str]:
        return flags_diff(self.before, self.stage) if self.before else []

    @property
    def code(self) -> str:
        """The files side by side, its source first. Of a header that goes, there is only its name."""
        parts = []
        for one in self.changes:
            if one.after != self.stage.source:
                name = one.after or f"no longer: {one.before}"
                parts.append(f"<p><code>{name}</code></p>\n")
            if one.after:
                texts = ("\n".join(lines) for lines in (one.lines_before, one.lines_after))
                parts.append(source_diff.side_by_side(*texts))
        return "".join(parts) or EQUAL


@dataclass(frozen=True)
class Part:
    """A chapter on the site."""

    records: Records
    readme: Document
    entries: Sequence[Entry]
    views: Sequence[StageView]

    @property
    def name(self) -> str:
        return self.records.chapter.name

    @property
    def page(self) -> str:
        return page_of(self.name)

    @property
    def reference_page(self) -> str:
        return reference_of(self.name)

    @property
    def short_title(self) -> str:
        return self.readme.title.partition(":")[0]

    @property
    def unit(self) -> str:
        return self.records.chapter.rate.unit

    @property
    def found(self) -> list[Optimisation]:
        return [view.one for view in self.views if view.one]

    @property
    def ladder(self) -> Entry | None:
        return next((one for one in self.entries if one.name == ladder_name(self.name)), None)

    @property
    def ladder_said(self) -> str:
        return dict(self.ladder.notes).get("Here", "") if self.ladder else ""

    @property
    def said_of_data(self) -> str:
        """Which numbers of its page are whose, where some were measured here."""
        recorded = f"recorded on {self.records.device}" if self.records.device else "recorded"
        if not any(entry.measured_here for entry in self.entries):
            return f"This chapter was not measured here: its numbers were {recorded}."
        if self.records.measured_here:
            return (
                f"Figures and gains were measured here, on {self.records.device}. The numbers in the"
                " text were recorded elsewhere."
            )
        return (
            "No GPU ran the kernels here. So figures with times show those of the CPU engine, which are"
            " not a GPU's times. The ladder, the gains beside the stages and the numbers in the text"
            f" were {recorded}."
        )

    @property
    def figures(self) -> list[Entry]:
        return [one for one in self.entries if one is not self.ladder]

    @property
    def files(self) -> list[Path]:
        """The files that the numbers of its optimisations come from."""
        printed = dict.fromkeys(ratio.path for one in self.found for ratio in one.published)
        own = (self.records.rows_path, self.records.counters_path)
        return [*printed, *(path for path in own if path.exists())]


# A script, or one that it loads, names the ends of its panels, as shares of the picture's width.
PANELS = re.compile(r"^# panels: ([\d. ]+)$", re.MULTILINE)
LOADED = re.compile(r"^load (own|shared)\.'/([\w.]+)'", re.MULTILINE)


def panels_of(script: Path) -> list[tuple[float, float]]:
    """Where the panels of a figure begin and end, so that a narrow screen can stack them."""
    text = read_text(script)
    for whose, name in LOADED.findall(text):
        text += read_text((script.parent if whose == "own" else SHARED) / name)
    found = PANELS.search(text)
    ends = [0.0, *(float(word) for word in found[1].split())] if found else [0.0]
    return list(zip(ends, [*ends[1:], 1.0]))


def figure_entry(figure: Figure, drawing: Drawing, output: Path, source: Source) -> Entry:
    """`source`: the figure's own, which knows what was read from it."""
    notes = [("Data", drawing.subtitle)]
    if figure.thesis:
        notes.append((figure.said_by, figure.thesis))
    if drawing.ours and not drawing.ours_repeats:
        notes.append(("Here", drawing.ours[:1].upper() + drawing.ours[1:]))
    return Entry(
        figure.name,
        figure.chapter,
        figure.title_of(drawing),
        output / f"{figure.name}.svg",
        drawing.alt,
        tuple(notes),
        tuple(source.read),
        panels_of(figure.script_path),
        numbers_of(figure, drawing),
        drawing.origin,
        any(path.is_relative_to(source.folder) for path in source.read) and not source.recorded,
    )


def animation_entry(animation: Animation) -> Entry:
    return Entry(
        animation.path.stem,
        animation.chapter,
        animation.title,
        animation.path,
        animation.alt,
        (("Data", animation.caption),),
    )


def view_of(
    stage: Stage, one: Optimisation | None, records: Records, lines: CountedLines
) -> StageView:
    before = records.chapter.stages[one.before] if one else None
    own = Path(stage.source).name
    headers = [
        CountedHeader(stage.path_of(file).relative_to(ROOT), counted)
        for (name, file), counted in lines.items()
        if name == stage.name and file != own
    ]
    counted = lines.get((stage.name, own), ())
    others: list[str] = []
    for kernel in records.counters:
        if kernel.stage == stage.name:
            arguments = kernel.arguments.split()
            found = differences(stage, kernel.kernel, arguments)
            others += texts_of(kernel.kernel, found, arguments)
    return StageView(stage, read_head(ROOT / stage.source), one, before, counted, headers, others)


def readme_of(chapters_folder: Path, chapter: str) -> Document:
    """A chapter that is being written may have no README yet."""
    return document_of(chapters_folder / chapter / PAGE, chapter)


def part_of(records: Records, readme: Document, entries: Sequence[Entry]) -> Part:
    chapter = records.chapter
    found = {one.stage: one for one in optimisations(records)}
    own = [entry for entry in entries if entry.chapter == chapter.name]
    path = records.counters_path.parents[1] / LINES.name / records.counters_path.name
    lines = read_lines(path) if path.exists() else {}
    shown = shown_stages(chapter.stages)
    views = [view_of(stage, found.get(stage.name), records, lines) for stage in shown]
    return Part(records, readme, own, views)
