# SPDX-License-Identifier: MIT
"""Figure 2.4: kernels, grids, blocks, warps and lanes, from the timeline of a stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.basics.stages import STAGES
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RED, Scene, look_of
from plots.records.source import Source
from plots.records.traces import Kept, Record, Timeline, details_of

COLUMNS = ("kind", "id", "name", "parent", "begin", "grid", "block")
COUNT, WARP = 600, 32


def kept_rows(records: Iterable[Record]) -> Kept:
    """The host's tasks that do something, the grids with their shapes, and the blocks."""
    rows: Kept = []
    for one in records:
        if one["kind"] == "device" or one["kind"] == "task" and not one["name"]:
            continue
        shape = details_of(one)
        sizes = (shape.get("grid", ""), shape.get("block", ""))
        rows.append((*(one[name] for name in COLUMNS[:5]), *sizes))
    return sorted(rows, key=lambda row: int(str(row[4])))


# The blocks run in a shuffled order: no program may rely on one.
TIMELINE = Timeline(
    "hierarchy",
    STAGES[STAGES.named("parts_of_columns")].stage,
    ("--n", str(COUNT)),
    COLUMNS,
    kept_rows,
    {"EMULATOR_SCHEDULE": "shuffled:1"},
)


@dataclass(frozen=True)
class GridShape:
    kernel: str
    columns: int
    rows: int
    threads: int  # of a block
    order: list[int]  # the blocks, as they ran


@dataclass(frozen=True)
class Program:
    tasks: list[str]  # of the host, in their order
    grids: dict[int, GridShape]  # by the task that launched them


def read_program(source: Source) -> Program:
    path = source.trace_path(TIMELINE.name)
    records = source.trace(TIMELINE.name, COLUMNS)
    tasks = [one for one in records if one["kind"] == "task"]
    places = {one["id"]: i for i, one in enumerate(tasks)}
    grids = {}
    for one in (one for one in records if one["kind"] == "grid"):
        x, y, z = map(int, one["grid"].split("x"))
        threads = int(one["block"].split("x")[0])
        order = [
            int(other["id"].partition(":")[2])
            for other in records
            if other["kind"] == "block" and other["id"].partition(":")[0] == one["id"]
        ]
        if z != 1 or sorted(order) != list(range(x * y)):
            raise DataError(f"{path}: not every block of {one['name']} ran once")
        if one["parent"] not in places or threads % WARP != 0:
            raise DataError(f"{path}: no task launched {one['name']}")
        grids[places[one["parent"]]] = GridShape(one["name"], x, y, threads, order)
    if len(grids) != 2:
        raise DataError(f"{path}: {len(grids)} grids, not two")
    return Program([one["name"] for one in tasks], grids)


def short(task: str) -> str:
    """ "host to device 1440000" without its bytes."""
    return f"copy {task.rpartition(' ')[0]}" if " to " in task else task.partition(" ")[0]


def prepare_hierarchy(source: Source) -> Drawing:
    """Three columns: the host's tasks, the grids with their blocks, and one block."""
    program = read_program(source)
    scene = Scene()
    scene.text(40, 150, "the host's tasks", 20, align="left")
    centres = {}
    for i, task in enumerate(program.tasks):
        y = 190.0 + i * 92
        is_kernel = i in program.grids
        look = DARK if is_kernel else PLAIN
        scene.box(40, y, 330, y + 56, look, task if is_kernel else short(task), 17)
        centres[i] = y + 28
        if i:
            scene.arrow(185, y - 36, 185, y - 2, GREY)
    # The grid with more rows is the one whose block is looked at.
    left = 430.0
    first, second = sorted(program.grids)
    one, two = program.grids[first], program.grids[second]
    scene.text(
        left, 150, f"grid of {one.kernel}: {one.columns * one.rows} blocks", 20, align="left"
    )
    per_row, width, height = 13, 37.0, 30.0
    ran = {block: i for i, block in enumerate(one.order)}
    for block in range(one.columns * one.rows):
        x, y = left + block % per_row * width, 176 + block // per_row * height
        scene.box(x, y, x + width, y + height, LIGHT, ran[block], 11)
    scene.arrow(334, centres[first], left - 8, 190, RED, width=2)
    top = 520.0
    title = f"grid of {two.kernel}: {two.columns} × {two.rows}"
    scene.text(left, top - 34, title, 20, align="left")
    wide, high = 158.0, 92.0
    ran = {block: i for i, block in enumerate(two.order)}
    for block in range(two.columns * two.rows):
        column, row = block % two.columns, block // two.columns
        x, y = left + column * wide, top + row * high
        look = look_of(block)
        scene.box(x, y, x + wide, y + high, look)
        scene.text(x + wide / 2, y + 30, f"block ({column}, {row})", 17, look.ink)
        scene.text(x + wide / 2, y + 62, f"ran as number {ran[block]}", 13, look.ink)
    scene.arrow(334, centres[second], left - 8, top + 60, RED, width=2)
    scene.text(
        left,
        top + two.rows * high + 28,
        "small numbers: the order in which they ran",
        17,
        GREY,
        "left",
    )
    # The last block, enlarged.
    shown = two.columns * two.rows - 1
    column, row = shown % two.columns, shown // two.columns
    look = look_of(shown)
    corner = (left + (column + 1) * wide, top + row * high)
    begin = 1010.0
    warps = two.threads // WARP
    title = f"block ({column}, {row}): {two.threads} threads"
    scene.text(begin, 150, title, 20, align="left")
    lane = 15.0
    for warp in range(warps):
        y = 190.0 + warp * 74
        scene.text(begin, y + 22, f"warp {warp}", 17, align="left")
        for i in range(WARP):
            x = begin + 92 + i * lane
            scene.bar(x, y, x + lane - 2, y + 44, look)
    bottom = 190.0 + (warps - 1) * 74 + 44
    scene.line([corner, (begin - 10, 184)], GREY, dashed=True)
    scene.line([(corner[0], corner[1] + high), (begin - 10, bottom + 6)], GREY, dashed=True)
    scene.text(
        begin + 92,
        bottom + 28,
        f"{WARP} lanes: threads {0} to {WARP - 1} are warp 0, …",
        17,
        GREY,
        "left",
    )
    return scene.drawing(
        subtitle=(
            f"{TIMELINE.stage} with {COUNT} rows and columns on the CPU engine, blocks in a"
            " shuffled order: its tasks, grids and blocks, from a timeline."
        ),
        ours=(
            f"A launch of a kernel is a grid: here {one.columns * one.rows} blocks in a row, and"
            f" {two.columns} × {two.rows}. A block's {two.threads} threads are {warps} warps of"
            f" {WARP} lanes, which execute each instruction together. The order of blocks is open:"
            f" here block {two.order[0]} of the second grid ran first."
        ),
        alt=(
            f"Left the host's {len(program.tasks)} tasks, two of which are kernels; in the middle"
            " the blocks of their grids, numbered in the order in which they ran; right one block"
            f" with {warps} warps of {WARP} lanes."
        ),
        traces=[TIMELINE],
    )
