# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on distmesh stages: how many warps a multiprocessor could hold, and how many
it held. Gaudiani 2012 prints an occupancy of 65 %.

    python3 -m plots.distmesh.profile     writes plots/data/<device>/distmesh_profile.csv
    python3 -m plots.distmesh.profile --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
A metric that this ncu or this GPU lacks is named and left out.
"""

from __future__ import annotations

from plots.records.ncu import Launch
from plots.records.profiling import Profile, Value, record, values_of
from common.tools.lib.stages import run_tool
from plots.distmesh.stages import LARGEST, STAGES
from plots.records.folders import DATA

# The first launches of a run: an iteration's kernels, and for the last stage also those that find
# the bars, repair the triangulation and test it.
PROFILED = {"shared_atomics": 4, "gather": 3, "resident": 1, "claims": 5}
ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
THEORETICAL = "sm__maximum_warps_per_active_cycle_pct"
BLOCK, GRID = "launch__block_size", "launch__grid_size"
REGISTERS = "launch__registers_per_thread"
# How many blocks fit on a multiprocessor, by what each block needs.
LIMITS = tuple(
    f"launch__occupancy_limit_{name}" for name in ("blocks", "registers", "shared_mem", "warps")
)
DURATION = "gpu__time_duration.sum"
ASKED = (ACHIEVED, DURATION)
KEPT = (ACHIEVED, THEORETICAL, BLOCK, GRID, REGISTERS, *LIMITS, DURATION)


def values(stage: str, launch: Launch) -> list[Value]:
    return values_of(stage, launch, KEPT)


def main() -> int:
    profiles = [
        Profile(
            STAGES[STAGES.named(name)],
            ".*_kernel",
            launches,
            (),
            ASKED,
            sections=("LaunchStats", "Occupancy"),
        )
        for name, launches in PROFILED.items()
    ]
    return record(
        "Profiles distmesh stages: their occupancy.",
        STAGES.chapter,
        profiles,
        LARGEST,
        DATA,
        values,
    )


if __name__ == "__main__":
    run_tool(main)
