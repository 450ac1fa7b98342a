#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make verdicts [ARGS=…]: compares the CPU engine's verdicts with compute-sanitizer's, on a GPU.

Each program of tests/common/emulator/mistakes and examples runs on the CPU engine (count, emu),
under compute-sanitizer's four tools, and alone on the GPU. The options are those of frame.py.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import EXIT_FAILURE, EXIT_NO_DEVICE, ROOT, DataError, ToolError
from common.tools.lib.stages import build_folder, run_tool
from plots.maintain.prove import verdict_page
from plots.maintain.prove.frame import Source
from plots.maintain.prove.verdict_rows import (
    ALONE,
    ENGINES,
    TOOL_FOUND,
    TOOLS,
    Reason,
    Row,
    read_engine,
    read_log,
)
from plots.records.ncu import run as run_program
from plots.records.proof_data import COMMON

PROGRAMS = ROOT / "tests" / "common" / "emulator"
# The prefix of an executable in the build folder, by the folder of its source.
PREFIXES = {"mistakes": "mistake_", "examples": "example_"}
# Some programs wait for ever, alone and under each tool. A run takes a second otherwise.
LIMIT_S = {ALONE: 15} | dict.fromkeys(TOOLS, 40)
ENGINE_LIMIT_S = 120
ENVIRONMENT = {
    "EMULATOR_COUNTERS": "none",
    "EMULATOR_TIME_LIMIT": "1",
    "EMULATOR_SCHEDULE": "in-order",
    "EMULATOR_WORKERS": "1",
}
PRINTED = "20"  # findings per program
LOG_BYTES = 16000
Verdict = tuple[str, str, tuple[int, ...]]


@dataclass(frozen=True)
class Program:
    name: str  # "mistakes/barriers/barrier_in_a_loop"

    def __str__(self) -> str:
        return self.name

    @property
    def stem(self) -> str:
        return Path(self.name).name

    @property
    def source(self) -> Path:
        return PROGRAMS / f"{self.name}.cu"

    def executable(self, engine: str) -> Path:
        group = self.name.partition("/")[0]
        folder = build_folder() / PROGRAMS.relative_to(ROOT) / group
        return folder / f"{PREFIXES[group]}{self.stem}.{engine}"

    def log(self, folder: Path, checker: str) -> Path:
        return folder / f"{self.stem}.{checker}.log"


def write_log(path: Path, said: str, returncode: int) -> None:
    """`timeout` ends by the same signal as the program: then 128 and the signal's number."""
    status = 128 - returncode if returncode < 0 else returncode
    write_whole(path, f"{said}\nexit status {status}\n")


