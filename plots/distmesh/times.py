# SPDX-License-Identifier: MIT
"""Tables I and II and figure 8 of Gaudiani 2012: whole runs, kernels alone, and where the time
goes."""

from __future__ import annotations

from collections.abc import Sequence

from common.tools.lib.numbers import short_count, short_ratio, short_time
from common.tools.lib.stages import DataError
from plots.distmesh.stages import FILE, KERNELS, NAMES, RUNS, SHARED, SHOWN, STAGES, cells_of
from plots.drawing.axes import log_range, spread, tics
from plots.drawing.figure import Block, Drawing
from plots.drawing.panels import (
    at_largest_n,
    ends_of,
    point_rows,
    points_of,
    select,
    select_serial,
)
from plots.drawing.words import device_label, origin, provenance, repeats_of
from plots.records.medians import Point, quartiles
from plots.records.rows import Row
from plots.records.source import Source


def rows_beside(source: Source) -> tuple[list[Row], list[Row], str]:
    """The rows of the circle at the sizes that both have: the stages with kernels, the serial
    stage, and the engine."""
    rows, engine = select(source, RUNS, KERNELS)
    serial = select_serial(source, RUNS)
    sizes = {row.n for row in rows} & {row.n for row in serial}
    if not sizes:
        raise DataError(
            f"{source.rows_path(STAGES.chapter)}: no n of both {STAGES.serial} and the stages with"
            " kernels"
        )
    return (
        [row for row in rows if row.n in sizes],
        [row for row in serial if row.n in sizes],
        engine,
    )


def gains_over(serial: Sequence[Point], own: Sequence[Point]) -> list[tuple[int, float]]:
    at = {point.n: point.median for point in own}
    return [(point.n, point.median / at[point.n]) for point in serial if at.get(point.n)]


def prepare_times(source: Source, kernels: bool) -> Drawing:
    """Table I: whole runs. Table II: the kernels alone, and the loops of the serial stage that they
    replace."""
    rows, serial, engine = rows_beside(source)
    rows = [row for row in rows if row.stage in SHOWN]
    points = points_of([*serial, *rows], (STAGES.serial, *SHOWN), kernels)
    gains = {stage: gains_over(points[STAGES.serial], points[stage]) for stage in SHOWN}
    recorded = source.recorded
    then = list(
        cells_of(
            "II" if kernels else "I",
            "kernels_speedup_over_cpu" if kernels else "speedup_over_cpu",
            SHARED,
        ).items()
    )
    # The printed tables have no time of the kernels.
    theirs = [
        Block(name, list(cells_of("I", "time", stage).items()))
        for stage, name in NAMES.items()
        if recorded and not kernels
    ]
    if recorded:
        source.reading(FILE)
    seconds = [value for one in points.values() for value in ends_of(one)] + [
        row[1] for block in theirs for row in block.rows
    ]
    ratios = [ratio for one in gains.values() for _, ratio in one] + (
        [value for _, value in then] if recorded else []
    )
    sizes = sorted({row.n for row in [*rows, *serial]})
    time_low, time_high = log_range(seconds, 0.36)
    gain_low, gain_high = log_range(ratios, 0.28)
    n, at = at_largest_n(points)
    listed = ", ".join(
        f"{stage} {short_time(at[stage].median)}" for stage in (STAGES.serial, *SHOWN)
    )
    gained = ", ".join(
        f"{stage} {short_ratio(at[STAGES.serial].median / at[stage].median)}" for stage in SHOWN
    )
    tables = {
        "time": [Block(stage, point_rows(points[stage])) for stage in (STAGES.serial, *SHOWN)],
        "gain": [Block(stage, one) for stage, one in gains.items()],
        "printed": [Block(NAMES[SHARED], then)],
    }
    if theirs:
        tables["theirs"] = theirs
    what = "kernels alone" if kernels else "whole runs"
    return Drawing(
        tables=tables,
        variables={
            "time_low": time_low,
            "time_high": time_high,
            "gain_low": gain_low,
            "gain_high": gain_high,
            "n_low": sizes[0] / 1.25,
            "n_high": sizes[-1] * 1.25,
            "n_tics": tics(spread(sizes)),
            "show_printed": int(recorded),
            "show_theirs": int(bool(theirs)),
            "time_title": (
                "Kernels alone, s" if kernels else "Whole runs, triangulations included, s"
            ),
        },
        subtitle=provenance([*rows, *serial], engine, source.kind, serial[0].device),
        emulated=engine == "emu",
        ours=f"At {short_count(n)} points, {what}: {listed}; over {STAGES.serial}: {gained}.",
        alt=(
            f"Line chart of time against points, {what}, for {STAGES.serial} and"
            f" {', '.join(SHOWN)} on {device_label(rows, engine)}"
        )
        + (f", beside {', '.join(NAMES.values())} in grey" if theirs else "")
        + f", and of the speed-up over {STAGES.serial}, both on logarithmic axes: at"
        f" {short_count(n)} points {gained}"
        + (
            f", beside the printed {short_ratio(then[0][1])} to {short_ratio(then[-1][1])}"
            if recorded
            else ""
        )
        + ".",
    )


