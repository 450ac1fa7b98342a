# SPDX-License-Identifier: MIT
"""Where a README's links lead on the site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.stages import ROOT
from plots.drawing.chapter import Chapter
from plots.page.stage_pages import PAGE, REFERENCE, has_pages

# Where a link of a README leads on the site; None: nowhere.
Link = Callable[[str], str | None]

CHAPTERS = ROOT / "chapters"
COUNTERS = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"
BOUNDS = CHAPTERS / "bounds.md"
COURSE = ROOT / "README.md"
# The course's documents that are pages of their own.
PAGES = {COUNTERS: "counters.html", BOUNDS: "bounds.html", COURSE: "index.html"}


def page_of(chapter: str) -> str:
    return f"{chapter}.html"


def place_of(chapter: str, stage: str) -> str:
    """A stage's anchor on its chapter's page."""
    return f"{chapter}-{stage.replace('/', '-')}"


def page_of_stage_on_site(chapter: str, stage: str) -> str:
    """Where a stage is told of: on its own page, or at its place on the chapter's page."""
    place = place_of(chapter, stage)
    return f"{place}.html" if has_pages(chapter) else f"{page_of(chapter)}#{place}"


def reference_of(chapter: str) -> str:
    return f"{chapter}-reference.html"


def links_of(document: Path, chapters: Sequence[Chapter]) -> Link:
    """`chapters`: those that have a page."""
    known = {chapter.name: chapter for chapter in chapters}

    def link(target: str) -> str | None:
        name, _, anchor = target.partition("#")
        path = Path((document.parent / name).resolve())
        if path in PAGES and path != document:
            return PAGES[path]
        if not path.is_relative_to(CHAPTERS):
            return None
        name, *inner = path.relative_to(CHAPTERS).parts or ("",)
        if name not in known:
            return None
        stage = "/".join(inner[:-1])
        if stage in known[name].stages:
            return page_of_stage_on_site(name, stage)
        if inner == [REFERENCE] and has_pages(name):
            return reference_of(name) + (f"#{anchor}" if anchor else "")
        return page_of(name) if inner in ([], [PAGE]) else None

    return link
