# SPDX-License-Identifier: MIT
"""Figures of the Floyd-Warshall chapter: 7.1 and 7.2 from what the kernels did, 7.3 and 7.4, the
bandwidth against the matrix' size, and the stages beyond the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from common.tools.lib.numbers import short_count, three_digits
from plots.drawing.axes import log_range, spread, tics
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.panels import (
    Runs,
    gains_of,
    prepare_against_n,
    prepare_cpu_gpu,
    published,
    select,
)
from plots.drawing.scene import scene_figure
from plots.drawing.words import device_label, provenance
from plots.floyd import cells
from plots.floyd.beyond import (
    OF_ALL,
    inputs_table,
    limit_of,
    prepare_mixes,
    prepare_rates,
    rates_table,
    relaxations,
)
from plots.floyd.stages import BEYOND, KERNELS, STAGES
from plots.records.limits import Limits, reachable_seconds
from plots.records.medians import times
from plots.records.rows import Row
from plots.records.source import Source

FIRST, BEST = KERNELS[0], KERNELS[-1]
COMPARED_RUN = {"input": "random", "density": "0.5", "max-weight": "1000", "negative": ""}
RUNS = Runs(STAGES, {**COMPARED_RUN, "negative": "0"}, "vertices", "vertices", "20 k vertices")


def prepare_stages(source: Source) -> Drawing:
    """Figure 7.3."""
    thesis = {
        stage: published(source, "7.3", "speedup_over_previous", stage) for stage in KERNELS[1:]
    }
    return prepare_against_n(
        source,
        RUNS,
        KERNELS,
        gains_of(KERNELS, thesis),
        BEST,
        "finds the paths between",
        smallest_recorded=1000,
    )


def prepare_best(source: Source) -> Drawing:
    """Figure 7.4."""
    return prepare_cpu_gpu(source, RUNS, KERNELS, (FIRST, BEST), "7.4")


# ---- the bandwidth against the matrix' size ----


def working_set_bytes(n: float) -> float:
    """The matrix of distances. Next hops count little: they are written only where a path gets
    shorter."""
    return 4.0 * n * n


def rates_of(rows: Sequence[Row], stage: str) -> list[tuple[float, ...]]:
    """n, and GB/s of the bytes that the stage declares, by the median and quartiles of the
    kernels."""
    own = [row for row in rows if row.stage == stage]
    declared = {row.n: row.bytes for row in own}
    return [
        (
            point.n,
            *(
                declared[point.n] / seconds / 1e9
                for seconds in (point.median, point.upper, point.lower)
            ),
        )
        for point in times(own, kernels=True)
    ]


def reachable_rate(limits: Limits, n: float) -> float:
    """GB/s of a program that only reads the distances in each step."""
    matrix = working_set_bytes(n)
    return matrix / reachable_seconds(limits, matrix, matrix) / 1e9


def filling_size(limits: Limits) -> float:
    """The n at which the matrix is as large as the L2 cache."""
    return (limits.l2_bytes / 4) ** 0.5


def prepare_bandwidth(source: Source) -> Drawing:
    """Bytes per second of the kernels against n, beside the most that L2 cache and memory allow."""
    rows, engine = select(source, RUNS, KERNELS)
    rates = {stage: rates_of(rows, stage) for stage in KERNELS}
    sizes = sorted({row.n for row in rows})
    n_low, n_high = sizes[0] / 1.25, sizes[-1] * 1.25
    device = device_label(rows, engine)
    limits = source.limits().get(device)  # an emulated device has no limits
    if limits is not None and not (limits.bytes_per_second > 0 and limits.l2_bytes_per_second > 0):
        limits = None
    fastest = max(KERNELS, key=lambda stage: rates[stage][-1][1])
    n, best = rates[fastest][-1][:2]
    words = f"At {short_count(n)} vertices {fastest} reads {three_digits(best)} GB/s of distances"
    reach: list[tuple[float, float]] = []
    if limits is not None:
        fills = filling_size(limits)
        grid = [n_low * (n_high / n_low) ** (i / 60) for i in range(61)]
        reach = [
            (x, reachable_rate(limits, x)) for x in sorted({*grid, min(max(fills, n_low), n_high)})
        ]
        words += (
            f", {100 * best / reachable_rate(limits, n):.0f} % of what the L2 cache and memory let"
            f" through; from {10 * round(fills / 10)} vertices on the matrix is larger than the L2"
            f" cache's {limits.l2_bytes / 2**20:.0f} MB"
        )
    drawn = [point[1:] for one in rates.values() for point in one] + [point[1:] for point in reach]
    low, high = log_range([rate for one in drawn for rate in one], 0.3)
    tables = {"rate": [Block(stage, one) for stage, one in rates.items()]}
    if reach:
        tables["reach"] = [Block("what the L2 cache and memory let through", reach)]
    beside = ", beside a curve of what the L2 cache and memory let through" if reach else ""
    return Drawing(
        tables=tables,
        variables={
            "n_low": n_low,
            "n_high": n_high,
            "n_tics": tics(spread(sizes)),
            "rate_low": low,
            "rate_high": high,
            "show_reach": int(bool(reach)),
            "fills": filling_size(limits) if limits is not None else 0.0,
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{words}.",
        alt=(
            "Line chart of the kernels' bytes per second against vertices for"
            f" {', '.join(KERNELS)} on {device}, both axes"
            f" logarithmic{beside}."
            f" {words}."
        ),
    )


FIGURES = (
    scene_figure(
        "figure_7_1",
        "Figure 7.1",
        STAGES.chapter,
        "Floyd-Warshall, one block per row",
        "Each block computes a single row (7.3.1).",
        cells.prepare_rows,
    ),
    scene_figure(
        "figure_7_2",
        "Figure 7.2",
        STAGES.chapter,
        "Floyd-Warshall, several rows per block",
        "Each block computes several rows, in segments of columns (7.3.2).",
        cells.prepare_columns,
    ),
    Figure(
        "figure_7_3",
        "Figure 7.3",
        STAGES.chapter,
        "Floyd-Warshall, its stages",
        (
            "One block per row gains 1.14 at 20 000 vertices. Using an element of row k for several"
            " rows gains 1.06 more (7.4.1)."
        ),
        prepare_stages,
        in_readme=True,
    ),
    Figure(
        "figure_7_4",
        "Figure 7.4",
        STAGES.chapter,
        "Floyd-Warshall, CPU against GPU",
        (
            "3.86, 26, 55.13, 78.37 and 92.94 times as fast as the CPU (one core of a Core i7-3820)"
            " at 1000, 2000, 3000, 4000 and 5000 vertices (7.4.2)."
        ),
        prepare_best,
        in_readme=True,
    ),
    Figure(
        "floyd_bandwidth",
        "",
        STAGES.chapter,
        "Floyd-Warshall, bandwidth",
        "The thesis has no such figure. It finds little reuse of data (7.4.1).",
        prepare_bandwidth,
        in_readme=True,
    ),
)

# The stages after the thesis'. They have figures and tables of their own once they are recorded.
BEYOND_FIGURES = (
    Figure(
        "floyd_beyond",
        "",
        STAGES.chapter,
        "Floyd-Warshall beyond the thesis: relaxations per second",
        "The thesis ends with stage 03.",
        partial(prepare_rates, runs=RUNS),
        in_readme=True,
    ),
    Figure(
        "floyd_instructions",
        "",
        STAGES.chapter,
        "Floyd-Warshall, instructions per relaxation",
        "The thesis counts no instructions in this chapter.",
        prepare_mixes,
        in_readme=True,
        script="instructions",
        folder="drawing",
    ),
)
RECORDED = len(BEYOND) > 1

CHAPTER = Chapter(
    STAGES,
    FIGURES + (BEYOND_FIGURES if RECORDED else ()),
    Rate("relaxations", lambda row: float(row.n) ** 3),
    Rules(COMPARED_RUN, series=(KERNELS,), kernel_timed=BEYOND[1:]),
    tables=(
        {
            "beyond": lambda rows, reports, limits: rates_table(rows, limits, RUNS.match),
            "inputs": lambda rows, reports, limits: inputs_table(rows),
        }
        if RECORDED
        else {}
    ),
    working_set_bytes=working_set_bytes,
    traces=(cells.ROWS, cells.COLUMN_REUSE),
    profile="plots.floyd.profile" if RECORDED else "",
    profiled=BEYOND if RECORDED else (),
    profiled_work=relaxations,
    path_sizes={"": OF_ALL[1], "limit": OF_ALL[1]},
    bound=("one instruction per relaxation", limit_of),
)
