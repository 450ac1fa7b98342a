# SPDX-License-Identifier: MIT
"""The tables that only the distmesh README has: tables I and II of Gaudiani 2012 beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import grouped, short_time
from common.tools.lib.numbers import times as ratio
from common.tools.lib.stages import DataError
from plots.distmesh.counts import COUNTS, counts_of, span
from plots.distmesh.stages import (
    KERNELS,
    LAST,
    NAMES,
    RUNS,
    SAID_BY,
    SHARED,
    SHOWN,
    STAGES,
    cells_of,
)
from plots.drawing.figure import TableMaker
from plots.records.limits import Limits
from plots.records.medians import times
from plots.records.rows import Report, Row, matches, newest
from plots.records.stages import number

KEPT = STAGES.named("kept_triangulation")  # the last stage without repairs
ALIKE = (STAGES.serial, *KERNELS[: KERNELS.index(KEPT) + 1])


def own_rows(rows: Sequence[Row]) -> list[Row]:
    return newest(
        [row for row in rows if matches(row, RUNS.match) and row.engine in ("cpu", "gpu")]
    )


def medians_at(rows: Sequence[Row], kernels: bool = False) -> dict[tuple[str, int], float]:
    return {
        (stage, point.n): point.median
        for stage in (STAGES.serial, *KERNELS)
        for point in times([row for row in rows if row.stage == stage], kernels)
    }


def device_of(rows: Sequence[Row], engine: str) -> str:
    return next((row.device for row in rows if row.engine == engine), "")


def gain_cell(found: Mapping[tuple[str, int], float], stage: str, n: int) -> str:
    slow, fast = found.get((STAGES.serial, n)), found.get((stage, n))
    return ratio(slow / fast) if slow and fast else ""


def speed_up_heads(stages: Sequence[str]) -> list[str]:
    """`speed-up of 02`, `of 03`, …"""
    return [f"{'' if i else 'speed-up '}of {number(stage)}" for i, stage in enumerate(stages)]


def table_1(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Whole runs: the three printed programs and ours."""
    own = own_rows(rows)
    found = medians_at(own)
    if not found:
        raise DataError(f"{STAGES.chapter}: no rows of the circle")
    stages = (STAGES.serial, *SHOWN)
    whole = (SHARED, *SHOWN[3:])
    heads = ["points", *NAMES.values(), f"{SAID_BY}: speed-up", *stages, *speed_up_heads(whole)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for n, gained in cells_of("I", "speedup_over_cpu", SHARED).items():
        then = [short_time(cells_of("I", "time", stage)[n]) for stage in NAMES]
        here = [short_time(found[stage, n]) if (stage, n) in found else "" for stage in stages]
        gains = [gain_cell(found, stage, n) for stage in whole]
        lines.append(f"| {' | '.join([grouped(n), *then, ratio(gained), *here, *gains])} |")
    return [
        *lines,
        "",
        (
            f"Whole runs, triangulations included. {SAID_BY} ran on a Xeon of 3.2 GHz and a Tesla"
            f" C2070. Ours are medians on one core of {device_of(own, 'cpu')} and on"
            f" {device_of(own, 'gpu')}."
        ),
    ]


def table_2(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Counts of two printed programs and of ours, and the speed-up of the kernels. Our stages
    without repairs agree in their counts, or nearly so."""
    found = medians_at(own_rows(rows), kernels=True)
    heads = [
        "points",
        *(
            head
            for field in COUNTS
            for head in (f"{SAID_BY}: {field}, CPU and GPU", field, f"of {number(LAST)}")
        ),
        f"{SAID_BY}: speed-up",
        *speed_up_heads(SHOWN[1:]),
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    ours = {
        field: [
            counts_of(
                reports, stage, field, "cpu" if stage == STAGES.serial else "gpu", STAGES.chapter
            )
            for stage in (*ALIKE, LAST)
        ]
        for field in COUNTS
    }
    for n, gained in cells_of("II", "kernels_speedup_over_cpu", SHARED).items():
        cells = [grouped(n)]
        for field in COUNTS:
            cells.append(
                ", ".join(
                    grouped(cells_of("II", field, stage)[n]) for stage in (STAGES.serial, SHARED)
                )
            )
            *alike, last = ours[field]
            cells += [
                span([one[n] for one in alike if n in one]),
                span([last[n]] if n in last else []),
            ]
        gains = [gain_cell(found, stage, n) for stage in SHOWN[1:]]
        lines.append(f"| {' | '.join([*cells, ratio(gained), *gains])} |")
    return [
        *lines,
        "",
        (
            "Speed-ups compare the kernels with the serial loops that they replace, without"
            f" triangulations and copies; medians. {number(LAST)} includes its repairs."
            f" Counts are those of {ALIKE[0]} to {ALIKE[-1]}, and of {LAST}."
        ),
    ]


TABLES: dict[str, TableMaker] = {"published": table_1, "table_2": table_2}
