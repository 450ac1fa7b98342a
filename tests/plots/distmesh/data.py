# SPDX-License-Identifier: MIT
"""Made-up measurements of distmesh, and the words that its figures show."""

from common.tools.lib.columns import PROFILE_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS
from plots.distmesh.profile import ACHIEVED, BLOCK, GRID, LIMITS, REGISTERS, THEORETICAL
from plots.distmesh.stages import KERNELS, LAST, NAMES, SHARED, SHOWN, STAGES
from tests.plots.fixtures import GPU, HOST, row


SIZES = {"gpu": (1261, 1452, 20_109, 31_409), "emu": (100, 300)}


def rows(engine: str) -> list[list[object]]:
    """Of a run three parts are triangulations, one the serial loops, which each stage does in half
    of the time of the stage before; a tenth part more is for copies, and a tenth for set-up. A
    run of another domain is no figure's.
    """
    found = []
    for n in SIZES[engine]:
        part, parameters = n * 1e-2, "max-iterations=10000"
        for i, stage in enumerate((STAGES.serial, *KERNELS)):
            for repeat in (1, 2, 3):
                times = (
                    [part / 10, part / 20, part / 2**i, part / 20] if i else [0, 0, part, 0]
                )  # setup, in, kernels, out
                times = [time * (1 + 0.01 * repeat) for time in (*times, sum(times) + 3 * part)]
                for name, more, factor in (
                    ("circle", "", 1),
                    ("circle", ";grading=2", 5),
                    ("ring", "", 5),
                ):
                    record = row(
                        "distmesh",
                        stage,
                        engine if i else "cpu",
                        n,
                        1.0,
                        repeat,
                        parameters + more,
                        name,
                    )
                    record[12:17] = [time * factor for time in times]
                    found.append(record)
    return found + (goal_rows() if engine == "gpu" else [])


def goal_rows() -> list[list[object]]:
    """A run of the last stage takes a microsecond per point, half of it kernels. One of the
    stage `rows` takes twice the time. Of the largest size there is none."""
    found = []
    for stage, factor in ((LAST, 1), (STAGES.named("rows"), 2)):
        for n in (1452, 31_409):
            record = row("distmesh", stage, "gpu", n, 1.0, 1, "max-iterations=20000", "circle")
            record[12:17] = [0, 0, factor * n * 5e-4, 0, factor * n * 1e-3]
            found.append(record)
    return found


def reports(engine: str) -> list[list[object]]:
    """Atomic sums take an iteration more, repairs two and a triangulation less."""
    records: list[list[object]] = []
    for n in SIZES[engine]:
        for i, stage in enumerate((STAGES.serial, *KERNELS)):
            more_iterations = 1 if i in (1, 2) else 2 if i == 1 + KERNELS.index(LAST) else 0
            for field, value in (
                ("iterations", 1000 + n % 100 + more_iterations),
                ("triangulations", 50 + n % 10 - (i == 1 + KERNELS.index(LAST))),
                ("converged", "yes"),
                ("nodes", n - 9 * (n % 2)),
            ):
                records += [
                    [
                        "distmesh",
                        stage,
                        engine if i else "cpu",
                        GPU if i else HOST,
                        n,
                        f"max-iterations=10000{more}",
                        1,
                        field,
                        said,
                    ]
                    for more, said in (("", value), (";grading=2", 7))
                ]
    return records


def profile_records() -> list[list[object]]:
    """Three blocks fit because of the registers; a metric of the second kernel is missing."""
    limits = dict(zip(LIMITS, (32, 3, 8, 4)))
    values = {ACHIEVED: 22.25, THEORETICAL: 37.5, BLOCK: 256, GRID: 368, REGISTERS: 64} | limits
    return [
        ["2026-02-03T04:05:06Z", "distmesh", stage, GPU, 31_409, kernel, name, "", value]
        for stage, kernel in ((SHARED, "sum_lengths_kernel"), (KERNELS[-1], "repair_kernel"))
        for name, value in values.items()
        if (stage, name) != (KERNELS[-1], ACHIEVED)
    ]


Table = tuple[str, tuple[str, ...]]  # its kind and its columns


def tables(engine: str, profile: bool = True) -> dict[Table, list[list[object]]]:
    """The recorded files of one engine."""
    profiled = {("profile", PROFILE_COLUMNS): profile_records()} if profile else {}
    return {
        ("", ROW_COLUMNS): rows(engine),
        ("report", REPORT_COLUMNS): reports(engine),
        **profiled,
    }


LABELS: dict[str, tuple[str, ...]] = {
    "distmesh_mesh": (
        "circle",
        "square with hole, graded",
        "ring",
        "ellipse minus wing, graded",
        "wing",
        "least 0.83, mean 0.964",
        "Share of the triangles, %",
        "quality; below 0.5 as 0.5",
        "1105 triangles",
    ),
    "distmesh_loop": ("host", "device", "triangulate,", "one iteration", "goes on?", "12 bytes"),
    "distmesh_lists": ("sum_lengths", "move_points", "bars", "status", "atomic 536", "reads 268"),
    "distmesh_table_1": (
        STAGES.serial,
        *SHOWN,
        GPU,
        HOST,
        *NAMES.values(),
        "Whole runs, triangulations included, s",
        "Speed-up over the serial stage",
        "31 409",
        "points",
    ),
    "distmesh_table_2": (STAGES.serial, *SHOWN, GPU, HOST, NAMES[SHARED], "Kernels alone, s"),
    "distmesh_counts": (
        STAGES.serial,
        SHARED,
        GPU,
        HOST,
        NAMES[STAGES.serial],
        NAMES[SHARED],
        "Iterations",
        "Triangulations",
    ),
    "distmesh_copies": (
        STAGES.serial,
        *KERNELS,
        GPU,
        HOST,
        "kernels",
        "copies",
        "set-up",
        "host: triangulations and the rest",
        NAMES[SHARED],
        "5.7 %",
        "2.70 %",
        "31 409 points",
    ),
}

COUNTED = ("distmesh_mesh", "distmesh_loop", "distmesh_lists")
TRACED = COUNTED
PRINTED = ("distmesh_table_1", "distmesh_table_2", "distmesh_counts", "distmesh_copies")
PRINTED_FILE = "distmesh"
SAID = {"distmesh_table_1": {"1", "2"}, "distmesh_copies": {"12"}}  # printed versions; bytes
