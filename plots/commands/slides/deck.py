# SPDX-License-Identifier: MIT
"""A chapter as slides: one HTML file that asks nothing of a network, to show and to print. What the
slides say is the pages': each stage's idea with its figure, its code before and after, what was
predicted and measured, and its counters."""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, DataError
from plots.page import markup
from plots.page.links import place_of
from plots.page.readme import Document, read_document
from plots.page.stage_pages import PAGE

TEMPLATES = Path(__file__).parent
PICTURE = re.compile(r"^!\[(?P<alt>[^\]]*)\]\((?P<file>[^)]+)\)\n?", re.MULTILINE)
CODE = re.compile(r"^```.*?^```(?:\n|\Z)", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(?:^\|.*(?:\n|\Z))+", re.MULTILINE)
TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".gif": "image/gif"}
STAGE_LINK = re.compile(r"\]\(((?:\w+/)?\d\d_\w+/README\.md)\)")
TAUGHT = "What the chapter teaches"


@dataclass(frozen=True)
class Slide:
    """`kind`: of its layout. `parts`: HTML, side by side where there are two."""

    name: str  # its address: nbody-03_shared_tiles-code
    kind: str
    title: Markup
    parts: Sequence[Markup]
    of: str = ""  # the stage, where the slide is not its first one


def embedded(page: Path, alt: str, file: str) -> Markup:
    """A picture as part of the file."""
    path = (page.parent / file).resolve()
    if path.suffix not in TYPES or not path.is_file():
        raise DataError(f"{page}: there is no picture {file}")
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return Markup('<img alt="{}" src="data:{};base64,{}">').format(alt, TYPES[path.suffix], data)


def html_of(text: str, label: str) -> Markup:
    """Links become their text: a slide leads nowhere."""
    return Markup(markup.with_excerpts(markup.blocks(text, label)))


def pieces(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """What matches, and the rest."""
    return "\n".join(one[0] for one in pattern.finditer(text)), pattern.sub("", text)


def section(document: Document, name: str) -> str:
    return document.sections.get(name, "").strip()


def slides_of_page(document: Document, name: str) -> Iterator[Slide]:
    """Of a stage's page, as far as it has these sections."""
    title = Markup(markup.inline(document.title))
    idea = document.sections[""]
    pictures = [embedded(document.path, one["alt"], one["file"]) for one in PICTURE.finditer(idea)]
    text = html_of(PICTURE.sub("", idea), document.title)
    yield Slide(name, "idea", title, [text, *pictures[:1]])
    of = document.title
    for number, picture in enumerate(pictures[1:], 2):
        yield Slide(f"{name}-picture-{number}", "picture", Markup("The idea"), [picture], of)
    code, said = pieces(CODE, section(document, "The code"))
    if code:
        yield Slide(f"{name}-code", "code", Markup("The code"), [html_of(code, of)], of)
    told = section(document, "Predicted and measured")
    counted, said = pieces(TABLE, section(document, "Counters"))
    parts = [html_of(one, of) for one in (told, counted) if one.strip()]
    if parts:
        title = Markup("Predicted and measured")
        yield Slide(f"{name}-measured", "measured", title, parts, of)
    if asked := section(document, "Look at"):
        yield Slide(f"{name}-look", "look", Markup("Look at"), [html_of(asked, of)], of)


def stages_of(readme: Document, table: str) -> list[Path]:
    """The pages of the stages that a table of a chapter's README leads to, in its order."""
    links = (readme.path.parent / one for one in STAGE_LINK.findall(table))
    return list(dict.fromkeys(path for path in links if path.is_file()))


def slides_of_chapter(chapter: str) -> list[Slide]:
    """The chapter's README in order: the problem, each path with its stages, and what it teaches."""
    readme = read_document(ROOT / "chapters" / chapter / PAGE)
    title = Markup(markup.inline(readme.title))
    opening = readme.sections[""]
    pictures = [embedded(readme.path, one["alt"], one["file"]) for one in PICTURE.finditer(opening)]
    text = html_of(PICTURE.sub("", opening), readme.title)
    found = [Slide(chapter, "title", title, [text, *pictures[:1]])]
    paths = 0
    for heading, said in readme.sections.items():
        table, told = pieces(TABLE, said)
        pages = stages_of(readme, table)
        title = Markup(markup.inline(heading))
        if pages:
            paths += 1
            found.append(Slide(f"{chapter}-path-{paths}", "path", title, [html_of(table, heading)]))
            for page in pages:
                stage = page.parent.relative_to(readme.path.parent).as_posix()
                found += slides_of_page(read_document(page), place_of(chapter, stage))
        elif heading and (heading == TAUGHT or not paths):  # or what comes before the first path
            name = f"{chapter}-{re.sub(r'[^a-z]+', '-', heading.lower())}"
            found.append(Slide(name, "look", title, [html_of(told, heading)]))
    return found


@functools.cache
def template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("deck.html")


def render(chapter: str) -> str:
    slides = slides_of_chapter(chapter)
    style, script = (Markup(read_text(TEMPLATES / name)) for name in ("deck.css", "deck.js"))
    return template().render(
        title=slides[0].title.striptags(), slides=slides, style=style, script=script
    )
