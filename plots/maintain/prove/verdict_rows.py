# SPDX-License-Identifier: MIT
"""Verdicts on programs: of the CPU engine, and of compute-sanitizer's tools on a GPU.

A verdict is one row of verdicts.csv. It says whether a checker finds a mistake, which one, and in
which lines of the program.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import VERDICT_COLUMNS
from common.tools.lib.csv_tables import integer, read_table
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.csv_tables import write_table
from common.tools.lib.stages import EXIT_FAILURE, DataError, ToolError

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
ALONE = "alone"  # the program on the GPU, without a tool
ENGINES = ("count", "emu")
CHECKERS = (*ENGINES, *TOOLS, ALONE)
CLEAN, FOUND, WARNED, UNSUPPORTED, ENDLESS, CRASHED = (
    "clean",
    "found",
    "warned",
    "not supported",
    "does not end",
    "crashed",
)
TOOL_FOUND = 99  # compute-sanitizer's exit status for a finding; no program has this status
STATUS = re.compile(r"^exit status (-?\d+)$", re.MULTILINE)  # the last line of a log
NAMELESS = "COMPUTE-SANITIZER"  # the first line of a log; the next one names the finding
# What `timeout` returns.
TIMED_OUT = (124, 137)
# These tools do not support programs whose kernels launch kernels. They count this message as a
# finding, and initcheck also reports all that the launched kernels wrote.
NO_DEVICE_LAUNCHES = "CUDA Dynamic Parallelism is not supported by the selected tool"
# The first words of a finding in a log, with what the table calls it.
TOOL_FINDINGS = (
    (r"Invalid (__\w+__ \w+)", r"invalid \1"),
    (r"Malloc/Free Error encountered : (.*)", r"\1"),
    (r"Program hit (cudaError\w+) .* on CUDA API call to (\w+)", r"\1 of \2"),
    (r"(?:Error|Warning): Race reported", "race"),
    (r"(Uninitialized __\w+__ memory read)", r"\1"),
    (r"(Uninitialized) access to \w+ on access by (\w+)", r"\1 memory read by \2"),
    (r"Barrier error detected\. (.*)\.", r"\1"),
)
ENGINE_FINDING = re.compile(r"^emulator: ((?:warning: )?[a-z ]+): (?:kernel |\w+\.cuh?:\d)")
# What both engines say of a kernel that cannot go on: "kernel k, block (0,0,0), …".
ENGINE_FAILURE = re.compile(
    r"^emulator: (?:kernel .*?, (?:block|thread) .*|kernel .*: deadlock.*|\w+: .* is memory of "
    r"the device heap.*)$"
)


@dataclass(frozen=True)
class Row:
    date: str
    program: str  # "mistakes/barriers/barrier_in_a_loop"
    checker: str  # of CHECKERS
    verdict: str
    kind: str  # of the first finding
    lines: tuple[int, ...]  # of the program, as far as the findings name them


@dataclass(frozen=True)
class Reason:
    program: str  # a shell pattern
    engine: str
    reason: str

    def covers(self, program: str, engine: str) -> bool:
        return engine == self.engine and fnmatch.fnmatchcase(program, self.program)


def read_reasons(path: Path) -> list[Reason]:
    try:
        return [Reason(**entry) for entry in parse_toml(read_text(path), path)["reason"]]
    except (KeyError, TypeError) as error:
        raise ToolError(f"{path}: {error}", EXIT_FAILURE) from None


def lines_in(text: str, program: str) -> tuple[int, ...]:
    name = re.escape(Path(program).name)
    return tuple(sorted({int(line) for line in re.findall(rf"\b{name}\.cu:(\d+)\b", text)}))


def read_log(text: str, program: str) -> tuple[str, str, tuple[int, ...]]:
    """The verdict, kind and lines in the log of one tool, or of the program alone."""
    match = STATUS.search(text)
    if match is None:
        raise DataError(f"{program}: a log without an exit status")
    status = int(match[1])
    said = "\n".join(line for line in text.splitlines() if line.startswith("========="))
    if NO_DEVICE_LAUNCHES in said and "__global__" not in said:
        return UNSUPPORTED, "", ()
    for pattern, kind in TOOL_FINDINGS:
        if found := re.search(pattern, said):
            return FOUND, found.expand(kind).strip().lower(), lines_in(said, program)
    if status in TIMED_OUT:
        return ENDLESS, "", ()
    if status >= 128 or "process didn't terminate successfully" in said:
        return CRASHED, "", ()
    if status == TOOL_FOUND:
        kinds = [line.strip("= ") for line in said.splitlines() if NAMELESS not in line]
        return FOUND, (kinds or ["?"])[0].lower(), lines_in(said, program)
    return CLEAN, "", ()


def read_engine(status: int, stderr: str, program: str) -> tuple[str, str, tuple[int, ...]]:
    """The verdict, the kind of the first finding, and the lines of a run on the CPU engine."""
    findings = [
        (match[1], lines_in(line, program))
        for line in stderr.splitlines()
        if (match := ENGINE_FINDING.match(line))
    ]
    errors = [finding for finding in findings if not finding[0].startswith("warning: ")]
    if errors:
        lines = {line for _, named in errors for line in named}
        return FOUND, errors[0][0], tuple(sorted(lines))
    failure = next((line for line in stderr.splitlines() if ENGINE_FAILURE.match(line)), "")
    if failure:
        kind = failure.partition(": ")[2].partition(": ")[2].partition(" (cuda")[0]
        return FOUND, re.sub(r" ?\b0x[0-9a-f]+", "", kind).strip(), ()
    if status < 0 or status >= 128:
        return CRASHED, "", ()
    if findings:
        return WARNED, findings[0][0].removeprefix("warning: "), findings[0][1]
    return CLEAN, "", ()


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


def judge(
    rows: list[Row], reasons: list[Reason]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[Reason]]:
    """All differences as (program, engine), those without a reason, and reasons without one."""
    off = [
        (program, engine)
        for program, by_checker in verdicts_of(rows).items()
        for engine in ENGINES
        if is_measured(by_checker) and engine in by_checker and differs(by_checker, engine)
    ]
    unexplained = [one for one in off if not any(reason.covers(*one) for reason in reasons)]
    stale = [reason for reason in reasons if not any(reason.covers(*one) for one in off)]
    return off, unexplained, stale


def write_rows(path: Path, rows: list[Row]) -> None:
    ordered = sorted(rows, key=lambda row: (row.program, CHECKERS.index(row.checker)))
    write_table(
        path,
        VERDICT_COLUMNS,
        (
            [
                row.date,
                row.program,
                row.checker,
                row.verdict,
                row.kind,
                " ".join(map(str, row.lines)),
            ]
            for row in ordered
        ),
    )


def read_rows(path: Path) -> list[Row]:
    return [
        Row(
            one["date"],
            one["program"],
            one["checker"],
            one["verdict"],
            one["kind"],
            tuple(integer(word, "lines", f"{path}:{line}") for word in one["lines"].split()),
        )
        for line, one in read_table(path, VERDICT_COLUMNS)
    ]
