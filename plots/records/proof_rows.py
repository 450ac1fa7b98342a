# SPDX-License-Identifier: MIT
"""The counters that make prove compares, the recorded rows, and the reasons for differences."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from common.tools.lib.columns import PROOF_COLUMNS
from common.tools.lib.counting import SAME_INSTRUCTIONS
from common.tools.lib.csv_tables import integer, read_table
from plots.records.proof_data import read_proof_data
from common.tools.lib.csv_tables import write_table
from common.tools.lib.stages import EXIT_FAILURE, ToolError


@dataclass(frozen=True)
class Counter:
    name: str
    group: str  # among the kernel's totals in the engine's JSON
    field: str
    metrics: tuple[str, ...]  # their sum is what the hardware counted
    bar: float
    also: str = ""  # a group that few kernels have, and that the metrics contain

    def emulated(self, totals: dict[str, dict[str, int]]) -> int:
        more = totals.get(self.also, {}).get(self.field, 0)
        return totals[self.group][self.field] + more


def lsu_metrics(what: str, *operations: str) -> tuple[str, ...]:
    return tuple(
        f"l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}.sum" for operation in operations
    )


WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
ATOMIC_WAVEFRONTS = "shared atomic wavefronts"
SAME, SAME_WAVEFRONTS = 0.02, 0.05
COUNTERS = (
    Counter(
        "load requests",
        "global_load",
        "requests",
        lsu_metrics("requests", "ld"),
        SAME,
        "global_async_copy",
    ),
    Counter(
        "load sectors",
        "global_load",
        "sectors",
        lsu_metrics("sectors", "ld"),
        SAME,
        "global_async_copy",
    ),
    Counter("store requests", "global_store", "requests", lsu_metrics("requests", "st"), SAME),
    Counter("store sectors", "global_store", "sectors", lsu_metrics("sectors", "st"), SAME),
    Counter(
        "atomic requests", "global_atomic", "requests", lsu_metrics("requests", "atom", "red"), SAME
    ),
    Counter(
        "atomic sectors", "global_atomic", "sectors", lsu_metrics("sectors", "atom", "red"), SAME
    ),
    Counter(
        "shared load wavefronts",
        "shared_load",
        "wavefronts",
        (WAVEFRONTS + "_op_ld.sum",),
        SAME_WAVEFRONTS,
    ),
    Counter(
        "shared store wavefronts",
        "shared_store",
        "wavefronts",
        (WAVEFRONTS + "_op_st.sum",),
        SAME_WAVEFRONTS,
    ),
    Counter(
        ATOMIC_WAVEFRONTS,
        "shared_atomic",
        "wavefronts",
        (WAVEFRONTS + "_op_atom.sum",),
        SAME_WAVEFRONTS,
    ),
)
# The counter of a reason why only ncu or only the CPU engine sees a kernel, or not all of its
# launches. Such a kernel is not compared.
LAUNCHES = "launches"
# Of make prove's second table, which multiplies machine code by what the CPU engine counted.
INSTRUCTIONS = "warp instructions"
INTEGER_INSTRUCTIONS = "integer and comparison"
SPECIAL_INSTRUCTIONS = "special functions"
INSTRUCTION_BARS = dict.fromkeys(
    (INSTRUCTIONS, INTEGER_INSTRUCTIONS, SPECIAL_INSTRUCTIONS), SAME_INSTRUCTIONS
)
BARS = {counter.name: counter.bar for counter in COUNTERS} | INSTRUCTION_BARS
SHARED_ATOMICS = "smsp__inst_executed_op_shared_atom.sum"  # instructions
METRICS = (*dict.fromkeys(name for counter in COUNTERS for name in counter.metrics), SHARED_ATOMICS)


@dataclass(frozen=True)
class Row:
    """One counter of one kernel in one run, as a sum over the launches."""

    date: str
    program: str
    arguments: str
    kernel: str
    launches: int
    counter: str
    emulated: int
    measured: int

    @property
    def ratio(self) -> str:
        if self.emulated == self.measured:
            return "1"
        return f"{self.emulated / self.measured:.4f}" if self.measured else "inf"

    @property
    def within_bar(self) -> bool:
        return abs(self.emulated - self.measured) <= BARS[self.counter] * self.measured


@dataclass(frozen=True)
class Reason:
    program: str
    kernel: str
    counter: str
    reason: str

    def covers(self, row: Row) -> bool:
        return (
            fnmatch.fnmatchcase(row.program, self.program)
            and fnmatch.fnmatchcase(row.kernel, self.kernel)
            and fnmatch.fnmatchcase(row.counter, self.counter)
        )


def read_reasons(path: Path) -> list[Reason]:
    reasons = []
    for entry in read_proof_data(path)["reason"]:
        try:
            reason = Reason(**entry)
        except TypeError:
            reason = None
        if reason is None or not all(isinstance(value, str) for value in vars(reason).values()):
            keys = ", ".join(one.name for one in fields(Reason))
            raise ToolError(f"{path}: a reason needs the texts {keys}", EXIT_FAILURE)
        reasons.append(reason)
    return reasons


def judge(rows: list[Row], reasons: list[Reason]) -> tuple[list[Row], list[Reason]]:
    """The rows off the bar without a reason, and the reasons that no row needs."""
    off = [row for row in rows if not row.within_bar]
    unexplained = [row for row in off if not any(reason.covers(row) for reason in reasons)]
    return unexplained, [
        reason
        for reason in reasons
        if reason.counter != LAUNCHES and not any(reason.covers(row) for row in off)
    ]


def write_rows(path: Path, rows: list[Row]) -> None:
    write_table(
        path,
        PROOF_COLUMNS,
        (
            [
                row.date,
                row.program,
                row.arguments,
                row.kernel,
                row.launches,
                row.counter,
                row.emulated,
                row.measured,
                row.ratio,
            ]
            for row in rows
        ),
    )


def read_rows(path: Path) -> list[Row]:
    return [
        Row(
            one["date"],
            one["program"],
            one["arguments"],
            one["kernel"],
            integer(one["launches"], "launches", f"{path}:{line}"),
            one["counter"],
            integer(one["emulated"], "emulated", f"{path}:{line}"),
            integer(one["measured"], "measured", f"{path}:{line}"),
        )
        for line, one in read_table(path, PROOF_COLUMNS)
    ]


def read_tables(paths: Iterable[Path]) -> dict[Path, list[Row]]:
    """The rows of several devices. What several of them ran counts where it comes first."""
    found: dict[Path, list[Row]] = {}
    programs: set[str] = set()
    for path in paths:
        found[path] = [row for row in read_rows(path) if row.program not in programs]
        programs |= {row.program for row in found[path]}
    return found


def all_rows(tables: Mapping[Path, Sequence[Row]]) -> list[Row]:
    """Sorted by program, the examples last."""
    rows = [row for each in tables.values() for row in each]
    return sorted(rows, key=lambda row: (is_example(row.program), row.program))


def is_example(program: str) -> bool:
    return program.startswith("examples/")
