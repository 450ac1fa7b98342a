#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make prove [CHAPTER=… | STAGE=…] [ARGS=…]: compares the CPU engine's counters with a GPU's, read
by ncu.

Every stage and every example of tests/common/emulator/examples runs on both with the same flags.
Writes plots/data/<device>/counters.csv and the tables of
common/emulator/how-true-are-the-counters.md. The exit status is 1 if a counter is off by more than
the bar and no hardware.toml gives a reason.

The two halves may run on different machines, and a third machine may compare them:
    --count-into DIR                         only run on the CPU engine, and keep its counters
    --emulated DIR                           compare with counters that were kept like that
    --tables DIR                             keep ncu's tables here (default: build/proof)
    --processed --device NAME --tables DIR --emulated DIR
                                             compare ncu's tables that an earlier run kept
Other uses:
    --check                                  whether the page and the reasons fit the recorded table
    --recount                                whether the CPU engine still counts what was recorded
    --recount --page                         record the engine's new counters beside the old
                                             measurements
"""

import argparse
import datetime
import fnmatch
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plots.records import ncu as nsight
from common.tools.lib.filled_tables import fill
from plots.records.proof_data import COMMON, read_proof_data
from plots.maintain.prove.kernels import (
    compare,
    join_families,
    read_emulated,
    read_families,
    read_measured,
)
from plots.page.proof_page import page_tables
from plots.records.proof_rows import (
    COUNTERS,
    METRICS,
    Reason,
    Row,
    all_rows,
    is_example,
    judge,
    read_reasons,
    read_rows,
    read_tables,
    write_rows,
)
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.measuring import device_of
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    DataError,
    Stage,
    ToolError,
    arguments,
    build_folder,
    chosen_stages,
    executable,
    load_stages,
    run_tool,
)
from plots.records.folders import device_folder, proof_tables

RUNS = COMMON / "hardware.toml"
PAGE = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"
EXAMPLES = ROOT / "tests" / "common" / "emulator" / "examples"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Run:
    """One program with its flags, on both engines."""

    program: str  # "nbody/01_float3", "examples/scan"
    arguments: str
    gpu: Path | None
    count: Path | None
    stage: Stage | None = None  # None: an example

    @property
    def file_name(self) -> str:
        return re.sub(r"[^A-Za-z0-9_]+", "-", f"{self.program} {self.arguments}").strip("-")

    def words(self) -> list[str]:
        """A stage runs once, without warm-up and verification. An example has no flags."""
        stage = [] if is_example(self.program) else ["--profile"]
        return stage + self.arguments.split()


def find_examples() -> dict[str, dict[str, Path]]:
    """The executables of each example that were built, by its name and by engine."""
    folder = build_folder() / EXAMPLES.relative_to(ROOT)
    names = sorted(source.stem for source in EXAMPLES.glob("*/*.cu"))
    paths = {
        name: {"gpu": folder / f"example_{name}", "count": folder / f"example_{name}.count"}
        for name in names
    }
    return {
        name: {engine: path for engine, path in engines.items() if path.exists()}
        for name, engines in paths.items()
    }


def find_runs() -> list[Run]:
    flags = read_proof_data(RUNS)["runs"]
    runs = []
    for stage in chosen_stages(load_stages()):
        if not stage.has_kernels:
            continue
        gpu, count = (
            executable(stage, engine) if engine in stage.executables else None
            for engine in ("gpu", "count")
        )
        words = next(
            words for pattern, words in flags.items() if fnmatch.fnmatch(stage.stage, pattern)
        )
        runs += [Run(stage.stage, each, gpu, count, stage) for each in words]
    if not os.environ.get("CHAPTER") and not os.environ.get("STAGE"):
        runs += [
            Run(f"examples/{name}", "", programs.get("gpu"), programs.get("count"))
            for name, programs in find_examples().items()
        ]
    return runs


def count(run: Run, path: Path) -> None:
    """Counts a run into `path`."""
    if run.count is None:
        raise DataError("was not built for the CPU engine with counters")
    path.parent.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, EMULATOR_COUNTERS=str(path), EMULATOR_RACES="off")
    try:
        result = subprocess.run(
            [str(run.count), *run.words()],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"took longer than {TIMEOUT_S} s on the CPU engine") from None
    if result.returncode != 0:
        raise DataError(
            f"ended with {result.returncode} on the CPU engine:\n{result.stderr.strip()[-2000:]}"
        )


def count_all(folder: Path) -> int:
    troubles = 0
    for run in find_runs():
        try:
            count(run, folder / f"{run.file_name}.json")
        except DataError as error:
            troubles += 1
            print(f"{run.program} {run.arguments}: {error}")
    return EXIT_FAILURE if troubles else 0


def profile(
    ncu: str, run: Run, path: Path, metrics: Sequence[str] = METRICS, more: Sequence[str] = ()
) -> None:
    """Profiles all launches of a run into ncu's table at `path`. `more`: further flags of ncu."""
    if run.gpu is None:
        raise DataError("was not built for a GPU")
    path.parent.mkdir(parents=True, exist_ok=True)
    asked = list(metrics)
    while asked:
        path.unlink(missing_ok=True)
        # The table goes into a file, because the program writes to stdout. The caches need no
        # control: requests and sectors are counted before them.
        result = nsight.run(
            [
                ncu,
                "--csv",
                "--page",
                "raw",
                "--print-units",
                "base",
                "--log-file",
                str(path),
                "--clock-control",
                "none",
                "--cache-control",
                "none",
                *more,
                "--metrics",
                ",".join(asked),
                str(run.gpu),
                *run.words(),
            ],
            TIMEOUT_S,
        )
        said = read_text(path) if path.exists() else ""
        said_all = said + result.stdout + result.stderr
        unknown = nsight.unknown_metrics(said_all, asked)
        if not unknown:
            break
        asked = [name for name in asked if name not in unknown]
    if result.returncode != 0 or any(text in said_all for text in nsight.NOTHING_PROFILED):
        raise DataError(f"ncu failed:\n{said_all.strip()[-2000:]}")


