# SPDX-License-Identifier: MIT
"""Made-up measurements of Floyd-Warshall, and the words that its figures show."""

from collections.abc import Sequence

from common.tools.lib.columns import PROFILE_COLUMNS, ROW_COLUMNS
from plots.floyd.beyond import relaxations
from plots.floyd.figures import BEST, FIRST, KERNELS, RECORDED, STAGES
from plots.floyd.profile import VERTICES
from plots.floyd.stages import BEYOND
from plots.records.sweeps import Sweep
from tests.plots.fixtures import GPU, HOST, row

# A relaxation of any stage: 1 VIADDMNMX, an eighth of an LDS.
OPCODES = {"opcode:VIADDMNMX": 1.0, "opcode:LDS": 0.125}


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
        for i, stage in enumerate((*KERNELS, *BEYOND[1:])):
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


def profile_records() -> list[list[object]]:
    """Two launches of each stage have its instructions."""
    return [
        [
            "2026-02-03",
            STAGES.chapter,
            stage,
            GPU,
            VERTICES,
            kernel,
            name,
            "",
            each * relaxations(stage, VERTICES) / 32 / 2,
        ]
        for stage in BEYOND
        for name, each in OPCODES.items()
        for kernel in ("relax_columns_kernel", "relax_tiles_kernel")
    ]


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    sizes = (200, 1000, 1024, 4096, 5000, 8192, 20_000) if engine == "gpu" else (50, 100, 200)
    found = {("", ROW_COLUMNS): rows(engine, sizes)}
    if profile and RECORDED:
        found["profile", PROFILE_COLUMNS] = profile_records()
    return found


def fewest_repeats(sweep: Sweep) -> int:
    """Where input and verification take most of the time, kernels of 0.3 s are timed once."""
    return 1 if min(sweep.sizes) >= 16_384 else 5


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
    **(
        {
            "floyd_beyond": (*BEYOND, GPU, "Kernels alone, relaxations per second", "vertices"),
            "floyd_instructions": (*BEYOND, GPU, "Instructions per relaxation", "integer", "1.12"),
        }
        if RECORDED
        else {}
    ),
}

COUNTED = ("figure_7_1", "figure_7_2")
TRACED = COUNTED
# The figures that are drawn from the profile.
PROFILED = ("floyd_instructions",) if RECORDED else ()
SAID = {"floyd_bandwidth": {"2"}}  # L2
