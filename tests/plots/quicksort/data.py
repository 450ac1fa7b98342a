# SPDX-License-Identifier: MIT
"""Made-up measurements of quicksort, and the words that its figures show."""

from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from plots.quicksort import beyond
from plots.quicksort.figures import INPUTS, RECORDED
from plots.quicksort.stages import (
    BEST,
    BIG,
    BITONIC,
    COUNTING,
    PAIRS,
    SAMPLE,
    SAMPLE_SIZES,
    SMALL,
    STAGES,
    TWO_KERNELS,
)
from plots.records import against_library
from tests.plots.fixtures import GPU, HOST, row


# Keys, threads and blocks: one run of ours, and the printed ones, which are shorter.
COUNTING_RUNS = {(65_536, 256, 0): 1.0, (50, 3, 17): 0.01, (14, 7, 2): 0.01, (254, 24, 11): 0.02}


def sample_rows(engine: str) -> list[list[object]]:
    """Of the sample sort and the libraries' sorts: each stage by a tenth faster than the one
    before; all inputs of the last own one and of the library."""
    recorded = engine == "gpu"
    sizes = SAMPLE_SIZES if recorded else (50_000, 100_000)
    found = [
        row("quicksort", stage, engine, n, n * 1e-6 / 1.1**i, 1, "", "uniform")
        for n in sizes
        for i, stage in enumerate(SAMPLE)
    ]
    n = 2**28 if recorded else 50_000
    for stage, scale in zip(beyond.compared(SAMPLE), (1.0, 2.0)):
        found += [
            row("quicksort", stage, engine, n, n * 1e-6 * scale * (i + 1), 1, "", name)
            for i, name in enumerate(against_library.INPUTS)
            if name != "uniform"
        ]
    return found


def pair_rows(engine: str, stages: tuple[str, ...] = PAIRS) -> list[list[object]]:
    """Each stage half as fast as the one before, and sorted keys half as fast as uniform ones."""
    runs = [("uniform", 2**22), ("uniform", 2**28), ("sorted", 2**28)]
    return [
        row(
            "quicksort",
            stage,
            engine,
            n,
            n * 1e-6 * 2 ** (i + (name == "sorted")),
            1,
            "",
            name,
        )
        for name, n in (runs if engine == "gpu" else [("uniform", 50_000)])
        for i, stage in enumerate(stages)
    ]


def rows(engine: str) -> list[list[object]]:
    """Of a stage twice as fast as the one before in its series; a serial run at the big ones'
    sizes."""
    recorded = engine == "gpu"
    series = (
        ((*BITONIC, TWO_KERNELS), (2048,)),
        (SMALL, (6080, 28_992) if recorded else (6080,)),
        (BIG, (10**7, 16 * 10**7) if recorded else (50_000, 100_000)),
    )
    found = []
    for names, sizes in series:
        for n in sizes:
            for i, stage in enumerate(names):
                for repeat in (1, 2, 3):
                    ms = n * 1e-5 / 2**i * (1 + 0.01 * repeat)
                    found.append(row("quicksort", stage, engine, n, ms, repeat, "", "uniform"))
    for n in series[2][1]:
        found.append(row("quicksort", STAGES.serial, "cpu", n, n * 1e-4, 1, "", "uniform"))
    for name, times in zip(INPUTS, (1, 8, 4, 2)):
        found += [
            row("quicksort", stage, engine, 2**20, times * 2.0, 1, "", name) for stage in BIG
        ]
    if RECORDED:
        found += sample_rows(engine)
    found += pair_rows(engine)
    for (n, threads, blocks), scale in COUNTING_RUNS.items():
        for memory, copies in (("pinned", 0.5), ("pageable", 2.0)):
            for repeat in (1, 2, 3):
                record = row(
                    "quicksort",
                    COUNTING,
                    engine,
                    n,
                    1.0,
                    repeat,
                    f"threads={threads};blocks={blocks};memory={memory};pivot=first",
                    "uniform",
                )
                # Set-up, copy in, kernels, copy out; the sorts take 5, and the total has all.
                parts = [0.25, copies, 0.125, copies / 2]
                factor = scale * (1 + 0.01 * (repeat - 2))
                record[12:17] = [part * factor for part in (*parts, sum(parts) + 5)]
                found.append(record)
    return found


def reports(engine: str) -> list[list[object]]:
    return [
        [
            "quicksort",
            COUNTING,
            engine,
            GPU,
            n,
            f"threads={threads};blocks={blocks};memory={memory};pivot=first",
            1,
            name,
            value * scale,
        ]
        for name, value in (("serial_sort_ms", 10.0), ("cpu_sort_ms", 4.0))
        for (n, threads, blocks), scale in COUNTING_RUNS.items()
        for memory in ("pinned", "pageable")
    ]


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    return {("", ROW_COLUMNS): rows(engine), ("report", REPORT_COLUMNS): reports(engine)}


LABELS: dict[str, tuple[str, ...]] = {
    "figure_2_3": (
        "(a) a child starts when its parent has ended",
        "(b) a child starts when it is launched",
        "grid 1: partition",
        "grid 7: sort",
        "order of events, not time",
    ),
    "figure_3_1": (
        "grid 1: 9000 keys",
        "grid 3: 5644 keys",
        "365",
        "sorted list: pivots never move again (red)",
    ),
    "figure_3_2": (
        "block 0",
        "block 3",
        "gap for the pivot: 3020",
        "block 3: left 0 + 768, right 0 + 1258",
        "each tile",
    ),
    "figure_3_5": (
        "(a) the input: not bitonic",
        "(b) 2 sorted lists of 8",
        "(c) 2 bitonic lists of 8, in order",
        "next: each key and its mirror image",
        "next: keys 4 apart",
        "(f) sorted",
    ),
    "figure_3_6": ("step 1", "10", "input", "output", "keys exchanged", "compared, left in place"),
    "figure_3_8": ("__shfl_up_sync", "distance 1", "distance 16", "sums", "56"),
    "figure_3_9": (*BITONIC, GPU, "GTX 980, 2016 (2048 keys)", "2048 keys, µs", "2.00"),
    "figure_3_10": (*BITONIC[-1], TWO_KERNELS, GPU, "GTX 980, 2016 (2048 keys)", "10.00"),
    "figure_3_11": (
        *SMALL,
        GPU,
        "GTX 980, 2016 (6080 keys)",
        "6080 keys, µs",
        "at 28 992 keys",
        "1.26",
        "1.77",
    ),
    "figure_3_12": (*BIG, "12 over 10", GPU, "GTX 980, 2016 (160 M keys)", "1.76", "2.10", "160 M"),
    "figure_3_13": (STAGES.serial, BIG[0], BEST, GPU, HOST, "GTX 980, 2016"),
    **(
        {
            "quicksort_beyond": (*SAMPLE, GPU, "Kernels alone, keys per second", "shared memory"),
            "quicksort_inputs": (*beyond.compared(SAMPLE), GPU, "zipf", "bit-reversed"),
        }
        if RECORDED
        else {}
    ),
}

COUNTED = ("figure_2_3", "figure_3_1", "figure_3_2", "figure_3_5", "figure_3_6", "figure_3_8")
TRACED = COUNTED

# How many values the keys of an input have.
SAID = {"quicksort_inputs": {"500", "255", "30"}}
