# SPDX-License-Identifier: MIT
"""The kernels of versions 1 and 4 with blocks of different sizes. Blanco and González 2018 tried
sizes on version 1, and print which of them were best."""

from __future__ import annotations

from common.tools.lib.numbers import short_count, short_rate
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.drawing.panels import Runs, select
from plots.drawing.words import device_label, provenance
from plots.records.medians import quartiles
from plots.records.rows import Row
from plots.records.source import Source
from plots.storms.stages import STAGES

STUDIED = STAGES.chosen(("update_kernel", "max_reduction"))
RUNS = Runs(STAGES, {"input": "small", "waves": 3, "particles": 240}, "cells", "cells")
BEST_THERE = (256, 512)
SIZE = "block-size"
MOST_PANELS = 3

Curve = list[tuple[int, float, float, float]]  # block size, and the rate's median and quartiles


def rate_curve(rows: list[Row]) -> Curve:
    """Updates of a cell by a particle per second of kernel time, by the block's size."""
    by_size: dict[int, list[float]] = {}
    for row in rows:
        rate = row.n * float(row.parameters["particles"]) / (row.kernels_ms / 1000)
        by_size.setdefault(int(row.parameters[SIZE]), []).append(rate)
    found = []
    for size, rates in sorted(by_size.items()):
        lower, median, upper = quartiles(rates)
        found.append((size, median, lower, upper))
    return found


def read_curves(source: Source) -> tuple[list[Row], str, dict[int, dict[str, Curve]]]:
    """The rows, their engine, and the curves of each stage by the number of cells."""
    rows, engine = select(source, RUNS, STUDIED)
    sizes = sorted({row.n for row in rows})[-MOST_PANELS:]
    kept: list[Row] = []
    curves: dict[int, dict[str, Curve]] = {}
    for n in sizes:
        for stage in STUDIED:
            own = [row for row in rows if (row.n, row.stage) == (n, stage)]
            curves.setdefault(n, {})[stage] = rate_curve(own)
            kept += own
        if len({tuple(point[0] for point in curve) for curve in curves[n].values()}) != 1:
            raise DataError(
                f"{source.rows_path(STAGES.chapter)}: at n = {n}, {' and '.join(STUDIED)} have"
                f" different values of {SIZE}"
            )
    return kept, engine, curves


def best_sizes(curve: Curve) -> str:
    """The size with the highest rate, and what the slowest one loses."""
    best, worst = (pick(curve, key=lambda point: point[1]) for pick in (max, min))
    lost = 100 * (1 - worst[1] / best[1])
    return (
        f"best with {best[0]} threads ({short_rate(best[1])} updates/s), worst with {worst[0]}"
        f" ({lost:.0f} % slower)"
    )


def prepare_block_sizes(source: Source) -> Drawing:
    """A panel per number of cells, a line per stage."""
    rows, engine, curves = read_curves(source)
    listed = "; ".join(
        f"{short_count(n)} cells, {stage}: {best_sizes(curve)}"
        for n, by_stage in curves.items()
        for stage, curve in by_stage.items()
    )
    variables: dict[str, object] = {
        "panels": len(curves),
        "show_theirs": int(source.recorded),
        "best_low": BEST_THERE[0],
        "best_high": BEST_THERE[1],
    }
    for i, (n, by_stage) in enumerate(curves.items()):
        variables[f"title_{i}"] = f"{short_count(n)} cells"
        variables[f"high_{i}"] = 1.35 * max(
            point[3] / 1e9 for curve in by_stage.values() for point in curve
        )
    ticks = sorted({point[0] for by_stage in curves.values() for point in by_stage[STUDIED[0]]})
    variables["size_tics"] = "(" + ", ".join(f"'{size}' {size}" for size in ticks) + ")"
    variables["size_low"], variables["size_high"] = ticks[0] / 1.4, ticks[-1] * 1.4
    return Drawing(
        tables={
            f"rate{i}": [
                Block(stage, [(size, *(rate / 1e9 for rate in rates)) for size, *rates in curve])
                for stage, curve in by_stage.items()
            ]
            for i, by_stage in enumerate(curves.values())
        },
        variables=variables,
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{listed}.",
        alt=(
            "Line charts of the kernels' updates per second against the threads per block, for"
            f" {' and '.join(STUDIED)} on {device_label(rows, engine)}: {listed}."
        ),
    )
