# SPDX-License-Identifier: MIT
"""Figures of the storms chapter: its stages on three shapes of the problem, beside what seed 002 prints of its
versions; the stages against the number of cells; the layer as a stage's kernels left it in each wave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import traces
from drawing import PLOTS, Block, Drawing, Figure, Source, device_label, provenance, short_count, short_ratio, short_time
from measurements import DataError, Point, Row, TableCell, read_seed_times, read_stages, stages_file, times
from panels import SERIAL, Gain, Runs, at_largest_n, gains_of, points_of, prepare_against_n, select, select_serial
from speed_ups import NO_TIMES, races

CHAPTER = "storms"
WORKLOADS = ("dense", "long", "sparse")

# What plots/tables.py needs to know of a chapter.
COMPARED_RUN = {"input": WORKLOADS[0]}
FURTHER_RUNS = tuple({"input": name} for name in WORKLOADS[1:])

SEED_KEY = "seed 002, 2018"
SEED_FILE = PLOTS / "published" / "storms.csv"


@cache
def seed_cells() -> tuple[TableCell, ...]:
    return tuple(read_seed_times(SEED_FILE))


@cache
def own_stages() -> tuple[dict, ...]:
    return tuple(one for one in read_stages(stages_file()) if one["chapter"] == CHAPTER)


def timed_stages() -> list[str]:
    """Those with kernels and without a race: a time of a wrong result is none."""
    return [one["name"] for one in own_stages() if one["name"] != SERIAL and not races(one["name"], own_stages())]


# ---- time by version ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """What was measured of one workload: a point a stage, of whole runs and without set-up and copies."""

    name: str
    cells: str  # in words: `30 k cells`
    waves: str  # `6 waves of 20 k particles`
    rows: list[Row]  # of the stages with kernels, then the serial ones
    engine: str
    whole: dict[str, Point]
    inner: dict[str, Point]

    @property
    def words(self) -> str:
        return f"{self.cells}, {self.waves}"

    def ratio(self, before: str, after: str) -> float:
        return self.whole[before].median / self.whole[after].median


def read_shape(source: Source, name: str) -> Shape:
    """At the largest n that all stages were measured at; all of them in the same waves."""
    runs = Runs(CHAPTER, {"input": name}, "cells")
    stages = timed_stages()
    rows, engine = select(source, runs, stages)
    every = [*rows, *select_serial(source, runs)]
    n, whole = at_largest_n(points_of(every, (SERIAL, *stages)))
    every = [row for row in every if row.n == n]
    parameters = {(row.parameters.get("waves", ""), row.parameters.get("particles", "")) for row in every}
    if len(parameters) != 1 or not all(word.isdecimal() and int(word) > 0 for words in parameters for word in words):
        raise DataError(f"{source.rows_path(CHAPTER)}: input {name}, n = {n}: runs of different waves, or of none")
    waves, particles = (int(word) for word in parameters.pop())
    inner = {stage: times([row for row in every if row.stage == stage], kernels=True)[0] for stage in whole}
    each = short_count(particles // waves)
    return Shape(name, f"{short_count(n)} cells", f"{waves} waves of {each} particle{'s' * (each != '1')}", every, engine,
                 whole, inner)


def time_marks(low: float, high: float) -> str:
    """Marks of a logarithmic axis of seconds, a decade or more: powers of ten where there are two to four, else every second one or
    those between."""
    edge = (high / low) ** 0.08  # nearer to an end a mark's text would reach the next panel

    def marks(digits: Sequence[int], step: int) -> list[float]:
        return [value for exponent in range(-9, 6, step) for digit in digits
                if low * edge <= (value := digit * 10.0**exponent) <= high / edge]

    decades = marks((1,), 1)
    found = decades if 2 <= len(decades) <= 4 else next(
        some for digits, step in (((1,), 2), ((1, 3), 1), ((1, 2, 5), 1))
        if 2 <= len(some := marks(digits, step)))
    return "(" + ", ".join(f"'{short_time(value)}' {value:g}" for value in found) + ")"


def seed_words(cell: TableCell) -> str:
    """`95 s`, `under 60 s`; of a wrong result that it is one."""
    return (f"{cell.bound} " if cell.bound else "") + short_time(cell.value) + (", with its race" if races(cell.stage, own_stages()) else "")


def prepare_versions(source: Source) -> Drawing:
    """Whole runs of every stage on three shapes of the problem, and the times that seed 002 prints."""
    shapes = [read_shape(source, name) for name in WORKLOADS]
    engine, stages = shapes[0].engine, timed_stages()
    place = {one["name"]: y for y, one in enumerate(own_stages())}
    wrong = [name for name in place if races(name, own_stages())]
    tables: dict[str, list[Block]] = {name: [] for name in ("serial", "whole", "inner")}
    variables: dict[str, object] = {"rows": len(place), "seed_key": SEED_KEY,
                                    "seed_high": 2.1 * max(cell.value for cell in seed_cells())}
    tables["names"] = [Block("stages", [(y, stage) for stage, y in place.items()])]
    tables["wrong"] = [Block("wrong on purpose", [(place[name], NO_TIMES) for name in wrong])]
    for i, shape in enumerate(shapes):
        for name, shown in (("serial", [SERIAL]), ("whole", stages)):
            tables[name].append(Block(shape.name, [
                (place[stage], point.median, point.lower, point.upper, short_time(point.median))
                for stage in shown for point in [shape.whole[stage]]]))
        tables["inner"].append(Block(shape.name, [(place[stage], shape.inner[stage].median) for stage in stages]))
        ends = [value for points in (shape.whole, shape.inner) for point in points.values()
                for value in (point.median, point.lower, point.upper) if value > 0]
        ratio = max(ends) / min(ends)
        room = max(ratio**0.2, (10 / ratio) ** 0.5)  # half of a label's width on either side, and a decade at least
        low, high = min(ends) / room, max(ends) * room
        variables |= {f"low_{i}": low, f"high_{i}": high, f"tics_{i}": time_marks(low, high),
                      f"title_{i}": shape.name, f"cells_{i}": shape.cells, f"waves_{i}": shape.waves}
    printed = [(cell, (place[cell.stage], cell.value, seed_words(cell))) for cell in seed_cells()]
    tables["race"] = [Block("wrong", [words for cell, words in printed if cell.stage in wrong])]
    tables["bound"] = [Block("less than", [words for cell, words in printed if cell.bound])]
    tables["seed"] = [Block(SEED_KEY, [words for cell, words in printed if cell.stage not in wrong and not cell.bound])]
    source.reading(SEED_FILE)
    rows = [row for shape in shapes for row in shape.rows]
    gpu = [row for row in rows if row.stage != SERIAL]
    host = next(row.device for row in rows if row.stage == SERIAL)
    first, best = stages[0], stages[-1]
    gains = "; ".join(f"{shape.name} ({shape.words}): {best} takes {short_time(shape.whole[best].median)}, "
                      f"{short_ratio(shape.ratio(first, best))} times as fast as {first}, "
                      f"{short_ratio(shape.ratio(SERIAL, best))} times as fast as {SERIAL}" for shape in shapes)
    return Drawing(
        tables=tables, variables=variables,
        subtitle=provenance(rows, engine, source.kind, host),
        emulated=engine == "emu",
        ours=f"{gains}. {' and '.join(wrong)} has no times: its results are wrong.",
        alt=f"Four charts side by side, a line a stage from {SERIAL} to {best}. Three have the time of a run on "
            f"{device_label(gpu, engine)} along a logarithmic axis, with and without set-up and copies: {gains}. The fourth, "
            "in grey and on a scale of its own, has seed 002's times of its four versions: "
            + ", ".join(seed_words(cell) for cell in seed_cells()) + ".")


# ---- time against cells ------------------------------------------------------------------------------------------

CELLS = Runs(CHAPTER, {"input": "small", "waves": 3, "particles": 120}, "cells", "cells, 3 waves of 40 particles")


def prepare_cells(source: Source) -> Drawing:
    """Whole runs against the cells of the layer, the serial stage's too."""
    stages = timed_stages()
    gains = [gain if by_name[gain.after] == gain.before else
             Gain(f"{gain.after[:2]} over {gain.before[:2]}", gain.before, gain.after)
             for by_name in [{one["name"]: one["compared_with"] for one in own_stages()}] for gain in gains_of(stages)]
    return prepare_against_n(source, CELLS, stages, gains, stages[-1], "bombards", with_serial=True)


