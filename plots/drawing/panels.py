# SPDX-License-Identifier: MIT
"""Drawings that several chapters have: kernels as bars, whole runs against n, CPU against GPU.

Each has two panels, times and ratios of times. The thesis' ratios are grey, where it prints any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count, short_ratio, short_time, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range, spread, tics, time_unit
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import (
    THESIS_CARD,
    check_stages,
    device_label,
    kernel_engine,
    provenance,
)
from plots.records.medians import Point, times
from plots.records.rows import Row, matches, newest
from plots.records.source import Source
from plots.records.stages import Stages
from common.tools.lib.stages import label_of

NAN = float("nan")


@dataclass(frozen=True)
class Runs:
    """The runs that a figure compares."""

    stages: Stages
    match: Mapping[str, object]  # how their rows are recognised
    unit: str  # what n counts: "keys"
    words: str  # the same with the input: "uniform keys"
    thesis_n: str = ""  # for the key, where all its numbers have one size: "160 M keys"
    without: tuple[int, ...] = ()  # recorded sizes that belong to other figures

    @property
    def chapter(self) -> str:
        return self.stages.chapter

    @property
    def match_words(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.match.items())

    @property
    def thesis_key(self) -> str:
        return f"{THESIS_CARD} ({self.thesis_n})" if self.thesis_n else THESIS_CARD


@dataclass(frozen=True)
class Gain:
    """A ratio of two stages' times. `thesis`: what the thesis prints, NaN where it prints
    nothing."""

    label: str
    before: str
    after: str
    thesis: float = NAN


def gain_over(before: str, after: str, thesis: float = NAN) -> Gain:
    """Of two stages that do not follow one another: `06 over 01`."""
    return Gain(f"{label_of(after)} over {label_of(before)}", before, after, thesis)


def gains_of(stages: Sequence[str], thesis: Mapping[str, float] | None = None) -> list[Gain]:
    """Each stage over the stage before. `thesis`: the printed ratios by stage."""
    return [
        Gain(after, before, after, (thesis or {}).get(after, NAN))
        for before, after in zip(stages, stages[1:])
    ]


def published(source: Source, figure: str, quantity: str, stage: str) -> float:
    """The thesis' number for one stage; NaN for a stage that the thesis does not have."""
    values = {one.stage: one.value for one in source.published(figure, quantity)}
    return values.get(stage, NAN)


def select(source: Source, runs: Runs, stages: Sequence[str]) -> tuple[list[Row], str]:
    """The rows of these runs and their engine. Every stage must have rows."""
    rows = [
        row
        for row in source.rows(runs.chapter)
        if row.stage in stages
        and matches(row, runs.match)
        and not (source.recorded and row.n in runs.without)
    ]
    engine = kernel_engine(rows)
    rows = newest([row for row in rows if row.engine == engine])
    check_stages(rows, stages, source.rows_path(runs.chapter), f"{engine}, {runs.match_words}")
    return rows, engine


def select_serial(source: Source, runs: Runs) -> list[Row]:
    """The serial stage's rows of these runs."""
    serial = runs.stages.serial
    rows = newest(
        [
            row
            for row in source.rows(runs.chapter)
            if row.stage == serial and matches(row, runs.match)
        ]
    )
    check_stages(rows, (serial,), source.rows_path(runs.chapter), runs.match_words)
    return rows


def points_of(
    rows: Sequence[Row], stages: Sequence[str], kernels: bool = False
) -> dict[str, list[Point]]:
    return {stage: times([row for row in rows if row.stage == stage], kernels) for stage in stages}


def at_largest_n(series: dict[str, list[Point]], wanted: int = 0) -> tuple[int, dict[str, Point]]:
    """The largest n at which every stage was measured, or the wanted one if it is among them, and
    the points there."""
    common = set.intersection(*({point.n for point in points} for points in series.values()))
    if not common:
        raise DataError("there is no n at which every stage was measured")
    n = wanted if wanted in common else max(common)
    return n, {
        stage: next(point for point in points if point.n == n) for stage, points in series.items()
    }


