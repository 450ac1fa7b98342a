#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make instructions [CHAPTER=… | STAGE=…] [ARGS=…]: compares instruction counts with a GPU's, read
by ncu.

`make explain` multiplies a kernel's machine code by what the CPU engine counted. Here the same is
done for every run of make prove. Writes plots/data/<device>/instructions.csv and the tables of
common/emulator/how-true-are-the-counters.md. The exit status is 1 if a count is off by more than
the bar and no instructions.toml gives a reason.

The parts may run on different machines:
    --profile-into DIR                       only run ncu, and keep its tables
    --processed --device NAME --tables DIR   compare with tables that were kept like that
    --emulated DIR                           use counters that prove_counters --count-into kept
    --code DIR                               keep the machine code here, and use what is there
Other uses:
    --check                                  whether the page and the reasons fit the recorded table
    --page                                   write the page from the recorded table
    --recount                                whether the predictions still are those recorded
    --recount --page                         record the new predictions beside the old measurements
"""

import argparse
import datetime
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from common.tools.explain.bounds import INTEGER, SPECIAL
from common.tools.explain.devices import DEFAULT, read_devices
from plots.records import ncu as nsight
from common.tools.lib.counting import kernel_key, read_kernel
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.filled_tables import fill
from plots.records.profiling import OPCODE_METRIC, parse_instances
from plots.records.proof_data import COMMON
from plots.maintain.prove.kernels import Family, read_emulated, read_families
from plots.maintain.prove.kernels import read_measured
from plots.page.proof_page import instruction_tables
from plots.records.proof_rows import (
    INSTRUCTIONS,
    INTEGER_INSTRUCTIONS,
    SPECIAL_INSTRUCTIONS,
    Reason,
    Row,
    all_rows,
    judge,
    read_reasons,
    read_rows,
    read_tables,
    write_rows,
)
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    DataError,
    Stage,
    ToolError,
    arguments,
    build_folder,
    run_tool,
)
from common.tools.machine_code.compiled import NoMachineCode, functions_of, stage_listings
from common.tools.machine_code.counts import count_instructions
from common.tools.machine_code.listing import Function
from plots.maintain.prove.counters import (
    PAGE,
    RUNS,
    Run,
    count,
    device_name,
    find_runs,
    joined_with_recorded,
    print_verdict,
    profile,
)
from plots.records.folders import device_folder, proof_tables

REASONS = COMMON / "instructions.toml"
# Where ncu cannot count by opcode, it still counts all.
TOTAL = "smsp__inst_executed.sum"
COMPILERS = 4  # at the same time
Code = dict[str, list[Function]]


def by_class(opcodes: Mapping[str, float]) -> dict[str, float]:
    """What bounds are made of."""

    def of(names: Sequence[str]) -> float:
        return sum(n for opcode, n in opcodes.items() if opcode.partition(".")[0] in names)

    return {
        INSTRUCTIONS: sum(opcodes.values()),
        INTEGER_INSTRUCTIONS: of(INTEGER),
        SPECIAL_INSTRUCTIONS: of(SPECIAL),
    }


@dataclass(frozen=True)
class Counted:
    """A kernel's instructions by class, from its machine code."""

    launches: int
    classes: Mapping[str, float]


def counted_kernels(run: Run, path: Path, code: Code) -> tuple[dict[str, Counted], list[str]]:
    """Each kernel of a run, and the names of kernels without machine code."""
    found, missing = {}, []
    for record in read_emulated(path).values():
        kernel = read_kernel(record)
        counted = count_instructions(kernel, code)
        if counted is None:
            missing.append(kernel.name)
        else:
            found[kernel.name] = Counted(kernel.count("launches"), by_class(counted.opcodes))
    return found, missing


def measured_classes(launches: Sequence[nsight.Launch]) -> dict[str, float]:
    """Only the sum of all if ncu did not count by opcode; nothing if it counted nothing."""
    opcodes: dict[str, float] = {}
    for launch in launches:
        instances = parse_instances(launch.get(OPCODE_METRIC, ("", ""))[1])
        if not instances:
            totals = [nsight.parse_number(one.get(TOTAL, ("", ""))[1]) for one in launches]
            known = [one for one in totals if one is not None]
            return {INSTRUCTIONS: sum(known)} if len(known) == len(totals) else {}
        for name, value in instances.items():
            opcodes[name] = opcodes.get(name, 0.0) + value
    return by_class(opcodes)


