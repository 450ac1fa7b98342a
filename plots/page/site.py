# SPDX-License-Identifier: MIT
"""The site: files that ask nothing of a network and need no server, so they work from a disk and
can be mailed as one archive.

    index.html           the course in one screen, in the order in which to read it
    <chapter>.html       what a chapter teaches, and its ladder
    <chapter>-<stage>.html, <chapter>-blocks-<block>.html, <chapter>-reference.html
                         a page per stage, and what the stages share
    chapters.html        the order of the chapters, the sources' conclusions, and the glossary
    many-gpus.html, thesis.html
                         more of the course's documents
    then-and-now.html    each optimisation in its source and today
    bounds.html          how far each stage is from its bound
    counters.html        how true the counters are
    <chapter>-<stage>-inside.html
                         a view of the stage, if they were asked for
    site.zip             all of them with their pictures

Its texts are the READMEs', its numbers those of their tables. templates/ has its Jinja2 templates
(Debian: python3-jinja2).
"""

from __future__ import annotations

import functools
import html
import re
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2
from markupsafe import Markup

from common.tools.lib.files import write_whole
from common.tools.lib.numbers import grouped, three_digits
from common.tools.lib.stages import ROOT
from common.tools.lib.margins import Margin
from plots.drawing.chapter import Chapter
from plots.drawing.words import THESIS_CARD
from plots.page import markup
from plots.page.chapters import all_chapters
from plots.page.inside import inside_of
from plots.page.links import (
    BOUNDS,
    COURSE,
    DOCUMENTS,
    OVERVIEW,
    Link,
    links_of,
    page_of,
    page_of_stage_on_site,
)
from plots.page.optimisations import Optimisation, Records, read_chapter
from plots.page.parts import Entry, Part, part_of, readme_of
from plots.page.proof_page import counters_document
from plots.page.readme import Document, document_of, read_document, rows_of
from plots.page.stage_pages import PAGE, REFERENCE, page_of_stage, pages_of_blocks, stage_of_page
from plots.page.speed_ups import NO_TIMES, speed_up_words
from plots.records.folders import PLOTS, THESIS
from plots.records.published import Published, read_published
from plots.records.source import Source
from plots.records.stages import chapter_names

