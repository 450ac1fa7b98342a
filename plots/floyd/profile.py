# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the Floyd-Warshall stages beyond the thesis, and on the one they begin
with: the instructions of one round, and how busy they keep a multiprocessor.

    python3 -m plots.floyd.profile        writes plots/data/<device>/floyd_profile.csv
    python3 -m plots.floyd.profile --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
A metric that this ncu or this GPU lacks is named and left out.
"""

from __future__ import annotations

from plots.records.ncu import Launch
from plots.records.profiling import OPCODE_METRIC, Profile, Value, record, values_and_opcodes
from common.tools.lib.stages import run_tool
from plots.floyd.stages import BEYOND, STAGES, round_of
from plots.records.folders import DATA

VERTICES = 4096
KERNELS = "relax_.*_kernel|make_keys_kernel"
METRICS = (
    OPCODE_METRIC,
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "launch__registers_per_thread",
)


def values(stage: str, launch: Launch) -> list[Value]:
    """The metrics of a launch, and the instructions of each opcode."""
    return values_and_opcodes(stage, launch, METRICS)


def profile_of(name: str) -> Profile:
    one = round_of(name)
    return Profile(
        STAGES[name],
        KERNELS,
        one.launches,
        (),
        METRICS,
        may_fail=OPCODE_METRIC,
        skipped=one.launches_before,
    )


def main() -> int:
    return record(
        "Profiles the Floyd-Warshall stages: the instructions of one round.",
        STAGES.chapter,
        [profile_of(name) for name in BEYOND],
        VERTICES,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
