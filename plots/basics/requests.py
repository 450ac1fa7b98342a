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
from plots.drawing.scene import BLUE, DARK, GREY, PALE_MARK, PLAIN, RED, RULE, Scene
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
    height = 10.0
    for bank, lanes in load.banks.items():
        for i in range(len(lanes)):
            y = bottom - (i + 1) * height
            x = left + bank * width
            scene.bar(x + 1, y + 1, x + width - 1, y + height - 1, DARK)
    scene.line([(left, bottom), (left + BANKS * width, bottom)], GREY)
    for bank in range(0, BANKS, 8):
        scene.text(left + (bank + 0.5) * width, bottom + 16, bank, 14, GREY)
    for lane in range(LANES):
        x = left + lane * width
        look = DARK if lane in load.words else PLAIN
        scene.bar(x + 1, bottom + 34, x + width - 1, bottom + 52, look)
    scene.text(left - 12, bottom + 16, "bank", 14, GREY, "right")
    scene.text(left - 12, bottom + 43, "lanes", 14, GREY, "right")


def prepare_requests(source: Source) -> Drawing:
    """Two matrices on the left, three rows of banks on the right."""
    rows, columns = read_loads(source, LINES, LANES)
    shared = [
        (CONFLICT, read_loads(source, CONFLICT, LANES // 2)[0]),
        (PADDED, read_loads(source, PADDED, LANES // 2)[0]),
        (WHOLE, read_loads(source, WHOLE, LANES)[0]),
    ]
    scene = Scene()
    said = []
    side = 12.5
    for letter, load, left in (("a", rows, 40.0), ("b", columns, 480.0)):
        scene.text(left, 150, f"({letter}) 01: {load.kernel}", 20, align="left")
        draw_matrix(scene, load, left, 180, side)
        used, moved = LANES * WORD, len(load.sectors) * SECTOR
        said.append(f"{load.kernel} touches {len(load.sectors)} sectors")
        bottom = 180 + COUNT * side
        scene.text(
            left, bottom + 34, f"{len(load.sectors)} sectors: {moved} bytes,", 18, RED, "left"
        )
        scene.text(left, bottom + 64, f"{used} of them are used", 18, RED, "left")
    scene.text(40, 730, "one request of a warp, in a matrix of 32 × 32 cells", 18, GREY, "left")
    scene.text(40, 762, "blue: the word of a lane; red: the sectors", 18, GREY, "left")
    scene.text(40, 794, "(8 cells, 32 bytes) that memory brings", 18, GREY, "left")
    for (trace, load), letter, bottom in zip(shared, "cde", (370.0, 570.0, 770.0)):
        name = trace.stage.partition("/")[2]
        left, width = 1010.0, 17.0
        height = 10.0 * load.wavefronts
        scene.text(940, bottom - height - 26, f"({letter}) {name}", 20, align="left")
        draw_banks(scene, load, left, bottom, width)
        times = f"{load.wavefronts} wavefront{'s' * (load.wavefronts > 1)}"
        note = f"{times}, {len(load.words)} of {LANES} lanes"
        scene.text(1554, bottom - height - 26, note, 17, BLUE, "right")
        said.append(f"{name} needs {times} for {len(load.words)} lanes")
    return scene.drawing(
        subtitle=(
            f"A matrix of {COUNT} rows and columns on the CPU engine: one load of a warp in each of"
            " five kernels, its addresses traced."
        ),
        ours=(
            f"{'; '.join(said)}. Global memory, (a) and (b): neighbouring lanes should read"
            " neighbouring cells. Shared memory, (c) to (e): a bank serves one word per wavefront,"
            " so lanes with words in one bank wait for one another; and lanes that take another"
            " branch do not take part."
        ),
        alt=(
            "Left two matrices with the cells that a warp reads: down a column, and along a row."
            " Right three rows of 32 banks with the lanes that wait for each:"
            f" {'; '.join(said)}."
        ),
        traces=TRACES,
    )
