# SPDX-License-Identifier: MIT
"""The tables that only distmesh has: tables I and II of Gaudiani 2012 beside ours, the
goals for a whole run, and the occupancy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import grouped, short_time
from common.tools.lib.numbers import times as ratio
from common.tools.lib.stages import DataError
from plots.distmesh.counts import COUNTS, counts_of, span
from plots.distmesh import profile
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
from plots.drawing.figure import ProfileTableMaker, TableMaker
from plots.records.limits import Limits
from plots.records.medians import times
from plots.records.rows import Metric, Report, Row, matches, newest
from common.tools.lib.stages import label_of

LISTS = STAGES.named("device_lists")  # the last stage without repairs
ALIKE = (STAGES.serial, *KERNELS[: KERNELS.index(LISTS) + 1])


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


def meshed_points(reports: Sequence[Report]) -> dict[int, str]:
    """By n, which a run asks for: the points of its mesh, in words. The lattice that the domain
    cuts out need not have just n points."""
    found: dict[int, list[int]] = {}
    for stage in (STAGES.serial, *KERNELS):
        engine = "cpu" if stage == STAGES.serial else "gpu"
        for n, nodes in counts_of(reports, stage, "nodes", engine, STAGES.chapter).items():
            found.setdefault(n, []).append(nodes)
    return {n: span(nodes) for n, nodes in found.items()}


def speed_up_heads(stages: Sequence[str]) -> list[str]:
    """`speed-up of 02`, `of limit/01`, …"""
    return [f"{'' if i else 'speed-up '}of {label_of(stage)}" for i, stage in enumerate(stages)]


def table_1(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Whole runs: the three printed programs and ours."""
    own = own_rows(rows)
    found = medians_at(own)
    if not found:
        raise DataError(f"{STAGES.chapter}: no rows of the circle")
    stages = (STAGES.serial, *SHOWN)
    whole = (SHARED, *SHOWN[3:])
    meshed = meshed_points(reports)
    heads = ["points", "points here", *NAMES.values(), f"{SAID_BY}: speed-up", *stages]
    heads += speed_up_heads(whole)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for n, gained in cells_of("I", "speedup_over_cpu", SHARED).items():
        then = [short_time(cells_of("I", "time", stage)[n]) for stage in NAMES]
        here = [short_time(found[stage, n]) if (stage, n) in found else "" for stage in stages]
        gains = [gain_cell(found, stage, n) for stage in whole]
        cells = [grouped(n), meshed.get(n, ""), *then, ratio(gained), *here, *gains]
        lines.append(f"| {' | '.join(cells)} |")
    return [
        *lines,
        "",
        (
            f"Whole runs, triangulations included. {SAID_BY} ran on a Xeon of 3.2 GHz and a Tesla"
            f" C2070. Ours are medians on one core of {device_of(own, 'cpu')} and on"
            f" {device_of(own, 'gpu')}. They are asked for the printed number of points, and their"
            " meshes have the points of the second column."
        ),
    ]


def table_2(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Counts of two printed programs and of ours, and the speed-up of the kernels. Our stages
    without repairs agree in their counts, or nearly so."""
    found = medians_at(own_rows(rows), kernels=True)
    meshed = meshed_points(reports)
    heads = [
        "points",
        "points here",
        *(
            head
            for field in COUNTS
            for head in (f"{SAID_BY}: {field}, CPU and GPU", field, f"of {label_of(LAST)}")
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
        cells = [grouped(n), meshed.get(n, "")]
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
            f" triangulations and copies; medians. {label_of(LAST)} includes its repairs."
            f" Counts are those of {ALIKE[0]} to {ALIKE[-1]}, and of {LAST}."
        ),
    ]


# ---- goals ----

# Whole runs, in seconds by points, and the runs that measure them: those of the other tables end at
# 31 409 points.
GOALS = {1452: 0.003, 31_409: 0.012, 100_000: 0.04}
GOAL_RUNS: dict[str, object] = {**RUNS.match, "max-iterations": "20000"}


def goals_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """The goals for a whole run, and the stages from the first without a triangulation on the host
    on."""
    own = newest([row for row in rows if matches(row, GOAL_RUNS) and row.engine == "gpu"])
    found, kernels = medians_at(own), medians_at(own, kernels=True)
    if not found:
        raise DataError(f"{STAGES.chapter}: no rows of the goals")
    stages = KERNELS[KERNELS.index(STAGES.named("rows")) :]
    heads = ["points", "goal", *stages, f"kernels of {label_of(stages[-1])}", "reached"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for n, goal in GOALS.items():
        cells = [short_time(found[stage, n]) if (stage, n) in found else "" for stage in stages]
        last = (stages[-1], n)
        reached = ("yes" if found[last] <= goal else "no") if last in found else ""
        inside = short_time(kernels[last]) if last in kernels else ""
        lines.append(f"| {' | '.join([grouped(n), short_time(goal), *cells, inside, reached])} |")
    return [
        *lines,
        "",
        (
            "Whole runs, from the points at the start to the mesh on the host, with allocation and"
            f" copies; medians on {device_of(own, 'gpu')}."
        ),
    ]


# ---- occupancy ----


def occupancy_table(metrics: Sequence[Metric]) -> list[str]:
    """Each profiled kernel: what its blocks need, how many fit on a multiprocessor, and how many
    warps it held at a time."""
    kernels: dict[tuple[str, str], dict[str, float]] = {}
    for one in metrics:
        kernels.setdefault((one.stage, one.kernel), {})[one.name] = one.value
    if not kernels:
        raise DataError(f"{STAGES.chapter}: no metrics of its kernels")
    heads = ["kernel", "stage", "threads per block", "registers per thread", "blocks"]
    heads += ["blocks that fit", "occupancy, at most", "occupancy, achieved"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for (stage, kernel), found in kernels.items():

        def words(name: str, sign: str = "", own: Mapping[str, float] = found) -> str:
            return f"{grouped(own[name])}{sign}" if name in own else ""

        limits = [found[name] for name in profile.LIMITS if name in found]
        cells = [
            kernel,
            stage,
            words(profile.BLOCK),
            words(profile.REGISTERS),
            words(profile.GRID),
            grouped(min(limits)) if limits else "",
            words(profile.THEORETICAL, " %"),
            words(profile.ACHIEVED, " %"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    asked, device = metrics[0].n, metrics[0].device
    return [
        *lines,
        "",
        (
            f"By Nsight Compute on {device}, the first launches of a run of {grouped(asked)} points."
            " Blocks that fit: on one multiprocessor at a time. Occupancy: resident warps, as a share"
            " of the most that a multiprocessor holds, while it works."
        ),
    ]


TABLES: dict[str, TableMaker] = {
    "published": table_1,
    "table_2": table_2,
    "goals": goals_table,
}
PROFILE_TABLES: dict[str, ProfileTableMaker] = {"occupancy": occupancy_table}
