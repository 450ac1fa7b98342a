# SPDX-License-Identifier: MIT
"""Figures of the Floyd-Warshall chapter: 7.3 and 7.4, and what the matrix' size does to the bandwidth."""

from __future__ import annotations

from collections.abc import Sequence

from drawing import Block, Drawing, Figure, Source, device_label, log_range, provenance, short_count, three_digits, tics
from limits import Limits, reachable_seconds
from measurements import Row, times
from panels import Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published, select

CHAPTER = "floyd"
STAGES = ("01_thread_per_cell", "02_row_per_block", "03_column_reuse")
FIRST, BEST = STAGES[0], STAGES[-1]

# What plots/tables.py needs to know of a chapter.
COMPARED_RUN = {"input": "random", "density": "0.5", "max-weight": "1000", "negative": ""}
SERIES = (STAGES,)

RUNS = Runs(CHAPTER, {**COMPARED_RUN, "negative": "0"}, "vertices", "vertices", "20 k vertices")


def prepare_stages(source: Source) -> Drawing:
    """Figure 7.3."""
    thesis = {stage: published(source, "7.3", "speedup_over_previous", stage) for stage in STAGES[1:]}
    return prepare_against_n(source, RUNS, STAGES, gains_of(STAGES, thesis), BEST, "finds the paths between",
                             smallest_recorded=1000, linear=True)


def prepare_best(source: Source) -> Drawing:
    """Figure 7.4."""
    return prepare_cpu_gpu(source, RUNS, STAGES, (FIRST, BEST), "7.4")


# ---- the bandwidth, and what the matrix' size does to it -------------------------------------------------------


def working_set_bytes(n: float) -> float:
    """The matrix of distances. Next hops are written where a path became shorter, which is seldom."""
    return 4.0 * n * n


def rates_of(rows: Sequence[Row], stage: str) -> list[tuple[float, ...]]:
    """n, and GB/s by the kernels' median and quartiles, of the bytes that the harness declares."""
    own = [row for row in rows if row.stage == stage]
    declared = {row.n: row.bytes for row in own}
    return [(point.n, *(declared[point.n] / seconds / 1e9 for seconds in (point.median, point.upper, point.lower)))
            for point in times(own, kernels=True)]


def reachable_rate(limits: Limits, n: float) -> float:
    """GB/s of a program that does nothing but read the distances in each step."""
    matrix = working_set_bytes(n)
    return matrix / reachable_seconds(limits, matrix, matrix) / 1e9


def filling_size(limits: Limits) -> float:
    """The n whose matrix is as large as the L2 cache."""
    return (limits.l2_bytes / 4) ** 0.5


def prepare_bandwidth(source: Source) -> Drawing:
    """Bytes a second of the kernels against n, beside what the L2 cache and memory let through."""
    rows, engine = select(source, RUNS, STAGES)
    rates = {stage: rates_of(rows, stage) for stage in STAGES}
    sizes = sorted({row.n for row in rows})
    n_low, n_high = sizes[0] / 1.25, sizes[-1] * 1.25
    device = device_label(rows, engine)
    limits = source.limits().get(device)  # an emulated device has none
    if limits is not None and not (limits.bytes_per_second > 0 and limits.l2_bytes_per_second > 0):
        limits = None
    fastest = max(STAGES, key=lambda stage: rates[stage][-1][1])
    n, best = rates[fastest][-1][:2]
    words = f"At {short_count(n)} vertices {fastest} reads {three_digits(best)} GB/s of distances"
    reach: list[tuple[float, float]] = []
    if limits is not None:
        fills = filling_size(limits)
        grid = [n_low * (n_high / n_low) ** (i / 60) for i in range(61)]
        reach = [(x, reachable_rate(limits, x)) for x in sorted({*grid, min(max(fills, n_low), n_high)})]
        words += (f", {100 * best / reachable_rate(limits, n):.0f} % of what the L2 cache and memory let through; from "
                  f"{10 * round(fills / 10)} vertices on the matrix is larger than the L2 cache's {limits.l2_bytes / 2**20:.0f} MB")
    low, high = log_range([rate for one in (*rates.values(), reach) for point in one for rate in point[1:]], 0.3)
    tables = {"rate": [Block(stage, one) for stage, one in rates.items()]}
    if reach:
        tables["reach"] = [Block("what the L2 cache and memory let through", reach)]
    return Drawing(
        tables=tables,
        variables={"n_low": n_low, "n_high": n_high, "n_tics": tics(sizes), "rate_low": low,
                   "rate_high": high, "show_reach": int(bool(reach)), "fills": filling_size(limits) if limits is not None else 0.0},
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{words}.",
        alt=f"Line chart of the kernels' bytes a second against vertices for {', '.join(STAGES)} on {device}, both axes "
            f"logarithmic{', beside a curve of what the L2 cache and memory let through' if reach else ''}. {words}.")


FIGURES = (
    Figure("figure_7_3", "Figure 7.3", CHAPTER, "Floyd-Warshall, its stages",
           "A block a row gains 1.14 at 20 000 vertices, an element of row k for several rows 1.06 more (7.4.1).",
           prepare_stages, in_readme=True),
    Figure("figure_7_4", "Figure 7.4", CHAPTER, "Floyd-Warshall, CPU against GPU",
           "3.86, 26, 55.13, 78.37 and 92.94 times as fast as the CPU (one core of a Core i7-3820) at 1000, 2000, 3000, 4000 "
           "and 5000 vertices (7.4.2).", prepare_best, in_readme=True),
    Figure("floyd_bandwidth", "", CHAPTER, "Floyd-Warshall, bandwidth",
           "It has no figure of it, and finds little reuse of data (7.4.1).", prepare_bandwidth, in_readme=True),
)
