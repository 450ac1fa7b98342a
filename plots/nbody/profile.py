# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the n-body stages before and after rsqrtf (figures 6.4 and 6.5).

    python3 -m plots.nbody.profile        writes plots/data/<device>/nbody_profile.csv
    python3 -m plots.nbody.profile --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
It profiles one launch per stage. A metric that this ncu or this GPU lacks is named and left out.
"""

from __future__ import annotations

import re
import sys

from common.tools.lib.ncu import Launch
from common.tools.lib.profiling import Profile, Value, record, values_of
from common.tools.lib.stages import run_tool
from plots.nbody import metrics
from plots.records.folders import DATA
from plots.records.stages import stages_of

STAGES = stages_of("nbody")
_AFTER = STAGES.named("rsqrt")
PROFILED = (STAGES[_AFTER].compared_with, _AFTER)
KERNEL = "compute_accelerations_kernel"
# 132 multiprocessors x 4 blocks x 256 threads: every multiprocessor of an H200 has the same work,
# so that no idle tail lowers the share of the peak. The profiler's many passes still take only
# seconds.
BODIES = 135_168
OPCODE_METRIC = "sass__inst_executed_per_opcode"
METRICS = tuple(
    dict.fromkeys(
        [
            OPCODE_METRIC,
            "gpu__time_duration.sum",
            "smsp__inst_executed.sum",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
            "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
        ]
        + [name for _, names in metrics.UTILISATION for name in names]
        + [name for names in metrics.OPERATION_METRICS.values() for name in names]
        + list(metrics.SPECIAL_PIPE)
        + list(metrics.THREAD_INSTRUCTIONS)
    )
)
INSTANCE = re.compile(r"([A-Z][A-Z0-9_.]*)\s*:\s*([0-9][0-9,]*(?:\.[0-9]+)?)")


def parse_instances(text: str) -> dict[str, float]:
    """The opcodes of `123456 (FADD: 100; FFMA: 2,000)`."""
    _, _, inside = text.partition("(")
    return {
        name: float(value.rstrip(",").replace(",", "")) for name, value in INSTANCE.findall(inside)
    }


def values(stage: str, launch: Launch) -> list[Value]:
    """The metrics of a launch, and the instructions of each opcode."""
    found = values_of(stage, launch, METRICS)
    opcodes = parse_instances(launch.get(OPCODE_METRIC, ("", ""))[1])
    if not opcodes and any(name == OPCODE_METRIC for name, _, _ in found):
        print(
            (
                f"{stage}: {OPCODE_METRIC} has no opcodes: the classes come from "
                "smsp__sass_thread_inst_executed_op_*"
            ),
            file=sys.stderr,
        )
    return [(f"opcode:{name}", "inst", count) for name, count in sorted(opcodes.items())] + [
        one for one in found if one[0] != OPCODE_METRIC
    ]


def main() -> int:
    profiles = [
        # Counting opcodes patches the kernel, which may fail.
        Profile(STAGES[name], KERNEL, 1, ("--input", "plummer"), METRICS, may_fail=OPCODE_METRIC)
        for name in PROFILED
    ]
    return record(
        "Profiles the n-body stages before and after rsqrtf.",
        STAGES.chapter,
        profiles,
        BODIES,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
