# SPDX-License-Identifier: MIT
"""Figures 7.1 and 7.2: which block computes which cells in one step, from the accesses of a
launch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import BLUE, GREY, RED, Scene, look_of
from plots.records.source import Source
from plots.records.stages import stages_of
from plots.records.traces import Kept, Record, Trace, thread_of

STAGES = stages_of("floyd")
COLUMNS = ("block", "thread", "line", "operation", "row", "column", "value")
COUNT, STEP = 12, 5  # vertices, and the vertex through which paths are allowed
INFINITY = 2**30 - 1


def kept_rows(records: Iterable[Record]) -> Kept:
    """The accesses of one launch to the matrix of distances, of the threads that have a column."""
    own = [one for one in records if one["grid"] == str(STEP + 1) and thread_of(one) < COUNT]
    loads = Counter(one["object"] for one in own if one["operation"] == "load")
    distances = loads.most_common(1)[0][0]
    return [
        (
            one["block"],
            thread_of(one),
            one["line"].partition(":")[2],
            one["operation"],
            *divmod(int(one["offset"]) // 4, COUNT),
            one["value"],
        )
        for one in own
        if one["object"] == distances
    ]


def trace_of(name: str, stage: str) -> Trace:
    return Trace(
        name,
        STAGES[STAGES.named(stage)].stage,
        ("--n", str(COUNT), "--max-weight", "9"),
        COLUMNS,
        kept_rows,
        {"EMULATOR_TRACE_SPACES": "global"},
    )


ROWS = trace_of("floyd_rows", "row_per_block")
COLUMN_REUSE = trace_of("floyd_columns", "column_reuse")


@dataclass(frozen=True)
class Cell:
    """One cell of the matrix: who computes it, and the distance before and after the step."""

    block: int
    thread: int
    before: int
    after: int


@dataclass(frozen=True)
class Step:
    cells: dict[tuple[int, int], Cell]  # by row and column
    pivot_row: int  # reads of elements D[k][j]
    pivot_column: int  # of D[i][k]
    pivots: dict[tuple[int, int], int]  # their values


def read_step(source: Source, trace: Trace) -> Step:
    """A line of the kernel that reads in row k only reads the pivot's row, one that reads in column
    k only its column. The third line that reads is each cell's own."""
    path = source.trace_path(trace.name)
    records = source.trace(trace.name, COLUMNS)
    lines: dict[str, list[Record]] = {}
    for one in records:
        if one["operation"] == "load":
            lines.setdefault(one["line"], []).append(one)
    rows = [own for own in lines.values() if {int(one["row"]) for one in own} == {STEP}]
    columns = [own for own in lines.values() if {int(one["column"]) for one in own} == {STEP}]
    others = [own for own in lines.values() if own not in rows and own not in columns]
    if [len(one) for one in (rows, columns, others)] != [1, 1, 1]:
        raise DataError(f"{path}: the lines of the kernel that read the matrix are not three")

    def place(one: Record) -> tuple[int, int]:
        return int(one["row"]), int(one["column"])

    stored = {place(one): one for one in records if one["operation"] == "store"}
    cells = {}
    for one in others[0]:
        at, before = place(one), int(one["value"])
        after = int(stored[at]["value"]) if at in stored else before
        cells[at] = Cell(int(one["block"]), int(one["thread"]), before, after)
        store = stored.get(at, one)
        if at[1] != int(one["thread"]) or store["thread"] != one["thread"]:
            raise DataError(f"{path}: cell {at} is not of one thread")
    if len(cells) != COUNT * COUNT or len(others[0]) != len(cells):
        raise DataError(f"{path}: not every cell is computed once")
    pivots = {place(one): int(one["value"]) for one in (*rows[0], *columns[0])}
    for (row, column), cell in cells.items():
        through = pivots[row, STEP] + pivots[STEP, column]
        if cell.after != min(cell.before, through if through < INFINITY else cell.before):
            raise DataError(f"{path}: cell {(row, column)} is not the shorter way")
    return Step(cells, len(rows[0]), len(columns[0]), pivots)


def distance(value: int) -> str:
    return "∞" if value >= INFINITY else str(value)


