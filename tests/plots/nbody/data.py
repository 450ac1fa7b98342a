# SPDX-License-Identifier: MIT
"""Made-up measurements of n-body, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import COUNTER_COLUMNS, PROFILE_COLUMNS, ROW_COLUMNS
from plots.nbody.figures import (
    AFTER,
    BEFORE,
    BEST,
    BEYOND,
    KERNELS,
    PROFILED as WITH_PROFILE,
    STAGES,
)
from tests.plots.fixtures import GPU, HOST, row


# One pair of bodies: 8 FFMA, 2 MUFU, 1 LDS, 3 IADD3, 1 BRA, 1 MOV (a warp instruction does 32
# pairs).
OPCODES = {
    f"opcode:{name}": count * 1000 * 1000 / 32
    for name, count in (("FFMA", 8), ("MUFU", 2), ("LDS", 1), ("IADD3", 3), ("BRA", 1), ("MOV", 1))
}


UTILISATION = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 71.0,
    "smsp__issue_active.avg.pct_of_peak_sustained_elapsed": 68.0,
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed": 45.0,
}


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    found = []
    for steps in (0, 100):
        parameters = f"steps={steps};dt=0.01"
        for n in sizes:
            for i, stage in enumerate(STAGES.kernels):
                for repeat in (1, 2, 3):
                    ms = n * n * (1 + steps) * 1e-7 / (1 + i) * (1 + 0.01 * repeat)
                    found.append(row("nbody", stage, engine, n, ms, repeat, parameters))
            if steps == 0:
                found.append(row("nbody", STAGES.serial, "cpu", n, n * n * 1e-5, 1, parameters))
    return found


def profile_records(metrics: dict[str, float], n: int = 1000) -> list[list[object]]:
    return [
        ["2026-02-03", "nbody", stage, GPU, n, "compute_accelerations_kernel", name, "", value]
        for stage in WITH_PROFILE
        for name, value in metrics.items()
    ]


# A warp's counters of the force kernel; all loads from global memory, later from shared.
def counter_records(stages: Sequence[str] = KERNELS) -> list[list[object]]:
    records: list[list[object]] = []
    for i, stage in enumerate(stages):
        space, loads = ("global", 4 if i == 0 else 1) if i < 2 else ("shared", 1)
        counters = {
            "launches": 1,
            "warps": 32,
            "global_store.requests": 96,
            "global_store.sectors": 384,
            "global_store.ideal_sectors": 384,
            f"{space}_load.requests": 32768 * loads + 64,
            f"{space}_load.sectors": 32768 * loads + 256,
            f"{space}_load.ideal_sectors": 32768 * loads + 256,
            "basic_blocks": 33000,
            "loop.iterations": 32768,
            "loop.basic_blocks": 32768,
            f"loop.{space}_load.requests": 32768 * loads,
        }
        if space == "shared":
            counters["barriers"] = 256
        records.append([stage, "--n 1024", "", "host_to_device.bytes", 4096])
        records += [
            [stage, "--n 1024", "compute_accelerations_kernel", name, value]
            for name, value in counters.items()
        ]
    return records


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    sizes = (65_536, 100_000, 200_000, 262_144, 1_048_576) if engine == "gpu" else (1000, 2000)
    profiled = (
        {("profile", PROFILE_COLUMNS): profile_records(OPCODES | UTILISATION)} if profile else {}
    )
    return {
        ("", ROW_COLUMNS): rows(engine, sizes),
        ("counters", COUNTER_COLUMNS): counter_records(),
        **profiled,
    }


LABELS: dict[str, tuple[str, ...]] = {
    "figure_6_1": ("thread 7", "body 7", "step 0", "acceleration 7"),
    "figure_6_2": (
        "(a) float3 position: 01_float3 loads",
        "request 3",
        "12 sectors, 32 of 96 words",
        "16 sectors, 128 of 128 words",
        "4 sectors, 32 of 32 words",
    ),
    "figure_6_3": ("tile 2", "512 to 599", "168 without mass", "256 pairs per thread", "copy"),
    "figure_6_4": (
        GPU,
        BEFORE,
        "fp32 arithmetic",
        "special function",
        "issue slots",
        "GTX 980, 2016: 65 %",
    ),
    "figure_6_5": (GPU, AFTER, "FMA pipe", "GTX 980, 2016: 90 %"),
    "nbody_counters": (
        BEFORE,
        AFTER,
        "barriers",
        "0.0078",
        *KERNELS,
        "Counted for --n 1024, no GPU needed",
        "(run on the CPU engine)",
    ),
    "figure_6_6": (*KERNELS, GPU, "GTX 980, 2016 (3.2 M bodies)", "2.25", "bodies"),
    "figure_6_7": (*KERNELS, GPU, "100 leapfrog steps"),
    "nbody_beyond": (*BEYOND, GPU, "Kernels alone", "bodies", "20 per pair"),
    "nbody_instructions": (
        *WITH_PROFILE,
        GPU,
        "Instructions per pair of bodies",
        "fp32 arithmetic",
        "shuffle",
        "16",
    ),
    "nbody_cpu_gpu": (STAGES.serial, KERNELS[0], BEST, GPU, HOST, "GTX 980, 2016"),
}

# Its picture shows no measurement, and no device.
TRACED = ("figure_6_1", "figure_6_2", "figure_6_3")
EMULATED = ("nbody_counters",)
COUNTED = (*EMULATED, *TRACED)
# Where this machine has no profiler counters, the recorded ones are drawn.
PROFILED = ("figure_6_4", "figure_6_5", "nbody_instructions")
# Numbers that a figure says although nobody measured them here.
SAID = {
    "figure_6_4": {"0.0", "32"},  # instructions of a class that has none; fp32
    "figure_6_5": {"0.0", "32"},
    "nbody_counters": {"0", "6.4", "6.5"},  # other figures
}
