# SPDX-License-Identifier: MIT
"""Where a README's links lead on the site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.stages import ROOT
from plots.drawing.chapter import Chapter
from plots.page.stage_pages import BLOCKS, PAGE, REFERENCE, pages_of_blocks, shown_stages

# Where a link of a README leads on the site; None: nowhere.
Link = Callable[[str], str | None]

CHAPTERS = ROOT / "chapters"
COUNTERS = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"
BOUNDS = CHAPTERS / "bounds.md"
COURSE = ROOT / "README.md"
OVERVIEW = CHAPTERS / PAGE
# The course's documents that are pages of their own, by the pages' names.
DOCUMENTS = {
    "chapters.html": OVERVIEW,
    "many-gpus.html": CHAPTERS / "many-gpus.md",
    "thesis.html": CHAPTERS / "thesis.md",
}
PAGES = {
    COUNTERS: "counters.html",
    BOUNDS: "bounds.html",
    COURSE: "index.html",
    **{path: name for name, path in DOCUMENTS.items()},
}


def page_of(chapter: str) -> str:
    return f"{chapter}.html"


def place_of(chapter: str, stage: str) -> str:
    """A stage's name among those of all chapters."""
    return f"{chapter}-{stage.replace('/', '-')}"


def page_of_stage_on_site(chapter: str, stage: str) -> str:
    """Of a stage, or of a block of its chapter."""
    return f"{place_of(chapter, stage)}.html"


def reference_of(chapter: str) -> str:
    return f"{chapter}-reference.html"


def links_of(document: Path, chapters: Sequence[Chapter]) -> Link:
    """`chapters`: those that have a page."""
    known = {chapter.name: chapter for chapter in chapters}

    def link(target: str) -> str | None:
        name, _, anchor = target.partition("#")
        path = Path((document.parent / name).resolve())
        if path in PAGES and path != document:
            return PAGES[path] + (f"#{anchor}" if anchor and PAGES[path] in DOCUMENTS else "")
        if not path.is_relative_to(CHAPTERS):
            return None
        name, *inner = path.relative_to(CHAPTERS).parts or ("",)
        if name not in known:
            return None
        stage = "/".join(inner[:-1])
        if stage in [one.name for one in shown_stages(known[name].stages)]:
            return page_of_stage_on_site(name, stage)
        if inner[:1] == [BLOCKS] and path in pages_of_blocks(name):
            return page_of_stage_on_site(name, stage)
        if inner == [REFERENCE]:
            return reference_of(name) + (f"#{anchor}" if anchor else "")
        return page_of(name) if inner in ([], [PAGE]) else None

    return link
