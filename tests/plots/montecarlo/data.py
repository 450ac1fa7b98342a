# SPDX-License-Identifier: MIT
"""Made-up measurements of Monte Carlo, and the words that its figures show."""

import math
from collections.abc import Sequence

from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from plots.montecarlo.figures import BEST, KERNELS, STAGES
from tests.plots.fixtures import GPU, HOST, row


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    found = []
    for n in sizes:
        for stage in KERNELS:
            found += [
                row("montecarlo", stage, engine, n, 5 + n * 1e-8, repeat, "blocks=8", "xorwow")
                for repeat in (1, 2)
            ]
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
    ]


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    samples = (10**9, 2 * 10**9) if engine == "gpu" else (10**6, 4 * 10**6)
    return {("", ROW_COLUMNS): rows(engine, samples), ("report", REPORT_COLUMNS): reports(engine)}


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
    "montecarlo_error": ("one standard error, 1.642/√N", "two standard errors", "(4 seeds)", GPU),
}

SAID = {"montecarlo_error": {"1", "1.642", "151"}}
