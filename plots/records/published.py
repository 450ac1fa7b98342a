# SPDX-License-Identifier: MIT
"""Reads numbers that others printed: those of Buturca 2016 (the thesis), and the tables of the
other sources. They name stages by their short names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.stages import DataError, shown
from plots.records.stages import Stages, stages_of
from common.tools.lib.csv_tables import integer, read_table, real

PUBLISHED_COLUMNS = (
    *("figure", "chapter", "quantity", "stage", "n"),
    *("value", "unit", "section", "note"),
)
CELL_COLUMNS = (
    *("figure", "quantity", "stage", "input", "n"),
    *("size-i", "threads", "value", "unit", "section"),
)
PRINTED_TIME_COLUMNS = ("quantity", "stage", "value", "unit", "bound", "section")
PRINTED_RUN_COLUMNS = (
    *("quantity", "stage", "n", "threads", "blocks", "memory"),
    *("value", "unit", "section"),
)
PARAMETERS = re.compile(r"[\w-]+ = [\w.-]+(?:, [\w-]+ = [\w.-]+)*")


@dataclass(frozen=True)
class Published:
    """One number of the thesis."""

    figure: str
    chapter: str
    quantity: str
    stage: str
    n: int | None
    value: float
    section: str
    note: str = ""

    @property
    def size(self) -> int:
        """n, of a number whose n is known. Errors: DataError."""
        if self.n is None:
            raise DataError(f"figure {self.figure}: {self.quantity} {self.value:g} has no n")
        return self.n

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of its run, where the note begins with them: `k = 4; its sentence …`."""
        said = self.note.partition(";")[0]
        return dict(re.findall(r"([\w-]+) = ([\w.-]+)", said)) if PARAMETERS.fullmatch(said) else {}


@dataclass(frozen=True)
class TableCell:
    """One number of another source's tables."""

    figure: str
    quantity: str
    stage: str
    input: str  # empty: not said
    n: int  # 0: not said
    parameters: dict[str, str]  # where they are said
    value: float
    unit: str
    section: str
    bound: str = ""  # `under`: the value is an upper bound


def read_published(
    path: Path, stages: Callable[[str, object], Stages] = stages_of
) -> list[Published]:
    """The thesis' numbers. `stages`: finds a chapter's stages."""
    published = []
    for number, record in read_table(path, PUBLISHED_COLUMNS):
        place = f"{path}:{number}"
        published.append(
            Published(
                record["figure"],
                record["chapter"],
                record["quantity"],
                stages(record["chapter"], place).named(record["stage"], place),
                integer(record["n"], "n", place) if record["n"] else None,
                real(record["value"], "value", place),
                record["section"],
                record["note"],
            )
        )
    return published


def read_cells(path: Path, stages: Stages) -> list[TableCell]:
    """The numbers of published tables, one cell per line."""
    found = []
    for number, record in read_table(path, CELL_COLUMNS):
        place = f"{path}:{number}"
        found.append(
            TableCell(
                record["figure"],
                record["quantity"],
                stages.named(record["stage"], place),
                record["input"],
                integer(record["n"] or "0", "n", place),
                {name: record[name] for name in ("size-i", "threads") if record[name]},
                real(record["value"], "value", place),
                record["unit"],
                record["section"],
            )
        )
    return found


def read_printed_times(path: Path, stages: Stages) -> list[TableCell]:
    """Times that are printed without an input or a size, one stage per line."""
    found = []
    for number, record in read_table(path, PRINTED_TIME_COLUMNS):
        place = f"{path}:{number}"
        if record["bound"] not in ("", "under"):
            raise DataError(
                f"{place}: bound is {shown(record['bound'])}, neither empty nor 'under'"
            )
        found.append(
            TableCell(
                "",
                record["quantity"],
                stages.named(record["stage"], place),
                "",
                0,
                {},
                real(record["value"], "value", place),
                record["unit"],
                record["section"],
                record["bound"],
            )
        )
    return found


def read_printed_runs(path: Path, stages: Stages) -> list[TableCell]:
    """Quantities of single runs, with the threads, the blocks and the host's memory of each."""
    found = []
    for number, record in read_table(path, PRINTED_RUN_COLUMNS):
        place = f"{path}:{number}"
        found.append(
            TableCell(
                "",
                record["quantity"],
                stages.named(record["stage"], place),
                "",
                integer(record["n"], "n", place),
                {name: record[name] for name in ("threads", "blocks", "memory")},
                real(record["value"], "value", place),
                record["unit"],
                record["section"],
            )
        )
    return found
