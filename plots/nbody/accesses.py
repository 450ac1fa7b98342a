# SPDX-License-Identifier: MIT
"""Figures 6.1 and 6.2: which bodies the threads read, and which words a warp's requests touch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import BLUE, DARK, GREY, LIGHT, PLAIN, RED, Scene
from plots.records.source import Source
from plots.records.stages import stages_of
from plots.records.traces import Kept, Record, Trace, requests_of, thread_of

STAGES = stages_of("nbody")
KERNEL = "compute_accelerations_kernel"
BODIES = 8  # of figure 6.1
LANES = 32  # of figure 6.2: the bodies of one warp
WORD, SECTOR = 4, 32  # bytes

# ---- figure 6.1

PAIR_COLUMNS = ("thread", "operation", "object", "offset", "bytes")


def kept_pairs(records: Iterable[Record]) -> Kept:
    return [
        (thread_of(one), *(one[name] for name in PAIR_COLUMNS[1:]))
        for one in records
        if one["kernel"] == KERNEL
    ]


PAIRS = Trace(
    "nbody_pairs",
    STAGES[STAGES.named("float4")].stage,
    ("--n", str(BODIES)),
    PAIR_COLUMNS,
    kept_pairs,
)


@dataclass(frozen=True)
class Thread:
    own: int  # the body that it reads first
    bodies: list[int]  # those that it reads then, in their order
    stored: int  # the acceleration that it stores


def read_threads(source: Source) -> list[Thread]:
    path = source.trace_path(PAIRS.name)
    records = source.trace(PAIRS.name, PAIR_COLUMNS)
    threads = []
    for number in sorted({int(one["thread"]) for one in records}):
        own = [one for one in records if int(one["thread"]) == number]
        loads = [int(one["offset"]) // 16 for one in own if one["operation"] == "load"]
        stores = [int(one["offset"]) // 12 for one in own if one["operation"] == "store"]
        if len(loads) != BODIES + 1 or len(stores) != 3 or len(set(stores)) != 1:
            raise DataError(f"{path}: thread {number} reads {len(loads)} bodies")
        threads.append(Thread(loads[0], loads[1:], stores[0]))
    if [one.own for one in threads] != [one.stored for one in threads]:
        raise DataError(f"{path}: a thread stores another body's acceleration")
    return threads


def prepare_pairs(source: Source) -> Drawing:
    """Figure 6.1: a row per thread, a column per step, in each cell the body that is read."""
    threads = read_threads(source)
    scene = Scene()
    left, top, width, height = 440.0, 190.0, 98.0, 66.0
    right = left + BODIES * width
    for step in range(BODIES):
        scene.text(left + (step + 0.5) * width, top - 22, f"step {step}", 17, GREY)
    for number, one in enumerate(threads):
        y = top + number * height
        middle = y + height / 2 - 4
        scene.text(left - 215, middle, f"thread {number}", 19, align="right")
        scene.box(left - 195, y, left - 75, y + height - 8, DARK, f"body {one.own}", 18)
        scene.arrow(left - 75, middle, left - 8, middle)
        for step, body in enumerate(one.bodies):
            begin = left + step * width
            look = PLAIN if body == one.own else LIGHT
            scene.box(begin + 3, y, begin + width - 3, y + height - 8, look, body, 21)
        scene.arrow(right + 6, middle, right + 60, middle)
        scene.text(right + 72, middle, f"acceleration {one.stored}", 18, align="left")
    together = sum(len({one.bodies[step] for one in threads}) == 1 for step in range(BODIES))
    scene.frame(left, top - 6, left + width, top + len(threads) * height, RED, width=2.5)
    bottom = top + len(threads) * height
    scene.text(
        left,
        bottom + 28,
        "red: one request, in which all threads read the same body",
        18,
        RED,
        "left",
    )
    scene.text(
        left, bottom + 62, "grey: the thread's own body, which pulls with force 0", 18, GREY, "left"
    )
    return scene.drawing(
        subtitle=(
            f"{PAIRS.stage} with {BODIES} bodies on the CPU engine: the body that each thread reads"
            " in each step, traced."
        ),
        ours=(
            f"{len(threads)} threads, one per body. Each walks the whole list, so {BODIES} bodies"
            f" take {BODIES * len(threads)} pairs. The rows are no matrix in memory: all of them"
            f" read one list. In {together} of {BODIES} steps all threads read the same body, which"
            " one request brings."
        ),
        alt=(
            f"A table of {len(threads)} rows, one per thread, and {BODIES} columns, one per step:"
            " each thread loads its own body, then reads bodies 0 to"
            f" {BODIES - 1} one after the other, and stores one acceleration."
        ),
        traces=[PAIRS],
    )


# ---- figure 6.2

REQUEST_COLUMNS = ("request", "operation", "object", "lane", "offset", "bytes")


def kept_requests(records: Iterable[Record], operation: str) -> Kept:
    """The requests in which each lane has an address of its own, numbered from 0."""
    rows: Kept = []
    number = 0
    wanted = (
        one
        for one in records
        if (one["kernel"], one["space"], one["operation"]) == (KERNEL, "global", operation)
    )
    for own in requests_of(wanted):
        if len({one["offset"] for one in own}) == LANES:
            rows += [(number, *(one[name] for name in REQUEST_COLUMNS[1:])) for one in own]
            number += 1
    return rows


def requests_trace(name: str, stage: str, operation: str) -> Trace:
    return Trace(
        name,
        STAGES[STAGES.named(stage)].stage,
        ("--n", str(LANES)),
        REQUEST_COLUMNS,
        partial(kept_requests, operation=operation),
        {"EMULATOR_TRACE_SPACES": "global"},
    )


FLOAT3 = requests_trace("nbody_float3", "float3", "load")
FLOAT4 = requests_trace("nbody_float4", "float4", "load")
LISTS = requests_trace("nbody_lists", "soa_accelerations", "store")


@dataclass(frozen=True)
class WarpRequest:
    operation: str
    words: dict[int, int]  # lane by word, counted from the first sector

    @property
    def sectors(self) -> list[int]:
        return sorted({word * WORD // SECTOR for word in self.words})


def read_requests(source: Source, trace: Trace) -> list[WarpRequest]:
    """A stage's requests. Of several lists each counts from its own begin."""
    path = source.trace_path(trace.name)
    records = source.trace(trace.name, REQUEST_COLUMNS)
    found = []
    for number in dict.fromkeys(one["request"] for one in records):
        own = [one for one in records if one["request"] == number]
        words = {}
        for one in own:
            for i in range(int(one["bytes"]) // WORD):
                words[int(one["offset"]) // WORD + i] = int(one["lane"])
        if len(own) != LANES or len(words) != LANES * int(own[0]["bytes"]) // WORD:
            raise DataError(f"{path}: request {number} is not one of a whole warp")
        found.append(WarpRequest(own[0]["operation"], words))
    if not found:
        raise DataError(f"{path}: no request of a warp")
    return found


def draw_request(scene: Scene, one: WarpRequest, y: float, scale: float) -> None:
    """A frame per sector, and in it a bar per lane: the words that it touches."""
    left, height = 330.0, 40.0
    first = min(one.sectors)
    for sector in range(first, max(one.sectors) + 1):
        begin = left + (sector - first) * SECTOR // WORD * scale
        scene.frame(begin, y, begin + SECTOR // WORD * scale, y + height, GREY)
    for lane in range(LANES):
        own = [word for word, user in one.words.items() if user == lane]
        begin = left + (min(own) - first * SECTOR // WORD) * scale
        end = begin + len(own) * scale
        scene.bar(begin + 1, y + 3, end - 1, y + height - 3)


def prepare_requests(source: Source) -> Drawing:
    """Figure 6.2: the words and sectors of a warp's requests, in three stages."""
    scene = Scene()
    groups = (
        ("(a) float3 position", FLOAT3),
        ("(b) float4 body", FLOAT4),
        ("(c) three lists of floats", LISTS),
    )
    scale = 9.0
    y = 150.0
    said = []
    for title, trace in groups:
        requests = read_requests(source, trace)
        name = trace.stage.partition("/")[2]
        verb = f"{requests[0].operation}s"
        scene.text(30, y, f"{title}: {name} {verb}", 20, align="left")
        y += 24
        for number, one in enumerate(requests):
            draw_request(scene, one, y, scale)
            scene.text(310, y + 20, f"request {number + 1}", 18, align="right")
            total = len(one.sectors) * SECTOR // WORD
            note = f"{len(one.sectors)} sectors, {len(one.words)} of {total} words"
            end = 330 + total * scale + 14
            if end > 1350:
                scene.text(330 + total * scale, y - 18, note, 17, BLUE, "right")
            else:
                scene.text(end, y + 20, note, 17, BLUE, "left")
            y += 60
        sectors = [len(one.sectors) for one in requests]
        words = sum(len(one.words) for one in requests)
        said.append(
            f"{title}: {len(requests)} request{'s' * (len(requests) > 1)} of {sectors[0]} sectors"
            f" for {words} words"
        )
        y += 44
    scene.text(330, 862, "frame: a sector of 32 bytes; blue: what one lane uses", 18, GREY, "left")
    return scene.drawing(
        subtitle=(
            f"{LANES} bodies, one warp, on the CPU engine: the addresses of the force kernel's"
            " requests in which each lane has its own element, traced."
        ),
        ours=(
            "; ".join(said) + ". No instruction moves 12 bytes, so a float3 takes three requests,"
            " each with a third of the words of the same sectors. A float4 is one request that uses"
            " every word; so does each of three lists of floats."
        ),
        alt=(
            "Rows of frames, one per sector of 32 bytes, with dark cells for the words that the"
            f" {LANES} lanes of a warp use: {'; '.join(said)}."
        ),
        traces=[trace for _, trace in groups],
    )
