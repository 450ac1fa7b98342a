# SPDX-License-Identifier: MIT
"""Stage counting/01, which Gimeno and Velasco 2024 describe: where its time goes with the host's list in
pinned and in pageable memory, and the three runs that they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.chapter import PrintedTables
from plots.drawing.figure import TableMaker
from plots.quicksort.stages import COUNTING, STAGES
from plots.records.folders import PUBLISHED
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.published import TableCell, read_printed_runs
from plots.records.rows import Report, Row, matches, newest

SAID_BY = "Gimeno and Velasco 2024"
FILE = PUBLISHED / "counting.csv"
PRINTED = PrintedTables(SAID_BY, SAID_BY, FILE, tuple(read_printed_runs(FILE, STAGES)))
MEMORIES = ("pinned", "pageable")
DEFAULT = {"threads": "256", "blocks": "0"}


def times_of(rows: Sequence[Row], n: int, parameters: Mapping[str, object]) -> dict[str, float]:
    """Medians of a run in milliseconds: the phases, and what follows from them; nothing if it was
    not measured."""
    own = newest(
        [
            row
            for row in rows
            if (row.stage, row.engine, row.n, row.input) == (COUNTING, "gpu", n, "uniform")
            and matches(row, dict(parameters))
        ]
    )
    if not own:
        return {}

    def median(values: list[float]) -> float:
        return quartiles(values)[1]

    return {
        "all": median([row.total_ms for row in own]),
        "host_to_device": median([row.copy_in_ms for row in own]),
        "device_to_host": median([row.copy_out_ms for row in own]),
        "copies": median([row.copy_in_ms + row.copy_out_ms for row in own]),
        "kernel": median([row.kernels_ms for row in own]),
        # Their global time is the sum of these three.
        "global": median([row.copy_in_ms + row.kernels_ms + row.copy_out_ms for row in own]),
        # The sorts are the host's phase, which rows do not have. Nothing else is left.
        "sorts": median(
            [
                row.total_ms - row.setup_ms - row.copy_in_ms - row.kernels_ms - row.copy_out_ms
                for row in own
            ]
        ),
    }


def reported_ms(
    reports: Sequence[Report], field: str, n: int, run: Mapping[str, str]
) -> float | None:
    """A time that the stage itself reports, of the last run; None if it was not measured."""
    found = [
        float(one.value)
        for one in reports
        if (one.stage, one.engine, one.n, one.field) == (COUNTING, "gpu", n, field)
        and all(one.parameters.get(key, "0") == value for key, value in run.items())
    ]
    return found[-1] if found else None


def memory_table(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """One line per size and memory: the copies apart from the sorts."""
    parts = {
        "all": "all",
        "sorts": "CPU's two sorts",
        "copies": "both copies",
        "host_to_device": "host to device",
        "device_to_host": "device to host",
        "kernel": "kernels",
    }
    sizes = sorted(
        {
            row.n
            for row in rows
            if (row.stage, row.engine) == (COUNTING, "gpu") and matches(row, dict(DEFAULT))
        }
    )
    if not sizes:
        raise DataError(f"{STAGES.chapter}: no rows of {COUNTING}")
    lines = [
        f"| keys | memory | {' | '.join(parts.values())} | one sort on the CPU |",
        "|---" * (len(parts) + 3) + "|",
    ]
    for n in sizes:
        for memory in MEMORIES:
            run = DEFAULT | {"memory": memory}
            times, serial = times_of(rows, n, run), reported_ms(reports, "serial_sort_ms", n, run)
            if not times or serial is None:
                raise DataError(f"{STAGES.chapter}: no times of {COUNTING}, n = {n}, {memory}")
            cells = [three_digits(times[name]) for name in parts]
            cells.append(three_digits(serial))
            lines.append(f"| {short_count(n)} | {memory} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        (
            f"{COUNTING}: milliseconds, medians. All includes the allocation. The one sort on the"
            " CPU is of the last run."
        ),
    ]


def printed_runs_table(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """Each printed time beside ours, in both memories."""
    names = {
        "host_to_device": "host to device",
        "kernel": "kernels",
        "device_to_host": "device to host",
        "global": "these three",
        "cpu_sort": "CPU's two sorts",
    }
    device = next(row.device for row in rows if row.engine == "gpu")
    heads = ["keys", "threads, blocks", "quantity", f"{SAID_BY}, pinned"]
    heads += [f"{device}, {memory}" for memory in MEMORIES]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]

    def words(cell: TableCell) -> str:
        return three_digits(1000 * cell.value)

    runs: dict[tuple[int, str, str], dict[str, TableCell]] = {}
    for cell in PRINTED.cells:
        key = (cell.n, cell.parameters["threads"], cell.parameters["blocks"])
        runs.setdefault(key, {})[cell.quantity] = cell
    for (n, threads, blocks), printed in runs.items():
        for name in (name for name in names if name in printed):
            cells = []
            for memory in MEMORIES:
                run = {"threads": threads, "blocks": blocks, "memory": memory}
                # Of so short a sort, what rows leave for it would be mostly the gaps between
                # phases.
                ours = (
                    reported_ms(reports, "cpu_sort_ms", n, run)
                    if name == "cpu_sort"
                    else times_of(rows, n, run).get(name)
                )
                cells.append("not measured" if ours is None else three_digits(1000 * ours))
            lines.append(
                f"| {n} | {threads}, {blocks} | {names[name]} | {words(printed[name])} |"
                f" {' | '.join(cells)} |"
            )
    return [
        *lines,
        "",
        (
            f"Microseconds; ours are medians of runs of {COUNTING} after a warm-up, the sorts those of"
            " the last run."
        ),
    ]


TABLES: dict[str, TableMaker] = {
    "counting": memory_table,
    "counting_printed": printed_runs_table,
}
