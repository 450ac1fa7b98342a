# SPDX-License-Identifier: MIT
"""Figure 4.9: copies and sorts, chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count, short_time
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import check_stages, device_label, origin
from plots.mergesort.stages import BEST, NOT_OVERLAPPED, STAGES
from plots.records.medians import quartiles
from plots.records.rows import newest
from plots.records.source import Source
from common.tools.lib.stages import label_of


@dataclass(frozen=True)
class Chunk:
    """One chunk of the list. Times are milliseconds after the first copy began."""

    copy_begin: float
    copy_end: float
    sort_end: float


def read_chunks(source: Source) -> tuple[list[Chunk], int, str]:
    """The chunks of the largest run whose n the stage before sorted too; its n and its engine."""
    path = source.reports_path(STAGES.chapter)
    reports = [
        one
        for one in source.reports(STAGES.chapter)
        if one.stage == BEST and one.field.startswith("chunk_")
    ]
    if not reports:
        raise DataError(f"{path}: no chunks of {BEST}")
    engine = "gpu" if any(one.engine == "gpu" for one in reports) else "emu"
    sizes = {
        row.n
        for row in source.rows(STAGES.chapter)
        if (row.stage, row.engine) == (NOT_OVERLAPPED, engine)
    }
    sizes &= {one.n for one in reports if one.engine == engine}
    if not sizes:
        raise DataError(f"{path}: no chunks of {BEST} at an n of {NOT_OVERLAPPED} ({engine})")
    n = max(sizes)
    found: dict[int, Chunk] = {}
    for one in reports:  # a run that was recorded again comes later and counts
        if (one.engine, one.n) == (engine, n):
            try:
                place = int(one.field.removeprefix("chunk_").removesuffix("_ms"))
                found[place] = Chunk(*(float(word) for word in one.value.split(" ")))
            except (ValueError, TypeError):
                raise DataError(f"{path}: {one.field} is '{one.value}', not three times") from None
    chunks = [found[place] for place in sorted(found)]
    if sorted(found) != list(range(len(found))) or any(
        not 0 <= one.copy_begin <= one.copy_end <= one.sort_end < math.inf for one in chunks
    ):
        raise DataError(f"{path}: the chunks of n = {n} are in an impossible order")
    return chunks, n, engine


def sort_begin(chunks: Sequence[Chunk], place: int) -> float:
    """No event marks it. A sort begins after its chunk's copy, and after the sort before it."""
    return max(chunks[place].copy_end, chunks[place - 1].sort_end if place else 0.0)


def by_order(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The same chunks with the order of the events instead of their times."""
    times = sorted(
        {time for one in chunks for time in (one.copy_begin, one.copy_end, one.sort_end)}
    )
    return [
        Chunk(*(float(times.index(time)) for time in (one.copy_begin, one.copy_end, one.sort_end)))
        for one in chunks
    ]


def prepare_overlap(source: Source) -> Drawing:
    """Figure 4.9. The CPU engine has no times to show, only the order of a queue."""
    chunks, n, engine = read_chunks(source)
    emulated = engine == "emu"
    rows = newest(
        [
            row
            for row in source.rows(STAGES.chapter)
            if row.engine == engine
            and row.n == n
            and row.stage in (NOT_OVERLAPPED, BEST)
            and row.input == "uniform"
        ]
    )
    check_stages(
        rows, (NOT_OVERLAPPED, BEST), source.rows_path(STAGES.chapter), f"{engine}, n = {n}"
    )
    before = [row for row in rows if row.stage == NOT_OVERLAPPED]
    copy_ms, kernels_ms = (
        quartiles(values)[1]
        for values in ([row.copy_in_ms for row in before], [row.kernels_ms for row in before])
    )
    shown = by_order(chunks) if emulated else chunks
    right = shown[-1].sort_end
    # The topmost line is the stage before: one copy, then the kernels, among them the sort.
    whole = (right / 2, right) if emulated else (copy_ms, copy_ms + kernels_ms)
    right = max(right, whole[0]) * 1.02
    lanes = [NOT_OVERLAPPED, *(f"chunk {i}" for i in range(len(shown)))]
    copies = [(0.0, whole[0], 0)] + [
        (one.copy_begin, one.copy_end, i + 1) for i, one in enumerate(shown)
    ]
    sorts = [(whole[0], min(whole[1], right), 0)] + [
        (sort_begin(shown, i), one.sort_end, i + 1) for i, one in enumerate(shown)
    ]
    busy = [(sort_begin(chunks, i), one.sort_end) for i, one in enumerate(chunks)]
    hidden = sum(
        max(0.0, min(end, one.copy_end) - max(begin, one.copy_begin))
        for one in chunks
        for begin, end in busy
    )
    copied = sum(one.copy_end - one.copy_begin for one in chunks)
    share = 100 * hidden / copied if copied > 0 else 0.0
    device = device_label(rows, engine)
    what = (
        f"The order of copies and sorts in the CPU engine's queues, for {short_count(n)} keys"
        if emulated
        else (
            f"{short_count(n)} keys in {len(chunks)} chunks: {share:.0f} % of the copies'"
            f" {short_time(copied / 1000)} overlap a sort"
        )
    )
    return Drawing(
        tables={
            "copy": [Block("copy to the GPU", copies)],
            "sort": [Block("selection sort", sorts)],
            "lanes": [Block("lanes", [(i, lane) for i, lane in enumerate(lanes)])],
        },
        variables={
            "right": right,
            "lanes": len(lanes),
            "whole_end": min(whole[1], right),
            "time_title": "events, in their order" if emulated else "ms after the first copy began",
            "whole_key": f"{label_of(NOT_OVERLAPPED)}: kernels, the merges too",
            "emulated": int(emulated),
        },
        subtitle=(
            f"{origin(rows, engine, source.kind)}. {short_count(n)} keys, one run. A sort begins"
            " when its keys are there and the sort before it has ended."
        ),
        emulated=emulated,
        shows_times=not emulated,
        ours=what
        + "."
        + ("" if emulated else f" {NOT_OVERLAPPED} first copies for {short_time(copy_ms / 1000)}."),
        alt=(
            f"Gantt chart on {device}: a line for {NOT_OVERLAPPED}, whose kernels begin when the"
            f" whole list has been copied, and one line for each of the {len(chunks)} chunks of"
            f" {BEST} with its copy and then its sort. {what}."
        ),
    )
