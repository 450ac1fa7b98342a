# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the Monte Carlo stages with kernels of their own: the instructions that
each executes, and which pipes they keep busy.

    python3 -m plots.montecarlo.profile        writes plots/data/<device>/montecarlo_profile.csv
    python3 -m plots.montecarlo.profile --tables DIR --device "NVIDIA H200"
                                               the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
It profiles the counting kernel. A metric that this ncu or this GPU lacks is named and left out.
"""

from __future__ import annotations

from plots.records.ncu import Launch
from plots.records.profiling import OPCODE_METRIC, Profile, Value, record, values_and_opcodes
from common.tools.lib.stages import run_tool
from plots.records.folders import DATA
from plots.records.stages import stages_of

STAGES = stages_of("montecarlo")
KERNEL = "count_inside_kernel"
# The first stage whose counts reach SAMPLES, and all later ones without libraries.
FIRST = STAGES.named("64bit_counts")
PROFILED = (
    FIRST,
    *(name for name in STAGES.kernels if STAGES[name].path and not STAGES[name].libraries),
)
# So many that starting the generators is about 1 % of the instructions.
SAMPLES = 40_000_000_000
METRICS = (
    OPCODE_METRIC,
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "launch__registers_per_thread",
)


def values(stage: str, launch: Launch) -> list[Value]:
    """The metrics of a launch, and the instructions of each opcode."""
    return values_and_opcodes(stage, launch, METRICS)


def main() -> int:
    profiles = [
        Profile(STAGES[name], KERNEL, 1, (), METRICS, may_fail=OPCODE_METRIC) for name in PROFILED
    ]
    return record(
        "Profiles the Monte Carlo stages: their instructions, and the pipes that execute them.",
        STAGES.chapter,
        profiles,
        SAMPLES,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
