# SPDX-License-Identifier: MIT
"""The page: figures by chapter, then and now, every pair of stages side by side, how true the counters
are. One file without a script: no request leaves it, so it works from a disk and can be mailed.

Its texts are the READMEs', its numbers those that plots/tables.py puts into them."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import optimisations
import source_diff
from animate import Animation
from drawing import PLOTS, PUBLISHED, THESIS_CARD, Drawing, Figure, Source
from markdown import Document, blocks, inline, plain, read_document, scrolling
from measurements import chapters_of, read_published, read_stages, stages_file
from optimisations import Chapter, Optimisation
from speed_ups import NO_TIMES, SpeedUp, speed_up_words

from common.tools.diff_stages import flags_diff
from common.tools.lib.stages import Stage, load_stages

ROOT = PLOTS.parent
STYLE = PLOTS / "page.css"
COUNTERS_PAGE = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"


@dataclass(frozen=True)
class Entry:
    """One picture and what is said of it: pairs of a word and a text."""

    name: str
    chapter: str
    title: str
    image: Path
    alt: str
    notes: Sequence[tuple[str, str]]
    origins: Sequence[Path] = ()  # the files that its numbers come from


def figure_entry(figure: Figure, drawing: Drawing, output: Path, origins: Iterable[Path]) -> Entry:
    return Entry(figure.name, figure.chapter, figure.heading, output / f"{figure.name}.svg", drawing.alt,
                 (("Data", drawing.subtitle), (figure.said_by, figure.thesis), ("Here", drawing.ours[:1].upper() + drawing.ours[1:])),
                 tuple(origins))


def animation_entry(animation: Animation) -> Entry:
    return Entry(animation.path.stem, animation.chapter, animation.title, animation.path, animation.alt,
                 (("Data", animation.caption),))


def escape(text: str) -> str:
    return html.escape(text, quote=True)


# Blanks within a number, and between a number and its unit or name: no line may end there.
NUMBER_BLANK = re.compile(r"(?<=\d) (?=\d{3}(?!\d)|%|(?:[kMG]|ms|µs|s|[GM]B(?:/s)?)\b)"
                          r"|(?<=\b[nk]) (?== )|(?<=[nk] =) (?=\d)")


def prose(text: str) -> str:
    """Plain text as HTML: numbers stay in one line, powers become powers."""
    return re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", NUMBER_BLANK.sub("\u00a0", escape(text)))


def place(path: Path) -> str:
    """A file's name in the repository."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def origin(paths: Iterable[Path]) -> str:
    return "From " + ", ".join(f"<code>{escape(place(path))}</code>" for path in paths) + "."


# ---- figures ---------------------------------------------------------------------------------------------------