def prepare_cells(source: Source, trace: Trace) -> Drawing:
    """The matrix in the colours of the blocks; the pivot's row and column in frames."""
    step = read_step(source, trace)
    scene = Scene()
    left, top, width, height = 250.0, 165.0, 84.0, 55.0
    blocks: dict[int, list[int]] = {}
    for (row, column), cell in step.cells.items():
        look = look_of(cell.block)
        x, y = left + column * width, top + row * height
        shorter = cell.after != cell.before
        text = f"{distance(cell.before)}→{cell.after}" if shorter else distance(cell.before)
        scene.box(x, y, x + width, y + height, look, text, 16)
        rows = blocks.setdefault(cell.block, [])
        if row not in rows:
            rows.append(row)
        if shorter:
            scene.frame(x + 3, y + 3, x + width - 3, y + height - 3, look.ink, width=2)
    for block, rows in blocks.items():
        y = top + (min(rows) + len(rows) / 2) * height
        scene.text(left - 40, y, f"block {block}", 18, align="right")
        if len(rows) > 1:
            ends = (top + min(rows) * height + 4, top + (max(rows) + 1) * height - 4)
            scene.line([(left - 20, ends[0]), (left - 28, ends[0]), (left - 28, ends[1])], GREY)
            scene.line([(left - 28, ends[1]), (left - 20, ends[1])], GREY)
    for column in range(COUNT):
        scene.text(left + (column + 0.5) * width, top - 20, f"{column}", 17, GREY)
    scene.text(left - 40, top - 20, "thread, column", 17, GREY, "right")
    right, bottom = left + COUNT * width, top + COUNT * height
    scene.frame(left - 3, top + STEP * height, right + 3, top + (STEP + 1) * height, RED, width=4)
    scene.frame(left + STEP * width, top - 3, left + (STEP + 1) * width, bottom + 3, RED, width=4)
    # One shortened cell, near to the cross but not beside it, shows both elements that it needs.
    updated = [place for place, cell in step.cells.items() if cell.after != cell.before]

    def distances(at: tuple[int, int]) -> tuple[int, int]:
        return abs(at[0] - STEP), abs(at[1] - STEP)

    row, column = min(
        updated,
        key=lambda at: (
            min(distances(at)) < 2,
            step.cells[at].before == INFINITY,
            sum(distances(at)),
        ),
    )
    # Under the numbers, and right of them.
    y, x = top + (row + 0.86) * height, left + (column + 0.9) * width
    end = left + (column + (0.1 if column > STEP else 0.9)) * width
    scene.arrow(left + (STEP + 0.5) * width, y, end, y, RED, width=3)
    end = top + (row + (0.1 if row > STEP else 0.9)) * height
    scene.arrow(x, top + (STEP + 0.5) * height, x, end, RED, width=3)
    cell = step.cells[row, column]
    notes = [
        ("thread j: column j," if len(blocks) == COUNT else "thread j: down column j,", "#202020"),
        (f"{COUNT // len(blocks)} cell{'s' * (len(blocks) < COUNT)} per launch", "#202020"),
        (f"red: row and column {STEP}", RED),
        (f"→: shorter through vertex {STEP}", "#202020"),
        (f"block {cell.block}, thread {cell.thread}:", "#202020"),
        (
            f"{step.pivots[row, STEP]} + {step.pivots[STEP, column]} = {cell.after}"
            f" < {distance(cell.before)}",
            "#202020",
        ),
        (f"row {STEP} is read {step.pivot_row} times,", BLUE),
        (f"column {STEP} {step.pivot_column} times", BLUE),
    ]
    for i, (text, colour) in enumerate(notes):
        scene.text(right + 24, top + 30 + i * 34 + i // 2 * 26, text, 17, colour, "left")
    rows_each = max(len(rows) for rows in blocks.values())
    return scene.drawing(
        subtitle=(
            f"{trace.stage}, {COUNT} vertices, weights to 9, on the CPU engine: the launch that"
            f" allows paths through vertex {STEP}, traced."
        ),
        ours=(
            f"{len(blocks)} blocks of {rows_each} row{'s' * (rows_each > 1)}; a thread has a"
            f" column. {len(updated)} of {COUNT * COUNT} distances become shorter. Each cell needs"
            f" its element of the pivot's column and of its row: the threads read the row"
            f" {step.pivot_row} times in all, the column {step.pivot_column} times."
        ),
        alt=(
            f"A matrix of {COUNT} by {COUNT} distances in the colours of {len(blocks)} blocks. Row"
            f" and column {STEP} are framed in red. Arrows from both lead to a cell that becomes"
            f" shorter; {len(updated)} cells show the distance before and after."
        ),
        traces=[trace],
    )


prepare_rows = partial(prepare_cells, trace=ROWS)
prepare_columns = partial(prepare_cells, trace=COLUMN_REUSE)
