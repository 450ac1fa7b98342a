# SPDX-License-Identifier: MIT
"""Figures of the Monte Carlo chapter: 8.1, 8.2, and the estimate's error with its band."""

from __future__ import annotations

import math

from common.tools.lib.numbers import short_count, short_time
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.instructions import prepare_instructions
from plots.drawing.panels import Runs, ends_of, point_rows, prepare_cpu_gpu
from plots.drawing.words import (
    THESIS_CARD,
    check_stages,
    device_label,
    kernel_engine,
    provenance,
)
from plots.montecarlo.beyond import (
    BEYOND,
    CHUNK,
    LEAST_INSTRUCTIONS,
    chunks_table,
    limit_of,
    prepare_generators,
    prepare_rates,
)
from plots.montecarlo.profile import PROFILED, SAMPLES
from plots.records.medians import times
from plots.records.rows import newest
from plots.records.source import Source
from plots.records.stages import stages_of

STAGES = stages_of("montecarlo")
BEST = STAGES.named("64bit_counts")
KERNELS = tuple(name for name in STAGES.kernels if not STAGES[name].path)  # those of the thesis
RUNS = Runs(STAGES, {"input": "xorwow"}, "points", "points")
# A point counts 4 with probability pi/4, else 0. Its standard deviation is sqrt(pi (4 - pi)) =
# 1.642.
SAMPLE_DEVIATION = math.sqrt(math.pi * (4 - math.pi))
ESTIMATE_FIELD = "estimate"
OF_ALL = 4_000_000_000  # the largest size whose counts fit 32 bits
LARGEST = 100_000_000_000  # of the stages beyond the thesis


def rate_words(rate: float) -> str:
    return f"{short_count(float(f'{rate:.3g}'))} points per second"


def power_words(n: int) -> str:
    """A number in gnuplot's enhanced text, a power of two as one."""
    return f"2^{{{n.bit_length() - 1}}}" if n & (n - 1) == 0 else short_count(n)