SHARES = ("kernels", "copies", "set-up", "host: triangulations and the rest")


def shares_of(row: Row) -> tuple[float, ...]:
    """Percent of a run. The triangulations belong to no phase."""
    copies = row.copy_in_ms + row.copy_out_ms
    parts = (row.kernels_ms, copies, row.setup_ms)
    return tuple(
        100 * part / row.total_ms for part in (*parts, max(0.0, row.total_ms - sum(parts)))
    )


def prepare_shares(source: Source) -> Drawing:
    """Figure 8: the shares of a run, for every stage."""
    rows, serial, engine = rows_beside(source)
    every = [*serial, *rows]
    n, _ = at_largest_n(points_of(every, (STAGES.serial, *KERNELS)))
    stages = (STAGES.serial, *KERNELS)
    medians = {
        stage: [
            quartiles(part)[1]
            for part in zip(*(shares_of(row) for row in every if (row.stage, row.n) == (stage, n)))
        ]
        for stage in stages
    }
    then = cells_of("8", "copies_share", SHARED)[0]
    if source.recorded:
        source.reading(FILE)
    blocks = []
    for i, name in enumerate(SHARES):
        blocks.append(
            Block(
                name,
                [
                    (y, sum(medians[stage][:i]), sum(medians[stage][: i + 1]))
                    for y, stage in enumerate(stages)
                ],
            )
        )
    copies = {stage: medians[stage][1] for stage in KERNELS}
    listed = ", ".join(f"{stage} {short_ratio(share)} %" for stage, share in copies.items())
    of_gpu = 100 * medians[SHARED][1] / (medians[SHARED][0] + medians[SHARED][1])
    words = f"At {short_count(n)} points the share of copies in a run is: {listed}"
    return Drawing(
        tables={
            "shares": blocks,
            "names": [Block("stages", [(y, stage) for y, stage in enumerate(stages)])],
            "copies": [
                Block(
                    "copies",
                    [
                        (y, f"{short_ratio(medians[stage][1])} %")
                        for y, stage in enumerate(stages)
                        if stage != STAGES.serial
                    ],
                )
            ],
        },
        variables={
            "rows": len(stages),
            "show_then": int(source.recorded),
            "then": then,
            "then_words": f"{then:g} %",
            "then_name": NAMES[SHARED],
        },
        subtitle=(
            f"{origin(every, engine, source.kind, serial[0].device)}. {short_count(n)} points,"
            f" {repeats_of([row for row in every if row.n == n])}: medians of each share."
        ),
        emulated=engine == "emu",
        ours=(
            f"{words}. In {SHARED} copies are {short_ratio(of_gpu)} % of kernels and copies"
            " together. After each iteration 12 bytes tell the host the result; their copy counts"
            " with the kernels."
        ),
        alt=(
            f"Stacked bar chart of the shares of a run's time on {device_label(rows, engine)}, one"
            " bar per stage: "
        )
        + "; ".join(
            f"{stage} "
            + ", ".join(
                f"{name} {short_ratio(share)} %"
                for name, share in zip(SHARES, medians[stage])
                if (share > 0 or name == SHARES[-1]) and name != "set-up"
            )
            for stage in stages
        )
        + ".",
    )
