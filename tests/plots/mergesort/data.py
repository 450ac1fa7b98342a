# SPDX-License-Identifier: MIT
"""Made-up measurements of merge sort, and the words that its figures show."""

import math
from collections.abc import Sequence

from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from plots.mergesort.figures import HOST_RECORDED, RECORDED
from plots.mergesort.published import SAID_BY
from plots.mergesort.stages import (
    BEST,
    FIRST,
    HOST_TO_HOST,
    MERGE_PATH,
    MULTISORT_CPU,
    NOT_OVERLAPPED,
    OPENCL,
    OTHER_ENGINES,
    STAGES,
    THESIS,
    THREAD_MERGE,
    TILE_SIZES,
    TILES,
)
from tests.plots.fixtures import GPU, HOST, row


HOST_KEYS = 2**24


def multisort_grid(recorded: bool) -> list[tuple[str, str, int, dict[str, object]]]:
    """Stage, input, n and parameters of every run that the printed tables ask for; fewer on this
    machine."""
    large, sizes, blocks, lists = (
        2**25,
        [2**i for i in range(1, 13)],
        [2**i for i in range(11)],
        [2**i for i in range(15, 28)],
    )
    if not recorded:
        large, sizes, blocks, lists = 2**12, [2, 8, 32], [16, 32, 64], [2**10, 2**11, 2**12]
    runs = []
    for place, name in enumerate(("sorted", "uniform", "reverse")):
        best = (4096, 64, 8)[place] if recorded else 8
        runs += [(MULTISORT_CPU, name, large, {"size-i": size}) for size in sizes]
        runs += [(MULTISORT_CPU, name, n, {"size-i": best}) for n in lists]
        for stage, size, all_threads, few in (
            (THREAD_MERGE, (4096, 4, 4)[place] if recorded else 4, 1024, 1),
            (MERGE_PATH, 2, 1024, 32),
            (OPENCL, 2, 1024, 512),
            (OPENCL, 2, 1024, 32),
        ):
            runs += [(stage, name, large, {"size-i": one, "threads": all_threads}) for one in sizes]
            runs += [
                (stage, name, large, {"size-i": size, "threads": threads}) for threads in blocks
            ]
            runs += [(stage, name, n, {"size-i": size, "threads": few}) for n in lists]
    return list({str(run): run for run in runs}.values())


def tile_rows(engine: str) -> list[list[object]]:
    """Of the merge sort by tiles and the libraries' merge sorts: each stage by a tenth faster than
    the one before. From host to host: 5 % more than the copies."""
    found = [
        row("mergesort", stage, engine, n, n * 1e-6 / 1.1**i, 1, "", "uniform")
        for n in (TILE_SIZES if engine == "gpu" else (50_000, 100_000))
        for i, stage in enumerate(TILES)
    ]
    if HOST_RECORDED:
        n = HOST_KEYS
        found.append(row("mergesort", HOST_TO_HOST, engine, n, 1.05 * n * 1e-6, 1, "", "uniform"))
    return found


def host_reports(engine: str) -> list[list[object]]:
    """Four chunks, then four slices."""
    step = HOST_KEYS * 1e-6 / 8
    fields = {f"chunk_{i}_ms": (i, i + 1, i + 1.5) for i in range(4)}
    fields |= {f"slice_{i}_ms": (i + 4.5, i + 4.5, i + 5.5) for i in range(4)}
    values = {
        name: " ".join(str(step * value) for value in three) for name, three in fields.items()
    }
    values["copies_ms"] = str(8 * step)
    return [
        ["mergesort", HOST_TO_HOST, engine, GPU, HOST_KEYS, "", 1, name, value]
        for name, value in values.items()
    ]


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Of the thesis' stages each a tenth quicker than the one before; the multisort at 5 GB/s for
    each pass."""
    found = []
    for n in sizes:
        found.append(row("mergesort", STAGES.serial, "cpu", n, n * 1e-4, 1, "", "uniform"))
        for i, stage in enumerate(THESIS):
            found += [
                row(
                    "mergesort",
                    stage,
                    engine,
                    n,
                    n * 1e-5 * 0.9**i * (1 + 0.01 * repeat),
                    repeat,
                    "chunks=3" if stage == BEST else "",
                    "uniform",
                )
                for repeat in (1, 2, 3)
            ]
    found.append(
        row("mergesort", BEST, engine, 3 * sizes[-1], sizes[-1] * 2e-5, 1, "chunks=3", "uniform")
    )
    for stage, name, n, parameters in multisort_grid(engine == "gpu"):
        size = int(str(parameters["size-i"]))
        passes = 1 - 1 / (2 * size) + math.log2(n / size)
        factor = {MULTISORT_CPU: 100, THREAD_MERGE: 50, MERGE_PATH: 1, OPENCL: 2}[stage]
        found.append(
            row(
                "mergesort",
                stage,
                OTHER_ENGINES.get(stage, engine),
                n,
                factor * passes * 8e3 * n / 5e9,
                1,
                ";".join(f"{key}={value}" for key, value in parameters.items()),
                name,
                seed=21364,
            )
        )
    return [*found, *(tile_rows(engine) if RECORDED else [])]


def reports(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Three chunks of stage 06, of which each is copied for 2 ms and sorted for 3; parts of 09 and
    10, those of keys that are not random seven times as long."""
    records: list[list[object]] = [
        [
            "mergesort",
            BEST,
            engine,
            GPU,
            n,
            "chunks=3",
            1,
            f"chunk_{i}_ms",
            f"{2.0 * i} {2.0 * i + 2} {3.0 * i + 5}",
        ]
        for n in (sizes[-1], 3 * sizes[-1])
        for i in range(3)
    ]
    for stage, name, n, parameters in multisort_grid(engine == "gpu"):
        if stage in (MERGE_PATH, OPENCL) and parameters == {"size-i": 2, "threads": 32}:
            factor = (2 if stage == OPENCL else 1) * (1 if name == "uniform" else 7)
            for field, ms in (("insertion_sort_ms", n * 1e-6), ("merge_ms", n * 1e-5)):
                records.append(
                    [
                        "mergesort",
                        stage,
                        OTHER_ENGINES.get(stage, engine),
                        GPU,
                        n,
                        "size-i=2;threads=32",
                        21364,
                        field,
                        ms * factor,
                    ]
                )
    return [*records, *(host_reports(engine) if HOST_RECORDED else [])]


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    sizes = (10**7, 32 * 10**7) if engine == "gpu" else (2000, 4000)
    return {
        ("", ROW_COLUMNS): rows(engine, sizes),
        ("report", REPORT_COLUMNS): reports(engine, sizes),
    }