def prepare_points(source: Source) -> Drawing:
    """Figure 8.1: time against points, and the times that the thesis prints for up to 2^32
    points."""
    rows = source.rows(STAGES.chapter)
    engine = kernel_engine(rows)
    # Below 1e9 points, other recorded runs would only show the start-up time again.
    smallest = 1_000_000_000 if source.recorded else 1_000_000
    own = [row for row in rows if row.engine == engine and row.stage in KERNELS]
    rows = newest([row for row in own if row.n >= smallest])
    check_stages(rows, KERNELS, source.rows_path(STAGES.chapter), f"{engine}, n from {smallest}")
    series = {stage: times([row for row in rows if row.stage == stage]) for stage in KERNELS}
    last = series[BEST][-1]
    rate = last.n / last.median
    thesis = source.published("8.1", "time")[0]
    low = source.published("8.1", "time_low")[0]
    high = source.published("8.1", "time_high")[0]
    total = next(one for one in source.published("8.2", "time") if one.stage == BEST)
    everything = [point for points in series.values() for point in points]
    recorded = source.recorded
    largest = max([point.n for point in everything] + [total.size] * recorded)
    device = device_label(rows, engine)
    time_low, time_high = log_range(
        ends_of(everything) + ([low.value, thesis.value] if recorded else []), 0.05
    )
    return Drawing(
        tables={
            "time": [Block(stage, point_rows(points)) for stage, points in series.items()],
            "thesis": [
                Block(THESIS_CARD, [(thesis.size, thesis.value), (total.size, total.value)])
            ],
            "range": [Block(f"{THESIS_CARD} ({low.section})", [(low.size, low.value, high.value)])],
        },
        variables={
            "show_thesis": int(recorded),
            "rate": rate,
            "n_low": min(p.n for p in everything) / 1.5,
            "n_high": largest * 1.6,
            "time_low": time_low,
            "time_high": time_high,
            "rate_text": rate_words(rate),
            "said_label": f"{thesis.section}: {power_words(thesis.size)} points",
            "said_n": float(thesis.size),
            "said_time": thesis.value,
            "total_label": f"{total.section}: {short_count(total.size)}",
            "total_n": float(total.size),
            "total_time": total.value,
            "range_label": f"{low.section}: below {power_words(thesis.size)}",
            "range_n": float(low.size),
            "range_time": math.sqrt(low.value * high.value),
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{short_count(last.n)} points in {short_time(last.median)}, {rate_words(rate)}.",
        alt=(
            f"Line chart of time against points for {', '.join(KERNELS)} on {device}, both axes "
            f"logarithmic, with a line at {rate_words(rate)} and the thesis' "
            "points."
        ),
    )


def prepare_serial(source: Source) -> Drawing:
    """Figure 8.2."""
    return prepare_cpu_gpu(source, RUNS, KERNELS, (KERNELS[0], BEST), "8.2", with_times=True)


def prepare_error(source: Source) -> Drawing:
    """The estimate's error against samples. It must shrink as 1.642 / sqrt(N)."""
    path = source.reports_path(STAGES.chapter)
    reports = [
        one
        for one in source.reports(STAGES.chapter)
        if one.stage == BEST and one.field == ESTIMATE_FIELD
    ]
    engine = "gpu" if any(one.engine == "gpu" for one in reports) else "emu"
    reports = [one for one in reports if one.engine == engine]
    if not reports:
        raise DataError(f"{path}: no field '{ESTIMATE_FIELD}' of {BEST}")
    estimates = {}
    for one in reports:
        try:
            estimate = float(one.value)
        except ValueError:
            estimate = math.nan
        if not math.isfinite(estimate):
            raise DataError(f"{path}: the estimate '{one.value}' at n = {one.n} is no number")
        estimates[(one.n, one.seed)] = estimate
    # An estimate equal to pi as printed would lie at minus infinity on the logarithmic axis.
    points = [
        (n, max(abs(estimate - math.pi), 1e-12)) for (n, _), estimate in sorted(estimates.items())
    ]
    inside = sum(error <= SAMPLE_DEVIATION / math.sqrt(n) for n, error in points)
    inside_two = sum(error <= 2 * SAMPLE_DEVIATION / math.sqrt(n) for n, error in points)
    share, share_two = 100 * inside / len(points), 100 * inside_two / len(points)
    rows = newest([row for row in source.rows(STAGES.chapter) if row.engine == engine])
    seeds = len({seed for _, seed in estimates})
    sizes = [n for n, _ in points]
    low, high = min(sizes), max(sizes)
    device = device_label(rows, engine)
    day = max(row.date for row in rows)[:10]
    origin = "recorded" if source.recorded else "measured here"
    floor = min(error for _, error in points)
    # A few lucky estimates must not stretch the axis.
    floor = max(floor, SAMPLE_DEVIATION / math.sqrt(high) / 300)
    return Drawing(
        tables={
            "error": [
                Block(
                    f"|estimate − π|, one mark per seed ({seeds} seeds)",
                    [(n, max(error, floor)) for n, error in points],
                )
            ]
        },
        variables={
            "deviation": SAMPLE_DEVIATION,
            "n_low": low / 2,
            "n_high": high * 2,
            "error_low": floor / 2,
            "error_high": 6 * SAMPLE_DEVIATION / math.sqrt(low),
        },
        emulated=engine == "emu",
        shows_times=False,
        subtitle=(
            f"{device}, {origin} {day}. {len(points)} estimates at {short_count(low)} to"
            f" {short_count(high)}: {share:.0f} % within one standard error (68 expected),"
            f" {share_two:.0f} % within two (95)."
        ),
        ours=(
            f"{inside} of {len(points)} estimates lie within one standard error and"
            f" {inside_two} within two. The error falls as 1.642/√N, so one more digit of pi takes"
            " a hundred times as many points. Runs with one seed share their first points, so its"
            " marks move together."
        ),
        alt=(
            "Scatter chart of the estimate's absolute error against points from"
            f" {short_count(low)} to {short_count(high)} for {seeds} seeds, both axes logarithmic,"
            f" with the bands of one and two standard errors 1.642/√N; {share:.0f} % of the marks"
            " lie in the first."
        ),
    )


FIGURES = (
    Figure(
        "figure_8_1",
        "Figure 8.1",
        STAGES.chapter,
        "Monte Carlo, time against points",
        (
            "The time doubles with the points once the start-up no longer dominates (8.4.1). Its"
            " sections disagree on smaller runs: 8.3 gives 1 second for 2^32 points, 8.4.1 a"
            " hundredth of that."
        ),
        prepare_points,
        in_readme=True,
    ),
    Figure(
        "figure_8_2",
        "Figure 8.2",
        STAGES.chapter,
        "Monte Carlo, CPU against GPU",
        (
            "238.62 s against 1.17 s at 6.4 billion points, a speed-up of 203.9. Most of the GPU's"
            " time is its start-up (8.4.2)."
        ),
        prepare_serial,
        in_readme=True,
    ),
    Figure(
        "montecarlo_error",
        "",
        STAGES.chapter,
        "Monte Carlo, the estimate's error and its band",
        "The thesis has no such figure.",
        prepare_error,
        in_readme=True,
    ),
)

# The stages after the thesis'. They have figures of their own once they are recorded.
BEYOND_FIGURES = (
    Figure(
        "montecarlo_rates",
        "",
        STAGES.chapter,
        "Monte Carlo beyond the thesis, points per second",
        "The thesis ends with 03_64bit_counts.",
        prepare_rates,
        in_readme=True,
    ),
    Figure(
        "montecarlo_instructions",
        "",
        STAGES.chapter,
        "Monte Carlo beyond the thesis, instructions per point",
        "The thesis counts no instructions in this chapter.",
        lambda source: prepare_instructions(
            source, STAGES.chapter, PROFILED, SAMPLES, "point", "{n} points"
        ),
        in_readme=True,
        script="instructions",
        folder="drawing",
    ),
    Figure(
        "montecarlo_generators",
        "",
        STAGES.chapter,
        "Monte Carlo, rate and quality of the generators",
        "The thesis has XORWOW with two words per point.",
        prepare_generators,
        in_readme=True,
    ),
)
RECORDED = len(BEYOND) > 1

CHAPTER = Chapter(
    STAGES,
    FIGURES + (BEYOND_FIGURES if RECORDED else ()),
    Rate("points"),
    Rules(
        {"seeds": ""},  # a run of many seeds tests its generator, and times all of them together
        # The library's generator and its chunk by default.
        stage_runs={
            name: {"generator": "xorwow", "chunk": CHUNK}
            for name in BEYOND
            if STAGES[name].libraries
        },
    ),
    tables={"chunks": chunks_table} if RECORDED else {},
    profile="plots.montecarlo.profile" if RECORDED else "",
    profiled=PROFILED if RECORDED else (),
    profiled_work=lambda _, n: float(n),
    path_sizes={"": OF_ALL, "limit": LARGEST},
    bound=(f"the issue of {LEAST_INSTRUCTIONS} instructions per point", limit_of),
)
