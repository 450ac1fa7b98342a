# SPDX-License-Identifier: MIT
"""Keys per second against the number of keys, for the sorts: a figure with lines of what the device
allows, and the same as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import power_of_two, short_count, short_rate
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.figure import Block, Drawing
from plots.drawing.panels import Runs, at_largest_n, points_of, select
from plots.drawing.words import check_stages, device_label, provenance
from plots.records.limits import Limits
from plots.records.medians import Point
from plots.records.rows import Row, newest
from plots.records.source import Source


@dataclass(frozen=True)
class Limit:
    words: str
    rate: float  # keys per second


# What a device allows the last own stage, without those limits that are not known.
LimitsOf = Callable[[Limits], list[Limit]]


def rates_of(point: Point) -> tuple[float, float, float]:
    """Keys per second: by the median time, and by its quartiles."""
    lowest, middle, highest = (
        point.n / seconds for seconds in (point.upper, point.median, point.lower)
    )
    return middle, lowest, highest


def rate_of(point: Point) -> float:
    return rates_of(point)[0]


def size_tics(sizes: Sequence[int]) -> str:
    """An xtics list; powers of two as such."""
    marks = ", ".join(
        f"'2^{{{n.bit_length() - 1}}}' {n}" if n & (n - 1) == 0 else f"'{short_count(n)}' {n}"
        for n in sizes
    )
    return f"({marks})"


def limit_lines(limits: Sequence[Limit], sizes: Sequence[int]) -> list[Block]:
    return [
        Block(
            f"{one.words}: {short_rate(one.rate)}",
            [(sizes[0] / 1.3, one.rate), (sizes[-1] * 1.3, one.rate)],
        )
        for one in limits
    ]


def prepare_rates(
    source: Source,
    runs: Runs,
    stages: Sequence[str],
    recorded_sizes: Sequence[int],
    limits_of: LimitsOf,
) -> Drawing:
    """Keys per second of the kernels alone, against n, with lines of the limits of the last own
    stage. recorded_sizes: recorded rows of other sizes belong to other figures."""
    rows, engine = select(source, runs, stages)
    rows = [row for row in rows if not source.recorded or row.n in recorded_sizes]
    listed_sizes = ", ".join(power_of_two(n) for n in recorded_sizes)
    check_stages(rows, stages, source.rows_path(runs.chapter), f"n = {listed_sizes}")
    series = points_of(rows, stages, kernels=True)
    n, points = at_largest_n(series)
    at_n = {stage: rate_of(point) for stage, point in points.items()}
    device = device_label(rows, engine)
    own = source.limits().get(device)  # an emulated device has no limits
    limits = limits_of(own) if own is not None else []
    sizes = sorted({row.n for row in rows})
    rates = [rate_of(point) for one in series.values() for point in one]
    low, high = log_range([*rates, *(one.rate for one in limits)], 0.05)
    listed = ", ".join(f"{stage} {short_rate(rate)}" for stage, rate in at_n.items())
    words = f"At {short_count(n)} {runs.words}, keys per second of kernel time: {listed}."
    if limits:
        allowed = ", ".join(f"{one.words} {short_rate(one.rate)}" for one in limits)
        words += f" The last own stage could do, by each limit alone: {allowed}."
    return Drawing(
        tables={
            "rate": [
                Block(stage, [(point.n, *rates_of(point)) for point in one])
                for stage, one in series.items()
            ],
            # A table without lines is an error.
            **({"limit": limit_lines(limits, sizes)} if limits else {}),
        },
        variables={
            "n_low": sizes[0] / 1.4,
            "n_high": sizes[-1] * 1.4,
            "n_tics": size_tics(sizes),
            "rate_low": low,
            "rate_high": high,
            "limits": len(limits),
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=words,
        alt=(
            f"Line chart of keys per second against the number of keys for {', '.join(stages)} on"
            f" {device}, both axes logarithmic"
            f"{', with lines of three limits' if limits else ''}. {words}"
        ),
    )


def rates_table(
    rows: Sequence[Row],
    limits: Mapping[str, Limits],
    stages: Sequence[str],
    sizes: Sequence[int],
    limits_of: LimitsOf,
) -> list[str]:
    """For a README: keys per second of the kernels, one row per stage and limit, one column per
    size; empty where a slow stage was not run. Below it, in words, what the numbers are."""
    own = newest(
        [
            row
            for row in rows
            if (row.engine, row.input) == ("gpu", "uniform") and row.stage in stages
        ]
    )
    heads = ["stage", *(f"{short_count(n)} keys" for n in sizes)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    series = points_of(own, stages, kernels=True)
    for n in sizes:
        if not any(point.n == n for points in series.values() for point in points):
            raise DataError(f"no rows with {n} uniform keys")
    for stage, points in series.items():
        found = {point.n: short_rate(rate_of(point)) for point in points}
        cells = [found.get(n, "") for n in sizes]
        lines.append(f"| {' | '.join([stage, *cells])} |")
    device = own[0].device
    for one in limits_of(limits[device]) if device in limits else []:
        cells = [short_rate(one.rate)] * len(sizes)
        lines.append(f"| {' | '.join([f'limit: {one.words}', *cells])} |")
    return [
        *lines,
        "",
        f"{device}, keys per second of kernel time, medians, uniform keys.",
    ]
