# SPDX-License-Identifier: MIT
"""Figures of the basics chapter: the kernels that read faster and faster, and the whole runs that
bring the matrix to them."""

from __future__ import annotations

from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import Runs, gain_over, gains_of, prepare_bars
from plots.records.source import Source
from plots.records.stages import stages_of

STAGES = stages_of("basics")
KERNELS = STAGES.between("thread_per_line", "bytes_in_flight")
BEST, OCCUPIED = KERNELS[-1], STAGES.named("occupancy")
PINNED, STREAMS, UNIFIED, PREFETCH = (
    STAGES.named(one) for one in ("pinned_memory", "streams", "unified_memory", "prefetch")
)
TRANSFERS = (OCCUPIED, BEST, PINNED, STREAMS, UNIFIED, PREFETCH)
RUNS = Runs(STAGES, {"input": "random"}, "rows and columns", "rows and columns")


def prepare_kernels(source: Source) -> Drawing:
    """The kernels of 01 to 09."""
    return prepare_bars(source, RUNS, KERNELS, gains_of(KERNELS), "Speed-up over the stage before")


def prepare_transfers(source: Source) -> Drawing:
    """Whole runs: copies from pageable memory, pinned memory, streams, unified memory."""
    gains = [
        gain_over(BEST, PINNED),
        gain_over(PINNED, STREAMS),
        gain_over(OCCUPIED, UNIFIED),
        gain_over(UNIFIED, PREFETCH),
    ]
    return prepare_bars(source, RUNS, TRANSFERS, gains, "Speed-up of whole runs", kernels=False)


FIGURES = (
    Figure(
        "basics_kernels",
        "",
        STAGES.chapter,
        "Basics, nine kernels that read the same matrix",
        "It has no such chapter: section 2 explains the same rules in words.",
        prepare_kernels,
        in_readme=True,
    ),
    Figure(
        "basics_transfers",
        "",
        STAGES.chapter,
        "Basics, how the matrix comes to the device",
        "It has no such chapter.",
        prepare_transfers,
        in_readme=True,
    ),
)

CHAPTER = Chapter(
    STAGES,
    FIGURES,
    Rate("cells", lambda row: row.n * row.n),
    Rules({"input": "random"}, kernel_timed=KERNELS),
    working_set_bytes=lambda n: 4.0 * n * n,
)