def compare(
    run: Run,
    emulated: Mapping[str, Counted],
    measured: Mapping[str, list[nsight.Launch]],
    date: str,
    families: Sequence[Family],
) -> tuple[list[Row], list[str]]:
    """The rows, and which kernels cannot be compared. Kernels that launch one another are left out:
    ncu adds up their work."""
    rows, troubles = [], []
    for name, counted in emulated.items():
        if any(family.holds(run.program, name) for family in families):
            continue
        key = kernel_key(name)
        alike = [one for one in measured if one.partition("<")[0] == key.partition("<")[0]]
        key = key if key in measured or len(alike) != 1 else alike[0]
        launches = measured.get(key, [])
        if len(launches) != counted.launches:
            troubles.append(
                f"{run.program} {run.arguments}: {name}: {counted.launches} launches emulated, "
                f"{len(launches)} measured"
            )
            continue
        rows += [
            Row(
                date,
                run.program,
                run.arguments,
                name,
                len(launches),
                counter,
                round(counted.classes[counter]),
                round(value),
            )
            for counter, value in measured_classes(launches).items()
        ]
    return rows, troubles


def find_stage_runs() -> list[Run]:
    return [run for run in find_runs() if run.stage is not None]


def profile_run(ncu: str, run: Run, path: Path) -> None:
    try:
        profile(ncu, run, path, (OPCODE_METRIC,), ("--print-metric-instances", "details"))
    except DataError:
        profile(ncu, run, path, (TOTAL,))


def profile_all(runs: Sequence[Run], folder: Path) -> list[str]:
    ncu = nsight.find_ncu()
    troubles = []
    for run in runs:
        try:
            profile_run(ncu, run, folder / f"{run.file_name}.csv")
        except DataError as error:
            troubles.append(f"{run.program} {run.arguments}: {error}")
        print(f"{run.program} {run.arguments}", file=sys.stderr, flush=True)
    return troubles


def code_of(stage: Stage, architecture: str, folder: Path | None) -> Code:
    """The machine code of a stage, from `folder` if it was kept there."""
    path = folder / f"{stage.chapter}-{stage.name}.sass" if folder else None
    if path and path.exists():
        return functions_of([read_text(path)])
    text = "".join(stage_listings(stage, architecture))
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    return functions_of([text])


def compile_all(runs: Sequence[Run], folder: Path | None) -> tuple[dict[str, Code], list[str]]:
    """The machine code of each program, and why some have none."""
    programs = {run.program: run.stage for run in runs if run.stage}
    architecture = read_devices()[DEFAULT].architecture
    found: dict[str, Code] = {}
    troubles = []

    def compiled(program: str) -> Code | NoMachineCode:
        try:
            return code_of(programs[program], architecture, folder)
        except NoMachineCode as error:
            return error

    with ThreadPoolExecutor(COMPILERS) as pool:
        for program, code in zip(programs, pool.map(compiled, programs)):
            if isinstance(code, NoMachineCode):
                troubles.append(f"{program}: no machine code: {code}")
            else:
                found[program] = code
    return found, troubles


def emulate(
    runs: Sequence[Run], folder: Path, must_run: bool, code: Path | None
) -> tuple[list[tuple[Run, dict[str, Counted]]], list[str]]:
    """Of each run its kernels' instructions."""
    codes, troubles = compile_all(runs, code)
    found = []
    for run in runs:
        path = folder / f"{run.file_name}.json"
        if run.program not in codes:
            continue
        try:
            if must_run:
                count(run, path)
            classes, missing = counted_kernels(run, path, codes[run.program])
        except DataError as error:
            troubles.append(f"{run.program} {run.arguments}: {error}")
            continue
        troubles += [f"{run.program}: {name}: no machine code" for name in missing]
        found.append((run, classes))
    return found, troubles


def prove(options: argparse.Namespace) -> int:
    runs = find_stage_runs()
    tables = options.tables or build_folder() / "proof" / "instructions"
    troubles = [] if options.processed else profile_all(runs, tables)
    device = options.device or device_name(runs)
    folder = options.emulated or build_folder() / "proof" / "emulated"
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    reasons, families = read_reasons(REASONS), read_families(RUNS)
    emulated, more = emulate(runs, folder, options.emulated is None, options.code)
    troubles += more
    rows: list[Row] = []
    for run, classes in emulated:
        try:
            measured = read_measured(tables / f"{run.file_name}.csv")
            found, more = compare(run, classes, measured, date, families)
            rows += found
            troubles += more
        except DataError as error:
            troubles.append(f"{run.program} {run.arguments}: {error}")
    slug = re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")
    path = options.data / slug / "instructions.csv"
    if rows:
        rows = joined_with_recorded(path, rows)
        write_rows(path, rows)
        print(f"{path}: {len(rows)} rows")
        rows = all_rows(recorded_tables(path.parent))
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    for trouble in troubles:
        print(trouble)
    if rows and options.data == ROOT / "plots" / "data":
        write_page(recorded_tables(device_folder(options.data, options.recorded)), reasons)
    return EXIT_FAILURE if unexplained or troubles or not rows else 0


