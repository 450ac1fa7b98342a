# SPDX-License-Identifier: MIT
"""Figures and tables of the quicksort chapter: 2.3 and 3.1 to 3.8 from what its kernels did, 3.9 to
3.13 from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, short_ratio, short_time
from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import (
    Runs,
    gain_over,
    gains_of,
    prepare_against_n,
    prepare_bars,
    prepare_cpu_gpu,
    published,
)
from plots.drawing.scene import scene_figure
from plots.quicksort import (
    beyond,
    bitonic_merge,
    counting,
    launches,
    network,
    partition,
    scan,
    tree,
)
from plots.quicksort.stages import (
    BEST,
    BIG,
    BITONIC,
    LARGEST,
    LIBRARY,
    PAIRS,
    SAMPLE,
    SAMPLE_SIZES,
    SMALL,
    STAGES,
    TWO_KERNELS,
)
from plots.records import against_library
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Report, Row, newest
from plots.records.source import Source

INPUTS = ("uniform", "sorted", "all-equal", "few-unique")


def runs_of(thesis_n: str, without: tuple[int, ...] = ()) -> Runs:
    return Runs(STAGES, {"input": "uniform"}, "keys", "uniform keys", thesis_n, without)


BITONIC_RUNS = runs_of("2048 keys")
SEGMENT = 6080  # keys of the thesis' longest segment
SMALL_RUNS = runs_of(f"{SEGMENT} keys")
# The sizes of the sample sort are not the thesis'.
BIG_RUNS = runs_of("160 M keys", SAMPLE_SIZES)


def prepare_bitonic(source: Source) -> Drawing:
    shared = published(source, "3.9", "speedup_over_previous", BITONIC[1])
    return prepare_bars(
        source,
        BITONIC_RUNS,
        BITONIC,
        gains_of(BITONIC, {BITONIC[1]: shared}),
        "Speed-up over the stage before",
    )


def prepare_two_kernels(source: Source) -> Drawing:
    one = BITONIC[-1]
    thesis = 1 / published(source, "3.10", "speedup_over_previous", TWO_KERNELS)
    return prepare_bars(
        source,
        BITONIC_RUNS,
        (one, TWO_KERNELS),
        [gain_over(TWO_KERNELS, one, thesis)],
        "Speed-up of one kernel over two",
    )


def prepare_small(source: Source) -> Drawing:
    streams = published(source, "3.11", "speedup_over_previous", SMALL[1])
    whole = published(source, "3.11", "speedup_over_first", SMALL[-1])
    gains = [*gains_of(SMALL, {SMALL[1]: streams}), gain_over(SMALL[0], SMALL[-1], whole)]
    return prepare_bars(
        source, SMALL_RUNS, SMALL, gains, "Speed-up over the stage before", thesis_n=SEGMENT
    )


def prepare_big(source: Source) -> Drawing:
    """Figure 3.12."""
    ring = published(source, "3.12", "speedup_over_previous", BIG[1])
    whole = published(source, "3.12", "speedup_over_first", BEST)
    gains = [*gains_of(BIG, {BIG[1]: ring}), gain_over(BIG[0], BEST, whole)]
    return prepare_against_n(
        source, BIG_RUNS, BIG, gains, BEST, "sorts", smallest_recorded=10_000_000
    )


def prepare_best(source: Source) -> Drawing:
    """Figure 3.13."""
    return prepare_cpu_gpu(source, BIG_RUNS, BIG, (BIG[0], BEST), "3.13")


# ---- tables that only this chapter has ----


def median_ms(rows: Sequence[Row]) -> float:
    return quartiles([row.total_ms for row in rows])[1]


def inputs_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Whole runs of the big stages on inputs that give bad pivots, beside uniform keys."""
    by_run: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        if row.engine == "gpu" and row.stage in BIG:
            by_run.setdefault((row.stage, row.input, row.n), []).append(row)
    sizes = [n for stage, name, n in by_run if name == INPUTS[1]]
    if not sizes:
        raise DataError(f"no rows of {', '.join(BIG)} for sorted keys")
    n = max(sizes)
    lines = [
        f"| {short_count(n)} keys | " + " | ".join(INPUTS) + " |",
        "|---|" + "---|" * len(INPUTS),
    ]
    for stage in BIG:
        cells = []
        uniform = median_ms(newest(by_run[stage, INPUTS[0], n]))
        for name in INPUTS:
            value = median_ms(newest(by_run[stage, name, n]))
            cells.append(
                short_time(value / 1000)
                + ("" if name == INPUTS[0] else f" (×{short_ratio(value / uniform)})")
            )
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return [
        *lines,
        "",
        "Whole runs, medians. The factor in brackets is the time over that of uniform keys.",
    ]


