# SPDX-License-Identifier: MIT
"""Made-up measurements of k-means, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import PROFILE_COLUMNS, ROW_COLUMNS
from plots.kmeans import profile as profiling
from plots.kmeans.figures import BEST, CLUSTERS, FIRST, KERNELS, STAGES
from plots.kmeans.one_pass import FEW, MANY, ONE_PASS, WITHOUT_LIBRARIES
from plots.kmeans.profile import POINTS
from plots.records.sweeps import Sweep
from tests.plots.fixtures import GPU, HOST, row


# Of each point: 20 IMAD, 2 LDS.
OPCODES = {"opcode:IMAD": 20.0, "opcode:LDS": 2.0}


def one_pass_rows(engine: str, n: int) -> list[list[object]]:
    """Stage i after the thesis': 5 ms once, and 8 / 2^i ms per iteration at k = 4; twice as much at
    k = 32. Copies take 100 ms. The kernels' time is a tenth of a made-up row's total."""
    found = []
    for k in CLUSTERS:
        for i, stage in enumerate(ONE_PASS if engine == "gpu" else WITHOUT_LIBRARIES):
            for count in (FEW, MANY):
                parameters = f"k={k};init=random;max-iterations={count};all-iterations=1"
                parameters += ";max-coordinate=1000000"
                ms = 5 + count * 8 / 2**i * (2 if k == 32 else 1)
                for repeat in (1, 2, 3):
                    one = row("kmeans", stage, engine, n, 100 + ms, repeat, parameters, "uniform")
                    one[ROW_COLUMNS.index("kernels_ms")] = ms
                    found.append(one)
    return found


def profile_records() -> list[list[object]]:
    return [
        [
            "2026-02-03",
            "kmeans",
            stage,
            GPU,
            POINTS,
            "sum_columns_kernel",
            name,
            "",
            each * POINTS / 32,
        ]
        for stage in profiling.PROFILED
        for name, each in OPCODES.items()
    ]


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Each stage twice as fast as the one before, but the sum in two steps slower by k / 8; the
    serial one at 1 ns a distance. A run that ended when it converged is no figure's."""
    found = []
    for k in CLUSTERS:
        parameters = f"k={k};init=random;max-iterations=20;all-iterations=1"
        for n in sizes:
            found.append(
                row("kmeans", STAGES.serial, "cpu", n, n * k * 2e-5, 1, parameters, "uniform")
            )
            for i, stage in enumerate(KERNELS):
                ms = n * k * 1e-6 / 2**i * (k / 8 if i >= 3 else 1)
                found += [
                    row(
                        "kmeans",
                        stage,
                        engine,
                        n,
                        ms * (1 + 0.01 * repeat),
                        repeat,
                        parameters,
                        "uniform",
                    )
                    for repeat in (1, 2, 3)
                ]
                found.append(
                    row(
                        "kmeans",
                        stage,
                        engine,
                        n,
                        ms / 100,
                        1,
                        parameters.replace(";all-iterations=1", ""),
                        "uniform",
                    )
                )
    return found


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    sizes = (10**7, 16 * 10**7, 32 * 10**7) if engine == "gpu" else (2000, 4000)
    found = {("", ROW_COLUMNS): rows(engine, sizes) + one_pass_rows(engine, sizes[1])}
    if profile and ONE_PASS:
        found["profile", PROFILE_COLUMNS] = profile_records()
    return found


LABELS: dict[str, tuple[str, ...]] = {
    "kmeans_clusters": (
        "gaussians, k = 9",
        "rings, k = 6",
        "uniform, k = 16",
        "clouds: each is a cluster",
        "1800 points each",
    ),
    **{
        f"figure_5_{1 + i}": (
            *KERNELS,
            GPU,
            "GTX 980, 2016",
            f"k = {4 * 2**i}",
            then,
            "320 M",
            f"{4 / 2**i:.2f}",
        )
        for i, then in enumerate(("1.13", "1.28", "1.57", "0.89"))
    },
    **{
        f"figure_5_{5 + i}": (
            STAGES.serial,
            FIRST,
            BEST,
            GPU,
            HOST,
            "GTX 980, 2016",
            f"k = {4 * 2**i}",
        )
        for i in range(4)
    },
    **(
        {
            "kmeans_iterations": (
                *WITHOUT_LIBRARIES,
                GPU,
                "clusters",
                "Kernels of one more iteration, k = 16, ms",
            ),
        }
        if ONE_PASS
        else {}
    ),
}

COUNTED = ("kmeans_clusters",)
TRACED = COUNTED
# The figures that are drawn from the profile.
PROFILED: tuple[str, ...] = ()


def fewest_repeats(sweep: Sweep) -> int:
    """Making and verifying the points takes longer than finding their clusters."""
    return 3 if max(sweep.sizes) <= 80_000_000 else 1