def page(text: str, tables: Mapping[Path, Sequence[Row]], reasons: list[Reason]) -> str:
    for name, lines in instruction_tables(tables, reasons).items():
        text = fill(text, name, lines, PAGE)
    return text


def write_page(tables: Mapping[Path, Sequence[Row]], reasons: list[Reason]) -> None:
    write_whole(PAGE, page(read_text(PAGE), tables, reasons))


def recorded_tables(folder: Path) -> dict[Path, list[Row]]:
    """The rows that `folder` holds, and those of programs that only other devices ran."""
    return read_tables(proof_tables(folder, "instructions.csv"))


def recount(folder: Path, options: argparse.Namespace) -> int:
    """Predicts again and compares with the recorded predictions. With --page: records them. The
    measurements stay, with their dates."""
    counters = options.emulated or build_folder() / "proof" / "emulated"
    paths = proof_tables(folder, "instructions.csv")
    recorded = {(row.program, row.arguments) for row in all_rows(read_tables(paths))}
    runs = [run for run in find_stage_runs() if (run.program, run.arguments) in recorded]
    emulated, troubles = emulate(runs, counters, options.emulated is None, options.code)
    now = {
        (run.program, run.arguments, name, counter): round(value)
        for run, classes in emulated
        for name, counted in classes.items()
        for counter, value in counted.classes.items()
    }
    wrong = 0
    for path in paths:
        rows = []
        for row in read_rows(path):
            key = (row.program, row.arguments, row.kernel, row.counter)
            rows.append(replace(row, emulated=now.get(key, row.emulated)))
            if rows[-1] != row:
                wrong += 1
                print(f"{', '.join(key)}: {row.emulated} recorded, {now[key]} now")
        if options.page:
            write_rows(path, rows)
    for trouble in troubles:
        print(trouble)
    if options.page:
        write_page(recorded_tables(folder), read_reasons(REASONS))
        return EXIT_FAILURE if troubles else 0
    return EXIT_FAILURE if wrong or troubles else 0


def check_page(folder: Path) -> int:
    tables, reasons = recorded_tables(folder), read_reasons(REASONS)
    rows = all_rows(tables)
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    text = read_text(PAGE)
    if page(text, tables, reasons) != text:
        print(f"{PAGE}: out of date: run python3 -m plots.maintain.prove.instructions --page")
        return EXIT_FAILURE
    return EXIT_FAILURE if unexplained or stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares instruction counts with a GPU's.")
    parser.add_argument("--profile-into", type=Path, metavar="DIR")
    parser.add_argument("--emulated", type=Path, metavar="DIR")
    parser.add_argument("--code", type=Path, metavar="DIR")
    parser.add_argument("--tables", type=Path, metavar="DIR")
    parser.add_argument("--processed", action="store_true")
    parser.add_argument("--device", help="with --processed: the device that ncu ran on")
    parser.add_argument("--data", type=Path, default=ROOT / "plots" / "data")
    parser.add_argument("--recorded", help="folder of plots/data whose rows come first")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--recount", action="store_true")
    options = parser.parse_args(sys.argv[1:] or arguments())
    if options.processed and not (options.device and options.tables):
        parser.error("--processed needs --device and --tables")
    try:
        if options.profile_into:
            troubles = profile_all(find_stage_runs(), options.profile_into)
            print("\n".join(troubles), end="")
            return EXIT_FAILURE if troubles else 0
        if options.check or options.page or options.recount:
            folder = device_folder(options.data, options.recorded)
            if options.recount:
                return recount(folder, options)
            if options.page:
                write_page(recorded_tables(folder), read_reasons(REASONS))
            return check_page(folder)
        return prove(options)
    except DataError as error:
        raise ToolError(f"make instructions: {error}", EXIT_FAILURE) from None


if __name__ == "__main__":
    run_tool(main)