FIGURES = (
    scene_figure(
        "figure_2_3",
        "Figure 2.3",
        STAGES.chapter,
        "Kernels that launch kernels",
        "A kernel runs within another one: dynamic parallelism (2.2.1.1).",
        launches.prepare_launches,
    ),
    scene_figure(
        "figure_3_1",
        "Figure 3.1",
        STAGES.chapter,
        "Quicksort, a list and its parts",
        "A list of a few keys, its pivots, and the parts that they leave (3.2).",
        tree.prepare_tree,
    ),
    Figure(
        "figure_3_2",
        "Figure 3.2",
        STAGES.chapter,
        "Quicksort, one list partitioned by many blocks",
        "A drawing of the idea: each block counts, asks for room, and writes (3.2.1).",
        partition.prepare_partition,
        in_readme=True,
    ),
    scene_figure(
        "figure_3_5",
        "Figures 3.3 to 3.5",
        STAGES.chapter,
        "Bitonic sort, the last merge",
        (
            "A bitonic list and one that is not; a bitonic list that becomes two; two sorted lists"
            " that become two bitonic ones (3.2.3)."
        ),
        bitonic_merge.prepare_bitonic_merge,
    ),
    Figure(
        "figure_3_6",
        "Figure 3.6",
        STAGES.chapter,
        "Bitonic sort, the network of 16 keys",
        "A drawing of the network, one arrow per comparison (3.3.1).",
        network.prepare_network,
        in_readme=True,
    ),
    scene_figure(
        "figure_3_8",
        "Figures 3.7 and 3.8",
        STAGES.chapter,
        "Quicksort, the scan of a warp by shuffles",
        "The declaration of __shfl_up, and a drawing of its pattern in a scan (3.3.2.2).",
        scan.prepare_scan,
    ),
    Figure(
        "figure_3_9",
        "Figure 3.9",
        STAGES.chapter,
        "Bitonic sort of one block",
        (
            "Shared memory makes the sort of 2048 keys about 2 times as fast. The first step"
            " outside the loops hardly matters (3.4.1)."
        ),
        prepare_bitonic,
        in_readme=True,
    ),
    Figure(
        "figure_3_10",
        "Figure 3.10",
        STAGES.chapter,
        "Bitonic sort, one kernel against two",
        "One kernel is about 10 times as fast as one launch per step, for 2048 keys (3.4.1).",
        prepare_two_kernels,
        in_readme=True,
    ),
    Figure(
        "figure_3_11",
        "Figure 3.11",
        STAGES.chapter,
        "Small quicksort, a segment",
        (
            "At 6080 keys streams gain most, 1.26. Shuffles alone gain little. All stages together"
            " gain 1.77 (3.4.2)."
        ),
        prepare_small,
        in_readme=True,
    ),
    Figure(
        "figure_3_12",
        "Figure 3.12",
        STAGES.chapter,
        "Big quicksort, any length",
        (
            "At 160 million keys streams gain 1.76, and 2.1 when they are created only as needed."
            " The rounds on the device are somewhat slower (3.4.3)."
        ),
        prepare_big,
        in_readme=True,
    ),
    Figure(
        "figure_3_13",
        "Figure 3.13",
        STAGES.chapter,
        "Quicksort, CPU against GPU",
        (
            "27.5 times as fast as the CPU (one core of a Core i7-3820) at 80 million keys, 51.21"
            " times at 160 million (3.4.4)."
        ),
        prepare_best,
        in_readme=True,
    ),
)

# The stages after the thesis'. They have figures and tables of their own once they are recorded.
BEYOND_FIGURES = (
    Figure(
        "quicksort_beyond",
        "",
        STAGES.chapter,
        "Quicksort beyond the thesis: keys per second",
        "The thesis ends with stage 13.",
        beyond.prepare_rates,
        in_readme=True,
        script="rates_against_n",
        folder="drawing",
    ),
    Figure(
        "quicksort_inputs",
        "",
        STAGES.chapter,
        "Quicksort beyond the thesis, by the distribution of the keys",
        "The thesis sorts uniform keys.",
        beyond.prepare_inputs,
        in_readme=True,
    ),
)
RECORDED = len(SAMPLE) > 1

CHAPTER = Chapter(
    STAGES,
    FIGURES + (BEYOND_FIGURES if RECORDED else ()),
    Rate("keys"),
    Rules(
        {"input": "uniform", "memory": "pinned"},
        # The thesis' timing rule (3.4): these by their kernels, all others by whole runs.
        kernel_timed=(*BITONIC, TWO_KERNELS, *SMALL, *SAMPLE[1:], *PAIRS),
        kernels_in_part=(STAGES.named("counting_partition"),),  # the CPU sorts the two parts
        series=(BITONIC, SMALL, BIG),
    ),
    tables={
        "inputs": inputs_table,
        **counting.TABLES,
        **(
            {
                "sample": lambda rows, reports, limits: beyond.rates_table(rows, limits),
                "distributions": lambda rows, reports, limits: against_library.inputs_table(
                    rows, beyond.compared()
                ),
                "sizes": lambda rows, reports, limits: against_library.sizes_table(
                    rows, beyond.compared()
                ),
                "worst": lambda rows, reports, limits: against_library.worst_input(
                    rows, beyond.compared()
                ),
            }
            if RECORDED
            else {}
        ),
        **({"pairs": lambda rows, reports, limits: beyond.pairs_table(rows)} if PAIRS else {}),
    },
    path_sizes={
        "": 2048,
        "small quicksort": SEGMENT,
        "big quicksort": 160_000_000,
        "limit": LARGEST,
    },
    further_gains={"small quicksort": {"longest segment": 28_992}},
    whole_runs=("big quicksort",),
    share_of=LIBRARY,
    printed=counting.PRINTED,
    traces=(
        network.TRACE,
        partition.TRACE,
        scan.TRACE,
        tree.TRACE,
        launches.AFTER,
        launches.DURING,
    ),
)