def check_page(folder: Path) -> int:
    tables, reasons = recorded_tables(folder), read_reasons(RUNS)
    rows = all_rows(tables)
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    text = read_text(PAGE)
    if page(text, tables, reasons) != text:
        print(f"{PAGE}: out of date: run python3 -m plots.maintain.prove.counters --page")
        return EXIT_FAILURE
    return EXIT_FAILURE if unexplained or stale else 0


def recorded_tables(folder: Path) -> dict[Path, list[Row]]:
    """The counters that `folder` holds, and those of programs that only other devices ran."""
    return read_tables(proof_tables(folder, "counters.csv"))


def recount(folder: Path, scratch: Path, renew: bool) -> int:
    """Runs the CPU engine again and compares with the recorded counters. `renew`: records them."""
    paths = proof_tables(folder, "counters.csv")
    recorded = all_rows(read_tables(paths))
    groups = {counter.name: counter for counter in COUNTERS}
    families = read_families(RUNS)
    kernels: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for run in find_runs():
        if not any(
            (row.program, row.arguments) == (run.program, run.arguments) for row in recorded
        ):
            print(f"{run.program} {run.arguments}: not recorded yet")
            continue
        path = scratch / f"{run.file_name}.json"
        count(run, path)
        kernels[run.program, run.arguments] = join_families(
            run.program, read_emulated(path), families
        )
    wrong = 0
    renewed: dict[Row, Row] = {}
    for row in recorded:
        emulated = kernels.get((row.program, row.arguments))
        if emulated is None:  # another chapter
            continue
        counter = groups[row.counter]
        totals = emulated[row.kernel]["totals"] if row.kernel in emulated else None
        now = counter.emulated(totals) if totals else None
        if now != row.emulated:
            wrong += 1
            print(
                f"{row.program} {row.arguments}: {row.kernel}: {row.counter}: "
                f"{row.emulated} recorded, {now} now"
            )
        if now is not None:
            renewed[row] = replace(row, emulated=now)
    if renew:
        for path in paths:
            write_rows(path, [renewed.get(row, row) for row in read_rows(path)])
        write_page(recorded_tables(folder), read_reasons(RUNS))
        return 0
    return EXIT_FAILURE if wrong else 0


def print_verdict(rows: list[Row], unexplained: list[Row], stale: list[Reason]) -> None:
    for row in unexplained:
        print(
            f"{row.program} {row.arguments}: {row.kernel}: {row.counter}: {row.emulated} emulated, "
            f"{row.measured} measured"
        )
    for reason in stale:
        print(
            f"{RUNS.name}: no difference any more: "
            f"{reason.program} {reason.kernel} {reason.counter}"
        )
    counted = [row for row in rows if row.emulated or row.measured]
    print(
        f"{len(counted)} counters: {sum(row.emulated == row.measured for row in counted)} equal, "
        f"{sum(row.within_bar for row in counted)} within the bar, "
        f"{len(unexplained)} off it without a reason"
    )


