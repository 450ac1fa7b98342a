# SPDX-License-Identifier: MIT
"""The form of a chapter's pages: their lengths, the order of their parts, and their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from common.tools.labs.catalogue import load_labs
from common.tools.lib.marks import TABLE, marks_of, without_marks
from common.tools.lib.stages import Stage
from plots.page.readme import WAY
from plots.page.stage_head import of_a_source, read_head
from plots.page.stage_pages import PAGE

# Words of a page, without tables and code.
OF_CHAPTER, OF_SOURCE, OF_PATH, OF_PEER, OF_BLOCK = 900, 350, 500, 150, 150
OF_PARAGRAPH, OF_FAILURES = 90, 100
CODE, MEASURED, COUNTERS, FAILED = (
    "The code",
    "Predicted and measured",
    "Counters",
    "What did not help",
)
LOOK, LAB, THEN = "Look at", "Lab", "Then and now"
ORDER = [CODE, MEASURED, COUNTERS, FAILED, LOOK, LAB, THEN]
NOT_PROSE = re.compile(r"^```.*?^```\n|^\|[^\n]*\n|^!\[[^\n]*\n", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"\]\([^()\s]*\)")


def prose_of(text: str) -> str:
    return TARGET.sub("]", NOT_PROSE.sub("", without_marks(WAY.sub("", text))))


def words_in(text: str) -> int:
    """Numbers in groups of three are one word."""
    return len(re.findall(r"\w[\w'’./-]*", re.sub(r"(?<=\d) (?=\d{3}\b)", "", prose_of(text))))


def paragraphs_of(text: str) -> list[str]:
    """A list without empty lines is one paragraph: it is read at one go."""
    return re.split(r"\n\s*\n", prose_of(text))


def sections_of(text: str) -> dict[str, str]:
    """The text below each heading; of the title under its first word."""
    parts = re.split(
        r"^## (.*)\n", re.sub(r"^```.*?^```\n", "", text, flags=re.M | re.S), flags=re.M
    )
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def too_long(text: str, most: int) -> Iterator[str]:
    if (found := words_in(text)) > most:
        yield f"{found} words, not {most}"
    for paragraph in paragraphs_of(text):
        if (found := words_in(paragraph)) > OF_PARAGRAPH:
            yield f"a paragraph of {found} words, not {OF_PARAGRAPH}: {' '.join(paragraph.split())[:40]}"


def mistakes_of_stage(text: str, page: Path, stage: Stage, before: Stage | None) -> Iterator[str]:
    """What is wrong with a stage's page."""
    peer = stage.path == "peers"
    source = not stage.path and of_a_source(read_head(page.parent / Path(stage.source).name))
    yield from too_long(text, OF_PEER if peer else OF_PATH if stage.path else OF_SOURCE)
    sections = sections_of(text)
    names = [name for name in sections if name]
    if names != [name for name in ORDER if name in names]:
        yield f"the parts are {', '.join(names)}, not in the order {', '.join(ORDER)}"
    needed = {CODE, MEASURED, LOOK}
    if not peer:
        needed.add(LAB)
    if source:
        needed.add(THEN)
    if before and stage.has_kernels and not peer and not stage.not_recorded:
        needed.add(COUNTERS)
    yield from (f"has no part '{name}'" for name in ORDER if name in needed - set(names))
    head = without_marks(WAY.sub("", sections[""])).split("\n\n")[1:]
    figures = [i for i, part in enumerate(head) if part.strip().startswith("![")]
    if figures and any(part.strip() for part in head[: figures[0]]):
        yield "its figure does not come first"
    kinds = [(mark.kind, mark.words) for mark in marks_of(text, page)]
    if (TABLE, "way") not in kinds:
        yield "has no mark table:way"
    if "code" not in [kind for kind, _ in kinds] and ("flags", "") not in kinds:
        yield "shows no code of the sources"
    if COUNTERS in sections and not any(kind == "counters" for kind, _ in kinds):
        yield "has no mark of counters"
    if words_in(sections.get(FAILED, "")) > OF_FAILURES:
        yield f"'{FAILED}' has more than {OF_FAILURES} words"
    for lab in load_labs().values():
        if lab.kind == "pair" and lab.name == f"{stage.chapter}/{stage.label}":
            if f"`make lab LAB={lab.name}`" not in sections.get(LAB, ""):
                yield f"'{LAB}' does not name `make lab LAB={lab.name}`"


def mistakes_of_chapter(text: str, stages: list[Stage]) -> Iterator[str]:
    """What is wrong with a chapter's own page."""
    yield from too_long(text, OF_CHAPTER)
    for stage in stages:
        if f"({stage.name}/{PAGE})" not in text:
            yield f"has no link to the page of {stage.name}"
    commands = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if sum(block.count("\n") for block in commands) > 5:
        yield "has more than five commands"
    if "(reference.md)" not in text:
        yield "has no link to reference.md"
