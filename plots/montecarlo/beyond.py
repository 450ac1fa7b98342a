# SPDX-License-Identifier: MIT
"""Figures of the Monte Carlo stages after the thesis': rates against n, and the generators side by
side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import check_stages, device_label, kernel_engine, provenance
from plots.montecarlo.profile import FIRST
from plots.records.limits import Limits
from plots.records.medians import Point, times
from plots.records.rows import Report, Row, newest
from plots.records.source import Source
from plots.records.stages import stages_of

STAGES = stages_of("montecarlo")
# The thesis' last stage, and those after it that have times.
BEYOND = (FIRST, *(name for name in STAGES.kernels if STAGES[name].path))
CHUNK = "16777216"  # of a call of cuRAND's host API, by default
SEEDS = "64"
# Of a point: two for its word, three for its coordinates, two for the test, one for the count.
LEAST_INSTRUCTIONS = 8
OPERATIONS_PER_INSTRUCTION = 2  # as the limits count them: a multiply-add is two


def limit_of(limits: Limits) -> float:
    """The most points per second with so few instructions."""
    return limits.operations_per_second / (OPERATIONS_PER_INSTRUCTION * LEAST_INSTRUCTIONS)


@dataclass(frozen=True)
class Shown:
    """A generator as its figure shows it."""

    stage: str  # the fastest stage that draws with it
    label: str
    words: int  # random words of a point
    generator: str = ""  # of the stage with a choice


GENERATORS = tuple(
    one
    for one in (
        Shown("limit/02_one_word", "XORWOW", 1),
        Shown("limit/03_xoroshiro", "xoroshiro64*", 1),
        Shown("limit/04_four_tap", "four taps", 1),
        Shown("peers/curand_host", "XORWOW, cuRAND", 2, "xorwow"),
        Shown("peers/curand_host", "Philox, cuRAND", 2, "philox"),
    )
    if one.stage in BEYOND
)


def is_plain(row: Row) -> bool:
    """A run of one seed; with cuRAND's host API, of its default generator and chunk."""
    generator = row.parameters.get("generator", "xorwow")
    return (
        "seeds" not in row.parameters
        and generator == "xorwow"
        and row.parameters.get("chunk", CHUNK) == CHUNK
    )


