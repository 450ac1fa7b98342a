# SPDX-License-Identifier: MIT
"""Verdicts on programs: of the CPU engine, and of compute-sanitizer's tools on a GPU.

A verdict is one row of verdicts.csv. It says whether a checker finds a mistake, which one, and in
which lines of the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import VERDICT_COLUMNS
from common.tools.lib.stages import DataError
from plots.records.proof_rows import ProofReason, ProofRow

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
class Row(ProofRow):
    COLUMNS = VERDICT_COLUMNS
    checker: str  # of CHECKERS
    verdict: str
    kind: str  # of the first finding
    lines: tuple[int, ...]  # of the program, as far as the findings name them

    @property
    def engine(self) -> str:
        """The checker, where reasons are about it."""
        return self.checker

    @property
    def place(self) -> str:
        return f"{self.program}: {self.checker}"

    @property
    def said(self) -> object:
        """A kernel's memcpy() on the unchecked engine is the C library's: which byte behind an
        allocation it touches first depends on the CPU."""
        return self.verdict, re.sub(r"\d+ bytes past", "bytes past", self.kind), self.lines

    @property
    def order(self) -> tuple[object, ...]:
        return self.program, CHECKERS.index(self.checker)


@dataclass(frozen=True)
class Reason(ProofReason):
    program: str
    engine: str
    reason: str


def lines_in(text: str, program: str) -> tuple[int, ...]:
    name = re.escape(Path(program).name)
    return tuple(sorted({int(line) for line in re.findall(rf"\b{name}\.cu:(\d+)\b", text)}))


def status_in(text: str, program: str) -> int:
    match = STATUS.search(text)
    if match is None:
        raise DataError(f"{program}: a log without an exit status")
    return int(match[1])


def read_log(text: str, program: str) -> tuple[str, str, tuple[int, ...]]:
    """The verdict, kind and lines in the log of one tool, or of the program alone."""
    status = status_in(text, program)
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


def read_engine(text: str, program: str) -> tuple[str, str, tuple[int, ...]]:
    """The verdict, the kind of the first finding, and the lines in the log of the CPU engine."""
    status = status_in(text, program)
    findings = [
        (match[1], lines_in(line, program))
        for line in text.splitlines()
        if (match := ENGINE_FINDING.match(line))
    ]
    errors = [finding for finding in findings if not finding[0].startswith("warning: ")]
    if errors:
        lines = {line for _, named in errors for line in named}
        return FOUND, errors[0][0], tuple(sorted(lines))
    failure = next((line for line in text.splitlines() if ENGINE_FAILURE.match(line)), "")
    if failure:
        kind = failure.partition(": ")[2].partition(": ")[2].partition(" (cuda")[0]
        return FOUND, re.sub(r" ?\b0x[0-9a-f]+", "", kind).strip(), ()
    if status >= 128:
        return CRASHED, "", ()
    if findings:
        return WARNED, findings[0][0].removeprefix("warning: "), findings[0][1]
    return CLEAN, "", ()
