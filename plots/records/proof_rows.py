# SPDX-License-Identifier: MIT
"""The rows that the proofs of the CPU engine record, and the reasons for differences. The counters
of make prove and make instructions are here; the verdicts have theirs in plots/maintain/prove."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from common.tools.lib.columns import PROOF_COLUMNS
from common.tools.lib.counting import SAME_INSTRUCTIONS
from common.tools.lib.csv_tables import integer, read_table, write_table
from common.tools.lib.hardware import SAME, SAME_WAVEFRONTS, proof_name
from common.tools.lib.stages import EXIT_FAILURE, ToolError
from plots.records.proof_data import read_proof_data

WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
ATOMIC_WAVEFRONTS = "shared atomic wavefronts"
# The counter of a reason why only ncu or only the CPU engine sees a kernel, or not all of its
# launches. Such a kernel is not compared.
LAUNCHES = "launches"


@dataclass(frozen=True)
class Counter:
    name: str
    group: str  # among the kernel's totals in the engine's JSON
    field: str
    metrics: tuple[str, ...]  # their sum is what the hardware counted
    bar: float
    also: str = ""  # a group that few kernels have, and that the metrics contain

    def emulated(self, totals: Mapping[str, Mapping[str, int]]) -> int:
        more = totals.get(self.also, {}).get(self.field, 0)
        return totals[self.group][self.field] + more


def global_counter(kind: str, what: str, *operations: str, also: str = "") -> Counter:
    metrics = tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{one}.sum" for one in operations)
    group = f"global_{kind}"
    return Counter(proof_name(f"{group}.{what}"), group, what, metrics, SAME, also)


def shared_counter(kind: str, operation: str) -> Counter:
    metrics = (f"{WAVEFRONTS}_op_{operation}.sum",)
    group = f"shared_{kind}"
    name = proof_name(f"{group}.wavefronts")
    return Counter(name, group, "wavefronts", metrics, SAME_WAVEFRONTS)


COUNTERS = (
    global_counter("load", "requests", "ld", also="global_async_copy"),
    global_counter("load", "sectors", "ld", also="global_async_copy"),
    global_counter("store", "requests", "st"),
    global_counter("store", "sectors", "st"),
    global_counter("atomic", "requests", "atom", "red"),
    global_counter("atomic", "sectors", "atom", "red"),
    shared_counter("load", "ld"),
    shared_counter("store", "st"),
    shared_counter("atomic", "atom"),
)
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
class ProofRow:
    """What all tables of proofs have in common."""

    COLUMNS: ClassVar[tuple[str, ...]]
    date: str
    program: str

    @property
    def run(self) -> str:
        """The program with its flags."""
        return self.program

    @property
    def place(self) -> str:
        """What the row is about, for messages."""
        return self.run

    @property
    def said(self) -> object:
        """What the CPU engine says, as far as it is the same on any machine."""
        raise NotImplementedError

    @property
    def order(self) -> tuple[object, ...]:
        """Where the row stands in its file."""
        return (self.program,)


@dataclass(frozen=True)
class Row(ProofRow):
    """One counter of one kernel in one run, as a sum over the launches."""

    COLUMNS = PROOF_COLUMNS
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

    @property
    def run(self) -> str:
        return f"{self.program} {self.arguments}".strip()

    @property
    def place(self) -> str:
        return f"{self.run}: {self.kernel}: {self.counter}"

    @property
    def said(self) -> object:
        return self.emulated

    @property
    def order(self) -> tuple[object, ...]:
        return is_example(self.program), self.program  # the examples last


class ProofReason:
    """Why rows differ. All other fields of its kinds are shell patterns of a row's fields; that of
    the program may be several, with blanks between them."""

    program: str
    reason: str

    def patterns(self) -> dict[str, str]:
        return {key: value for key, value in vars(self).items() if key != "reason"}

    def covers(self, row: ProofRow) -> bool:
        others = {key: one for key, one in self.patterns().items() if key != "program"}
        return any(fnmatch.fnmatchcase(row.program, one) for one in self.program.split()) and all(
            fnmatch.fnmatchcase(getattr(row, key), one) for key, one in others.items()
        )

    def needs_a_row(self) -> bool:
        return self.patterns().get("counter") != LAUNCHES


@dataclass(frozen=True)
class Reason(ProofReason):
    program: str
    kernel: str
    counter: str
    reason: str


AnyRow = TypeVar("AnyRow", bound=ProofRow)
AnyReason = TypeVar("AnyReason", bound=ProofReason)


def read_reasons(path: Path, kind: type[AnyReason]) -> list[AnyReason]:
    reasons = []
    for entry in read_proof_data(path)["reason"]:
        try:
            reason = kind(**entry)
        except TypeError:
            reason = None
        if reason is None or not all(isinstance(value, str) for value in vars(reason).values()):
            raise ToolError(
                f"{path}: a reason needs the texts {', '.join(kind.__annotations__)}", EXIT_FAILURE
            )
        reasons.append(reason)
    return reasons


def judge(
    off: Sequence[AnyRow], reasons: Sequence[AnyReason]
) -> tuple[list[AnyRow], list[AnyReason]]:
    """Of the rows that differ, those without a reason; and the reasons that no row needs."""
    unexplained = [row for row in off if not any(reason.covers(row) for reason in reasons)]
    return unexplained, [
        reason
        for reason in reasons
        if reason.needs_a_row() and not any(reason.covers(row) for row in off)
    ]


# How a field is read and written, by its annotation.
READ: dict[str, Callable[[str, str, str], Any]] = {
    "str": lambda text, name, place: text,
    "int": integer,
    "tuple[int, ...]": lambda text, name, place: tuple(
        integer(word, name, place) for word in text.split()
    ),
}


def written(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value


def write_rows(path: Path, rows: Sequence[ProofRow]) -> None:
    """The rows, of which there is at least one, in this order."""
    columns = rows[0].COLUMNS
    write_table(path, columns, ([written(getattr(row, one)) for one in columns] for row in rows))


def read_rows(path: Path, kind: type[AnyRow]) -> list[AnyRow]:
    readers = [(one.name, READ[str(one.type)]) for one in fields(kind)]
    return [
        kind(**{name: read(record[name], name, f"{path}:{line}") for name, read in readers})
        for line, record in read_table(path, kind.COLUMNS)
    ]


def read_tables(paths: Iterable[Path], kind: type[AnyRow]) -> dict[Path, list[AnyRow]]:
    """The rows of several devices. What several of them ran counts where it comes first."""
    found: dict[Path, list[AnyRow]] = {}
    programs: set[str] = set()
    for path in paths:
        found[path] = [row for row in read_rows(path, kind) if row.program not in programs]
        programs |= {row.program for row in found[path]}
    return found


def all_rows(tables: Mapping[Path, Sequence[AnyRow]]) -> list[AnyRow]:
    return sorted((row for each in tables.values() for row in each), key=lambda row: row.order)


def is_example(program: str) -> bool:
    return program.startswith("examples/")