TEMPLATES = PLOTS / "page" / "templates"
ASSETS = ("site.css", "site.js")
ARCHIVE = "site.zip"
INDEX = "index.html"
THEN_AND_NOW = "then-and-now.html"
PICTURE = re.compile(r"^!\[.*?\]\((.*?)\)", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """One file of the site."""

    file: str
    title: str  # in the bar of all pages
    template: str


# ---- what the templates call ----


def prose(text: str) -> Markup:
    """Plain text as HTML: a number stays on one line, a power is set as one."""
    said = markup.unbroken(html.escape(text, quote=True))
    return Markup(re.sub(r"\b(\d+)\^(\d+)", r"\1<sup>\2</sup>", said))


def place(path: Path) -> str:
    """A file's name in the repository."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def slug(title: str) -> str:
    """The anchor of a section: `what-to-look-at`."""
    return re.sub(r"\W+", "-", markup.plain(title).lower()).strip("-")


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


def per_request(margin: Margin, name: str) -> Markup:
    """`12 of 4`: sectors or wavefronts per request, and the fewest that its bytes need."""
    cost, ideal = margin.per_request(name), margin.per_request(f"ideal_{name}")
    if cost is None or ideal is None:
        return Markup("")
    said = three_digits(cost)
    return Markup(said if cost == ideal else f"{said} <small>({three_digits(ideal)})</small>")


def pieces(text: str, label: str, link: Link, part: Part) -> list[tuple[Markup, Entry | None]]:
    """A page's Markdown in pieces: text, or the figure of a picture. A figure that was not drawn is
    left out."""
    entries = {entry.image.stem: entry for entry in part.entries}
    found: list[tuple[Markup, Entry | None]] = []
    for piece in re.split(r"^(!\[[^\n]*)\n", text, flags=re.MULTILINE):
        if picture := re.match(r"!\[.*\]\((.*)\)", piece):
            if entry := entries.get(Path(picture[1]).stem):
                found.append((Markup(""), entry))
        elif piece.strip():
            found.append((Markup(markup.with_excerpts(markup.blocks(piece, label, link))), None))
    return found


@functools.cache
def templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": prose,
        "inline": lambda text, link=markup.nowhere: Markup(markup.inline(text, link)),
        "blocks": lambda text, label, link=markup.nowhere: Markup(markup.blocks(text, label, link)),
        "pieces": pieces,
        "plain": markup.plain,
        "slug": slug,
        "place": place,
        "per_request": per_request,
        "zip": zip,
        "three_digits": three_digits,
        "count": grouped,
        "page": page_of,
        "words": speed_up_words,
        "nothing_here": nothing_here,
        "counted_where": counted_where,
    }
    return environment


# ---- the pages ----


def taught(course: Document) -> dict[str, str]:
    """What each chapter teaches, as the course's README says."""
    rows = rows_of("\n".join(course.sections.values()))
    found = {}
    for row in rows:
        if match := re.match(r"\[.*\]\(chapters/(\w+)/README\.md\)", row[0]):
            found[match[1]] = row[1]
    return found


def reading_order(overview: Document, parts: Sequence[Part]) -> list[Part]:
    """The chapters in the order in which the overview says to read them: it links to each in turn."""
    said = "\n".join(overview.sections.values())
    names = list(dict.fromkeys(re.findall(r"\]\((\w+)/README\.md\)", said)))
    return sorted(parts, key=lambda one: names.index(one.name) if one.name in names else len(names))


class Site:
    """Renders the pages of some chapters."""

    def __init__(
        self,
        parts: Sequence[Part],
        recorded_folder: Path | None,
        recorded: bool = True,
        views: Sequence[str] = (),
    ) -> None:
        self.parts = reading_order(read_document(OVERVIEW), parts)
        self.recorded_folder = recorded_folder
        self.recorded = recorded  # else some chapters show what was measured here
        self.views = views  # the files of plots/page/inside.py that there are
        self.chapters = [part.records.chapter for part in parts]

    @property
    def device(self) -> str:
        """The one whose numbers all pages show; empty where the chapters have several."""
        devices = {part.records.device for part in self.parts if part.records.device}
        return devices.pop() if self.recorded and len(devices) == 1 else ""

    def render(self, template: str, file: str, **variables: object) -> str:
        document = variables.get("document")
        path = document.path if isinstance(document, Document) else COURSE
        return (
            templates()
            .get_template(template)
            .render(
                file=file,
                parts=self.parts,
                course=read_document(COURSE),
                card=THESIS_CARD,
                device=self.device,
                recorded=self.recorded,
                link=links_of(path, self.chapters),
                **variables,
            )
        )

    @property
    def compared(self) -> list[Part]:
        """The chapters with optimisations; first those whose source prints numbers."""
        found = [one for one in self.parts if one.found]
        return sorted(found, key=lambda one: not any(each.published for each in one.found))

    def then_and_now(self) -> str:
        return self.render(THEN_AND_NOW, THEN_AND_NOW, compared=self.compared)

    def pages(self) -> dict[str, str]:
        """The text of each page by its file's name."""
        folder = self.recorded_folder
        counters_file = folder / "counters.csv" if folder else None
        found = {
            INDEX: self.render("index.html", INDEX, taught=taught(read_document(COURSE))),
            THEN_AND_NOW: self.then_and_now(),
            "bounds.html": self.render(
                "bounds.html", "bounds.html", document=read_document(BOUNDS)
            ),
            "counters.html": self.render(
                "counters.html",
                "counters.html",
                document=counters_document(folder),
                counters_file=counters_file,
            ),
        }
        for name, path in DOCUMENTS.items():
            found[name] = self.render("document.html", name, document=read_document(path))
        for part in self.parts:
            found |= self.chapter_pages(part)
        return found

    def chapter_pages(self, part: Part) -> dict[str, str]:
        """A chapter's page, one for each of its stages and blocks, and its reference."""
        texts = {PAGE: part.readme}
        found = {part.page: self.render("chapter.html", part.page, part=part, document=texts[PAGE])}
        shown = {part.ladder.name} if part.ladder else set()
        for before, view, after in zip([None, *part.views], part.views, [*part.views[1:], None]):
            document = document_of(
                page_of_stage(view.stage),
                f"{part.short_title} {view.stage.name}: {view.stage.technique}",
                view.head.get("Idea", ""),
            )
            texts[view.name] = document
            found[view.href] = self.render(
                "stage.html",
                view.href,
                part=part,
                document=document,
                view=view,
                before=before,
                next=after,
                inside=name if (name := inside_of(view.stage)) in self.views else "",
            )
        for path in pages_of_blocks(part.name):
            document = read_document(path)
            name = page_of_stage_on_site(part.name, stage_of_page(path, part.readme.path.parent))
            found[name] = self.render("document.html", name, document=document, part=part)
        reference = document_of(
            part.readme.path.with_name(REFERENCE), f"{part.short_title}: reference"
        )
        texts[REFERENCE] = reference
        for document in texts.values():
            shown |= {
                Path(name).stem
                for said in document.sections.values()
                for name in PICTURE.findall(said)
            }
        found[part.reference_page] = self.render(
            "reference.html",
            part.reference_page,
            part=part,
            document=reference,
            left=[entry for entry in part.entries if entry.name not in shown],
        )
        return found


def records_of(chapter: Chapter, source: Source, published: Sequence[Published]) -> Records:
    """What the gains of a chapter come from: the rows that were asked for, if they are a GPU's. Times
    of the CPU engine are not compared."""
    own = source.of(chapter.name)
    for one in (own, own.of_the_course()):
        records = read_chapter(chapter, one.folder, source.counters_folder, published)
        if records.device:
            return replace(records, measured_here=not one.recorded)
    return records


def site_of(
    entries: Sequence[Entry],
    source: Source,
    only: str | None = None,
    views: Sequence[str] = (),
) -> Site:
    """The site of all chapters, or of one."""
    published = read_published(THESIS)
    parts = []
    for chapter in all_chapters():
        if only in (None, chapter.name):
            records = records_of(chapter, source, published)
            parts.append(part_of(records, readme_of(ROOT / "chapters", chapter.name), entries))
    return Site(parts, source.recorded_folder, source.recorded, views)


def write_archive(folder: Path, files: Sequence[str]) -> Path:
    """One file to mail. The same files give the same bytes."""
    path = folder / ARCHIVE
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{path.stem}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (folder / name).read_bytes())
    part.replace(path)
    return path


def remove_site(folder: Path) -> None:
    """Removes the pages of an earlier run: they may show what is no longer drawn."""
    fixed = (INDEX, THEN_AND_NOW, "bounds.html", "counters.html", *DOCUMENTS, ARCHIVE, *ASSETS)
    for name in (*fixed, *map(page_of, chapter_names())):
        (folder / name).unlink(missing_ok=True)
    for chapter in chapter_names():  # pages of stages
        for path in folder.glob(f"{chapter}-*.html"):
            path.unlink()


def write_site(
    folder: Path,
    entries: Sequence[Entry],
    source: Source,
    only: str | None = None,
    views: Sequence[str] = (),
) -> Path:
    """Writes the pages beside the pictures and the views, and the archive. Returns the first page."""
    pages = site_of(entries, source, only, views).pages()
    for name in ASSETS:
        shutil.copyfile(TEMPLATES / name, folder / name)
    for name, text in pages.items():
        write_whole(folder / name, text)
    pictures = [entry.image.name for entry in entries]
    write_archive(folder, [*pages, *ASSETS, *pictures, *views])
    return folder / INDEX
