#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make verdicts [ARGS=…]: compares the CPU engine's verdicts with compute-sanitizer's, on a GPU.

Each program of tests/common/emulator/mistakes and examples runs on the CPU engine (count, emu),
under compute-sanitizer's four tools, and alone on the GPU. Writes plots/data/<device>/verdicts.csv
and the tables of common/emulator/how-true-are-the-verdicts.md. The exit status is 1 if a verdict
differs and no verdicts.toml gives a reason.

The two halves may run on different machines:
    --sanitize-into DIR                      only build the programs with nvcc, run the tools, and
                                             keep their logs
    --processed --device NAME --logs DIR     read logs that were kept like that, and run the CPU
                                             engine here
Other uses:
    --check       whether the page and the reasons fit the recorded verdicts
    --page        write the page from the recorded verdicts
    --recheck     whether the CPU engine's verdicts are still the recorded ones
"""

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.filled_tables import fill
from common.tools.lib.gpus import has_gpu
from plots.records.proof_data import COMMON
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    DataError,
    ToolError,
    arguments,
    build_folder,
    run_tool,
)
from plots.maintain.prove.verdict_page import page_tables
from plots.maintain.prove.verdict_rows import (
    ALONE,
    ENGINES,
    TOOL_FOUND,
    TOOLS,
    Reason,
    Row,
    is_measured,
    judge,
    read_engine,
    read_log,
    read_reasons,
    read_rows,
    verdicts_of,
    write_rows,
)
from plots.records.folders import device_folder

REASONS = COMMON / "verdicts.toml"
PAGE = ROOT / "common" / "emulator" / "how-true-are-the-verdicts.md"
PROGRAMS = ROOT / "tests" / "common" / "emulator"
# The prefix of an executable in the build folder, by the folder of its source.
PREFIXES = {"mistakes": "mistake_", "examples": "example_"}
# Some programs wait for ever, alone and under each tool. A run takes a second otherwise.
LIMIT_S = {ALONE: 15} | dict.fromkeys(TOOLS, 40)
ENGINE_LIMIT_S = 120
PRINTED = "20"  # findings per program
LOG_BYTES = 16000


@dataclass(frozen=True)
class Program:
    name: str  # "mistakes/barriers/barrier_in_a_loop"

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


def find_programs() -> list[Program]:
    return [
        Program(str(path.relative_to(PROGRAMS).with_suffix("")))
        for group in PREFIXES
        for path in sorted((PROGRAMS / group).glob("*/*.cu"))
    ]


def compile_for_gpu(program: Program, executable: Path) -> None:
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
        raise DataError(f"{program.name}: nvcc failed:\n{result.stderr[-2000:]}")


def run_checker(checker: str, executable: Path, log: Path) -> None:
    """Runs a tool on a program, or the program alone, and keeps what both print."""
    tool = [
        *("compute-sanitizer", "--tool", checker),
        *("--error-exitcode", str(TOOL_FOUND), "--print-limit", PRINTED),
    ]
    words = ["timeout", "-k", "3", str(LIMIT_S[checker])] + (tool if checker in TOOLS else [])
    result = subprocess.run(
        [*words, str(executable)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    # `timeout` ends by the same signal as the program.
    status = 128 - result.returncode if result.returncode < 0 else result.returncode
    said = result.stdout.decode("utf-8", "replace")[:LOG_BYTES]
    write_whole(log, f"{said}\nexit status {status}\n")


def sanitize(logs: Path) -> None:
    if shutil.which("nvcc") is None or shutil.which("compute-sanitizer") is None:
        raise ToolError("make verdicts: nvcc or compute-sanitizer is missing", EXIT_FAILURE)
    if not has_gpu():
        raise ToolError("make verdicts: no usable device", EXIT_NO_DEVICE)
    programs = find_programs()
    binaries = build_folder() / "verdicts" / "bin"
    for folder in (binaries, logs):
        folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = [binaries / program.stem for program in programs]
        list(pool.map(compile_for_gpu, programs, paths))
        runs = [
            pool.submit(run_checker, checker, path, log_path(logs, program, checker))
            for checker in (ALONE, *TOOLS)
            for program, path in zip(programs, paths, strict=True)
        ]
        for run in runs:
            run.result()


def log_path(logs: Path, program: Program, checker: str) -> Path:
    return logs / f"{program.stem}.{checker}.log"


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def rows_of_logs(logs: Path, programs: Iterable[Program]) -> list[Row]:
    rows = []
    for program in programs:
        for checker in (*TOOLS, ALONE):
            path = log_path(logs, program, checker)
            if not path.exists():
                print(f"{path} is missing: {program.name} has no verdict of {checker}")
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            rows.append(Row(now(), program.name, checker, *read_log(text, program.name)))
    return rows


def run_engine(program: Program, engine: str) -> Row:
    executable = program.executable(engine)
    environment = os.environ | {
        "EMULATOR_COUNTERS": "none",
        "EMULATOR_TIME_LIMIT": "1",
        "EMULATOR_SCHEDULE": "in-order",
        "EMULATOR_WORKERS": "1",
    }
    try:
        result = subprocess.run(
            [str(executable)],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=ENGINE_LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"{executable.name} took longer than {ENGINE_LIMIT_S} s") from None
    verdict = read_engine(result.returncode, result.stderr, program.name)
    return Row(now(), program.name, engine, *verdict)


def run_engines(programs: Iterable[Program]) -> list[Row]:
    rows = []
    for program in programs:
        for engine in ENGINES:
            if program.executable(engine).exists():
                rows.append(run_engine(program, engine))
            else:
                print(f"{program.name} was not built for {engine}: run `ninja -C build long-tests`")
    return rows


def page(text: str, rows: list[Row], reasons: list[Reason], device: str) -> str:
    """The page with new tables."""
    for name, lines in page_tables(rows, reasons, device).items():
        text = fill(text, name, lines, PAGE)
    return text


def write_page(rows: list[Row], device: str) -> None:
    text = page(read_text(PAGE), rows, read_reasons(REASONS), device)
    write_whole(PAGE, text)


def print_verdict(rows: list[Row]) -> int:
    off, unexplained, stale = judge(rows, read_reasons(REASONS))
    table = verdicts_of(rows)
    for program, engine in unexplained:
        verdicts = (f"{row.checker}: {row.verdict} {row.kind}" for row in table[program].values())
        print(f"{program}: {engine} differs: {'; '.join(map(str.strip, verdicts))}")
    for reason in stale:
        print(f"{REASONS.name}: no difference any more: {reason.program} {reason.engine}")
    compared = sum(
        engine in by_checker
        for by_checker in table.values()
        if is_measured(by_checker)
        for engine in ENGINES
    )
    print(
        f"{compared} verdicts: {compared - len(off)} the same, "
        f"{len(off) - len(unexplained)} explained, {len(unexplained)} without a reason"
    )
    return EXIT_FAILURE if unexplained or stale else 0


def check(folder: Path) -> int:
    rows = read_rows(folder / "verdicts.csv")
    status = print_verdict(rows)
    if {row.program for row in rows} != {program.name for program in find_programs()}:
        print(f"{folder / 'verdicts.csv'}: has other programs than {PROGRAMS}: run make verdicts")
        status = EXIT_FAILURE
    text = read_text(PAGE)
    if page(text, rows, read_reasons(REASONS), folder.name) != text:
        print(f"{PAGE}: out of date: run python3 -m plots.maintain.prove.verdicts --page")
        status = EXIT_FAILURE
    return status


def comparable(row: Row) -> tuple[object, ...]:
    """What a verdict says on any machine. A kernel's memcpy() on the unchecked engine is the C
    library's: which byte behind an allocation it touches first depends on the CPU."""
    return row.verdict, re.sub(r"\d+ bytes past", "bytes past", row.kind), row.lines


