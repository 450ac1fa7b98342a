# SPDX-License-Identifier: MIT
"""Made-up measurements of Monte Carlo, and the words that its figures show."""

import math
from collections.abc import Sequence

from common.tools.lib.columns import PROFILE_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS
from plots.montecarlo.beyond import BEYOND, CHUNK, GENERATORS, SEEDS
from plots.montecarlo.figures import BEST, KERNELS, RECORDED, STAGES
from plots.montecarlo import profile
from plots.montecarlo.profile import SAMPLES
from plots.records.sweeps import Sweep
from tests.plots.fixtures import GPU, HOST, row

# A warp instruction does 32 points: 5 LOP3, 2 IMAD, 3 FFMA of each.
OPCODES = {
    f"opcode:{name}": count * SAMPLES / 32
    for name, count in (("LOP3", 5), ("IMAD", 2), ("FFMA", 3))
}


def parameters_of(stage: str, generator: str) -> str:
    if STAGES[stage].libraries:
        return f"generator={generator or 'xorwow'};chunk={CHUNK}"
    return "blocks=8;test=floats"


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    found = []
    for n in sizes:
        for stage in KERNELS:
            found += [
                row("montecarlo", stage, engine, n, 5 + n * 1e-8, repeat, "blocks=8", "xorwow")
                for repeat in (1, 2)
            ]
        for i, one in enumerate(GENERATORS):
            parameters = parameters_of(one.stage, one.generator)
            ms = 1 + n * 1e-8 / (i + 1)
            found += [
                row("montecarlo", one.stage, engine, n, ms, repeat, parameters, "made-up")
                for repeat in (1, 2)
            ]
        for stage in set(BEYOND) - set(KERNELS) - {one.stage for one in GENERATORS}:
            found.append(row("montecarlo", stage, engine, n, 1 + n * 1e-8, 1, "blocks=8", "xorwow"))
        found.append(row("montecarlo", STAGES.serial, "cpu", n, n * 1e-5, 1, "", "xorwow"))
    return found


def reports(engine: str) -> list[list[object]]:
    return [
        [
            "montecarlo",
            BEST,
            engine,
            GPU,
            n,
            "blocks=8",
            seed,
            "estimate",
            f"{math.pi + (seed - 2.5) / math.sqrt(n):.12f}",
        ]
        for n in (10**3, 10**5, 10**7)
        for seed in (1, 2, 3, 4)
    ] + [
        [
            "montecarlo",
            one.stage,
            engine,
            GPU,
            10**7,
            f"{parameters_of(one.stage, one.generator)};seeds={SEEDS}",
            1,
            "z_root_mean_square",
            "0.9876",
        ]
        for one in GENERATORS
    ]


def profile_records() -> list[list[object]]:
    return [
        ["2026-02-03", "montecarlo", stage, GPU, SAMPLES, "count_inside_kernel", name, "", value]
        for stage in profile.PROFILED
        for name, value in OPCODES.items()
    ]


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, with_profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    samples = (10**9, 2 * 10**9) if engine == "gpu" else (10**6, 4 * 10**6)
    found = {("", ROW_COLUMNS): rows(engine, samples), ("report", REPORT_COLUMNS): reports(engine)}
    if with_profile and RECORDED:
        found["profile", PROFILE_COLUMNS] = profile_records()
    return found


def fewest_repeats(sweep: Sweep) -> int:
    """Runs of many seeds are about their points, and are timed once."""
    return 1 if dict(sweep.match).get("seeds") else 5


# The figures that are drawn from the profile.
PROFILED = ("montecarlo_instructions",) if RECORDED else ()

LABELS: dict[str, tuple[str, ...]] = {
    "figure_8_1": (
        *KERNELS,
        GPU,
        "GTX 980, 2016",
        "8.3: 2",
        "8.4.2: 6.4 G",
        "8.4.1: below 2",
        "80 G points per second",
    ),
    "figure_8_2": (
        STAGES.serial,
        KERNELS[0],
        BEST,
        GPU,
        HOST,
        "GTX 980, 2016",
        "GTX 980, 2016, and its CPU",
    ),
    **(
        {
            "montecarlo_rates": (*BEYOND, GPU, "points per second of kernel time"),
            "montecarlo_instructions": (*profile.PROFILED, "Instructions per point", GPU),
            "montecarlo_generators": (*(one.label for one in GENERATORS), GPU),
        }
        if RECORDED
        else {}
    ),
    "montecarlo_error": ("one standard error, 1.642/√N", "two standard errors", "(4 seeds)", GPU),
}

SAID = {
    "montecarlo_error": {"1", "1.642", "151"},
    "montecarlo_generators": {"64", "0.735", "1.28"},  # seeds, and the band of their z-scores
}
