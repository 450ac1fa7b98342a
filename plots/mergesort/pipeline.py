# SPDX-License-Identifier: MIT
"""A sort from host to host: when each chunk came and was sorted, and when each slice was merged and
left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count, short_time
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import check_stages, device_label, origin
from plots.mergesort.stages import HOST_TO_HOST, STAGES
from plots.records.rows import newest
from plots.records.source import Source

LANES = ("to the GPU", "on the GPU", "to the host")


@dataclass(frozen=True)
class Pipeline:
    """Milliseconds after the first copy began: begin and end of each piece of work, in its
    order."""

    copies_in: list[tuple[float, float]]
    sorts: list[tuple[float, float]]
    merges: list[tuple[float, float]]
    copies_out: list[tuple[float, float]]

    @property
    def end(self) -> float:
        return self.copies_out[-1][1]


def times_of(reports: dict[str, str], kind: str, path: object) -> list[tuple[float, ...]]:
    """The three times of each chunk or slice, in order."""
    found: list[tuple[float, ...]] = []
    while (field := f"{kind}_{len(found)}_ms") in reports:
        try:
            three = tuple(float(word) for word in reports[field].split(" "))
        except ValueError:
            three = ()
        if len(three) != 3 or not all(map(math.isfinite, three)):
            raise DataError(f"{path}: {field} is '{reports[field]}', not three times")
        found.append(three)
    if not found:
        raise DataError(f"{path}: no {kind}s of {HOST_TO_HOST}")
    return found


def in_turn(
    ready: Sequence[float], ends: Sequence[float], free: float
) -> list[tuple[float, float]]:
    """One piece of work after the other: each begins when it is ready and the one before has
    ended."""
    found = []
    for begin, end in zip(ready, ends):
        found.append((max(begin, free), end))
        free = end
    return found


def read_pipeline(source: Source) -> tuple[Pipeline, int, str]:
    """The largest run that is one part; its n and its engine."""
    path = source.reports_path(STAGES.chapter)
    reports = [one for one in source.reports(STAGES.chapter) if one.stage == HOST_TO_HOST]
    engine = "gpu" if any(one.engine == "gpu" for one in reports) else "emu"
    sizes = {one.n for one in reports if one.engine == engine and one.field == "copies_ms"}
    if not sizes:
        raise DataError(f"{path}: no run of {HOST_TO_HOST} whose list fits the device")
    n = max(sizes)
    fields = {one.field: one.value for one in reports if (one.engine, one.n) == (engine, n)}
    chunks = times_of(fields, "chunk", path)
    slices = times_of(fields, "slice", path)
    sorts = in_turn([one[1] for one in chunks], [one[2] for one in chunks], 0.0)
    merges = in_turn([0.0] * len(slices), [one[0] for one in slices], sorts[-1][1])
    line = Pipeline(
        [(one[0], one[1]) for one in chunks],
        sorts,
        merges,
        [(one[1], one[2]) for one in slices],
    )
    for lane in (line.copies_in, line.sorts, line.merges, line.copies_out):
        if any(not 0 <= begin <= end for begin, end in lane):
            raise DataError(f"{path}: the steps of n = {n} are in an impossible order")
    return line, n, engine


def prepare_pipeline(source: Source) -> Drawing:
    line, n, engine = read_pipeline(source)
    rows = newest(
        [
            row
            for row in source.rows(STAGES.chapter)
            if (row.stage, row.engine, row.n, row.input) == (HOST_TO_HOST, engine, n, "uniform")
        ]
    )
    check_stages(rows, (HOST_TO_HOST,), source.rows_path(STAGES.chapter), f"{engine}, n = {n}")
    on_bus = sum(end - begin for begin, end in (*line.copies_in, *line.copies_out))
    device = device_label(rows, engine)
    what = (
        f"{short_count(n)} keys in {len(line.copies_in)} chunks and {len(line.copies_out)} slices:"
        f" the copies take {short_time(on_bus / 1000)} of {short_time(line.end / 1000)}"
    )
    if engine == "emu":
        what = f"The order of {short_count(n)} keys' copies and merges in the CPU engine's queues"

    def boxes(lane: int, work: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
        return [(begin, end, lane) for begin, end in work]

    return Drawing(
        tables={
            "copy": [Block("copies", boxes(0, line.copies_in) + boxes(2, line.copies_out))],
            "sort": [Block("sorts", boxes(1, line.sorts))],
            "merge": [Block("merges", boxes(1, line.merges))],
            "lanes": [Block("lanes", list(enumerate(LANES)))],
        },
        variables={
            "right": 1.02 * line.end,
            "lanes": len(LANES),
            "time_title": "ms after the first copy began",
        },
        subtitle=f"{origin(rows, engine, source.kind)}. {short_count(n)} keys, one run.",
        emulated=engine == "emu",
        ours=what + ".",
        alt=(
            f"Gantt chart on {device} with three lines: copies to the GPU, sorts and merges on the"
            f" GPU, and copies to the host. {what}."
        ),
    )
