# SPDX-License-Identifier: MIT
"""The stages of the merge sort chapter: the thesis' own, and the MultiSort of Herrero and Troiani
2024."""

from __future__ import annotations

from plots.records.stages import stages_of

STAGES = stages_of("mergesort")
THESIS = STAGES.between("selection_and_search", "overlap_copy")
FIRST, BEST = THESIS[0], THESIS[-1]
NOT_OVERLAPPED = STAGES[BEST].compared_with
MULTISORT = STAGES.between("one_thread", "opencl")
MULTISORT_CPU, THREAD_MERGE, MERGE_PATH, OPENCL = MULTISORT
# Each with the parameters that its authors found to be the best.
STAGE_RUNS = {
    MULTISORT_CPU: {"size-i": "64"},
    THREAD_MERGE: {"size-i": "4", "threads": "1"},
    MERGE_PATH: {"size-i": "2", "threads": "32"},
    OPENCL: {"size-i": "2", "threads": "32"},
}
# The engine of each of them that is not a GPU's.
OTHER_ENGINES = {MULTISORT_CPU: "cpu", OPENCL: "opencl"}
HOST_TO_HOST = "host/01_host_to_host"  # its kernels_ms are whole runs, with both copies
# The merge sort by tiles and the libraries' merge sorts; none, until they are recorded.
TILES = tuple(name for name in STAGES.kernels if STAGES[name].path in ("limit", "peers"))
TILE_SIZES = tuple(2**exponent for exponent in range(20, 29, 2))
