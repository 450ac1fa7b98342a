# SPDX-License-Identifier: MIT
"""The tables of the page on the verdicts (how-true-are-the-verdicts.md)."""

from __future__ import annotations

from plots.maintain.prove.verdict_rows import (
    ALONE,
    CLEAN,
    CRASHED,
    ENDLESS,
    ENGINES,
    FOUND,
    TOOLS,
    UNSUPPORTED,
    Reason,
    Row,
    differs,
    is_measured,
    verdicts_of,
)

# The folder of the programs, and whether they have a mistake.
GROUPS = {"mistakes": "mistakes/", "examples": "examples/"}
SHORT = {CLEAN: "", UNSUPPORTED: "not supported", ENDLESS: "does not end", CRASHED: "crashes"}


def cell(row: Row) -> str:
    if row.verdict in SHORT:
        return SHORT[row.verdict]
    lines = ", ".join(map(str, row.lines[:3])) + (", …" if len(row.lines) > 3 else "")
    kind = row.kind if row.verdict == FOUND else f"warning: {row.kind}"
    return f"{lines}: {kind}" if lines else kind


def measured(rows: list[Row]) -> dict[str, dict[str, Row]]:
    table = verdicts_of(rows)
    return {program: table[program] for program in table if is_measured(table[program])}


def programs_table(rows: list[Row], reasons: list[Reason], prefix: str) -> list[str]:
    numbers = {reason: number for number, reason in enumerate(reasons, 1)}
    lines = [
        f"| program | `count` | {' | '.join(TOOLS)} | on the GPU alone | `emu` |",
        "|---" * (len(TOOLS) + 4) + "|",
    ]
    for program, by_checker in measured(rows).items():
        if not program.startswith(prefix):
            continue
        cells = {checker: cell(row) for checker, row in by_checker.items()}
        for engine in ENGINES:
            if engine in by_checker and differs(by_checker, engine):
                notes = [n for reason, n in numbers.items() if reason.covers(program, engine)]
                cells[engine] += "".join(f" [{note}]" for note in notes) or " **?**"
        order = ("count", *TOOLS, ALONE, "emu")
        name = program.removeprefix(prefix)
        lines.append(
            f"| {name} | {' | '.join(cells.get(checker, '').strip() for checker in order)} |"
        )
    return lines


def summary_table(rows: list[Row], reasons: list[Reason]) -> list[str]:
    lines = [
        "| engine | programs | the same verdict | another one, explained below |",
        "|---|---|---|---|",
    ]
    for engine in ENGINES:
        table = {name: one for name, one in measured(rows).items() if engine in one}
        off = [program for program, by_checker in table.items() if differs(by_checker, engine)]
        explained = sum(
            any(reason.covers(program, engine) for reason in reasons) for program in off
        )
        lines.append(f"| `{engine}` | {len(table)} | {len(table) - len(off)} | {explained} |")
    return lines


def reasons_list(rows: list[Row], reasons: list[Reason]) -> list[str]:
    table = measured(rows)
    lines = []
    for number, reason in enumerate(reasons, 1):
        programs = [
            program.rpartition("/")[2]
            for program, by_checker in table.items()
            if reason.engine in by_checker
            and reason.covers(program, reason.engine)
            and differs(by_checker, reason.engine)
        ]
        named = ", ".join(programs) if len(programs) <= 12 else f"{len(programs)} programs"
        lines.append(f"{number}. `{reason.engine}`, {named}: {reason.reason}")
    return lines or ["None."]


def page_tables(rows: list[Row], reasons: list[Reason], device: str) -> dict[str, list[str]]:
    """The lines of each table by its name."""
    dates = sorted({row.date[:10] for row in rows})
    known = measured(rows)
    said = [
        f"Run on an {device.upper().replace('-', ' ')} on {', '.join(dates)}: {len(known)} programs."
    ]
    if waiting := sorted({row.program for row in rows} - set(known)):
        said.append(f"Not run there yet: {', '.join(waiting)}.")
    tables = {name: programs_table(rows, reasons, prefix) for name, prefix in GROUPS.items()}
    return tables | {
        "measured": said,
        "summary": summary_table(rows, reasons),
        "reasons": reasons_list(rows, reasons),
    }
