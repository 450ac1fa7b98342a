# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the k-means stages after the thesis': the instructions that one iteration
of each executes, and how busy a multiprocessor is.

    python3 -m plots.kmeans.profile        writes plots/data/<device>/kmeans_profile.csv
    python3 -m plots.kmeans.profile --tables DIR --device "NVIDIA H200"
                                           the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
It profiles the kernels of the first iteration. A metric that this ncu or this GPU lacks is named
and left out.
"""

from __future__ import annotations

from plots.records.ncu import Launch
from plots.records.profiling import OPCODE_METRIC, Profile, Value, record, values_and_opcodes
from common.tools.lib.stages import run_tool
from plots.kmeans.one_pass import ONE_PASS, RUN, SHOWN_K, STAGES
from plots.records.folders import DATA
from common.tools.lib.stages import words_of

# Of each stage, by its short name: the kernels of an iteration that add up points or cells, and how
# many launches of them an iteration has.
KERNELS = {
    "fused_sums": ("sum_points_kernel", 1),
    **dict.fromkeys(
        ("thread_columns", "cell_table", "packed_columns", "pair_tests"),
        ("sum_columns_kernel", 1),
    ),
    "cell_sums": ("sum_whole_cells_kernel|sum_tasks_kernel", 2),
    "row_intervals": ("share_rows_kernel|sum_tasks_kernel", 2),
}
PROFILED = tuple(name for name in ONE_PASS if words_of(name) in KERNELS)
# So many that what a block does before and after its points is about 1 % of the instructions.
POINTS = 40_000_000
METRICS = (
    OPCODE_METRIC,
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "dram__bytes_read.sum",
    "launch__registers_per_thread",
)


def values(stage: str, launch: Launch) -> list[Value]:
    """The metrics of a launch, and the instructions of each opcode."""
    return values_and_opcodes(stage, launch, METRICS)


def main() -> int:
    arguments = (
        "--k",
        str(SHOWN_K),
        "--max-coordinate",
        str(RUN["max-coordinate"]),
        "--max-iterations",
        "1",
    )
    profiles = []
    for name in PROFILED:
        kernels, launches = KERNELS[words_of(name)]
        profiles.append(
            Profile(STAGES[name], kernels, launches, arguments, METRICS, may_fail=OPCODE_METRIC)
        )
    return record(
        "Profiles the k-means stages after the thesis': their instructions, and what limits them.",
        STAGES.chapter,
        profiles,
        POINTS,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