def prepare_rates(source: Source) -> Drawing:
    """Points per second of kernel time against n."""
    rows = source.rows(STAGES.chapter)
    engine = kernel_engine(rows)
    rows = newest(
        [row for row in rows if row.engine == engine and row.stage in BEYOND and is_plain(row)]
    )
    check_stages(rows, BEYOND, source.rows_path(STAGES.chapter), engine)
    # The thesis' stage has more sizes, for its own figures.
    sizes = sorted({row.n for row in rows if row.stage != FIRST})
    rows = [row for row in rows if row.n in sizes]
    series = {
        stage: times([row for row in rows if row.stage == stage], kernels=True) for stage in BEYOND
    }
    points = [point for one in series.values() for point in one]
    rates = [point.n / end for point in points for end in (point.lower, point.upper)]
    low, high = log_range(rates, 0.12)
    n = max(set.intersection(*({point.n for point in one} for one in series.values())))
    at_n = {
        stage: next(n / point.median for point in one if point.n == n)
        for stage, one in series.items()
    }
    listed = ", ".join(f"{stage} {short_count(rounded(rate))}" for stage, rate in at_n.items())
    device = device_label(rows, engine)
    return Drawing(
        tables={"rate": [Block(stage, rate_rows(one)) for stage, one in series.items()]},
        variables={
            "n_low": sizes[0] / 1.5,
            "n_high": sizes[-1] * 1.5,
            "rate_low": low,
            "rate_high": high,
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"Points per second of kernel time at {short_count(n)} points: {listed}.",
        alt=(
            f"Line chart of points per second of kernel time against points on {device}, both axes"
            f" logarithmic; at {short_count(n)} points: {listed}."
        ),
    )


def rate_rows(points: list[Point]) -> list[tuple[object, ...]]:
    return [
        (point.n, point.n / point.median, point.n / point.upper, point.n / point.lower)
        for point in points
    ]


def score_bounds(count: int) -> tuple[float, float]:
    """The root mean square of `count` normal numbers lies between these with 99.8 %: the quantiles
    of chi-squared by Wilson and Hilferty (1931), as the stages verify it."""
    spread = 2 / (9 * count)
    low, high = (
        math.sqrt((1 - spread + quantile * math.sqrt(spread)) ** 3) for quantile in (-3.09, 3.09)
    )
    return low, high


def prepare_generators(source: Source) -> Drawing:
    """The rate of each generator at the largest n, and how the z-scores of 64 seeds spread."""
    rows = source.rows(STAGES.chapter)
    engine = kernel_engine([row for row in rows if row.stage in BEYOND])
    path = source.reports_path(STAGES.chapter)
    bars, scores, chosen = [], [], []
    for one in GENERATORS:
        own = newest(
            [
                row
                for row in rows
                if (row.engine, row.stage) == (engine, one.stage)
                and row.parameters.get("generator", "") == one.generator
                and row.parameters.get("chunk", CHUNK) == CHUNK
                and "seeds" not in row.parameters
            ]
        )
        check_stages(own, (one.stage,), source.rows_path(STAGES.chapter), one.label)
        fastest = max(times(own, kernels=True), key=lambda point: point.n)
        label = f"{one.label}, {one.words} word{'s' if one.words > 1 else ''}"
        found = [
            (report.n, float(report.value))
            for report in source.reports(STAGES.chapter)
            if (report.engine, report.stage) == (engine, one.stage)
            and report.field == "z_root_mean_square"
            and report.parameters.get("seeds") == SEEDS
            and report.parameters.get("generator", "") == one.generator
        ]
        if not found:
            raise DataError(f"{path}: no z-scores of {SEEDS} seeds of {one.stage} ({one.label})")
        bars.append((label, fastest.n / fastest.median, fastest.n))
        scores.append((label, max(found)[1]))
        chosen += own
    low, high = score_bounds(int(SEEDS))
    device = device_label(chosen, engine)
    listed = ", ".join(
        f"{label} {short_count(rounded(rate))} per second and {score:.2f}"
        for (label, rate, _), (_, score) in zip(bars, scores)
    )
    return Drawing(
        tables={
            "rate": [Block("rate", [(label, rate / 1e12) for label, rate, _ in bars])],
            "score": [Block("score", scores)],
        },
        variables={
            "bars": len(bars),
            "rate_top": 1.2 * max(rate for _, rate, _ in bars) / 1e12,
            "score_low": low,
            "score_high": high,
            "score_bottom": min(0.6, *(score for _, score in scores)),
            "score_top": max(1.4, *(score for _, score in scores)),
        },
        subtitle=provenance(chosen, engine, source.kind),
        emulated=engine == "emu",
        ours=(
            f"Rate and root mean square of z over {SEEDS} seeds: {listed}. A good generator lies"
            f" between {three_digits(low)} and {three_digits(high)}."
        ),
        alt=(
            f"Two charts of generators on {device}: points per second of kernel time, and the root"
            f" mean square of z over {SEEDS} seeds with its band from {three_digits(low)} to"
            f" {three_digits(high)}: {listed}."
        ),
    )


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


def chunks_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """The rate of the library stage by generator and by the points of a call."""
    own = [
        row
        for row in rows
        if row.engine == "gpu" and "chunk" in row.parameters and "seeds" not in row.parameters
    ]
    if not own:
        raise DataError("no rows of a run with --chunk")
    chunks = sorted({int(row.parameters["chunk"]) for row in own})
    # The size at which most chunks were measured.
    measured = Counter({(row.n, row.parameters["chunk"]) for row in own})
    by_n = Counter(n for n, _ in measured)
    n = max(by_n, key=lambda size: (by_n[size], size))
    heads = [f"{short_count(rounded(chunk))} points per call" for chunk in chunks]
    lines = [f"| generator | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for generator in ("xorwow", "philox"):
        cells = []
        for chunk in chunks:
            points = times(
                [
                    row
                    for row in own
                    if (row.n, row.parameters["chunk"], row.parameters["generator"])
                    == (n, str(chunk), generator)
                ],
                kernels=True,
            )
            cells.append(short_count(rounded(n / points[0].median)) if points else "")
        lines.append(f"| {generator} | {' | '.join(cells)} |")
    return [*lines, "", f"Points per second of kernel time at {short_count(n)} points, medians."]
