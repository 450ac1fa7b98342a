# SPDX-License-Identifier: MIT
"""Whole runs of every stage on three shapes of the problem, beside the printed times of four
versions."""

from __future__ import annotations

from dataclasses import dataclass

from common.tools.lib.numbers import short_count, short_ratio, short_time
from common.tools.lib.stages import DataError
from plots.drawing.axes import time_marks
from plots.drawing.figure import Block, Drawing
from plots.drawing.panels import Runs, at_largest_n, points_of, select, select_serial
from plots.drawing.words import device_label, provenance
from plots.records.medians import Point, times
from plots.records.published import TableCell
from plots.records.rows import Row
from plots.records.source import Source
from plots.storms.stages import FILE, KERNELS, PRINTED, SAID_BY, STAGES, WRONG

SIZES = {"dense": 30_000, "long": 1_000_000, "sparse": 100_000_000}  # recorded ones, in cells
WORKLOADS = tuple(SIZES)
HEADLINE = "long"  # whose times decide which stages stay
NO_TIMES = "no times: wrong on purpose"


@dataclass(frozen=True)
class Shape:
    """The measurements of one workload: one point per stage, of whole runs and of the kernels
    alone."""

    name: str
    cells: str  # in words: `30 k cells`
    waves: str  # `6 waves of 20 k particles`
    rows: list[Row]  # the stages with kernels, then the serial one
    engine: str
    whole: dict[str, Point]
    inner: dict[str, Point]

    @property
    def words(self) -> str:
        return f"{self.cells}, {self.waves}"

    def ratio(self, before: str, after: str) -> float:
        return self.whole[before].median / self.whole[after].median


def read_shape(source: Source, name: str) -> Shape:
    """The runs at the largest n of all stages. All runs must have the same waves."""
    runs = Runs(STAGES, {"input": name}, "cells", "cells")
    rows, engine = select(source, runs, KERNELS)
    every = [*rows, *select_serial(source, runs)]
    n, whole = at_largest_n(points_of(every, (STAGES.serial, *KERNELS)))
    every = [row for row in every if row.n == n]
    parameters = {
        (row.parameters.get("waves", ""), row.parameters.get("particles", "")) for row in every
    }
    if len(parameters) != 1 or not all(
        word.isdecimal() and int(word) > 0 for words in parameters for word in words
    ):
        raise DataError(
            f"{source.rows_path(STAGES.chapter)}: input {name}, n = {n}: runs of different waves,"
            " or of none"
        )
    waves, particles = (int(word) for word in parameters.pop())
    inner = {
        stage: times([row for row in every if row.stage == stage], kernels=True)[0]
        for stage in whole
    }
    each = short_count(particles // waves)
    return Shape(
        name,
        f"{short_count(n)} cells",
        f"{waves} waves of {each} particle{'s' * (each != '1')}",
        every,
        engine,
        whole,
        inner,
    )


def printed_words(cell: TableCell) -> str:
    """`95 s`, `under 60 s`, `62 s, with its race`."""
    return (
        (f"{cell.bound} " if cell.bound else "")
        + short_time(cell.value)
        + (", with its race" if STAGES.races(cell.stage) else "")
    )


def prepare_versions(source: Source) -> Drawing:
    """One line per stage: three panels of ours, and a grey one of the printed times."""
    shapes = [read_shape(source, name) for name in WORKLOADS]
    engine = shapes[0].engine
    place = {name: y for y, name in enumerate(STAGES.names)}
    tables: dict[str, list[Block]] = {name: [] for name in ("serial", "whole", "inner")}
    variables: dict[str, object] = {
        "rows": len(place),
        "theirs_key": SAID_BY,
        "theirs_high": 2.1 * max(cell.value for cell in PRINTED.cells),
    }
    tables["names"] = [Block("stages", [(y, stage) for stage, y in place.items()])]
    tables["wrong"] = [Block("wrong on purpose", [(place[name], NO_TIMES) for name in WRONG])]
    for i, shape in enumerate(shapes):
        for name, shown in (("serial", [STAGES.serial]), ("whole", KERNELS)):
            tables[name].append(
                Block(
                    shape.name,
                    [
                        (
                            place[stage],
                            point.median,
                            point.lower,
                            point.upper,
                            short_time(point.median),
                        )
                        for stage in shown
                        for point in [shape.whole[stage]]
                    ],
                )
            )
        tables["inner"].append(
            Block(shape.name, [(place[stage], shape.inner[stage].median) for stage in KERNELS])
        )
        ends = [
            value
            for points in (shape.whole, shape.inner)
            for point in points.values()
            for value in (point.median, point.lower, point.upper)
            if value > 0
        ]
        ratio = max(ends) / min(ends)
        # A label's width on the right, and a decade at least.
        low, high = min(ends) / ratio**0.1, max(ends) * max(ratio**0.45, 10 / ratio**1.1)
        variables |= {
            f"low_{i}": low,
            f"high_{i}": high,
            f"tics_{i}": time_marks(low, high),
            f"title_{i}": shape.name,
            f"cells_{i}": shape.cells,
            f"waves_{i}": shape.waves,
        }
    printed = [
        (cell, (place[cell.stage], cell.value, printed_words(cell))) for cell in PRINTED.cells
    ]
    tables["race"] = [Block("wrong", [words for cell, words in printed if cell.stage in WRONG])]
    tables["bound"] = [Block("less than", [words for cell, words in printed if cell.bound])]
    tables["theirs"] = [
        Block(
            SAID_BY,
            [words for cell, words in printed if cell.stage not in WRONG and not cell.bound],
        )
    ]
    source.reading(FILE)
    rows = [row for shape in shapes for row in shape.rows]
    gpu = [row for row in rows if row.stage != STAGES.serial]
    host = next(row.device for row in rows if row.stage == STAGES.serial)
    first, best = KERNELS[0], KERNELS[-1]
    gains = "; ".join(
        f"{shape.name} ({shape.words}): {best} takes {short_time(shape.whole[best].median)}, "
        f"{short_ratio(shape.ratio(first, best))} times as fast as {first}, "
        f"{short_ratio(shape.ratio(STAGES.serial, best))} times as fast as {STAGES.serial}"
        for shape in shapes
    )
    return Drawing(
        tables=tables,
        variables=variables,
        subtitle=provenance(rows, engine, source.kind, host),
        emulated=engine == "emu",
        ours=f"{gains}. {' and '.join(WRONG)} has no times: its results are wrong.",
        alt=(
            f"Four charts side by side, one line per stage from {STAGES.serial} to {best}. Three"
            f" show the time of a run on {device_label(gpu, engine)} along a logarithmic axis,"
            f" whole and of the kernels alone: {gains}. The fourth, in grey and on a scale of its"
            f" own, shows the times of {SAID_BY} for four versions: "
        )
        + ", ".join(printed_words(cell) for cell in PRINTED.cells)
        + ".",
    )
