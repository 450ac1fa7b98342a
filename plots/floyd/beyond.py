# SPDX-License-Identifier: MIT
"""The stages beyond the thesis: relaxations per second against the vertices, beside the limit of
the instruction, and instructions per relaxation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import grouped, short_count, short_rate
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range, spread, tics
from plots.drawing.figure import Block, Drawing
from plots.drawing.instructions import prepare_instructions
from plots.drawing.panels import Runs, at_largest_n, points_of, select
from plots.drawing.words import device_label, provenance
from plots.floyd.stages import BEYOND, STAGES, round_of
from plots.records.limits import Limits
from plots.records.medians import Point, times
from plots.records.rows import Row, matches, newest
from plots.records.source import Source

SIZES = (1024, 4096, 8192, 16_384, 20_000)  # the columns of the README's table
OF_ALL = SIZES[:3]  # at which every stage is measured
# Of a multiprocessor's 128 lanes for fused multiply-adds, 64 take an addition with a minimum
# (VIADDMNMX; measured on an H200). A fused multiply-add counts as two operations.
OPERATIONS_PER_RELAXATION = 4
INPUTS_AT = 4096  # vertices of the table of inputs


def rates_of(point: Point) -> tuple[float, float, float]:
    """Relaxations per second: by the median time, and by its quartiles."""
    lowest, middle, highest = (
        point.n**3 / seconds for seconds in (point.upper, point.median, point.lower)
    )
    return middle, lowest, highest


def rate_of(point: Point) -> float:
    return rates_of(point)[0]


def limit_of(limits: Limits) -> float:
    """The most relaxations per second with one instruction each."""
    return limits.operations_per_second / OPERATIONS_PER_RELAXATION


def prepare_rates(source: Source, runs: Runs) -> Drawing:
    """Kernels alone."""
    rows, engine = select(source, runs, BEYOND)
    # Here the recorded rows of one size are the thesis', and not those of all stages.
    rows = [row for row in rows if not source.recorded or row.n in SIZES]
    series = points_of(rows, BEYOND, kernels=True)
    n, points = at_largest_n(series)
    at_n = {stage: rate_of(point) for stage, point in points.items()}
    last = max(series[BEYOND[-1]], key=lambda point: point.n)
    device = device_label(rows, engine)
    limits = source.limits().get(device)  # an emulated device has no limits
    limit = limit_of(limits) if limits is not None else 0.0
    sizes = sorted({row.n for row in rows})
    rates = [rate_of(point) for one in series.values() for point in one]
    low, high = log_range([*rates, *([limit] if limit else [])], 0.0)
    listed = ", ".join(f"{stage} {short_rate(rate)}" for stage, rate in at_n.items())
    words = (
        f"At {short_count(n)} {runs.words}, relaxations per second of kernel time: {listed}."
        f" {BEYOND[-1]} reaches {short_rate(rate_of(last))} at {short_count(last.n)}"
    )
    words += (
        f", {100 * rate_of(last) / limit:.0f} % of what the device issues with one instruction per"
        f" relaxation, {short_rate(limit)}."
        if limit
        else "."
    )
    return Drawing(
        tables={
            "rate": [
                Block(stage, [(point.n, *rates_of(point)) for point in one])
                for stage, one in series.items()
            ],
            "bar": [Block(device, [(stage, rate / 1e12) for stage, rate in at_n.items()])],
        },
        variables={
            "n_low": sizes[0] / 1.3,
            "n_high": sizes[-1] * 1.3,
            "n_tics": tics(spread(sizes)),
            "rate_low": low,
            "rate_high": high,
            "limit": limit,
            "limit_text": f"one instruction per relaxation: {short_rate(limit)}" if limit else "",
            "bar_top": 1.15 * max([*at_n.values(), limit]) / 1e12,
            "bar_title": f"10^{{12}} relaxations/s, {short_count(n)} vertices",
            "bars": len(BEYOND),
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=words,
        alt=(
            f"Line chart of relaxations per second against vertices for {', '.join(BEYOND)} on"
            f" {device}, both axes logarithmic, and a bar chart at {short_count(n)} vertices"
            f"{', both with the limit of the instruction' if limit else ''}. {words}"
        ),
    )


def rates_table(
    rows: Sequence[Row], limits: Mapping[str, Limits], run: Mapping[str, object]
) -> list[str]:
    """For the README: relaxations per second of the kernels, and the figures, which exist only if
    there are rows."""
    chosen = newest([row for row in rows if row.engine == "gpu" and matches(row, run)])
    heads = ["stage", *(f"{short_count(n)} vertices" for n in SIZES)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage, points in points_of(chosen, BEYOND, kernels=True).items():
        rates = {point.n: rate_of(point) for point in points}
        missing = [n for n in OF_ALL if n not in rates]
        if missing:
            raise DataError(f"no rows of {stage} with {missing[0]} vertices")
        cells = [short_rate(rates[n]) if n in rates else "" for n in SIZES]
        lines.append(f"| {' | '.join([stage, *cells])} |")
    device = chosen[0].device
    if device in limits:
        limit = [short_rate(limit_of(limits[device]))] * len(SIZES)
        lines.append(f"| {' | '.join(['one instruction per relaxation', *limit])} |")
    return [
        *lines,
        "",
        f"{device}, relaxations per second of kernel time, medians, random graphs of density"
        f" {run['density']} with weights up to {run['max-weight']}.",
        "",
        "![Relaxations per second against the vertices](figures/floyd_beyond.svg)",
        "![Instructions per relaxation, stage by stage](figures/floyd_instructions.svg)",
    ]


def inputs_table(rows: Sequence[Row]) -> list[str]:
    """For the README: the last stage's rate by the graph. What a thread does after the last pivot
    depends on how many of its cells have become less."""
    own = newest(
        [row for row in rows if (row.engine, row.stage, row.n) == ("gpu", BEYOND[-1], INPUTS_AT)]
    )
    if not own:
        raise DataError(f"no rows of {BEYOND[-1]} with {INPUTS_AT} vertices")
    by_graph: dict[tuple[str, float, bool, int], list[Row]] = {}
    for row in own:
        key = (
            row.input,
            float(row.parameters.get("density", 0)),
            row.parameters.get("negative", "0") not in ("0", "false"),
            int(row.parameters["max-weight"]),
        )
        by_graph.setdefault(key, []).append(row)
    lines = ["| graph | weights up to | kernels alone, relaxations/s |", "|---|---|---|"]
    for (graph, density, negative, most), found in sorted(
        by_graph.items(), key=lambda item: (item[0][0] != "random", *item[0])
    ):
        (point,) = times(found, kernels=True)
        words = f"{graph}, density {density:g}" if density else graph
        words += ", negative edges" if negative else ""
        lines.append(f"| {words} | {grouped(most)} | {short_rate(rate_of(point))} |")
    return [*lines, "", f"{BEYOND[-1]}, {short_count(INPUTS_AT)} vertices, medians."]


def relaxations(stage: str, vertices: int) -> float:
    """Of the launches that the profile has of a stage: of one round."""
    return float(vertices) ** 2 * round_of(stage).steps


def prepare_mixes(source: Source) -> Drawing:
    metrics, _, _ = source.profile(STAGES.chapter)
    sizes: dict[str, int] = {metric.stage: metric.n for metric in metrics}
    return prepare_instructions(
        source,
        STAGES.chapter,
        BEYOND,
        {stage: relaxations(stage, n) for stage, n in sizes.items()},
        "relaxation",
        "all kernels of one round, {n} vertices",
    )