def recheck(folder: Path) -> int:
    """Whether the CPU engine says today what it said when the verdicts were recorded."""
    recorded = {(row.program, row.checker): row for row in read_rows(folder / "verdicts.csv")}
    status = 0
    for row in run_engines(find_programs()):
        before = recorded.get((row.program, row.checker))
        if before is None or comparable(row) != comparable(before):
            status = EXIT_FAILURE
            was = (before.verdict, before.kind, before.lines) if before else "not recorded"
            said = (row.verdict, row.kind, row.lines)
            print(f"{row.program}: {row.checker}: {was} recorded, {said} now")
    return status


def prove(options: argparse.Namespace) -> int:
    logs = options.logs or build_folder() / "verdicts" / "logs"
    device = options.device
    if not options.processed:
        sanitize(logs)
        query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        device = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    programs = find_programs()
    rows = rows_of_logs(logs, programs) + run_engines(programs)
    slug = re.sub("[^a-z0-9]+", "-", device.lower().splitlines()[0]).strip("-")
    path = options.data / slug / "verdicts.csv"
    write_rows(path, rows)
    rows = read_rows(path)  # in the order of the file
    print(f"{path}: {len(rows)} rows")
    if options.data == ROOT / "plots" / "data":
        write_page(rows, slug)
    return print_verdict(rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Compares the CPU engine's verdicts with compute-sanitizer's."
    )
    parser.add_argument("--sanitize-into", type=Path, metavar="DIR")
    parser.add_argument("--processed", action="store_true")
    parser.add_argument("--logs", type=Path, metavar="DIR")
    parser.add_argument("--device", help="with --processed: the device that the tools ran on")
    parser.add_argument("--data", type=Path, default=ROOT / "plots" / "data")
    parser.add_argument("--recorded", help="with --check, --page, --recheck: folder of plots/data")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--recheck", action="store_true")
    options = parser.parse_args(sys.argv[1:] or arguments())
    if options.processed and not (options.device and options.logs):
        parser.error("--processed needs --device and --logs")
    try:
        if options.sanitize_into:
            sanitize(options.sanitize_into)
            return 0
        if options.check or options.page or options.recheck:
            folder = device_folder(options.data, options.recorded)
            if options.recheck:
                return recheck(folder)
            if options.page:
                write_page(read_rows(folder / "verdicts.csv"), folder.name)
            return check(folder)
        return prove(options)
    except DataError as error:
        raise ToolError(f"make verdicts: {error}", EXIT_FAILURE) from None


if __name__ == "__main__":
    run_tool(main)