# ---- the layer after each wave (plots/traces.py) -----------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """The layer in one wave: after its particles, and after the relaxation; the cells that a kernel found to be
    peaks, and the maximum's."""

    updated: list[float]
    relaxed: list[float]
    peaks: list[int]  # the maximum too
    maximum: int

    @property
    def tallest_before(self) -> int:
        """Of the cells that may be peaks."""
        return max(range(1, len(self.updated) - 1), key=self.updated.__getitem__)


def read_layers(source: Source) -> list[Layer]:
    path = source.trace_path("storms")
    waves: dict[int, list[tuple[float, float, str]]] = {}
    for one in source.trace("storms", traces.LAYERS_COLUMNS):
        try:
            cells = waves.setdefault(int(one["wave"]), [])
            place, values = int(one["cell"]), (float(one["updated"]), float(one["relaxed"]))
        except ValueError:
            raise DataError(f"{path}: '{','.join(one.values())}' is no cell of a wave") from None
        if place != len(cells) or one["found"] not in ("", "peak", "maximum"):
            raise DataError(f"{path}: '{','.join(one.values())}' is not the next cell")
        cells.append((*values, one["found"]))
    found = []
    for wave, cells in waves.items():
        maxima = [k for k, (_, _, mark) in enumerate(cells) if mark == "maximum"]
        if len(maxima) != 1:
            raise DataError(f"{path}: wave {wave} has {len(maxima)} maxima")
        found.append(Layer([updated for updated, _, _ in cells], [relaxed for _, relaxed, _ in cells],
                           [k for k, (_, _, mark) in enumerate(cells) if mark], maxima[0]))
    if list(waves) != list(range(1, len(waves) + 1)) or not found:
        raise DataError(f"{path}: the waves are not in their order")
    return found