def compile_for_gpu(program: Program) -> Path:
    executable = build_folder() / "verdicts" / "bin" / program.stem
    executable.parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [
            *("nvcc", "-x", "cu", "-std=c++20", "-O3", "-lineinfo", "-arch=native", "-rdc=true"),
            *("-I", str(PROGRAMS / "examples" / "first_programs")),
            *("-o", str(executable), str(program.source), "-lcurand"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise DataError(f"nvcc failed:\n{result.stderr[-2000:]}")
    return executable


class Verdicts(Source[Program, Mapping[str, Verdict], Row, Reason]):
    command = "make verdicts"
    table = "verdicts.csv"
    reasons = COMMON / "verdicts.toml"
    page = ROOT / "common" / "emulator" / "how-true-are-the-verdicts.md"
    row = Row
    reason = Reason
    kept = ("verdicts/logs", "verdicts/emulated")
    at_once = os.cpu_count() or 1

    def runs(self) -> list[Program]:
        return [
            Program(str(path.relative_to(PROGRAMS).with_suffix("")))
            for group in PREFIXES
            for path in sorted((PROGRAMS / group).glob("*/*.cu"))
        ]

    def exists(self, program: str) -> bool:
        return Program(program).source.exists()

    def check_tools(self) -> None:
        if shutil.which("nvcc") is None or shutil.which("compute-sanitizer") is None:
            raise ToolError("make verdicts: nvcc or compute-sanitizer is missing", EXIT_FAILURE)
        if not has_gpu():
            raise ToolError("make verdicts: no usable device", EXIT_NO_DEVICE)

    def measure(self, run: Program, folder: Path) -> None:
        """Runs the program alone and under each tool, and keeps what both print."""
        executable = str(compile_for_gpu(run))
        for checker in (ALONE, *TOOLS):
            tool = [
                *("compute-sanitizer", "--tool", checker),
                *("--error-exitcode", str(TOOL_FOUND), "--print-limit", PRINTED),
            ]
            words = [
                "timeout",
                "-k",
                "3",
                str(LIMIT_S[checker]),
                *(tool if checker in TOOLS else []),
            ]
            result = subprocess.run(
                [*words, executable], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            said = result.stdout.decode("utf-8", "replace")[:LOG_BYTES]
            write_log(run.log(folder, checker), said, result.returncode)

    def count(self, run: Program, folder: Path) -> None:
        for engine in ENGINES:
            if not (executable := run.executable(engine)).exists():
                raise DataError(f"was not built for {engine}: run `ninja -C build long-tests`")
            ended = run_program([executable], ENGINE_LIMIT_S, **ENVIRONMENT)
            write_log(run.log(folder, engine), ended.stderr, ended.returncode)

    def emulated(self, run: Program, folder: Path) -> Mapping[str, Verdict]:
        logs = {engine: run.log(folder, engine) for engine in ENGINES}
        return {
            engine: read_engine(read_text(path), run.name)
            for engine, path in logs.items()
            if path.exists()
        }

    def compare(
        self, run: Program, said: Mapping[str, Verdict], folder: Path, date: str
    ) -> tuple[list[Row], list[str]]:
        rows = [Row(date, run.name, engine, *verdict) for engine, verdict in said.items()]
        troubles = []
        for checker in (*TOOLS, ALONE):
            path = run.log(folder, checker)
            if path.exists():
                text = path.read_text(encoding="utf-8", errors="replace")
                rows.append(Row(date, run.name, checker, *read_log(text, run.name)))
            else:
                troubles.append(f"{path} is missing: {run} has no verdict of {checker}")
        return rows, troubles

    def renewed(self, row: Row, said: Mapping[str, Verdict]) -> Row | None:
        if row.checker not in ENGINES:
            return row
        if row.checker not in said:
            return None
        verdict, kind, lines = said[row.checker]
        return replace(row, verdict=verdict, kind=kind, lines=lines)

    def off(self, rows: Sequence[Row]) -> list[Row]:
        return verdict_page.off(rows)

    def words(self, rows: list[Row], off: int, unexplained: list[Row]) -> list[str]:
        table = verdict_page.verdicts_of(rows)
        compared = sum(
            engine in one for one in verdict_page.measured(rows).values() for engine in ENGINES
        )
        said = []
        for row in unexplained:
            verdicts = (
                f"{one.checker}: {one.verdict} {one.kind}".strip()
                for one in table[row.program].values()
            )
            said.append(f"{row.program}: {row.engine} differs: {'; '.join(verdicts)}")
        return [
            *said,
            f"{compared} verdicts: {compared - off} the same, "
            f"{off - len(unexplained)} explained, {len(unexplained)} without a reason",
        ]

    def incomplete(self, rows: list[Row]) -> str:
        wanted = {(program.name, engine) for program in self.runs() for engine in ENGINES}
        if {(row.program, row.checker) for row in rows if row.checker in ENGINES} != wanted:
            return f"{self.table}: has other programs than {PROGRAMS}: run make verdicts"
        return ""

    def tables(
        self, tables: Mapping[Path, Sequence[Row]], reasons: Sequence[Reason]
    ) -> Mapping[str, list[str]]:
        return verdict_page.page_tables(tables, reasons)


if __name__ == "__main__":
    run_tool(Verdicts().main)
