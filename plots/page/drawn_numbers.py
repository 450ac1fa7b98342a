# SPDX-License-Identifier: MIT
"""The numbers that a figure draws, as tables, where the figure names none itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from common.tools.lib.files import read_text
from common.tools.lib.numbers import grouped
from plots.drawing.figure import Block, Drawing, Figure, NumberTable

MOST_ROWS = 200  # what a series of more points looks like, only its picture can show
# Diagrams: their numbers are places on the page, and their words are in the picture's description.
SCENE = "scene"
DIAGRAMS = ("figure_3_2", "figure_3_6", "figure_4_5", "kmeans_clusters")
NAMES = "names"  # a table that says what the whole numbers of the axis stand for
LANES = "lanes"  # the same for the lanes of a time axis
X_LABEL = re.compile(r"^set xlabel (?:'([^']*)'|(\w+))", re.MULTILINE)


def is_diagram(figure: Figure) -> bool:
    return figure.script == SCENE or figure.name in DIAGRAMS


def x_label(figure: Figure, drawing: Drawing) -> str:
    """What the first axis counts: `bodies`."""
    found = X_LABEL.search(read_text(figure.script_path))
    if not found:
        return ""
    return found[1] or str(drawing.variables.get(found[2], ""))


def is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def said(value: object) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    if value == round(value):
        return grouped(value)
    return grouped(value) if abs(value) >= 1e4 else f"{value:.4g}"


def labels_of(drawing: Drawing, name: str) -> dict[float, str]:
    """What whole numbers stand for: stages, mostly."""
    return {
        float(row[0]): str(row[1])
        for block in drawing.tables.get(name, [])
        for row in block.rows
        if is_number(row[0])
    }


def value_of(row: Sequence[object]) -> str | None:
    """Of `(x, value)`, `(x, median, lower, upper)` or `(x, from, to)`."""
    numbers = [one for one in row[1:] if isinstance(one, (int, float))]
    if len(numbers) == 1:
        return said(numbers[0])
    if len(numbers) == 2:
        return said(numbers[1] - numbers[0])
    if len(numbers) == 3 and numbers[1] <= numbers[0] <= numbers[2]:
        middle, low, high = map(said, numbers)
        return middle if low == high else f"{middle} ({low} to {high})"
    return None


def is_series(block: Block, labels: dict[float, str]) -> bool:
    """Whether its rows go along an axis."""
    rows = block.rows
    if any(value_of(row) is None for row in rows):
        return False
    if any(sum(map(is_number, row[1:])) == 2 for row in rows) and not labels:
        return False
    keys = [row[0] for row in rows]
    if len(set(keys)) > MOST_ROWS:
        return False
    if all(isinstance(key, str) for key in keys):
        return True
    if len(set(keys)) <= len(keys) / 2:  # several values at each place
        return all(map(is_number, keys))
    return all(map(is_number, keys)) and all(a < b for a, b in zip(keys, keys[1:]))


def titles_of(blocks: Sequence[Block]) -> list[str]:
    """Panels with the same series are numbered."""
    titles = [block.title for block in blocks]
    times = Counter(titles)
    return [
        f"{title}, panel {titles[: i + 1].count(title)}" if times[title] > 1 else title
        for i, title in enumerate(titles)
    ]


def cell_of(values: Sequence[str]) -> str:
    if len(values) < 2:
        return "".join(values)
    ordered = sorted(values, key=lambda one: float(one.replace(" ", "")))
    return f"{ordered[0]} to {ordered[-1]}"


def table_of(
    name: str, blocks: Sequence[Block], label: str, labels: dict[float, str]
) -> NumberTable | None:
    series = [block for block in blocks if block.rows]
    if not series or not all(is_series(block, labels) for block in series):
        return None
    found: dict[Any, list[list[str]]] = {}  # by a number, or by a word
    for column, block in enumerate(series):
        for row in block.rows:
            cells = found.setdefault(row[0], [[] for _ in series])
            cells[column].append(value_of(row) or "")
    words = all(isinstance(key, str) for key in found)
    ordered = list(found) if words else sorted(found)
    first = [labels.get(key, said(key)) if is_number(key) else str(key) for key in ordered]
    titles = titles_of(series)
    head = "" if name in titles else name
    return [
        [head if words or labels or not label else f"{name}; {label}", *titles],
        *([text, *map(cell_of, found[key])] for text, key in zip(first, ordered)),
    ]


def timeline_of(drawing: Drawing, lanes: dict[float, str], label: str) -> NumberTable:
    """What ran in which lane, from when to when."""
    rows = [
        [block.title, lanes.get(row[2], ""), said(row[0]), said(row[1])]
        for name, blocks in drawing.tables.items()
        if name != LANES
        for block in blocks
        for row in block.rows
    ]
    return [["what", "where", f"from; {label}" if label else "from", "to"], *rows]


def numbers_of(figure: Figure, drawing: Drawing) -> Sequence[NumberTable]:
    """The figure's own tables, or else one for each table of its drawing that has axes."""
    if drawing.numbers or is_diagram(figure):
        return drawing.numbers
    label = x_label(figure, drawing)
    if lanes := labels_of(drawing, LANES):
        return [timeline_of(drawing, lanes, label)]
    labels = labels_of(drawing, NAMES)
    tables = (
        table_of(name, blocks, label, labels)
        for name, blocks in drawing.tables.items()
        if name != NAMES
    )
    return [table for table in tables if table]
