# SPDX-License-Identifier: MIT
"""The page: figures by chapter, then and now, each pair of stages side by side, how true the
counters are.

It is one file without a script. It asks nothing of a network, so it works from a disk and can be
mailed. Its texts are the READMEs', its numbers those of their tables. page.html and macros.html
are its templates (Debian: python3-jinja2).
"""

from __future__ import annotations

import base64
import functools
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from common.tools.lib.differences import flags_diff
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import ROOT
from plots.drawing.animation import Animation
from plots.drawing.chapter import Chapter
from plots.drawing.figure import Drawing, Figure
from plots.drawing.words import THESIS_CARD
from plots.page import markup, source_diff
from plots.page.chapters import all_chapters
from plots.page.optimisations import Optimisation, Records, optimisations, read_chapter
from plots.page.readme import Document, read_document
from plots.page.speed_ups import NO_TIMES, speed_up_words
from plots.records.folders import PLOTS, THESIS
from plots.records.published import read_published
from plots.records.source import Source

FOLDER = PLOTS / "page"
STYLE = FOLDER / "page.css"
COUNTERS_PAGE = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"


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

    @property
    def moves(self) -> bool:
        return self.image.suffix == ".gif"


@dataclass(frozen=True)
class Pair:
    """Two stages side by side."""

    one: Optimisation
    removed: int
    added: int
    flags: Sequence[str]
    code: str


@dataclass(frozen=True)
class Part:
    """A chapter on the page."""

    records: Records
    readme: Document
    entries: Sequence[Entry]
    found: Sequence[Optimisation]
    pairs: Sequence[Pair]

    @property
    def name(self) -> str:
        return self.records.chapter.name

    @property
    def files(self) -> list[Path]:
        """The files that the numbers of its optimisations come from."""
        printed = dict.fromkeys(ratio.path for one in self.found for ratio in one.published)
        own = (self.records.rows_path, self.records.counters_path)
        return [*printed, *(path for path in own if path.exists())]


def figure_entry(figure: Figure, drawing: Drawing, output: Path, origins: Iterable[Path]) -> Entry:
    ours = drawing.ours[:1].upper() + drawing.ours[1:]
    notes = (("Data", drawing.subtitle), (figure.said_by, figure.thesis), ("Here", ours))
    image = output / f"{figure.name}.svg"
    return Entry(
        figure.name, figure.chapter, figure.heading, image, drawing.alt, notes, tuple(origins)
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


# ---- what the template calls ----

# Blanks within a number, and between a number and its unit or name: no line may end there.
NUMBER_BLANK = re.compile(
    r"(?<=\d) (?=\d{3}(?!\d)|%|(?:[kMG]|ms|µs|s|[GM]B(?:/s)?)\b)"
    r"|(?<=\b[nk]) (?== )|(?<=[nk] =) (?=\d)"
)


def prose(text: str) -> Markup:
    """Plain text as HTML: a number stays on one line, a power is set as one."""
    said = NUMBER_BLANK.sub("\u00a0", html.escape(text, quote=True))
    return Markup(re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", said))


def place(path: Path) -> str:
    """A file's name in the repository."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def data_uri(path: Path) -> str:
    kind = {".svg": "image/svg+xml", ".gif": "image/gif", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def nothing_here(part: Part, one: Optimisation) -> str:
    """Why a stage has no speed-up of ours."""
    if one.races:
        return NO_TIMES
    return "nothing to compare" if part.records.rows else "not recorded yet"


def counted_where(part: Part, one: Optimisation) -> str:
    """The run and the file of a stage's counters."""
    path = place(part.records.counters_path)
    said = f"counted on the CPU engine for {one.counted.arguments}; "
    return f"{said if one.counted.arguments else ''}{path}"


@functools.cache
def templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "prose": prose,
        "inline": lambda text: Markup(markup.inline(text)),
        "blocks": lambda text, label: Markup(markup.blocks(text, label)),
        "plain": markup.plain,
        "place": place,
        "words": speed_up_words,
        "data_uri": data_uri,
        "nothing_here": nothing_here,
        "counted_where": counted_where,
    }
    return environment


# ---- the page ----


def pair_of(one: Optimisation, chapter: Chapter) -> Pair:
    stages = [chapter.stages[name] for name in (one.before, one.stage)]
    before, after = (read_text(ROOT / stage.source) for stage in stages)
    removed, added = source_diff.counts(before, after)
    equal = "<p>The sources are equal.</p>\n"
    code = source_diff.side_by_side(before, after) if before != after else equal
    return Pair(one, removed, added, flags_diff(*stages), code)


def readme_of(chapters_folder: Path, chapter: str) -> Document:
    """A chapter that is being written may have no README yet."""
    path = chapters_folder / chapter / "README.md"
    return read_document(path) if path.exists() else Document(chapter, {"": ""})


def part_of(records: Records, readme: Document, entries: Sequence[Entry]) -> Part:
    found = optimisations(records, readme)
    own = [entry for entry in entries if entry.chapter == records.chapter.name]
    return Part(records, readme, own, found, [pair_of(one, records.chapter) for one in found])


def render(parts: Sequence[Part], recorded_folder: Path | None) -> str:
    return (
        templates()
        .get_template("page.html")
        .render(
            parts=parts,
            course=read_document(ROOT / "README.md"),
            counters=read_document(COUNTERS_PAGE),
            counters_file=recorded_folder / "counters.csv" if recorded_folder else None,
            style=read_text(STYLE),
            card=THESIS_CARD,
            device=next((part.records.device for part in parts if part.records.device), "here"),
            linked={pair.one.name for part in parts for pair in part.pairs},
        )
    )


def page_html(entries: Sequence[Entry], source: Source, only: str | None = None) -> str:
    """The page of all chapters, or of one. Its speed-ups are recorded ones, whatever the figures
    show."""
    published = read_published(THESIS)
    parts = []
    for chapter in all_chapters():
        if only in (None, chapter.name):
            folder = source.recorded_folder
            records = read_chapter(chapter, folder, source.counters_folder, published)
            parts.append(part_of(records, readme_of(ROOT / "chapters", chapter.name), entries))
    return render(parts, source.recorded_folder)


def write_page(
    path: Path, entries: Sequence[Entry], source: Source, only: str | None = None
) -> None:
    write_whole(path, page_html(entries, source, only))