def point_rows(points: Sequence[Point], factor: float = 1.0) -> list[tuple[object, ...]]:
    return [
        (point.n, point.median * factor, point.lower * factor, point.upper * factor)
        for point in points
    ]


def ends_of(points: Sequence[Point]) -> list[float]:
    return [value for point in points for value in (point.lower, point.upper)]


def times_table(series: Mapping[str, Sequence[Point]]) -> list[list[str]]:
    """The medians of each stage at each n."""
    at = {stage: {point.n: point.median for point in points} for stage, points in series.items()}
    sizes = sorted({n for medians in at.values() for n in medians})
    rows = [
        [short_count(n), *(short_time(one[n]) if n in one else "" for one in at.values())]
        for n in sizes
    ]
    return [["n", *series], *rows]


@dataclass(frozen=True)
class GainPanel:
    """The right panel: ratios of the medians at one n."""

    n: int
    blocks: list[Block]
    variables: dict[str, object]
    listed: str
    numbers: list[list[str]]


def ratios_of(gains: Sequence[Gain], points: Mapping[str, Point]) -> list[float]:
    return [points[gain.before].median / points[gain.after].median for gain in gains]


def gain_panel(
    runs: Runs,
    gains: Sequence[Gain],
    n: int,
    points: dict[str, Point],
    device: str,
    what: str,
    beside: tuple[int, Mapping[str, Point]] | None = None,
) -> GainPanel:
    """`beside`: another n whose ratios are drawn, too."""
    ratios = ratios_of(gains, points)
    others = ratios_of(gains, beside[1]) if beside else [NAN] * len(gains)
    at_other = f"at {short_count(beside[0])} {runs.unit}" if beside else ""
    printed = [gain.thesis for gain in gains if gain.thesis == gain.thesis]
    top = max([*ratios, *printed, *(others if beside else ())])
    has_thesis = bool(printed)
    return GainPanel(
        n,
        [
            Block(
                device,
                [
                    (gain.label, ratio, gain.thesis, *([other] * bool(beside)))
                    for gain, ratio, other in zip(gains, ratios, others)
                ],
            )
        ],
        {
            "gain_top": top * 1.3,
            "gain_title": what,
            "gain_n": short_count(n),
            "gain_key": device,
            "thesis_key": runs.thesis_key,
            "with_thesis": int(has_thesis),
            "with_other": int(beside is not None),
            "other_key": at_other,
            "gain_bars": len(gains),
            "unit_text": runs.unit,
        },
        listed_gains(gains, ratios)
        + (f"; {at_other}: {listed_gains(gains, others)}" * bool(beside)),
        [
            [
                f"{what}, {short_count(n)} {runs.unit}",
                device,
                *([runs.thesis_key] * has_thesis),
                *([at_other] * bool(beside)),
            ],
            *(
                [
                    gain.label,
                    short_ratio(ratio),
                    *([f"{gain.thesis:g}" if gain.thesis > 0 else ""] * has_thesis),
                    *([short_ratio(other)] * bool(beside)),
                ]
                for gain, ratio, other in zip(gains, ratios, others)
            ),
        ],
    )


def listed_gains(gains: Sequence[Gain], ratios: Sequence[float]) -> str:
    return ", ".join(f"{gain.label} {short_ratio(ratio)}" for gain, ratio in zip(gains, ratios))


