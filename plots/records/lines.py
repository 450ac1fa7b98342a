# SPDX-License-Identifier: MIT
"""What each line of a stage asks of the memory, as `record_counters` recorded it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import LINE_COLUMNS
from common.tools.lib.csv_tables import integer, read_table
from common.tools.lib.margins import Margin


@dataclass(frozen=True)
class CountedLine:
    number: int  # when it was counted
    text: str
    margin: Margin


# By stage and file, in the order of the lines.
CountedLines = Mapping[tuple[str, str], Sequence[CountedLine]]


def read_lines(path: Path) -> dict[tuple[str, str], list[CountedLine]]:
    found: dict[tuple[str, str], list[CountedLine]] = {}
    for row, record in read_table(path, LINE_COLUMNS):
        place = f"{path}:{row}"
        margin = Margin(
            **{name: integer(record[name], name, place) for name in LINE_COLUMNS[4:]},
        )
        one = CountedLine(integer(record["line"], "line", place), record["text"], margin)
        found.setdefault((record["stage"], record["file"]), []).append(one)
    return found


def placed(lines: Sequence[CountedLine], source: str) -> dict[int, Margin] | None:
    """The margins by the lines' numbers in the source of today: each line is the next one with its
    text. None: a counted line is no longer there, so that the counters are of another program."""
    texts = [line.strip() for line in source.splitlines()]
    found: dict[int, Margin] = {}
    after = 0
    for one in lines:
        at = one.number - 1
        if not (at >= after and at < len(texts) and texts[at] == one.text):
            try:
                at = texts.index(one.text, after)
            except ValueError:
                return None
        found[at + 1] = one.margin
        after = at + 1
    return found
