# SPDX-License-Identifier: MIT
"""Where a README's links lead on the site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.stages import ROOT
from plots.drawing.chapter import Chapter

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


def links_of(document: Path, chapters: Sequence[Chapter]) -> Link:
    """`chapters`: those that have a page."""
    known = {chapter.name: chapter for chapter in chapters}

    def link(target: str) -> str | None:
        path = Path((document.parent / target.partition("#")[0]).resolve())
        if path in PAGES and path != document:
            return PAGES[path]
        if not path.is_relative_to(CHAPTERS):
            return None
        name, *inner = path.relative_to(CHAPTERS).parts or ("",)
        if name not in known:
            return None
        stage = "/".join(inner[:-1])
        if stage in known[name].stages:
            return f"{page_of(name)}#{place_of(name, stage)}"
        return page_of(name) if inner in ([], ["README.md"]) else None

    return link
