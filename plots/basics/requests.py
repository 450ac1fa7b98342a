# SPDX-License-Identifier: MIT
"""The requests of a warp: coalesced or not, with and without bank conflicts, with all lanes or half
of them. From the accesses of five kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from common.tools.lib.stages import DataError
from plots.basics.stages import STAGES
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, PALE_MARK, PLAIN, RED, RULE, Scene
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, requests_of

COLUMNS = ("kernel", "space", "lane", "word")
COUNT = LANES = BANKS = 32  # a matrix of so many rows and columns: one warp's share
WORD, SECTOR = 4, 32  # bytes


def kept_rows(records: Iterable[Record], space: str) -> Kept:
    """Of each kernel the first load of that space in which each lane has its own word."""
    rows: Kept = []
    seen = set()
    for own in requests_of(one for one in records if one["space"] == space):
        kernel = own[0]["kernel"]
        if own[0]["operation"] != "load" or len({one["offset"] for one in own}) < len(own):
            continue
        if kernel not in seen:
            seen.add(kernel)
            rows += [(kernel, space, one["lane"], int(one["offset"]) // WORD) for one in own]
    return rows


def trace_of(name: str, stage: str, space: str) -> Trace:
    return Trace(
        name,
        STAGES[STAGES.named(stage)].stage,
        ("--n", str(COUNT), "--no-races"),
        COLUMNS,
        partial(kept_rows, space=space),
        {"EMULATOR_TRACE_SPACES": space},
    )


LINES = trace_of("request_lines", "thread_per_line", "global")
CONFLICT = trace_of("request_conflict", "shared_tile", "shared")
PADDED = trace_of("request_padded", "padded_tile", "shared")
WHOLE = trace_of("request_whole", "whole_warps", "shared")
TRACES = (LINES, CONFLICT, PADDED, WHOLE)


@dataclass(frozen=True)
class WarpLoad:
    """A load of a warp: by lane its word."""

    kernel: str
    words: dict[int, int]

    @property
    def sectors(self) -> list[int]:
        return sorted({word * WORD // SECTOR for word in self.words.values()})

    @property
    def banks(self) -> dict[int, list[int]]:
        """The lanes that use each bank."""
        found: dict[int, list[int]] = {}
        for lane, word in self.words.items():
            found.setdefault(word % BANKS, []).append(lane)
        return found

    @property
    def wavefronts(self) -> int:
        return max(len(lanes) for lanes in self.banks.values())


def read_loads(source: Source, trace: Trace, count: int) -> list[WarpLoad]:
    """The loads of a stage's kernels; `count`: how many lanes take part."""
    path = source.trace_path(trace.name)
    loads: dict[str, dict[int, int]] = {}
    for one in source.trace(trace.name, COLUMNS):
        loads.setdefault(one["kernel"], {})[int(one["lane"])] = int(one["word"])
    for kernel, words in loads.items():
        if len(words) != count or len(set(words.values())) != count:
            raise DataError(f"{path}: the load of {kernel} is not one of {count} lanes")
    if not loads:
        raise DataError(f"{path}: no load")
    return [WarpLoad(kernel, words) for kernel, words in loads.items()]