LABELS: dict[str, tuple[str, ...]] = {
    "figure_4_1": ("input", "pass 4", "thread 7", "15"),
    "figure_4_2": ("the list", "1 sorted", "sorted", "7"),
    "figure_4_3": (
        "(a) the input",
        "(b) phase 1, selection sort: 4 sorted runs of 512 keys",
        "(d) phase 2, merges 2: 1 sorted run of 2048 keys",
    ),
    "figure_4_4": ("left run: 512 sorted keys", "key 7", "rank", "merged list", "435"),
    "figure_4_6": ("s_places, stride 4", "s_places, stride 1", "4: 1", "2: 0"),
    "figure_4_8": (
        "(a) 02_shared_list: a test for the end",
        "(b) 03_padded_list: no test",
        "max",
        "4: 0",
    ),
    "figure_4_5": ("left run", "right run", "(a) 1: the left key is greater", "0", "1"),
    "figure_4_9": (
        NOT_OVERLAPPED,
        "chunk 0",
        "chunk 2",
        "copy to the GPU",
        "selection sort",
        "320 M keys",
        GPU,
    ),
    "figure_4_10": (
        *THESIS,
        "06 over 01",
        GPU,
        "GTX 980, 2016",
        "1.20",
        "1.40",
        "320 M",
    ),
    "figure_4_11": (STAGES.serial, FIRST, BEST, GPU, HOST, "GTX 980, 2016"),
    "multisort_opencl": (
        "CUDA",
        "OpenCL",
        "here",
        f"{SAID_BY} (RTX 3080)",
        "Time of OpenCL over CUDA",
        "Merges, ms",
    ),
    **(
        {"mergesort_beyond": (*TILES, GPU, "Kernels alone, keys per second", "integer units")}
        if RECORDED
        else {}
    ),
    **(
        {"mergesort_pipeline": ("to the GPU", "to the host", "merge of a slice", GPU)}
        if HOST_RECORDED
        else {}
    ),
}

INPUTS = ("sorted", "random (seed 21364)", "reversed", "RTX 3080, 2024")
TIMES = (GPU, *INPUTS, f"least, {GPU}", "least, RTX 3080", "kernels, ms")
for table, words in {
    2: (HOST, "one core, ms", "its CPU, 2024"),
    3: (HOST, "one core, ms", "its CPU, 2024"),
    4: TIMES,
    5: TIMES,
    6: TIMES,
    8: TIMES,
    9: TIMES,
    10: TIMES,
    11: (GPU, *INPUTS, "speed-up of multisort/03 over multisort/02, kernels"),
    12: (
        GPU,
        *INPUTS[:3],
        "RTX 3080, 2024, as printed",
        "RTX 3080, 2024, all passes",
        "most, RTX 3080",
        f"most, {GPU}",
    ),
    13: (GPU, *INPUTS[:3], "its copies 1000 times as long", f"against one core of {HOST}"),
    14: TIMES,
    15: TIMES,
    16: TIMES,
}.items():
    LABELS[f"multisort_{table:02}"] = (*words, f"{SAID_BY}, table {table}.")

COUNTED = (*(f"figure_4_{i}" for i in (1, 2, 3, 4, 5, 6, 8)),)
TRACED = COUNTED
# Figures that show numbers of another source.
PRINTED = (*(name for name in LABELS if name.startswith("multisort")),)
PRINTED_FILE = "multisort"
# The CPU alone, and OpenCL, which runs on a device of its own.
NOT_EMULATED = {
    "multisort_02": HOST,
    "multisort_03": HOST,
    **{f"multisort_{table}": GPU for table in (14, 15, 16)},
}
SAID = {
    "figure_4_9": {"94"},  # %: a share of times that are all changed by one factor
    "multisort_08": {"9", "36"},
    "multisort_09": {"26", "33"},
    "multisort_10": {"21", "39"},  # of the printed times
    "multisort_12": {"7.36"},
    "multisort_opencl": {"323"},  # of the printed bandwidth; the printed ratio
}
