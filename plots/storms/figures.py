# SPDX-License-Identifier: MIT
"""Figures of the storms chapter: its stages on three shapes of the problem, against the number of
cells, and with blocks of different sizes; and the layer as a stage's kernels left it in each wave.
"""

from __future__ import annotations

from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import Runs, gain_over, gains_of, prepare_against_n
from plots.records.limits import Limits
from plots.records.source import Source
from plots.storms import layers
from plots.storms.block_sizes import prepare_block_sizes
from plots.storms.stages import PRINTED, SAID_BY, STAGES
from plots.storms.versions import HEADLINE, SIZES, WORKLOADS, prepare_versions

CELLS = Runs(
    STAGES,
    {"input": "small", "waves": 3, "particles": 120},
    "cells",
    "cells, 3 waves of 40 particles",
)


# Those between them differ little in whole runs of these small waves. Those from limit/05
# on have not been measured at these sizes.
CELL_STAGES = STAGES.chosen(
    (
        "update_kernel",
        "resident_layer",
        "max_reduction",
        "particles_in_shared",
        "32bit_positions",
        "exact_rounding",
    )
)
CELL_COUNT = {6: "six", 7: "seven", 8: "eight"}[len(CELL_STAGES)]


def prepare_cells(source: Source) -> Drawing:
    """Whole runs of some stages and the serial one against the cells of the layer."""
    gains = [
        (
            gain
            if STAGES[gain.after].compared_with == gain.before
            else gain_over(gain.before, gain.after)
        )
        for gain in gains_of(CELL_STAGES)
    ]
    return prepare_against_n(
        source, CELLS, CELL_STAGES, gains, CELL_STAGES[-1], "bombards", with_serial=True
    )


PRINTED_TIMES = (
    "95 s, 62 s (with its race), under 60 s and 43.4 s for its four versions. It names neither"
    " inputs nor GPU: its times compare only with one another."
)

FIGURES = (
    Figure(
        "storms_layers",
        "",
        STAGES.chapter,
        "Storms, the layer in each wave",
        "It has no such figure.",
        layers.prepare_layers,
        in_readme=True,
        said_by=SAID_BY,
    ),
    Figure(
        "storms_versions",
        "",
        STAGES.chapter,
        "Storms, time by version",
        PRINTED_TIMES,
        prepare_versions,
        in_readme=True,
        said_by=SAID_BY,
    ),
    Figure(
        "storms_cells",
        "",
        STAGES.chapter,
        f"Storms, {CELL_COUNT} of its stages against the number of cells",
        "It names no size.",
        prepare_cells,
        in_readme=True,
        said_by=SAID_BY,
    ),
    Figure(
        "storms_block_sizes",
        "",
        STAGES.chapter,
        "Storms, threads per block",
        "Of several sizes, 256 to 512 threads per block were best for version 1. Version 4 has 256.",
        prepare_block_sizes,
        in_readme=True,
        said_by=SAID_BY,
    ),
)

OPERATIONS_PER_UPDATE = 5  # storms.hpp: distance, root, division, addition


def limit_of(limits: Limits) -> float:
    """The most updates per second, each with so many operations."""
    return limits.operations_per_second / OPERATIONS_PER_UPDATE


CHAPTER = Chapter(
    STAGES,
    FIGURES,
    Rate("cell updates", lambda row: row.n * float(row.parameters["particles"])),
    Rules(
        {"input": HEADLINE},
        # Their set-up varies by more than their kernels take.
        kernel_timed=tuple(stage.name for stage in STAGES if stage.path),
        further_runs=tuple({"input": name} for name in WORKLOADS if name != HEADLINE),
        run_of_size={n: {"input": name} for name, n in SIZES.items()},
    ),
    path_sizes={"": SIZES["sparse"], "limit": SIZES[HEADLINE]},
    further_gains={"limit": {"few cells": SIZES["dense"], "few particles": SIZES["sparse"]}},
    whole_runs=("",),
    bound=("five operations per update", limit_of),
    printed=PRINTED,
    traces=(layers.TRACE,),
)