def device_name(runs: list[Run]) -> str:
    """The GPU's name, from a run of the first stage."""
    program = next((run.gpu for run in runs if run.gpu and not is_example(run.program)), None)
    if program is None:
        raise DataError("nothing was built for a GPU")
    result = nsight.run(
        [str(program), "--n", "1000", "--repeats", "1", "--warmup", "0", "--quiet", "--json", "-"],
        TIMEOUT_S,
    )
    if result.returncode == EXIT_NO_DEVICE:
        raise ToolError("make prove: no usable device", EXIT_NO_DEVICE)
    if result.returncode != 0:
        raise DataError(f"{program.name}: {result.stderr.strip()}")
    return device_of(result.stdout, program.name)


def prove(options: argparse.Namespace) -> int:
    runs = find_runs()
    reasons, families = read_reasons(RUNS), read_families(RUNS)
    tables = options.tables or build_folder() / "proof" / "measured"
    emulated = options.emulated or build_folder() / "proof" / "emulated"
    device = options.device or device_name(runs)
    ncu = "" if options.processed else nsight.find_ncu()
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows: list[Row] = []
    troubles: list[str] = []
    for run in runs:
        try:
            table, counted = tables / f"{run.file_name}.csv", emulated / f"{run.file_name}.json"
            if not options.processed:
                profile(ncu, run, table)
            if options.emulated is None:
                count(run, counted)
            counters = join_families(run.program, read_emulated(counted), families)
            found, trouble = compare(
                run.program, run.arguments, counters, read_measured(table), date, reasons
            )
            rows += found
            troubles += trouble
        except DataError as error:
            troubles.append(f"{run.program} {run.arguments}: {error}")
        print(f"{run.program} {run.arguments}", file=sys.stderr, flush=True)
    slug = re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")
    path = options.data / slug / "counters.csv"
    if rows:
        rows = joined_with_recorded(path, rows)
        write_rows(path, rows)
        print(f"{path}: {len(rows)} rows")
        rows = all_rows(recorded_tables(path.parent))
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    for said in troubles:
        print(said)
    if rows and options.data == ROOT / "plots" / "data":
        write_page(recorded_tables(device_folder(options.data, options.recorded)), reasons)
    return EXIT_FAILURE if unexplained or troubles or not rows else 0


def joined_with_recorded(path: Path, rows: list[Row]) -> list[Row]:
    """The new rows, and the recorded rows of programs that did not run now (other chapters)."""
    now = {row.program for row in rows}
    kept = [row for row in read_rows(path) if row.program not in now] if path.exists() else []
    return sorted(kept + rows, key=lambda row: (is_example(row.program), row.program))


def page(text: str, tables: Mapping[Path, Sequence[Row]], reasons: list[Reason]) -> str:
    """The page with new tables."""
    for name, lines in page_tables(tables, reasons).items():
        text = fill(text, name, lines, PAGE)
    return text


def write_page(tables: Mapping[Path, Sequence[Row]], reasons: list[Reason]) -> None:
    write_whole(PAGE, page(read_text(PAGE), tables, reasons))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the CPU engine's counters with a GPU's.")
    parser.add_argument("--count-into", type=Path, metavar="DIR")
    parser.add_argument("--emulated", type=Path, metavar="DIR")
    parser.add_argument("--tables", type=Path, metavar="DIR")
    parser.add_argument("--processed", action="store_true")
    parser.add_argument("--device", help="with --processed: the device that ncu ran on")
    parser.add_argument("--data", type=Path, default=ROOT / "plots" / "data")
    parser.add_argument("--recorded", help="folder of plots/data whose rows come first")
    parser.add_argument("--check", action="store_true")
    parser.add_argument(
        "--page", action="store_true", help="write the page from the recorded table"
    )
    parser.add_argument("--recount", action="store_true")
    options = parser.parse_args(sys.argv[1:] or arguments())
    if options.processed and not (options.device and options.tables and options.emulated):
        parser.error("--processed needs --device, --tables and --emulated")
    try:
        if options.count_into:
            return count_all(options.count_into)
        if options.check or options.page or options.recount:
            folder = device_folder(options.data, options.recorded)
            if options.recount:
                return recount(folder, build_folder() / "proof" / "emulated", options.page)
            if options.page:
                write_page(recorded_tables(folder), read_reasons(RUNS))
            return check_page(folder)
        return prove(options)
    except DataError as error:
        raise ToolError(f"make prove: {error}", EXIT_FAILURE) from None


if __name__ == "__main__":
    run_tool(main)
