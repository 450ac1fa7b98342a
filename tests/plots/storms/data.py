# SPDX-License-Identifier: MIT
"""Made-up measurements of storms, and the words that its figures show."""

from common.tools.lib.columns import ROW_COLUMNS
from common.tools.lib.stages import label_of
from plots.storms.block_sizes import STUDIED
from plots.storms.figures import CELL_STAGES
from plots.storms.stages import KERNELS, SAID_BY, STAGES, WRONG
from tests.plots.fixtures import GPU, HOST, row


def rows(engine: str) -> list[list[object]]:
    """Each stage twice as fast as the one before, the first 16 times as fast as one core, which
    takes 1 ns for a cell and particle; a quarter of a run is set-up and copies, three quarters
    of the serial one's none.
    """
    shapes = (
        [("dense", 30_000, 6, 120_000), ("long", 1_000_000, 4, 20_000), ("sparse", 10**8, 3, 3)]
        if engine == "gpu"
        else [("dense", 2000, 6, 3000), ("long", 20_000, 4, 200), ("sparse", 300_000, 3, 3)]
    )
    cells = (10**4, 10**5, 10**6, 10**7, 10**8) if engine == "gpu" else (1000, 10_000)
    found = []
    for name, n, waves, particles in [*shapes, *(("small", n, 3, 120) for n in cells)]:
        parameters, serial = f"waves={waves};particles={particles}", n * particles * 1e-6
        if name != "small" or n < 10**8:
            found.append(row("storms", STAGES.serial, "cpu", n, serial, 1, parameters, name))
        for i, stage in enumerate(KERNELS):
            for repeat in (1, 2, 3):
                record = row(
                    "storms",
                    stage,
                    engine,
                    n,
                    serial / 16 / 2**i * (1 + 0.01 * repeat),
                    repeat,
                    parameters,
                    name,
                )
                record[-6] = 0.75 * float(str(record[-4]))  # kernels_ms
                found.append(record)
    return found + block_size_rows(engine)


def block_size_rows(engine: str) -> list[list[object]]:
    """The rate grows with the block up to 256 threads, and falls by a tenth after that."""
    found = []
    for n in (30_000, 10**6, 10**7) if engine == "gpu" else (1000,):
        for place, stage in enumerate(STUDIED):
            for size in (32, 64, 128, 256, 512, 1024):
                rate = n * min(size, 256) * (0.9 if size > 256 else 1) / (1 + place)
                for repeat in (1, 2, 3):
                    ms = 240 * n * 1000 / rate * (1 + 0.01 * (repeat - 2))
                    record = row(
                        "storms",
                        stage,
                        engine,
                        n,
                        2 * ms,
                        repeat,
                        f"waves=3;particles=240;block-size={size}",
                        "small",
                    )
                    record[-6] = ms  # kernels_ms
                    found.append(record)
    return found


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    return {("", ROW_COLUMNS): rows(engine)}


LABELS: dict[str, tuple[str, ...]] = {
    "storms_versions": (
        STAGES.serial,
        *KERNELS,
        *WRONG,
        "no times: wrong on purpose",
        "dense",
        "30 k cells,",
        "6 waves of 20 k particles",
        "long",
        "sparse",
        "3 waves of 1 particle",
        GPU,
        HOST,
        SAID_BY,
        "95 s",
        "62 s, with its race",
        "under 60 s",
        "43.4 s",
        "its own inputs and GPU,",
        "published, on another scale",
    ),
    "storms_cells": (
        STAGES.serial,
        *CELL_STAGES,
        f"{label_of(CELL_STAGES[1])} over {label_of(CELL_STAGES[0])}",
        GPU,
        HOST,
        "100 M cells",
        "4.00",
        "2.00",
    ),
    "storms_block_sizes": (
        *STUDIED,
        GPU,
        "30 k cells",
        "1 M cells",
        "10 M cells",
        "best in 2018",
        "1024",
        "threads per block",
    ),
    "storms_layers": (
        "wave 1: 660.4 in cell 91",
        "wave 3: 1404.1 in cell 162",
        "thin: before the relaxation",
        "peaks",
        "maximum",
    ),
}

COUNTED = ("storms_layers",)
TRACED = COUNTED
PRINTED = ("storms_versions",)
PRINTED_FILE = "storms"
SAID = {
    "storms_versions": {"5", "20"},
    "storms_cells": {"40"},
    "storms_block_sizes": {"2018"},
}  # particles of a wave
