# SPDX-License-Identifier: MIT
"""The pages of a chapter: its README, its reference, and one page per stage."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import marks_of
from common.tools.lib.stages import ROOT, Stage
from plots.records.stages import Stages

CHAPTERS = ROOT / "chapters"
PAGE = "README.md"
REFERENCE = "reference.md"
BLOCKS = "blocks"
# A mark's kernel, perhaps a run, and counters: `all `--n 300 --waves 2` launches, barriers`.
COUNTERS_OF = re.compile(r"(?P<kernel>\S+) (?:`(?P<run>[^`]+)` )?(?P<items>.+)")


def page_of_stage(stage: Stage) -> Path:
    return (ROOT / stage.source).parent / PAGE


def shown_stages(stages: Stages) -> list[Stage]:
    """Those that the site has a page of: what is recorded, and what has its page all the same, as
    the stage for many GPUs."""
    found = [stages.any_of(name) for name in stages.every]
    return [one for one in found if one.name in stages or page_of_stage(one).is_file()]


def pages_of_blocks(chapter: str) -> list[Path]:
    """Of what several stages of a chapter share."""
    return sorted((CHAPTERS / chapter / BLOCKS).glob(f"*/{PAGE}"))


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
