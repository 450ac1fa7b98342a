# SPDX-License-Identifier: MIT
"""Made-up measurements of k-means, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import ROW_COLUMNS
from plots.kmeans.figures import BEST, CLUSTERS, FIRST, KERNELS, STAGES
from plots.records.sweeps import Sweep
from tests.plots.fixtures import GPU, HOST, row


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
    return {("", ROW_COLUMNS): rows(engine, sizes)}


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
            "GTX 980, 2016 (320 M points)",
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
}

COUNTED = ("kmeans_clusters",)
TRACED = COUNTED


def fewest_repeats(sweep: Sweep) -> int:
    """Making and verifying the points takes longer than finding their clusters."""
    return 3 if max(sweep.sizes) <= 80_000_000 else 1
