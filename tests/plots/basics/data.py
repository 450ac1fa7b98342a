# SPDX-License-Identifier: MIT
"""Made-up measurements of the basics chapter, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import ROW_COLUMNS
from plots.basics.figures import KERNELS, STAGES, TRANSFERS
from tests.plots.fixtures import GPU, row


def rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    found = []
    for n in sizes:
        for place, stage in enumerate(STAGES.kernels, 1):
            found += [
                row("basics", stage, engine, n, n * n * 1e-8 / place, repeat, "", "random")
                for repeat in (1, 2)
            ]
        found.append(row("basics", STAGES.serial, "cpu", n, n * n * 1e-6, 1, "", "random"))
    return found


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    return {("", ROW_COLUMNS): rows(engine, (8192, 32_768) if engine == "gpu" else (512,))}


LABELS: dict[str, tuple[str, ...]] = {
    "basics_kernels": (*KERNELS, GPU, "Time of the kernels, "),
    "basics_transfers": (*TRANSFERS, GPU, "Time of whole runs, "),
}
