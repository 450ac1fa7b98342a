# SPDX-License-Identifier: MIT
"""The pages of a chapter: its README, its reference, and one page per stage."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import marks_of
from common.tools.lib.stages import ROOT, Stage

CHAPTERS = ROOT / "chapters"
PAGE = "README.md"
REFERENCE = "reference.md"
# A mark's kernel, perhaps a run, and counters: `all `--n 300 --waves 2` launches, barriers`.
COUNTERS_OF = re.compile(r"(?P<kernel>\S+) (?:`(?P<run>[^`]+)` )?(?P<items>.+)")


def has_pages(chapter: str) -> bool:
    """Whether the chapter has one page per stage. A chapter that is being written has none yet."""
    return (CHAPTERS / chapter / REFERENCE).is_file()


def page_of_stage(stage: Stage) -> Path:
    return (ROOT / stage.source).parent / PAGE


def stage_of_page(path: Path, folder: Path) -> str:
    """`limit/02_tiles`; empty for the chapter's own pages. `folder`: the chapter's."""
    return path.parent.relative_to(folder).as_posix() if path.parent != folder else ""


def pages_of_chapter(folder: Path) -> list[Path]:
    """Those that exist: the chapter's own ones first."""
    own = [folder / PAGE, folder / REFERENCE]
    rooms = sorted(path for path in folder.rglob(PAGE) if path not in own)
    return [path for path in own if path.is_file()] + rooms


def runs_of_page(stage: Stage) -> list[str]:
    """The runs that a stage's page shows counters of, where they are not the stage's own run."""
    page = page_of_stage(stage)
    marks = marks_of(read_text(page), page) if page.is_file() else []
    found = [COUNTERS_OF.fullmatch(mark.words) for mark in marks if mark.kind == "counters"]
    return list(dict.fromkeys(words["run"] for words in found if words and words["run"]))
