# SPDX-License-Identifier: MIT
"""The page on how true the counters are (how-true-are-the-counters.md): its tables, and the numbers
and reasons that the site adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plots.page.links import COUNTERS as COUNTERS_PAGE
from plots.page.readme import Document, read_document
from plots.records.folders import proof_tables
from plots.records.proof_data import COMMON
from plots.records.proof_rows import (
    ATOMIC_WAVEFRONTS,
    COUNTERS,
    INSTRUCTION_BARS,
    AnyReason,
    AnyRow,
    Reason,
    Row,
    all_rows,
    is_example,
    read_reasons,
    read_tables,
)


COUNTED = {counter.name: counter.bar for counter in COUNTERS}
NUMBERS = (
    "Each number is a sum over all launches of a run. A cell has one number if both sides are equal, "
    "and `emulated / measured` if they differ. It is empty if both are 0. A number in brackets is a "
    "reason."
)


def summary_table(
    rows: Sequence[Row], reasons: Sequence[Reason], bars: Mapping[str, float] = COUNTED
) -> list[str]:
    """How many values of each counter agree. Values that are 0 on both sides do not count."""
    lines = [
        "| counter | compared | equal | within the bar | explained |",
        "|---|---|---|---|---|",
    ]
    for name, bar in bars.items():
        counted = [row for row in rows if row.counter == name and (row.emulated or row.measured)]
        equal = sum(row.emulated == row.measured for row in counted)
        within = sum(row.within_bar for row in counted) - equal
        off = sum(
            not row.within_bar and any(reason.covers(row) for reason in reasons) for row in counted
        )
        lines.append(
            f"| {name} | {len(counted)} | {equal} | {within} (± {100 * bar:.0f} %) | {off} |"
        )
    return lines


def notes(row: AnyRow, reasons: Sequence[AnyReason]) -> str:
    """The numbers of the reasons why a row differs."""
    covering = [f" [{i}]" for i, reason in enumerate(reasons, 1) if reason.covers(row)]
    return "".join(covering) or " **?**"


def numbered(reasons: Sequence[AnyReason], named: Callable[[Any], str]) -> list[str]:
    """The list of reasons. named: which rows one of them is about."""
    lines = [f"{i}. {named(reason)}: {reason.reason}" for i, reason in enumerate(reasons, 1)]
    return lines or ["None."]


def cell(row: Row, reasons: Sequence[Reason]) -> str:
    if row.emulated == row.measured:
        return f"{row.emulated}" if row.emulated else ""
    said = "" if row.within_bar else notes(row, reasons)
    return f"{row.emulated} / {row.measured}{said}"


def runs_table(
    rows: Sequence[Row],
    reasons: Sequence[Reason],
    wanted: Callable[[str], bool],
    names: Sequence[str] = tuple(COUNTED),
) -> list[str]:
    heads = [
        name.replace("shared load wavefronts", "shared wavefronts: load")
        .replace("shared store wavefronts", "store")
        .replace(ATOMIC_WAVEFRONTS, "atomic")
        for name in names
    ]
    lines = [
        f"| program | kernel | launches | {' | '.join(heads)} |",
        "|---" * (3 + len(names)) + "|",
    ]
    kernels: dict[tuple[str, str, str, int], dict[str, Row]] = {}
    for row in rows:
        if wanted(row.program):
            kernels.setdefault((row.program, row.arguments, row.kernel, row.launches), {})[
                row.counter
            ] = row
    for (program, flags, kernel, launches), by_name in kernels.items():
        said = f"{program} `{flags}`" if flags else program.removeprefix("examples/")
        cells = [cell(by_name[name], reasons) if name in by_name else "not known" for name in names]
        lines.append(f"| {said} | `{kernel}` | {launches} | {' | '.join(cells)} |")
    return lines


def reasons_list(rows: Sequence[Row], reasons: Sequence[Reason]) -> list[str]:
    off = [row for row in rows if not row.within_bar]

    def named(reason: Reason) -> str:
        kernels = {f"{row.program} `{row.kernel}`" for row in off if reason.covers(row)}
        return ", ".join(sorted(kernels)) or f"{reason.program} `{reason.kernel}`"

    return numbered(reasons, named)


def measured_lines(tables: Mapping[Path, Sequence[Row]]) -> list[str]:
    """Where and when, one sentence per device."""
    lines = []
    for path, rows in tables.items():
        if not rows:
            continue
        dates = sorted({row.date[:10] for row in rows})
        lines.append(
            f"Measured on an {path.parent.name.upper().replace('-', ' ')} on {', '.join(dates)}: "
            f"{len({row.program for row in rows})} programs, "
            f"{len({(row.program, row.kernel) for row in rows})} kernels."
        )
    return lines


def totals_lines(rows: Sequence[Row], reasons: Sequence[Reason]) -> list[str]:
    """How many counters agree, in one sentence."""
    counted = [row for row in rows if row.emulated or row.measured]
    equal = sum(row.emulated == row.measured for row in counted)
    within = sum(row.within_bar for row in counted) - equal
    off = len(counted) - equal - within
    return [
        f"Of {len(counted)} counters that are not 0 on both sides, {equal} are equal, {within} differ "
        f"within the bar, and {off} differ by more, for {len(reasons)} reasons."
    ]


def page_tables(
    tables: Mapping[Path, Sequence[Row]], reasons: Sequence[Reason], kind: str
) -> dict[str, list[str]]:
    """The lines of each table by its name. tables: each device's rows, by the path of its file.
    kind: "counters.csv" or "instructions.csv"."""
    rows = all_rows(tables)
    if kind == "instructions.csv":
        return {
            "instructions measured": measured_lines(tables),
            "instructions summary": summary_table(rows, reasons, INSTRUCTION_BARS),
        }
    return {
        "measured": measured_lines(tables),
        "totals": totals_lines(rows, reasons),
        "summary": summary_table(rows, reasons),
    }


def all_numbers(rows: Sequence[Row], reasons: Sequence[Reason]) -> dict[str, list[str]]:
    """Every reason and every number, for the site: the lines of each section by its heading."""
    return {
        "Every reason": reasons_list(rows, reasons),
        "Every stage": [
            NUMBERS,
            "",
            *runs_table(rows, reasons, lambda program: not is_example(program)),
        ],
        "Every example": runs_table(rows, reasons, is_example),
    }


def all_instructions(rows: Sequence[Row], reasons: Sequence[Reason]) -> dict[str, list[str]]:
    """The same as all_numbers() for the instructions."""
    return {
        "Every reason on instructions": reasons_list(rows, reasons),
        "Every stage's instructions": runs_table(
            rows, reasons, lambda program: True, tuple(INSTRUCTION_BARS)
        ),
    }


# The recorded table, the file of the reasons, and what makes the sections.
PROOFS = (
    ("counters.csv", "hardware.toml", all_numbers),
    ("instructions.csv", "instructions.toml", all_instructions),
)


def counters_document(folder: Path | None) -> Document:
    """`folder`: the device whose rows come first. None: there are no recorded rows."""
    document = read_document(COUNTERS_PAGE)
    if folder is None:
        return document
    sections = dict(document.sections)
    for table, reasons, sections_of in PROOFS:
        rows = all_rows(read_tables(proof_tables(folder, table), Row))
        if rows:
            for heading, lines in sections_of(rows, read_reasons(COMMON / reasons, Reason)).items():
                sections[heading] = "\n".join(lines)
    return replace(document, sections=sections)
