# SPDX-License-Identifier: MIT
"""The stages beyond the thesis: pairs per second against n, and instructions per pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, short_rate, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.axes import spread, tics
from plots.drawing.figure import Block, Drawing
from plots.drawing.instructions import prepare_instructions
from plots.drawing.panels import Runs, points_of, select
from plots.drawing.words import device_label, provenance
from plots.records.instructions import CLASS_LABELS, instructions_per
from plots.records.medians import Point
from plots.records.rows import Metric, Row, matches, newest
from plots.records.source import Source
from plots.records.stages import Stages

# Floating-point operations per pair of bodies in GPU Gems 3, chapter 31, whose convention most
# published rates of this problem follow.
GEMS_OPERATIONS = 20
SMALLEST = 1024  # where the recorded runs begin
NAMED = (65_536, 262_144, 1_048_576)  # the sizes of the README's table
RUN: dict[str, object] = {"input": "plummer", "steps": 0}
STEPS = 100


def rate_of(point: Point) -> float:
    """Ordered pairs per second: the pull of j on i and that of i on j count as two."""
    return point.n**2 / point.median


def best_at(series: Mapping[str, list[Point]]) -> dict[int, str]:
    """The fastest stage at each n that every stage has."""
    common = set.intersection(*({point.n for point in points} for points in series.values()))
    if not common:
        raise DataError("there is no n at which every stage was measured")
    rates = {
        n: {
            stage: rate_of(next(point for point in points if point.n == n))
            for stage, points in series.items()
        }
        for n in sorted(common)
    }
    return {n: max(found, key=lambda stage: found[stage]) for n, found in rates.items()}


def prepare_rates(source: Source, runs: Runs, stages: tuple[str, ...]) -> Drawing:
    """Kernels alone. The last stage shall be the fastest at every n."""
    rows, engine = select(source.with_all(runs.chapter, stages, runs.match), runs, stages)
    smallest = SMALLEST if source.recorded else 1
    series = points_of([row for row in rows if row.n >= smallest], stages, kernels=True)
    fastest = best_at(series)
    # Some stages were measured at the thesis' sizes, too. Lines of other sizes would not compare.
    rows = [row for row in rows if row.n in fastest]
    series = {
        stage: [one for one in points if one.n in fastest] for stage, points in series.items()
    }
    n = max(fastest)
    at_n = {
        stage: rate_of(next(point for point in points if point.n == n))
        for stage, points in series.items()
    }
    flops = {stage: GEMS_OPERATIONS * rate / 1e12 for stage, rate in at_n.items()}
    sizes = sorted(fastest)
    device = device_label(rows, engine)
    listed = ", ".join(f"{stage} {short_rate(rate)}" for stage, rate in at_n.items())
    top = max(rate_of(point) for points in series.values() for point in points) / 1e12
    return Drawing(
        tables={
            "rate": [
                Block(stage, [(point.n, rate_of(point) / 1e12) for point in points])
                for stage, points in series.items()
            ],
            "flops": [Block(device, list(flops.items()))],
        },
        variables={
            "n_low": sizes[0] / 1.3,
            "n_high": sizes[-1] * 1.3,
            "n_tics": tics(spread(sizes)[::2]),
            "rate_top": 1.1 * top,
            "flops_top": 1.15 * max(flops.values()),
            "flops_title": f"TFLOP/s at {short_count(n)} bodies ({GEMS_OPERATIONS} per pair)",
            "bars": len(stages),
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=(
            f"At {short_count(n)} {runs.words}, pairs per second of kernel time: {listed}. Fastest:"
            + "; ".join(f" {fastest[size]} at {short_count(size)}" for size in sorted(fastest))
            + "."
        ),
        alt=(
            f"Line chart of pairs per second against bodies for {', '.join(stages)} on {device}, and"
            f" a bar chart at {short_count(n)} bodies in TFLOP/s: "
            + ", ".join(f"{stage} {three_digits(value)}" for stage, value in flops.items())
            + "."
        ),
    )


def rates_table(rows: Sequence[Row], stages: Sequence[str]) -> list[str]:
    """For the README: pairs per second of the kernels, and TFLOP/s if a pair counts as many
    operations as in GPU Gems 3."""
    chosen = newest(
        [row for row in rows if row.engine == "gpu" and row.n in NAMED and matches(row, RUN)]
    )
    heads = ["stage", *(f"{short_count(n)} bodies" for n in NAMED)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage, points in points_of(chosen, stages, kernels=True).items():
        rates = {point.n: rate_of(point) for point in points}
        missing = [n for n in NAMED if n not in rates]
        if missing:
            raise DataError(f"no rows of {stage} with {missing[0]} bodies")
        cells = [
            f"{short_rate(rates[n])} pairs/s, {GEMS_OPERATIONS * rates[n] / 1e12:.1f} TFLOP/s"
            for n in NAMED
        ]
        lines.append(f"| {' | '.join([stage, *cells])} |")
    return [
        *lines,
        "",
        f"{chosen[0].device}, input plummer, --steps 0, kernels alone, medians. A pair counts"
        f" {GEMS_OPERATIONS} operations, as in GPU Gems 3, chapter 31.",
    ]


def leapfrog_table(rows: Sequence[Row], stages: Sequence[str]) -> list[str]:
    """For the README: the kernels' time of STEPS steps over that of as many evaluations of the
    forces. Kicks, drifts and launches are the rest."""
    own = [row for row in rows if row.engine == "gpu" and row.n in NAMED and row.stage in stages]
    medians: dict[tuple[str, int, int], float] = {}
    for steps in (0, STEPS):
        chosen = newest([row for row in own if matches(row, {**RUN, "steps": steps})])
        for stage, points in points_of(chosen, stages, kernels=True).items():
            medians |= {(stage, steps, point.n): point.median for point in points}
    heads = ["stage", *(f"{short_count(n)} bodies" for n in NAMED)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in stages:
        cells = []
        for n in NAMED:
            many = medians.get((stage, STEPS, n))
            single = medians.get((stage, 0, n))
            cells.append(f"×{many / ((STEPS + 1) * single):.3f}" if many and single else "")
        if any(cells):
            lines.append(f"| {' | '.join([stage, *cells])} |")
    if len(lines) == 2:
        raise DataError(f"no rows of {STEPS} steps with {NAMED[0]} bodies")
    return [*lines, "", f"Kernels of {STEPS} steps over {STEPS + 1} force evaluations, medians."]


def instructions_table(metrics: Sequence[Metric], stages: Sequence[str]) -> list[str]:
    """For the README: executed instructions per pair of bodies, by class."""
    kinds = list(CLASS_LABELS)
    heads = ["stage", *CLASS_LABELS.values(), "together"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in stages:
        own = [one for one in metrics if one.stage == stage]
        if not own:
            raise DataError(f"the profile has no metrics of {stage}")
        mix = instructions_per(own, float(own[0].n) ** 2)
        cells = [three_digits(mix[kind]) if mix[kind] else "" for kind in kinds]
        lines.append(f"| {' | '.join([stage, *cells, three_digits(sum(mix.values()))])} |")
    return [
        *lines,
        "",
        f"{metrics[0].device}, counted by Nsight Compute in one force evaluation of"
        f" {short_count(metrics[0].n)} bodies.",
    ]


def prepare_mixes(source: Source, stages: Stages, profiled: Sequence[str]) -> Drawing:
    metrics, _, _ = source.profile(stages.chapter)
    return prepare_instructions(
        source,
        stages.chapter,
        profiled,
        float(metrics[0].n if metrics else 1) ** 2,
        "pair of bodies",
        "one force evaluation of {n} bodies",
    )
