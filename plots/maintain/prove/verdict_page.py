# SPDX-License-Identifier: MIT
"""Which verdicts differ, and the tables of the page on them (how-true-are-the-verdicts.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from plots.maintain.prove.verdict_rows import ALONE, CLEAN, CRASHED, ENDLESS, ENGINES, FOUND
from plots.maintain.prove.verdict_rows import TOOLS, UNSUPPORTED, WARNED, Reason, Row
from plots.page.proof_page import notes, numbered
from plots.records.proof_rows import all_rows

# The folder of the programs, and whether they have a mistake.
GROUPS = {"mistakes": "mistakes/", "examples": "examples/"}
SHORT = {CLEAN: "", UNSUPPORTED: "not supported", ENDLESS: "does not end", CRASHED: "crashes"}


def verdicts_of(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """The rows by program and checker."""
    table: dict[str, dict[str, Row]] = {}
    for row in rows:
        table.setdefault(row.program, {})[row.checker] = row
    return table


def is_measured(by_checker: dict[str, Row]) -> bool:
    """Whether the program has run on a GPU. A new one may have to wait for that."""
    return all(checker in by_checker for checker in (*TOOLS, ALONE))


def differs(by_checker: dict[str, Row], engine: str) -> bool:
    """Whether the engine's verdict is another than that of the four tools together.

    Where both find something, one of the engine's lines must be among the tools' lines. Errors of
    API calls have no lines in the tools' findings, and ENGINE=emu knows no lines.
    """
    own = by_checker[engine]
    found = [by_checker[tool] for tool in TOOLS if by_checker[tool].verdict == FOUND]
    if own.verdict == WARNED or (own.verdict == FOUND) != bool(found):
        return True
    if own.verdict != FOUND:
        return own.verdict != CLEAN
    lines = {line for row in found for line in row.lines}
    return bool(lines) and bool(own.lines) and not lines & set(own.lines)


def off(rows: Iterable[Row]) -> list[Row]:
    """The rows of engines that differ."""
    return [
        by_checker[engine]
        for by_checker in verdicts_of(rows).values()
        for engine in ENGINES
        if is_measured(by_checker) and engine in by_checker and differs(by_checker, engine)
    ]


def cell(row: Row) -> str:
    if row.verdict in SHORT:
        return SHORT[row.verdict]
    lines = ", ".join(map(str, row.lines[:3])) + (", …" if len(row.lines) > 3 else "")
    kind = row.kind if row.verdict == FOUND else f"warning: {row.kind}"
    return f"{lines}: {kind}" if lines else kind


def measured(rows: Sequence[Row]) -> dict[str, dict[str, Row]]:
    table = verdicts_of(rows)
    return {program: table[program] for program in table if is_measured(table[program])}


def programs_table(rows: Sequence[Row], reasons: Sequence[Reason], prefix: str) -> list[str]:
    order = ("count", *TOOLS, ALONE, "emu")
    different = off(rows)
    lines = [
        f"| program | `count` | {' | '.join(TOOLS)} | on the GPU alone | `emu` |",
        "|---" * (len(TOOLS) + 4) + "|",
    ]
    for program, by_checker in measured(rows).items():
        if not program.startswith(prefix):
            continue
        cells = {checker: cell(row) for checker, row in by_checker.items()}
        for row in different:
            if row.program == program:
                cells[row.checker] += notes(row, reasons)
        said = (cells.get(checker, "").strip() for checker in order)
        lines.append(f"| {program.removeprefix(prefix)} | {' | '.join(said)} |")
    return lines


def summary_table(rows: Sequence[Row], reasons: Sequence[Reason]) -> list[str]:
    lines = [
        "| engine | programs | the same verdict | another one, explained below |",
        "|---|---|---|---|",
    ]
    known = measured(rows)
    for engine in ENGINES:
        programs = sum(engine in by_checker for by_checker in known.values())
        different = [row for row in off(rows) if row.engine == engine]
        explained = sum(any(reason.covers(row) for reason in reasons) for row in different)
        lines.append(f"| `{engine}` | {programs} | {programs - len(different)} | {explained} |")
    return lines


def reasons_list(rows: Sequence[Row], reasons: Sequence[Reason]) -> list[str]:
    def named(reason: Reason) -> str:
        programs = [row.program.rpartition("/")[2] for row in off(rows) if reason.covers(row)]
        said = ", ".join(programs) if len(programs) <= 12 else f"{len(programs)} programs"
        return f"`{reason.engine}`, {said}"

    return numbered(reasons, named)


def page_tables(
    tables: Mapping[Path, Sequence[Row]], reasons: Sequence[Reason]
) -> dict[str, list[str]]:
    """The lines of each table by its name. tables: each device's rows, by the path of its file."""
    rows = all_rows(tables)
    said = []
    for path, own in tables.items():
        dates = ", ".join(sorted({row.date[:10] for row in own if row.checker not in ENGINES}))
        device = path.parent.name.upper().replace("-", " ")
        said.append(f"Run on an {device} on {dates}: {len(measured(own))} programs.")
    if waiting := sorted({row.program for row in rows} - set(measured(rows))):
        said.append(f"Not run there yet: {', '.join(waiting)}.")
    groups = {name: programs_table(rows, reasons, prefix) for name, prefix in GROUPS.items()}
    return groups | {
        "measured": said,
        "summary": summary_table(rows, reasons),
        "reasons": reasons_list(rows, reasons),
    }