def draw_matrix(scene: Scene, load: WarpLoad, left: float, top: float, side: float) -> None:
    """The matrix in memory: the sectors of the request, and in them the lanes' words."""
    for sector in load.sectors:
        row, column = divmod(sector * SECTOR // WORD, COUNT)
        x, y = left + column * side, top + row * side
        scene.bar(x, y, x + SECTOR // WORD * side, y + side, PALE_MARK)
    for word in load.words.values():
        row, column = divmod(word, COUNT)
        x, y = left + column * side, top + row * side
        scene.bar(x + 1, y + 1, x + side - 1, y + side - 1, DARK)
    end = COUNT * side
    for i in range(0, COUNT + 1, 8):
        scene.line([(left + i * side, top), (left + i * side, top + end)], RULE, width=1)
    scene.frame(left, top, left + end, top + end, GREY)


def draw_banks(scene: Scene, load: WarpLoad, left: float, bottom: float, width: float) -> None:
    """A tower per bank: the lanes that wait for it. Below it the lanes that take part."""
    height = 11.0
    for bank, lanes in load.banks.items():
        for i in range(len(lanes)):
            y = bottom - (i + 1) * height
            x = left + bank * width
            scene.bar(x + 1, y + 1, x + width - 1, y + height - 1, DARK)
    scene.line([(left, bottom), (left + BANKS * width, bottom)], GREY)
    for bank in range(0, BANKS, 8):
        scene.text(left + (bank + 0.5) * width, bottom + 16, bank, 16, GREY)
    for lane in range(LANES):
        x = left + lane * width
        look = DARK if lane in load.words else PLAIN
        scene.bar(x + 1, bottom + 36, x + width - 1, bottom + 56, look)
    scene.text(left - 14, bottom + 16, "bank", 16, GREY, "right")
    scene.text(left - 14, bottom + 46, "lanes", 16, GREY, "right")


def prepare_coalescing(source: Source) -> Drawing:
    """A matrix for each of two kernels: down a column, and along a row."""
    scene = Scene()
    said = []
    side = 19.0
    for letter, load, left in zip("ab", read_loads(source, LINES, LANES), (60.0, 880.0)):
        used, moved = LANES * WORD, len(load.sectors) * SECTOR
        scene.text(left, 146, f"({letter}) {load.kernel}", 22, align="left")
        draw_matrix(scene, load, left, 172, side)
        words = f"{len(load.sectors)} sectors: {moved} bytes, {used} of them are used"
        scene.text(left, 172 + COUNT * side + 32, words, 20, RED, "left")
        said.append(f"{load.kernel} touches {len(load.sectors)} sectors")
    scene.text(
        60,
        866,
        "blue: the word of a lane; red: the sectors (8 cells, 32 bytes) that memory brings",
        18,
        GREY,
        "left",
    )
    return scene.drawing(
        subtitle=(
            f"{LINES.stage}, a matrix of {COUNT} rows and columns on the CPU engine: one load of a"
            " warp in each kernel, its addresses traced."
        ),
        ours=f"{'; '.join(said)}. Neighbouring lanes should read neighbouring cells.",
        alt=(
            "Two matrices with the cells that a warp reads in one request: down a column, and along"
            f" a row. {'; '.join(said)}."
        ),
        traces=[LINES],
    )


def prepare_banks(source: Source) -> Drawing:
    """Three rows of banks, and the lanes that wait for each."""
    shared = (
        ("a", CONFLICT, LANES // 2, 360.0),
        ("b", PADDED, LANES // 2, 570.0),
        ("c", WHOLE, LANES, 780.0),
    )
    scene = Scene()
    said = []
    for letter, trace, lanes, bottom in shared:
        load = read_loads(source, trace, lanes)[0]
        name = trace.stage.partition("/")[2]
        above = bottom - 11.0 * load.wavefronts - 26
        times = f"{load.wavefronts} wavefront{'s' * (load.wavefronts > 1)}"
        scene.text(40, above, f"({letter}) {name}", 22, align="left")
        scene.text(1560, above, f"{times}, {lanes} of {LANES} lanes", 20, RED, "right")
        draw_banks(scene, load, 120, bottom, 45)
        said.append(f"{name} needs {times} for {lanes} lanes")
    return scene.drawing(
        subtitle=(
            f"A matrix of {COUNT} rows and columns on the CPU engine: one load from shared memory by"
            " the lanes that add rows, its addresses traced."
        ),
        ours=(
            f"{'; '.join(said)}. A bank serves one word per wavefront, so lanes with words in one"
            " bank wait for one another; and lanes that take another branch do not take part."
        ),
        alt=(
            "Three rows of 32 banks, above each bank the lanes that wait for it, below them the lanes"
            f" that take part: {'; '.join(said)}."
        ),
        traces=[CONFLICT, PADDED, WHOLE],
    )
