# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the n-body stages: the instructions that each of them executes, and how
busy the stages before and after rsqrtf keep a multiprocessor (figures 6.4 and 6.5).

    python3 -m plots.nbody.profile        writes plots/data/<device>/nbody_profile.csv
    python3 -m plots.nbody.profile --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
It profiles one launch per stage. A metric that this ncu or this GPU lacks is named and left out.
"""

from __future__ import annotations

from plots.records.ncu import Launch
from plots.records.profiling import OPCODE_METRIC, Profile, Value, record, values_and_opcodes
from common.tools.lib.stages import run_tool
from plots.nbody import metrics
from plots.records import instructions
from plots.records.folders import DATA
from plots.records.stages import stages_of

STAGES = stages_of("nbody")
_AFTER = STAGES.named("rsqrt")
BEFORE_AND_AFTER = (STAGES[_AFTER].compared_with, _AFTER)
KERNEL = "compute_accelerations_kernel"
# 132 multiprocessors x 4 blocks x 256 threads: every multiprocessor of an H200 has the same work,
# so that no idle tail lowers the share of the peak. The profiler's many passes still take only
# seconds.
BODIES = 135_168
# Of every stage.
COUNTED = (
    OPCODE_METRIC,
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "launch__registers_per_thread",
)
# Of the two stages that are compared in detail.
COMPARED = tuple(
    dict.fromkeys(
        [
            *COUNTED,
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
            "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
        ]
        + [name for _, names in metrics.UTILISATION for name in names]
        + [name for names in instructions.OPERATION_METRICS.values() for name in names]
        + list(instructions.SPECIAL_PIPE)
        + list(instructions.THREAD_INSTRUCTIONS)
    )
)


def asked_of(stage: str) -> tuple[str, ...]:
    return COMPARED if stage in BEFORE_AND_AFTER else COUNTED


def values(stage: str, launch: Launch) -> list[Value]:
    """The metrics of a launch, and the instructions of each opcode."""
    return values_and_opcodes(stage, launch, asked_of(stage))


def main() -> int:
    profiles = [
        Profile(
            STAGES[name],
            KERNEL,
            1,
            ("--input", "plummer"),
            asked_of(name),
            may_fail=OPCODE_METRIC,
        )
        for name in STAGES.kernels
    ]
    return record(
        "Profiles the n-body stages: their instructions, and the use of a multiprocessor.",
        STAGES.chapter,
        profiles,
        BODIES,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
