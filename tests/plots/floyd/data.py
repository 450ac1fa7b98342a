# SPDX-License-Identifier: MIT
"""Made-up measurements of Floyd-Warshall, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import ROW_COLUMNS
from plots.floyd.figures import BEST, FIRST, KERNELS, STAGES
from tests.plots.fixtures import GPU, HOST, row


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Runs at 4 GB/s of the distances, kernels at 5; each stage a fifth quicker than the one
    before, one core at 4 MB/s."""
    found = []
    for n in sizes:
        moved, parameters = 4 * n**3, "density=0.5;max-weight=1000"
        if n <= 5000:
            found.append(
                row("floyd", STAGES.serial, "cpu", n, moved * 1e3 / 4e6, 1, parameters, "random")
            )
        for i, stage in enumerate(KERNELS):
            for repeat in (1, 2, 3):
                record = row(
                    "floyd",
                    stage,
                    engine,
                    n,
                    moved * 1e3 / (4e9 * 1.2**i) * (1 + 0.01 * repeat),
                    repeat,
                    parameters,
                    "random",
                )
                record[-6] = 0.8 * float(str(record[-4]))  # kernels_ms
                record[-3:-1] = [moved, 2 * n**3]
                found.append(record)
    return found


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    sizes = (200, 1000, 5000, 20_000) if engine == "gpu" else (50, 100, 200)
    return {("", ROW_COLUMNS): rows(engine, sizes)}


LABELS: dict[str, tuple[str, ...]] = {
    "figure_7_1": ("block 11", "row 5 is read 144 times,", "2 + 4 = 6 < 9", "9→6", "∞"),
    "figure_7_2": ("block 2", "row 5 is read 36 times,", "thread j: down column j,", "9→6"),
    "figure_7_3": (
        *KERNELS,
        GPU,
        "GTX 980, 2016 (20 k vertices)",
        "1.14",
        "1.06",
        "1.20",
        "20 k vertices",
    ),
    "figure_7_4": (STAGES.serial, FIRST, BEST, GPU, HOST, "GTX 980, 2016", "vertices"),
    "floyd_bandwidth": (*KERNELS, GPU, "vertices", "Distances read by the kernels, GB/s"),
}

COUNTED = ("figure_7_1", "figure_7_2")
TRACED = COUNTED
SAID = {"floyd_bandwidth": {"2"}}  # L2
