# SPDX-License-Identifier: MIT
"""Figures of the merge sort chapter: 4.1 to 4.9 show what the kernels did, 4.10 and 4.11
measurements. The tables of Herrero and Troiani 2024 (MultiSort) are drawn beside ours."""

from __future__ import annotations

from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import (
    Runs,
    gain_over,
    gains_of,
    prepare_against_n,
    prepare_cpu_gpu,
    published,
)
from plots.drawing.scene import scene_figure
from plots.mergesort import (
    beyond,
    merge_path,
    multisort,
    opencl,
    passes,
    pipeline,
    search,
    selection,
)
from plots.mergesort.overlap import prepare_overlap
from plots.mergesort.published import PRINTED
from plots.mergesort.stages import (
    BEST,
    FIRST,
    HOST_TO_HOST,
    MULTISORT,
    STAGE_RUNS,
    STAGES,
    THESIS,
    TILE_SIZES,
    TILES,
)
from plots.mergesort.tables import TABLES
from plots.records.source import Source

SHARED = THESIS[1]
RUNS = Runs(STAGES, {"input": "uniform"}, "keys", "uniform keys")


def key_bytes(n: int) -> float:
    return 4.0 * n


def prepare_stages(source: Source) -> Drawing:
    """Figure 4.10."""
    shared = published(source, "4.10", "speedup_over_previous", SHARED)
    whole = published(source, "4.10", "speedup_over_first", BEST)
    gains = [*gains_of(THESIS, {SHARED: shared}), gain_over(FIRST, BEST, whole)]
    return prepare_against_n(
        source, RUNS, THESIS, gains, BEST, "sorts", smallest_recorded=10_000_000
    )


def prepare_best(source: Source) -> Drawing:
    """Figure 4.11."""
    return prepare_cpu_gpu(source, RUNS, THESIS, (FIRST, BEST), "4.11")


FIGURES = (
    scene_figure(
        "figure_4_1",
        "Figure 4.1",
        STAGES.chapter,
        "Merge sort, the tree of merges",
        "A list that is divided from the top, and merged on the way back (4.1).",
        passes.prepare_merges,
    ),
    scene_figure(
        "figure_4_2",
        "Figure 4.2",
        STAGES.chapter,
        "Selection sort of a segment",
        "A list after each exchange of a selection sort (4.1).",
        selection.prepare_selection,
    ),
    scene_figure(
        "figure_4_3",
        "Figure 4.3",
        STAGES.chapter,
        "Merge sort, its two phases",
        "Sublists that are sorted first, and then merged pair by pair (4.2).",
        passes.prepare_phases,
    ),
    scene_figure(
        "figure_4_4",
        "Figure 4.4",
        STAGES.chapter,
        "Merge by binary search",
        "Two sorted lists; each element finds its place in the other one (4.2.1).",
        search.prepare_search,
    ),
    Figure(
        "figure_4_5",
        "Figure 4.5",
        STAGES.chapter,
        "Merge path: the matrix, and one diagonal per thread",
        "Two drawings of the idea: the border between zeros and ones, and its crossings (4.2.2).",
        merge_path.prepare_merge_path,
        in_readme=True,
    ),
    scene_figure(
        "figure_4_6",
        "Figure 4.6",
        STAGES.chapter,
        "Selection sort, the search for the smallest key",
        "The steps of a reduction to the smallest element (4.3).",
        selection.prepare_reduction,
    ),
    scene_figure(
        "figure_4_8",
        "Figures 4.7 and 4.8",
        STAGES.chapter,
        "Selection sort, the end of the list",
        (
            "The last threads would read beyond the list (4.7). With the largest number behind it"
            " no thread needs a test (4.8; 4.3.2)."
        ),
        selection.prepare_padding,
    ),
    Figure(
        "figure_4_9",
        "Figure 4.9",
        STAGES.chapter,
        "Merge sort, copies beside sorts",
        "A drawing of the idea: without and with overlap (4.3.5).",
        prepare_overlap,
        in_readme=True,
    ),
    Figure(
        "figure_4_10",
        "Figure 4.10",
        STAGES.chapter,
        "Merge sort, its stages",
        "Shared memory gains 1.2 at 320 million keys. All stages together gain 1.4; of how many"
        " keys, it does not say (4.4.1).",
        prepare_stages,
        in_readme=True,
    ),
    Figure(
        "figure_4_11",
        "Figure 4.11",
        STAGES.chapter,
        "Merge sort, CPU against GPU",
        "2.54 times as fast as the CPU (one core of a Core i7-3820) at 320 million keys (4.4.2).",
        prepare_best,
        in_readme=True,
    ),
    *multisort.FIGURES,
    opencl.FIGURE,
)

# The stages after the thesis'. They have figures and tables of their own once they are recorded.
BEYOND_FIGURES = (
    Figure(
        "mergesort_beyond",
        "",
        STAGES.chapter,
        "Merge sort beyond the thesis: keys per second",
        "The thesis ends with stage 06.",
        beyond.prepare_rates,
        in_readme=True,
        script="rates_against_n",
        folder="drawing",
    ),
)
HOST_FIGURES = (
    Figure(
        "mergesort_pipeline",
        "",
        STAGES.chapter,
        "Merge sort from host to host: what overlaps",
        "The thesis overlaps the copy to the GPU alone (4.3.5).",
        pipeline.prepare_pipeline,
        in_readme=True,
    ),
)
RECORDED = len(TILES) > 0
HOST_RECORDED = HOST_TO_HOST in STAGES

CHAPTER = Chapter(
    STAGES,
    FIGURES + (BEYOND_FIGURES if RECORDED else ()) + (HOST_FIGURES if HOST_RECORDED else ()),
    Rate("keys"),
    # Herrero and Troiani 2024 compare kernels.
    Rules(
        {"input": "uniform"},
        (*MULTISORT, *TILES),
        STAGE_RUNS,
        (THESIS, MULTISORT),
        with_copies={one: key_bytes for one in (BEST, HOST_TO_HOST) if one in STAGES},
    ),
    tables={
        **TABLES,
        **({"beyond": beyond.rates_table} if RECORDED else {}),
        **({"inputs": beyond.inputs_table} if RECORDED else {}),
        **({"sizes": beyond.sizes_table} if RECORDED else {}),
        **({"host": beyond.host_table} if HOST_RECORDED else {}),
    },
    printed=PRINTED,
    # Of the thesis' path the largest size with five runs; of MultiSort a size that CUB has, too.
    path_sizes={
        "": 40_000_000,
        "multisort": 2**26,
        **({"limit": TILE_SIZES[-1]} if RECORDED else {}),
    },
    whole_runs=("",),
    share_of=STAGES.named("cub_merge_sort") if RECORDED else "",
    working_set_bytes=lambda n: 8.0 * n,  # the list, and the list that it is merged into
    traces=(
        merge_path.TRACE,
        passes.MERGES,
        passes.PHASES,
        search.TRACE,
        selection.SELECTION,
        selection.TESTED,
        selection.PADDED,
    ),
)