def prepare_layers(source: Source) -> Drawing:
    layers = read_layers(source)
    trace = next(one for one in traces.TRACES if one.name == "storms")
    tables: dict[str, list[Block]] = {name: [] for name in ("updated", "relaxed", "peaks", "maximum", "before")}
    said = []
    for wave, layer in enumerate(layers, 1):
        name, before, height = f"wave {wave}", layer.tallest_before, layer.relaxed[layer.maximum]
        tables["updated"].append(Block(name, list(enumerate(layer.updated))))
        tables["relaxed"].append(Block(f"{name}: {height:.1f} in cell {layer.maximum}", list(enumerate(layer.relaxed))))
        tables["peaks"].append(Block(name, [(k, layer.relaxed[k]) for k in layer.peaks]))
        tables["maximum"].append(Block(name, [(layer.maximum, height)]))
        tables["before"].append(Block(name, [(before, layer.updated[before])]))
        said.append(f"{name}: {height:.1f} in cell {layer.maximum}, the greatest of {len(layer.peaks)} peaks" + (
            "" if before == layer.maximum else
            f" (before the relaxation cell {before} was the tallest, {layer.updated[before]:.1f})"))
    top = max(value for layer in layers for value in layer.updated)
    return Drawing(
        tables=tables,
        variables={"n": len(layers[0].relaxed), "top": top * 1.08,
                   "bottom": 0.9 * min(value for layer in layers for value in layer.relaxed)},
        emulated=False,
        subtitle=f"{trace.stage} on the CPU engine, {' '.join(trace.arguments)}: what its kernels stored, traced.",
        ours="; ".join(said) + ". Nothing is reset between waves.",
        alt=f"Line chart of the energy of {len(layers[0].relaxed)} cells: {len(layers)} curves one above the other, a wave "
            "each, with a spike where a particle struck, sharp before the relaxation and rounded after it. Every peak has "
            f"a small circle, the maximum of each wave a large dot: {'; '.join(said)}.")


SEED_SAID = ("95 s, 62 s (with its race), under 60 s and 43.4 s for its four versions, of inputs and on a GPU that it does not "
             "name: they compare with one another only.")

FIGURES = (
    Figure("storms_layers", "", CHAPTER, "Storms, the layer in each wave", "It shows none.", prepare_layers, in_readme=True,
           said_by="Seed 002"),
    Figure("storms_versions", "", CHAPTER, "Storms, time by version", SEED_SAID, prepare_versions, in_readme=True,
           said_by="Seed 002"),
    Figure("storms_cells", "", CHAPTER, "Storms, its stages against the number of cells", "It names no size.", prepare_cells,
           in_readme=True, said_by="Seed 002"),
)
