# SPDX-License-Identifier: MIT
"""Figure 6.3: how a block copies one tile of bodies after the other, from its accesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, EMPTY, GREY, LIGHT, RED, Scene, look_of
from plots.records.source import Source
from plots.records.stages import stages_of
from plots.records.traces import Kept, Record, Trace, thread_of

STAGES = stages_of("nbody")
COLUMNS = ("step", "line", "threads", "operation", "space", "first", "count")
COUNT, BLOCK = 600, 1  # bodies: the last tile is not full; the block that is drawn
BODY = 16  # bytes


def kept_rows(records: Iterable[Record]) -> Kept:
    """Of each step the bodies that each line of the block loads and stores, and those that its
    first thread reads from shared memory: runs of bodies that lie side by side."""
    found: dict[tuple[int, str, str, str], list[int]] = {}
    threads: dict[tuple[int, str, str, str], set[int]] = {}
    for one in records:
        if one["bytes"] != str(BODY) or one["block"] != str(BLOCK):
            continue
        line = one["line"].partition(":")[2]
        key = (int(one["step"]), line, one["operation"], one["space"])
        threads.setdefault(key, set()).add(thread_of(one))
        if (one["operation"], one["space"]) != ("load", "shared") or thread_of(one) == 0:
            found.setdefault(key, []).append(int(one["offset"]) // BODY)
    rows: Kept = []
    for key, places in found.items():
        step, line, operation, space = key
        runs: list[list[int]] = []
        for place in places:
            if runs and place == runs[-1][0] + runs[-1][1]:
                runs[-1][1] += 1
            else:
                runs.append([place, 1])
        rows += [(step, line, len(threads[key]), operation, space, *run) for run in runs]
    return rows


TRACE = Trace(
    "nbody_tiles",
    STAGES[STAGES.named("shared_tiles")].stage,
    ("--n", str(COUNT), "--no-races"),
    COLUMNS,
    kept_rows,
    {"EMULATOR_TRACE_SPACES": "global,shared"},
    # All of the block's accesses to global memory and its stores, but only one thread's reads of
    # the tiles: there are many.
    only=rf"kernel,{BLOCK},\d+,(.*,(global|store),|0,0,)",
)


@dataclass(frozen=True)
class Tile:
    """What a block does between two barriers and the next two. Places count bodies."""

    first: int  # body of the list
    loaded: int  # bodies from global memory
    stored: int  # bodies in shared memory: the rest have no mass
    read: int  # by each thread, from shared memory


def read_tiles(source: Source) -> tuple[list[Tile], int]:
    """The tiles, and the first body of the block's own."""
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)

    def total(step: int, operation: str, space: str) -> int:
        return sum(
            int(one["count"])
            for one in records
            if (int(one["step"]), one["operation"], one["space"]) == (step, operation, space)
        )

    copies = sorted({int(one["step"]) for one in records if one["operation"] == "store"})
    loads = [one for one in records if (one["operation"], one["space"]) == ("load", "global")]
    # One line loads the threads' own bodies, once; the other one the tiles.
    own, line = int(loads[0]["first"]), loads[-1]["line"]
    tiles = []
    for step in copies:
        here = [one for one in loads if (int(one["step"]), one["line"]) == (step, line)]
        if not here:
            raise DataError(f"{path}: the block copies nothing in step {step}")
        tiles.append(
            Tile(
                int(here[0]["first"]),
                sum(int(one["count"]) for one in here),
                total(step, "store", "shared"),
                total(step + 1, "load", "shared"),
            )
        )
    size = tiles[0].stored if tiles else 0
    if (
        sum(one.loaded for one in tiles) != COUNT
        or int(loads[0]["count"]) != size
        or loads[0]["line"] == line
        or any(one.read != one.stored or one.stored != size for one in tiles)
        or any(one.first != i * size for i, one in enumerate(tiles))
    ):
        raise DataError(f"{path}: the tiles are not the list")
    return tiles, own


def prepare_tiles(source: Source) -> Drawing:
    """Figure 6.3: above the list, below what one block does: copies and pairs in turn."""
    tiles, own = read_tiles(source)
    size = tiles[0].stored
    scene = Scene()
    left, right, top = 330.0, 1540.0, 190.0
    width = (right - left) / len(tiles)
    scene.text(left - 24, top + 30, "bodies in", 18, align="right")
    scene.text(left - 24, top + 56, "global memory", 18, align="right")
    lanes = 470.0
    scene.text(left - 24, lanes + 30, "shared memory", 18, align="right")
    scene.text(left - 24, lanes + 150, f"{size} threads", 18, align="right")
    scene.text(left - 24, lanes + 176, f"of block {BLOCK}", 18, align="right")
    copy = 70.0
    for i, one in enumerate(tiles):
        begin = left + i * width
        look = look_of(i)
        end = begin + one.loaded / size * width
        scene.box(begin, top, end, top + 84, look)
        scene.text((begin + end) / 2, top + 30, f"tile {i}", 20, look.ink)
        said = f"{one.first} to {one.first + one.loaded - 1}"
        scene.text((begin + end) / 2, top + 60, said, 17, look.ink)
        # What the block does.
        scene.arrow(begin + copy / 2, top + 88, begin + copy / 2, lanes - 4, RED, width=2.5)
        scene.text(begin + copy / 2 + 14, top + 170, "the block copies,", 17, RED, "left")
        scene.text(
            begin + copy / 2 + 14, top + 196, f"{one.loaded} threads one body each", 17, RED, "left"
        )
        filled = begin + one.loaded / one.stored * (width - 8)
        scene.box(begin, lanes, filled, lanes + 60, look, f"tile {i}", 20)
        if filled < begin + width - 9:
            scene.box(
                filled,
                lanes,
                begin + width - 8,
                lanes + 60,
                EMPTY,
                f"{one.stored - one.loaded} without mass",
                17,
            )
        scene.box(begin, lanes + 110, begin + copy - 6, lanes + 210, DARK, "copy", 17)
        scene.box(
            begin + copy,
            lanes + 110,
            begin + width - 8,
            lanes + 210,
            LIGHT,
            f"{one.read} pairs per thread",
            18,
        )
        scene.arrow(begin + width / 2, lanes + 64, begin + width / 2, lanes + 106, GREY, width=2)
        for x in (begin + copy - 3, begin + width - 4):
            scene.line([(x, lanes + 96), (x, lanes + 228)], GREY, dashed=True, width=2)
    scene.arrow(left, lanes + 262, right, lanes + 262, GREY)
    scene.text(
        left, lanes + 288, "order in the block, not time; dashed: a barrier", 18, GREY, "left"
    )
    pairs = sum(one.read for one in tiles)
    blocks = -(-COUNT // size)
    return scene.drawing(
        subtitle=(
            f"{TRACE.stage} with {COUNT} bodies on the CPU engine: what block {BLOCK} (bodies {own}"
            f" to {min(own + size, COUNT) - 1}) copied and read between its barriers, traced."
        ),
        ours=(
            f"{len(tiles)} tiles of {size} bodies. All threads copy a tile, one body each, wait,"
            f" and read it from shared memory: {pairs} reads per thread, but each body comes from"
            f" global memory once per block, {blocks} times instead of {COUNT}. Bodies without mass"
            " fill the last tile, so that the loop needs no test."
        ),
        alt=(
            f"A list of {COUNT} bodies in {len(tiles)} tiles, and below it the time of one block:"
            " an arrow brings each tile to shared memory, then each thread computes its pairs with"
            " it; a barrier follows each copy and each set of pairs."
        ),
        traces=[TRACE],
    )
