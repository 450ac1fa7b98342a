# SPDX-License-Identifier: MIT
"""Of a chapter of the thesis each section with its stage, its figures, and what it prints beside what
is measured here: the tables of chapters/thesis.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.stages import ROOT
from plots.drawing.chapter import Chapter
from plots.drawing.words import THESIS_CARD
from plots.page.speed_up_tables import compared
from plots.page.stage_pages import PAGE
from plots.page.stage_head import read_head
from plots.records.published import Published
from plots.records.rows import Metric, Row

# `Thesis 4.2.1, 4.3 (x1.4 in all), figures 4.4, 4.6 and 4.10.`
SECTIONS = re.compile(r"Thesis ([3-9][\d., and]*\d(?: and appendix [A-Z])?)")
FIGURES = re.compile(r"figures? ([\d., andto]*\d)")
FIGURE = re.compile(r"\d+\.\d+")


def sections_of(head: dict[str, str]) -> tuple[str, str] | None:
    """The sections and the figures that a stage's comment names; None: it is not of the thesis."""
    source = head.get("Source", "")
    sections, figures = SECTIONS.match(source), FIGURES.search(source)
    return (sections[1], figures[1] if figures else "") if sections else None


def with_links(figures: str, chapter: str, chapters: Path) -> str:
    """Those figures that a page of the chapter shows are links."""

    def link(match: re.Match[str]) -> str:
        path = f"{chapter}/figures/figure_{match[0].replace('.', '_')}.svg"
        return f"[{match[0]}]({path})" if (chapters / path).is_file() else match[0]

    return FIGURE.sub(link, figures)


def thesis_table(
    chapter: Chapter,
    rows: Sequence[Row],
    profile: Sequence[Metric],
    published: Sequence[Published],
    all_rows: Sequence[Row],
    chapters: Path = ROOT / "chapters",
) -> list[str]:
    """A line for each printed number, and one for each stage without a number."""
    device = next(row.device for row in rows if row.engine == "gpu")
    heads = ["section", "stage", "figures", "printed in", "quantity", "n", THESIS_CARD, device]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in chapter.stages:
        found = sections_of(read_head(ROOT / stage.source))
        if found is None:
            continue
        figures = with_links(found[1], chapter.name, chapters)
        begin = [found[0], f"[{stage.name}]({stage.stage}/{PAGE})", figures]
        numbers = [
            [one.section, own.quantity, own.size, own.then, own.here]
            for one in published
            if one.stage == stage.name
            for own in [compared(one, chapter, rows, profile, all_rows)]
        ]
        for cells in numbers or [[""] * 5]:
            lines.append(f"| {' | '.join([*begin, *cells])} |")
            begin = [""] * 3  # further numbers of a stage stand below the first
    return lines