def prepare_bars(
    source: Source,
    runs: Runs,
    stages: Sequence[str],
    gains: Sequence[Gain],
    what: str,
    kernels: bool = True,
    thesis_n: int = 0,
) -> Drawing:
    """The time of each stage at one n, and ratios of these times (bar_panels.gp): of its kernels,
    or of whole runs. The n is the largest, or the thesis' own; then the largest one's ratios are
    beside."""
    rows, engine = select(source, runs, stages)
    series = points_of(rows, stages, kernels)
    n, points = at_largest_n(series, thesis_n)
    largest = at_largest_n(series)
    timed = "kernels alone" if kernels else "whole runs"
    longest = max(point.upper for point in points.values())
    unit, factor = time_unit(longest)
    device = device_label(rows, engine)
    panel = gain_panel(runs, gains, n, points, device, what, largest if largest[0] != n else None)
    beside = ", beside the thesis' numbers" if panel.variables["with_thesis"] else ""
    shown = ", ".join(
        f"{stage} {three_digits(point.median * factor)} {unit}" for stage, point in points.items()
    )
    return Drawing(
        tables={
            "time": [
                Block(
                    timed,
                    [
                        (stage, point.median * factor, point.lower * factor, point.upper * factor)
                        for stage, point in points.items()
                    ],
                )
            ],
            "gain": panel.blocks,
        },
        variables={
            "time_title": "Time of the kernels" if kernels else "Time of whole runs",
            "time_unit": unit,
            "time_top": longest * factor * 1.15,
            "time_count": len(stages),
            **panel.variables,
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        numbers=[times_table({stage: [point] for stage, point in points.items()}), panel.numbers],
        ours_repeats=True,
        ours=f"At {short_count(n)} {runs.words}, {timed}: {shown}. {what}: {panel.listed}.",
        alt=(
            f"Two bar charts for {short_count(n)} {runs.unit} on {device}: the time of each stage"
            f" ({timed}: {shown}), and {what[0].lower() + what[1:]} ({panel.listed})"
            f"{beside}."
        ),
    )


def prepare_against_n(
    source: Source,
    runs: Runs,
    stages: Sequence[str],
    gains: Sequence[Gain],
    best: str,
    does: str,
    smallest_recorded: int = 1,
    with_serial: bool = False,
) -> Drawing:
    """Whole runs against n, and ratios at the largest n of all stages (against_n_panels.gp).

    `does`: what `best` does with the things that n counts: "sorts". `with_serial`: the serial stage
    is the last line.
    """
    rows, engine = select(source, runs, stages)
    smallest = smallest_recorded if source.recorded else 1
    rows = [row for row in rows if row.n >= smallest]
    check_stages(rows, stages, source.rows_path(runs.chapter), f"n from {smallest}")
    series = points_of(rows, stages)
    n, points = at_largest_n(series)
    serial = select_serial(source, runs) if with_serial else []
    if serial:
        series[runs.stages.serial] = times(serial)
    everything = [point for one in series.values() for point in one]
    sizes = sorted({point.n for point in everything})
    time_range = log_range(ends_of(everything), 0.22 if serial else 0.12)
    n_range = (sizes[0] / 1.4, sizes[-1] * 1.4)
    named = spread(sizes)
    marks = named[:: -(-len(named) // 5)]
    device = device_label(rows, engine)
    panel = gain_panel(runs, gains, n, points, device, "Speed-up over the stage before")
    last = series[best][-1]
    return Drawing(
        tables={
            "time": [Block(stage, point_rows(one)) for stage, one in series.items()],
            "gain": panel.blocks,
        },
        variables={
            "time_low": time_range[0],
            "time_high": time_range[1],
            "n_low": n_range[0],
            "n_high": n_range[1],
            "n_tics": tics(marks),
            **panel.variables,
        },
        subtitle=provenance(
            [*rows, *serial], engine, source.kind, serial[0].device if serial else ""
        ),
        emulated=engine == "emu",
        numbers=[times_table(series), panel.numbers],
        ours_repeats=True,
        ours=(
            f"At {short_count(n)} {runs.words}, whole runs: {panel.listed}."
            f" {best} {does} {short_count(last.n)} {runs.unit} in {short_time(last.median)}."
        ),
        alt=(
            f"Line chart of time against {runs.unit} for {', '.join(series)} on {device}, both axes"
            f" logarithmic, and a bar chart of speed-ups at {short_count(n)} {runs.unit}:"
            f" {panel.listed}."
        ),
    )


def prepare_cpu_gpu(
    source: Source,
    runs: Runs,
    stages: Sequence[str],
    shown: tuple[str, str],
    figure: str,
    with_times: bool = False,
) -> Drawing:
    """The serial stage against the first and the best of `stages` (cpu_gpu_panels.gp). `figure`:
    the figure whose speed-ups the thesis prints; `with_times`: it prints times too."""
    path = source.rows_path(runs.chapter)
    name = runs.stages.serial
    serial = select_serial(source, runs)
    rows, engine = select(source, runs, stages)
    sizes = sorted({row.n for row in serial} & {row.n for row in rows})
    rows = [row for row in rows if row.n in sizes]
    serial = [row for row in serial if row.n in sizes]
    check_stages(rows, shown, path, f"{engine}, at the n of {name}")
    series = {name: times(serial)} | points_of(rows, shown)
    gains = {}
    for stage in shown:
        at = {point.n: point.median for point in series[stage]}
        gains[stage] = [
            (point.n, point.median / at[point.n]) for point in series[name] if point.n in at
        ]
    thesis = source.published(figure, "speedup_over_cpu")
    printed_times = source.published(figure, "time") if with_times else []
    recorded = source.recorded
    thesis_sizes = [one.size for one in thesis if recorded]
    ratios = [ratio for one in gains.values() for _, ratio in one]
    time_low, time_high = log_range(
        [value for points in series.values() for value in ends_of(points)]
        + ([one.value for one in printed_times] if recorded else []),
        0.25,
    )
    gain_low, gain_high = log_range(
        ratios + ([one.value for one in thesis] if recorded else []), 0.2
    )
    device, host = device_label(rows, engine), serial[0].device
    n, best = gains[shown[1]][-1]
    *others, last = [f"{one.value:g} at {short_count(one.size)}" for one in thesis]
    printed = " and ".join([*([", ".join(others)] if others else []), last])
    tables = {
        "time": [Block(stage, point_rows(points)) for stage, points in series.items()],
        "gain": [Block(stage, one) for stage, one in gains.items()],
        "thesis": [Block(THESIS_CARD, [(one.n, one.value) for one in thesis])],
    }
    if printed_times:
        tables["thesistime"] = [
            Block(f"{THESIS_CARD}, and its CPU", [(one.n, one.value) for one in printed_times])
        ]
    return Drawing(
        tables=tables,
        variables={
            "time_low": time_low,
            "time_high": time_high,
            "gain_low": gain_low,
            "gain_high": gain_high,
            "n_tics": tics(sizes),
            "n_low": min(sizes) / 1.25,
            "n_high": max([*sizes, *thesis_sizes]) * 1.25,
            "show_thesis": int(recorded),
            "show_thesis_times": int(recorded and bool(printed_times)),
            "unit_text": runs.unit,
        },
        subtitle=provenance([*rows, *serial], engine, source.kind, host),
        emulated=engine == "emu",
        numbers=[
            times_table(series),
            [
                ["n", *(f"{stage} over {name}" for stage in gains)],
                *(
                    [
                        short_count(n),
                        *(
                            short_ratio(dict(one)[n]) if n in dict(one) else ""
                            for one in gains.values()
                        ),
                    ]
                    for n in sizes
                ),
            ],
        ],
        ours_repeats=True,
        ours=(
            f"At {short_count(n)} {runs.words} {shown[1]} is {short_ratio(best)} times as fast as"
            f" {name} on one core of {host}."
        ),
        alt=(
            f"Line chart of time against {runs.unit}, {name} above {' and '.join(shown)} on"
            f" {device}, and of the speed-up over {name}: {short_ratio(best)} at"
            f" {short_count(n)} {runs.unit}, beside the thesis' {printed}."
        ),
    )
