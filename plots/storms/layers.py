# SPDX-License-Identifier: MIT
"""The layer in each wave, from what a stage's kernels stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError, shown
from plots.drawing.figure import Block, Drawing
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, single
from plots.storms.stages import STAGES

COLUMNS = ("wave", "cell", "updated", "relaxed", "found")  # found: `peak`, `maximum` or nothing


def kept_rows(records: Iterable[Record]) -> Kept:
    """A wave begins with the copy of the layer, as the particles left it. The relaxation changes
    all cells but the two ends. The peaks are stored as a list. The reduction folds this list,
    and its first place holds the maximum in the end."""
    waves: dict[str, dict[str, dict[int, str]]] = {}  # by the launch of the copy
    for one in records:
        kernel, cell, wide = (
            one["kernel"],
            int(one["offset"]) // int(one["bytes"]),
            one["bytes"] == "8",
        )
        if one["operation"] != "store" or kernel in ("clear_layer_kernel", "update_layer_kernel"):
            continue
        if kernel == "copy_layer_kernel":
            found = waves.setdefault(
                one["grid"], {name: {} for name in ("updated", "relaxed", "peak", "place")}
            )
            found["updated"][cell] = single(one["value"])
        elif kernel == "relax_layer_kernel":
            found["relaxed"][cell] = single(one["value"])
        elif wide and cell == 0:
            found["place"][0] = one["value"]
        elif not wide and kernel == "find_peaks_kernel" and one["value"] != "0":
            found["peak"][cell] = single(one["value"])
    rows: Kept = []
    for number, found in enumerate(waves.values(), 1):
        for cell, updated in sorted(found["updated"].items()):
            mark = (
                ""
                if cell not in found["peak"]
                else "maximum"
                if str(cell) == found["place"][0]
                else "peak"
            )
            rows.append((number, cell, updated, found["relaxed"].get(cell, updated), mark))
    return rows


TRACE = Trace(
    "storms",
    STAGES[STAGES.named("max_reduction")].stage,
    ("--n", "200", "--input", "small", "--particles", "8", "--waves", "3"),
    COLUMNS,
    kept_rows,
)


@dataclass(frozen=True)
class Layer:
    """The layer in one wave: after its particles, and after the relaxation; the cells that a kernel
    found to be peaks, and the cell of the maximum."""

    updated: list[float]
    relaxed: list[float]
    peaks: list[int]  # the maximum too
    maximum: int

    @property
    def tallest_before(self) -> int:
        """The tallest cell before the relaxation. The two ends cannot be peaks."""
        return max(range(1, len(self.updated) - 1), key=self.updated.__getitem__)


def read_layers(source: Source) -> list[Layer]:
    path = source.trace_path(TRACE.name)
    waves: dict[int, list[tuple[float, float, str]]] = {}
    for one in source.trace(TRACE.name, COLUMNS):
        try:
            cells = waves.setdefault(int(one["wave"]), [])
            place, values = int(one["cell"]), (float(one["updated"]), float(one["relaxed"]))
        except ValueError:
            raise DataError(
                f"{path}: {shown(','.join(one.values()))} is no cell of a wave"
            ) from None
        if place != len(cells) or one["found"] not in ("", "peak", "maximum"):
            raise DataError(f"{path}: {shown(','.join(one.values()))} is not the next cell")
        cells.append((*values, one["found"]))
    found = []
    for wave, cells in waves.items():
        maxima = [k for k, (_, _, mark) in enumerate(cells) if mark == "maximum"]
        if len(maxima) != 1:
            raise DataError(f"{path}: wave {wave} has {len(maxima)} maxima")
        found.append(
            Layer(
                [updated for updated, _, _ in cells],
                [relaxed for _, relaxed, _ in cells],
                [k for k, (_, _, mark) in enumerate(cells) if mark],
                maxima[0],
            )
        )
    if list(waves) != list(range(1, len(waves) + 1)) or not found:
        raise DataError(f"{path}: the waves are not in their order")
    return found


def prepare_layers(source: Source) -> Drawing:
    layers = read_layers(source)
    tables: dict[str, list[Block]] = {
        name: [] for name in ("updated", "relaxed", "peaks", "maximum", "before")
    }
    said = []
    for wave, layer in enumerate(layers, 1):
        name, before, height = f"wave {wave}", layer.tallest_before, layer.relaxed[layer.maximum]
        tables["updated"].append(Block(name, list(enumerate(layer.updated))))
        tables["relaxed"].append(
            Block(f"{name}: {height:.1f} in cell {layer.maximum}", list(enumerate(layer.relaxed)))
        )
        tables["peaks"].append(Block(name, [(k, layer.relaxed[k]) for k in layer.peaks]))
        tables["maximum"].append(Block(name, [(layer.maximum, height)]))
        tables["before"].append(Block(name, [(before, layer.updated[before])]))
        said.append(
            f"{name}: {height:.1f} in cell {layer.maximum}, the greatest of"
            f" {len(layer.peaks)} peaks"
            + (
                ""
                if before == layer.maximum
                else (
                    f" (before the relaxation cell {before} was the tallest,"
                    f" {layer.updated[before]:.1f})"
                )
            )
        )
    top = max(value for layer in layers for value in layer.updated)
    return Drawing(
        tables=tables,
        variables={
            "n": len(layers[0].relaxed),
            "top": top * 1.08,
            "bottom": 0.9 * min(value for layer in layers for value in layer.relaxed),
        },
        emulated=False,
        subtitle=(
            f"{TRACE.stage} on the CPU engine, {' '.join(TRACE.arguments)}: what its kernels"
            " stored, traced."
        ),
        ours="; ".join(said) + ". Nothing is reset between waves.",
        alt=(
            f"Line chart of the energy of {len(layers[0].relaxed)} cells: {len(layers)} curves one"
            " above the other, one per wave. A curve has a spike where a particle struck, sharp"
            " before the relaxation and rounded after it. Each peak has a small circle, the"
            f" maximum of each wave a large dot: {'; '.join(said)}."
        ),
    )
