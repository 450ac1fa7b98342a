# SPDX-License-Identifier: MIT
"""Made-up measurements of the basics chapter, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import ROW_COLUMNS
from plots.basics.figures import KERNELS, STAGES, TRANSFERS
from tests.plots.fixtures import GPU, row


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    found = []
    for n in sizes:
        for place, stage in enumerate(STAGES.kernels, 1):
            found += [
                row("basics", stage, engine, n, n * n * 1e-8 / place, repeat, "", "random")
                for repeat in (1, 2)
            ]
        found.append(row("basics", STAGES.serial, "cpu", n, n * n * 1e-6, 1, "", "random"))
    return found


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    return {("", ROW_COLUMNS): rows(engine, (8192, 32_768) if engine == "gpu" else (512,))}


LABELS: dict[str, tuple[str, ...]] = {
    "figure_2_2": (
        "(b) 01_thread_per_line: 12 blocks",
        "120 with no block, 12 with 1 block",
        "120 with 1 block, 12 with 2 blocks",
        "room for 2048 threads: 64 warps",
        "8 blocks of 8 warps fit",
        "registers: 256 KB",
        "shared memory: 228 KB",
    ),
    "basics_memories": (
        "128 CUDA cores",
        "registers: 256 KB",
        "L2 cache: 60 MB",
        "device memory: 140 GB",
        "4.8 TB/s at most",
        "64 GB/s at most",
    ),
    "figure_2_4": (
        "the host's tasks",
        "add_columns_kernel",
        "grid of add_rows_kernel: 75 blocks",
        "block (2, 2): 256 threads",
        "warp 7",
    ),
    "basics_coalescing": (
        "(a) add_rows_kernel",
        "32 sectors: 1024 bytes, 128 of them are used",
        "4 sectors: 128 bytes, 128 of them are used",
    ),
    "basics_banks": (
        "(a) 04_shared_tile",
        "16 wavefronts, 16 of 32 lanes",
        "1 wavefront, 32 of 32 lanes",
    ),
    "basics_streams": (
        "default stream",
        "stream 2",
        "copy 5",
        "add 5",
        "(a) 10_pinned_memory: one stream",
    ),
    "basics_kernels": (*KERNELS, GPU, "Time of the kernels, "),
    "basics_transfers": (*TRANSFERS, GPU, "Time of whole runs, "),
}

COUNTED = (
    "basics_memories",
    "figure_2_2",
    "figure_2_4",
    "basics_coalescing",
    "basics_banks",
    "basics_streams",
)
TRACED = COUNTED