def data_uri(path: Path) -> str:
    kind = {".svg": "image/svg+xml", ".gif": "image/gif", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def figure_html(entry: Entry) -> str:
    notes = "".join(f"<dt>{escape(word)}</dt><dd>{prose(text)}</dd>\n" for word, text in entry.notes)
    moving = ' class="animation"' if entry.image.suffix == ".gif" else ""
    picture = f'<img{moving} alt="{escape(entry.alt)}" src="{data_uri(entry.image)}">'
    if not moving:
        picture = scrolling(picture, f"{entry.title}: picture")
    note = f'<p class="from">{origin(entry.origins)}</p>' if entry.origins else ""
    return (f'<figure id="{escape(entry.name)}">\n<h4>{escape(entry.title)}</h4>\n{picture}'
            f"<figcaption><dl>\n{notes}</dl>{note}</figcaption>\n</figure>\n")


# ---- then and now ----------------------------------------------------------------------------------------------

def ratios_html(ratios: Sequence[SpeedUp], before: str, none: str) -> str:
    if not ratios:
        return f'<span class="quiet">{none}</span>'
    return "<br>".join(f'<span title="{escape(f"{one.where}; {place(one.path)}")}">'
                       f"{prose(speed_up_words(one, before))}</span>" for one in ratios)


def optimisation_row(one: Optimisation, chapter: Chapter, linked: bool) -> str:
    name = f"<code>{escape(one.stage)}</code>"
    if linked:
        name = f'<a href="#{escape(one.name)}">{name}</a>'
    over = f'<br><span class="quiet">over {escape(one.before)}</span>'
    here = NO_TIMES if one.races else "nothing to compare" if chapter.rows else "not recorded yet"
    counted = "<br>".join(prose(line) for line in one.counted.telling)
    title = (f"counted on the CPU engine for {one.counted.arguments}; {place(chapter.counters_path)}"
             if one.counted.arguments else place(chapter.counters_path))
    part = f"<strong>{escape(one.part)}:</strong> " if one.part else ""
    return (f'<tr role="row"><th scope="row" role="rowheader">{name}{over}</th>'
            f'<td role="cell" data-name="then">{ratios_html(one.published, one.before, "–")}</td>'
            f'<td role="cell" data-name="now">{ratios_html(one.measured, one.before, here)}</td>'
            f'<td role="cell" data-name="counted"><span title="{escape(title)}">{counted}</span></td>'
            f'<td role="cell" data-name="what">{part}{inline(one.sentence)}</td></tr>\n')


def then_and_now(chapters: Sequence[tuple[Chapter, str, Sequence[Optimisation]]], linked: set[str]) -> str:
    """One table, a group of rows a chapter, below each group where its numbers come from."""
    device = next((chapter.device for chapter, _, _ in chapters if chapter.device), "here")
    groups = []
    for chapter, title, found in chapters:
        if not found:
            continue
        rows = "".join(optimisation_row(one, chapter, one.name in linked) for one in found)
        printed = dict.fromkeys(ratio.path for one in found for ratio in one.published)
        files = [*printed, *(path for path in (chapter.rows_path, chapter.counters_path) if path.exists())]
        note = f'<tr class="from" role="row"><td role="cell" colspan="5">{origin(files)}</td></tr>\n' if files else ""
        groups.append('<tbody role="rowgroup">\n<tr class="group" role="row">'
                      f'<th scope="rowgroup" role="rowheader" colspan="5">{title}</th></tr>\n{rows}{note}</tbody>\n')
    heads = "".join(f'<th scope="col" role="columnheader">{escape(head)}</th>' for head in (
        "stage", f"then: thesis ({THESIS_CARD})", f"now: {device}", "what the counters say", "what was done"))
    return ('<table class="then" role="table">\n<caption>Every optimisation: how many times as fast as the stage that '
            "it is compared with. Medians; runs and quartiles are each number's tooltip.</caption>\n"
            f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n' + "".join(groups) + "</table>\n")


# ---- differences -----------------------------------------------------------------------------------------------

def difference(one: Optimisation, before: Stage, after: Stage) -> str:
    """A pair of stages, folded: what the README says, flags, all counters, and the two sources."""
    texts = [(ROOT / stage.source).read_text(encoding="utf-8") for stage in (before, after)]
    removed, added = source_diff.counts(*texts)
    flags = flags_diff(before, after)
    said = f"<p>{inline(one.said)}</p>\n" if one.said else ""
    for word, ratios in (("Then", one.published), ("Now", one.measured)):
        said += "".join(f"<p>{word}: {prose(speed_up_words(ratio, one.before))}. "
                        f'<span class="quiet">{prose(ratio.where)}.</span></p>\n' for ratio in ratios)
    if flags:
        said += f"<pre>{escape(chr(10).join(flags))}</pre>\n"
    if one.counted.everything:
        lines = "".join(f"<li>{prose(line)}</li>\n" for line in one.counted.everything)
        said += (f"<details><summary>Counters, for <code>{escape(one.counted.arguments)}</code></summary>\n"
                 f"<ul>\n{lines}</ul></details>\n")
    names = f"<code>{escape(one.before)}</code> → <code>{escape(one.stage)}</code>"
    label = f"{one.before} and {one.stage}, side by side"
    code = source_diff.side_by_side(*texts) if texts[0] != texts[1] else "<p>The sources are equal.</p>\n"
    return (f'<details class="difference"><summary><h4>{names}</h4> {prose(one.technique)} '
            f'<span class="quiet">({removed} lines go, {added} come)</span></summary>\n'
            f'<div id="{escape(one.name)}">\n{said}'
            f'<div class="code" tabindex="0" role="region" aria-label="{escape(label)}">\n{code}</div></div>'
            "</details>\n")


def differences(found: Sequence[Optimisation], stages: dict[str, Stage]) -> dict[str, str]:
    return {one.name: difference(one, stages[f"{one.chapter}/{one.before}"], stages[f"{one.chapter}/{one.stage}"])
            for one in found}


# ---- the page --------------------------------------------------------------------------------------------------

def chapter_html(name: str, readme: Document, entries: Sequence[Entry], pairs: Iterable[str]) -> str:
    figures = "".join(figure_html(entry) for entry in entries)
    said = "".join(pairs)
    return (f'<section id="{escape(name)}">\n<h2>{inline(readme.title)}</h2>\n'
            + blocks(readme.problem(), readme.title)
            + (f'<h3 id="{escape(name)}-figures">Figures</h3>\n{figures}' if figures else "")
            + (f'<h3 id="{escape(name)}-stages">Stage by stage</h3>\n{said}' if said else "") + "</section>\n")


def counters_html(document: Document, recorded: Path | None) -> str:
    """The page of proofs: its summary, everything else folded. `recorded`: the folder of its table."""
    folded = "".join(f"<details><summary><h3>{inline(title)}</h3></summary>\n{blocks(text, title)}</details>\n"
                     for title, text in document.sections.items() if title)
    return (f'<section id="counters">\n<h2>{inline(document.title)}</h2>\n'
            + blocks(document.sections[""], "Counters compared, in short")
            + (f'<p class="from">{origin([recorded / "counters.csv"])}</p>\n' if recorded else "")
            + folded + "</section>\n")


def contents(chapters: Sequence[tuple[str, Document, Sequence[Entry], Sequence[str]]], table: bool) -> str:
    items = ['<li><a href="#then-and-now">Then and now</a></li>\n'] if table else []
    for name, readme, entries, pairs in chapters:
        inner = "".join(f'<li><a href="#{escape(entry.name)}">{escape(entry.title)}</a></li>\n' for entry in entries)
        if pairs:
            inner += f'<li><a href="#{escape(name)}-stages">Stage by stage: {len(pairs)} difference{"s" * (len(pairs) > 1)}</a></li>\n'
        items.append(f'<li><a href="#{escape(name)}">{escape(plain(readme.title))}</a>\n'
                     + (f"<ul>\n{inner}</ul>\n" if inner else "") + "</li>\n")
    items.append('<li><a href="#counters">How true are the counters?</a></li>\n')
    return f'<nav aria-label="Contents">\n<ol>\n{"".join(items)}</ol>\n</nav>\n'


def readme_of(chapters_folder: Path, chapter: str) -> Document:
    """A chapter that is being written may have no README yet."""
    path = chapters_folder / chapter / "README.md"
    return read_document(path) if path.exists() else Document(chapter, {"": ""})


def page_html(entries: Sequence[Entry], source: Source, only: str | None = None) -> str:
    """The page of all chapters, or of one; the speed-ups are recorded ones whatever the figures show."""
    records = read_stages(stages_file())
    stages = {stage.stage: stage for stage in load_stages()}
    published = read_published(PUBLISHED)
    course = read_document(ROOT / "README.md")
    names = [name for name in chapters_of(records) if only in (None, name)]
    table, shown = [], []
    for name in names:
        readme = readme_of(ROOT / "chapters", name)
        chapter = optimisations.read_chapter(name, records, source.recorded_folder, source.counters_folder, published)
        optimisations.check_stage_names(chapter)
        found = optimisations.optimisations(chapter, readme)
        table.append((chapter, inline(readme.title), found))
        pairs = differences(found, stages)
        shown.append((name, readme, [entry for entry in entries if entry.chapter == name], pairs))
    linked = {pair for _, _, _, pairs in shown for pair in pairs}
    body = (f"<header>\n<h1>{inline(course.title)}</h1>\n" + blocks(course.problem(), course.title)
            + "<p>Grey marks in the figures are published numbers: the thesis' own "
            f"({THESIS_CARD}) or, where the figure says so, a seed's. Below each number or picture stands the file that "
            "it comes from.</p>\n</header>\n"
            + contents([(name, readme, own, list(pairs)) for name, readme, own, pairs in shown], bool(linked))
            + "<main>\n")
    if linked:
        body += f'<section id="then-and-now">\n<h2>Then and now</h2>\n{then_and_now(table, linked)}</section>\n'
    body += "".join(chapter_html(name, readme, own, pairs.values()) for name, readme, own, pairs in shown)
    body += counters_html(read_document(COUNTERS_PAGE), source.recorded_folder) + "</main>\n"
    return ('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(plain(course.title))}</title>\n"
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n{body}</body>\n</html>\n")


def write_page(path: Path, entries: Sequence[Entry], source: Source, only: str | None = None) -> None:
    path.write_text(page_html(entries, source, only), encoding="utf-8")
