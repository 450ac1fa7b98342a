# SPDX-License-Identifier: MIT
"""Figures of the basics chapter: the kernels that read faster and faster, and the whole runs that
bring the matrix to them."""

from __future__ import annotations

from plots.basics import hierarchy, machine, memories, requests, streams
from plots.basics.stages import STAGES
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import Runs, gain_over, gains_of, prepare_bars
from plots.drawing.scene import scene_figure
from plots.records.limits import Limits
from plots.records.source import Source

KERNELS = STAGES.between("thread_per_line", "bytes_in_flight")
BEST, OCCUPIED = KERNELS[-1], STAGES.named("occupancy")
PINNED, STREAMS, UNIFIED, PREFETCH = (
    STAGES.named(one) for one in ("pinned_memory", "streams", "unified_memory", "prefetch")
)
LARGEST = 32_768  # rows and columns
COPIES = (PINNED, STREAMS, UNIFIED, PREFETCH)  # compared by whole runs
TRANSFERS = (OCCUPIED, BEST, *COPIES)
RUNS = Runs(STAGES, {"input": "random"}, "rows and columns", "rows and columns")


def reading_limit(limits: Limits) -> float:
    """Cells per second, at the rate that a copy was measured to reach."""
    return limits.bytes_per_second / 4


def matrix_bytes(n: int) -> float:
    return 4.0 * n * n


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
    scene_figure(
        "figure_2_2",
        "Figures 2.1 and 2.2",
        STAGES.chapter,
        "A GPU, its multiprocessors, and what one of them holds",
        (
            "A CPU beside a GPU (2.1), and the parts of a Fermi multiprocessor (2.2): few complex"
            " cores, many simple ones."
        ),
        machine.prepare_machine,
    ),
    scene_figure(
        "basics_memories",
        "",
        STAGES.chapter,
        "The memories of a GPU",
        "It has no such figure: 2.1 names global memory, caches, registers and shared memory.",
        memories.prepare_memories,
    ),
    scene_figure(
        "figure_2_4",
        "Figure 2.4",
        STAGES.chapter,
        "Kernels, grids, blocks, warps and lanes",
        "Each kernel gets a grid; a grid consists of blocks, a block of threads (2.2.1.2).",
        hierarchy.prepare_hierarchy,
    ),
    scene_figure(
        "basics_coalescing",
        "",
        STAGES.chapter,
        "The sectors of a warp's request",
        "It has no such figure: 2.2.1.2 explains coalescing in words.",
        requests.prepare_coalescing,
    ),
    scene_figure(
        "basics_banks",
        "",
        STAGES.chapter,
        "The banks of a warp's request, and its lanes",
        "It has no such figure: 2.2.1.2 explains divergence in words.",
        requests.prepare_banks,
    ),
    scene_figure(
        "basics_streams",
        "",
        STAGES.chapter,
        "Streams: what may overlap",
        "It has no such figure: 2.2.1.1 explains streams in words.",
        streams.prepare_streams,
    ),
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
    Rules(
        {"input": "random"},
        kernel_timed=KERNELS,
        with_copies={stage: matrix_bytes for stage in COPIES},
    ),
    working_set_bytes=matrix_bytes,
    path_sizes={"": LARGEST, "the way to the device": LARGEST},
    bound=("a kernel that reads each cell once, as fast as a plain copy", reading_limit),
    traces=(
        machine.FEW,
        machine.MANY,
        hierarchy.TIMELINE,
        *requests.TRACES,
        streams.ONE_STREAM,
        streams.TWO_STREAMS,
    ),
)
