#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make prove [CHAPTER=…] [ARGS=…]: the counters of the CPU engine against those of a GPU, which ncu reads.

Every stage and every example of tests/common/emulator/examples runs on both with the same flags. Writes
plots/data/<device>/counters.csv and the tables of common/emulator/how-true-are-the-counters.md; exit 1
where a counter is off by more than the bar and tests/common/emulator/proofs/hardware.toml gives no reason.

The two halves may run on different machines, and be compared on a third:
    --count-into DIR                         run on the CPU engine, keep its counters, nothing else
    --emulated DIR                           compare with counters kept like that
    --tables DIR                             keep ncu's tables here (default: build/proof)
    --processed --device NAME --tables DIR --emulated DIR
                                             compare ncu's tables that an earlier run kept
Without any of that:
    --check                                  whether page and reasons fit the recorded table
    --recount                                whether the CPU engine still counts what was recorded
    --recount --page                         record what it counts now beside what was measured then
"""

import argparse
import csv
import datetime
import fnmatch
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.tools.lib import ncu as nsight
from common.tools.lib.stages import (EXIT_FAILURE, EXIT_NO_DEVICE, ROOT, DataError, ToolError, arguments, build_folder,
                    chosen_chapters, executable, load_stages, run_tool)
from plots.records.folders import device_folder
from plots.tables import fill

RUNS = ROOT / "tests" / "proofs" / "hardware.toml"
PAGE = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"
EXAMPLES = ROOT / "tests" / "emulator" / "examples"
COLUMNS = ("date", "program", "arguments", "kernel", "launches", "counter", "emulated", "measured", "ratio")
TIMEOUT_S = 120


@dataclass(frozen=True)
class Counter:
    name: str
    group: str  # of the kernel's totals in the engine's JSON
    field: str
    metrics: tuple[str, ...]  # their sum is what the hardware counted
    bar: float


def lsu_metrics(what: str, *operations: str) -> tuple[str, ...]:
    return tuple(f"l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}.sum" for operation in operations)


WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
# ncu has no metric of the wavefronts of shared atomics: they are what loads and stores leave over, less
# one for each warp's end and one for each barrier of a block (seen in every kernel of the first proof).
ATOMIC_WAVEFRONTS = "shared atomic wavefronts"
SAME, SAME_WAVEFRONTS = 0.02, 0.05
COUNTERS = (
    Counter("load requests", "global_load", "requests", lsu_metrics("requests", "ld"), SAME),
    Counter("load sectors", "global_load", "sectors", lsu_metrics("sectors", "ld"), SAME),
    Counter("store requests", "global_store", "requests", lsu_metrics("requests", "st"), SAME),
    Counter("store sectors", "global_store", "sectors", lsu_metrics("sectors", "st"), SAME),
    Counter("atomic requests", "global_atomic", "requests", lsu_metrics("requests", "atom", "red"), SAME),
    Counter("atomic sectors", "global_atomic", "sectors", lsu_metrics("sectors", "atom", "red"), SAME),
    Counter("shared load wavefronts", "shared_load", "wavefronts", (WAVEFRONTS + "_op_ld.sum",),
            SAME_WAVEFRONTS),
    Counter("shared store wavefronts", "shared_store", "wavefronts", (WAVEFRONTS + "_op_st.sum",),
            SAME_WAVEFRONTS),
    Counter(ATOMIC_WAVEFRONTS, "shared_atomic", "wavefronts", (WAVEFRONTS + ".sum",), SAME_WAVEFRONTS),
)
# A reason's counter for a kernel that ncu does not see, or not all launches of: it is left out.
LAUNCHES = "launches"
BARS = {counter.name: counter.bar for counter in COUNTERS}
# Kept in ncu's tables beside what is compared, to explain a difference.
EXPLAINING = tuple(f"smsp__inst_executed_op_shared_{operation}.sum" for operation in ("ld", "st", "atom"))
METRICS = tuple(dict.fromkeys(name for counter in COUNTERS for name in counter.metrics)) + EXPLAINING


@dataclass(frozen=True)
class Run:
    """One program with its flags, on both engines."""

    program: str  # "nbody/01_float3", "examples/scan"
    arguments: str
    gpu: Path | None
    count: Path | None

    @property
    def file_name(self) -> str:
        return re.sub(r"[^A-Za-z0-9_]+", "-", f"{self.program} {self.arguments}").strip("-")

    def words(self) -> list[str]:
        """A stage runs once, without warm-up and verification; an example is as it is."""
        stage = [] if self.program.startswith("examples/") else ["--profile"]
        return stage + self.arguments.split()


@dataclass(frozen=True)
class Row:
    """One counter of one kernel in one run; summed over the launches."""

    date: str
    program: str
    arguments: str
    kernel: str
    launches: int
    counter: str
    emulated: int
    measured: int

    @property
    def ratio(self) -> str:
        if self.emulated == self.measured:
            return "1"
        return f"{self.emulated / self.measured:.4f}" if self.measured else "inf"

    @property
    def within_bar(self) -> bool:
        return abs(self.emulated - self.measured) <= BARS[self.counter] * self.measured


@dataclass(frozen=True)
class Reason:
    program: str
    kernel: str
    counter: str
    reason: str

    def covers(self, row: Row) -> bool:
        return (fnmatch.fnmatchcase(row.program, self.program)
                and fnmatch.fnmatchcase(row.kernel, self.kernel)
                and fnmatch.fnmatchcase(row.counter, self.counter))


def read_reasons(path: Path) -> list[Reason]:
    return [Reason(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("reason", [])]


@dataclass(frozen=True)
class Family:
    """Kernels that launch one another. What a kernel launches ncu counts as the kernel's own, so they are
    compared as one."""

    program: str
    kernels: tuple[str, ...]  # patterns of their names
    name: str  # in rows and on the page

    def holds(self, program: str, kernel: str) -> bool:
        return (fnmatch.fnmatchcase(program, self.program)
                and any(fnmatch.fnmatchcase(kernel_key(kernel), pattern) for pattern in self.kernels))


def read_families(path: Path) -> list[Family]:
    return [Family(entry["program"], tuple(entry["kernels"]), entry["name"])
            for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("family", [])]


def join_families(program: str, kernels: dict[str, dict], families: Sequence[Family]) -> dict[str, dict]:
    """What the engine counted, a family's kernels as one: sums of all that adds up."""
    joined: dict[str, dict] = {}
    for name, kernel in kernels.items():
        family = next((one for one in families if one.holds(program, name)), None)
        if family is None:
            joined[name] = kernel
        elif family.name not in joined:
            joined[family.name] = kernel | {"family": family}
        else:
            whole = joined[family.name]
            joined[family.name] = whole | {key: whole[key] + kernel[key] for key in ("launches", "blocks", "warps")} | {
                "totals": add_totals(whole["totals"], kernel["totals"])}
    return joined


def add_totals(one: dict, other: dict) -> dict:
    return {key: add_totals(value, other[key]) if isinstance(value, dict) else value + other[key]
            for key, value in one.items()}


def find_examples() -> dict[str, dict[str, Path]]:
    """Name of each example to its executables, as far as they were built."""
    folder = build_folder() / EXAMPLES.relative_to(ROOT)
    return {source.stem: {engine: path for engine in ("gpu", "count")
                          if (path := folder / f"example_{source.stem}{'' if engine == 'gpu' else '.' + engine}").exists()}
            for source in sorted(EXAMPLES.glob("*.cu"))}


def find_runs() -> list[Run]:
    flags = tomllib.loads(RUNS.read_text(encoding="utf-8"))["runs"]
    stages = load_stages()
    chapters = chosen_chapters(stages)
    runs = []
    for stage in stages:
        if not stage.has_kernels or stage.chapter not in chapters:
            continue
        gpu, count = (executable(stage, engine) if engine in stage.executables else None
                      for engine in ("gpu", "count"))
        words = next(words for pattern, words in flags.items() if fnmatch.fnmatch(stage.stage, pattern))
        runs += [Run(stage.stage, each, gpu, count) for each in words]
    if not os.environ.get("CHAPTER"):
        runs += [Run(f"examples/{name}", "", programs.get("gpu"), programs.get("count"))
                 for name, programs in find_examples().items()]
    return runs


# ---- one side: the CPU engine --------------------------------------------------------------------------------

def count(run: Run, path: Path) -> None:
    """Counts a run into `path`."""
    if run.count is None:
        raise DataError("was not built for the CPU engine with counters")
    path.parent.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, EMULATOR_COUNTERS=str(path), EMULATOR_RACES="off")
    try:
        result = subprocess.run([str(run.count), *run.words()], env=environment, capture_output=True,
                                text=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise DataError(f"took longer than {TIMEOUT_S} s on the CPU engine") from None
    if result.returncode != 0:
        raise DataError(f"ended with {result.returncode} on the CPU engine:\n{result.stderr.strip()[-2000:]}")


def count_all(folder: Path) -> int:
    troubles = 0
    for run in find_runs():
        try:
            count(run, folder / f"{run.file_name}.json")
        except DataError as error:
            troubles += 1
            print(f"{run.program} {run.arguments}: {error}")
    return EXIT_FAILURE if troubles else 0


def read_emulated(path: Path) -> dict[str, dict]:
    """Name of each kernel to what the engine counted."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise DataError(f"{path}: {error}") from None
    if document.get("schema") != 1:
        raise DataError(f"{path}: counters of another schema than 1")
    return {kernel["name"]: kernel for kernel in document["kernels"]}


# ---- the other side: the GPU -----------------------------------------------------------------------------

def profile(ncu: str, run: Run, path: Path) -> None:
    """Profiles all launches of a run into ncu's table at `path`."""
    if run.gpu is None:
        raise DataError("was not built for a GPU")
    path.parent.mkdir(parents=True, exist_ok=True)
    asked = list(METRICS)
    while asked:
        path.unlink(missing_ok=True)
        # The table has a file of its own, since the program writes to stdout too. Caches are left as
        # they are: requests and sectors are counted before them.
        result = nsight.run([ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file",
                             str(path), "--clock-control", "none", "--cache-control", "none",
                             "--metrics", ",".join(asked), str(run.gpu), *run.words()], TIMEOUT_S)
        said = path.read_text(encoding="utf-8") if path.exists() else ""
        said_all = said + result.stdout + result.stderr
        unknown = nsight.unknown_metrics(said_all, asked)
        if not unknown:
            break
        asked = [name for name in asked if name not in unknown]
    if result.returncode != 0 or any(text in said_all for text in nsight.NOTHING_PROFILED):
        raise DataError(f"ncu failed:\n{said_all.strip()[-2000:]}")


def kernel_key(name: str) -> str:
    """A kernel's name without what g++ and nvcc write differently: the type returned, parameters, scopes,
    and the types of template arguments: `void a::scan<(int)256, unsigned int>(int *)` is
    `scan<256,unsigned>`."""
    name = re.sub(r"\((anonymous namespace|unnamed)\)::|<unnamed>::", "", name)
    name = re.sub(r"\((?:unsigned |signed )?\w[\w:]*\)(?=-?\w)", "", name)  # casts of template arguments
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            name = name[:i]
            break
    base, bracket, inside = name.partition("<")
    base = base.split(" ")[-1].rpartition("::")[2]
    inside = re.sub(r"\bunsigned (int|long|short|char)\b", r"unsigned_\1", inside)
    inside = re.sub(r"\bunsigned_int\b", "unsigned", inside)
    inside = re.sub(r"\b(\d+)(?:[uU]?[lL]{0,2})\b", r"\1", inside)
    inside = re.sub(r"\b(true|false)\b", lambda match: str(int(match[1] == "true")), inside)
    return base + bracket + re.sub(r"\s+", "", inside)


def measured_sum(launches: list[nsight.Launch], counter: Counter, kernel: dict) -> int | None:
    """What the hardware counted in `kernel`, which the engine counted too; None where ncu has no such
    metric."""
    def total(names: Iterable[str]) -> float | None:
        values = [nsight.parse_number(launch.get(name, ("", ""))[1])
                  for launch in launches for name in names]
        return None if None in values else sum(values)  # type: ignore[arg-type]

    value = total(counter.metrics)
    if counter.name == ATOMIC_WAVEFRONTS and value is not None:
        others = total((WAVEFRONTS + "_op_ld.sum", WAVEFRONTS + "_op_st.sum"))
        atomics = total(("smsp__inst_executed_op_shared_atom.sum",))
        barriers = kernel["totals"]["barriers"] * kernel["blocks"] / max(kernel["warps"], 1)
        value = (None if others is None else 0 if atomics == 0
                 else value - others - kernel["warps"] - barriers)
    return None if value is None else round(value)


def read_measured(path: Path) -> dict[str, list[nsight.Launch]]:
    """Key of each kernel to its launches."""
    try:
        launches = nsight.parse_launches(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    kernels: dict[str, list[nsight.Launch]] = {}
    for launch in launches:
        kernels.setdefault(kernel_key(launch["Kernel Name"][1]), []).append(launch)
    return kernels


# ---- both --------------------------------------------------------------------------------------------------

def compare(run: Run, emulated: dict[str, dict], measured: dict[str, list[nsight.Launch]],
            date: str, reasons: Sequence[Reason] = ()) -> tuple[list[Row], list[str]]:
    """The run's rows, and what cannot be compared, for no reason."""
    def launched_elsewhere(kernel: str) -> bool:
        return any(reason.counter == LAUNCHES and reason.covers(Row(date, run.program, run.arguments, kernel, 0, LAUNCHES, 0, 0))
                   for reason in reasons)

    rows, troubles = [], []
    left = dict(measured)
    for name, kernel in emulated.items():
        key = kernel_key(name)
        if (family := kernel.get("family")) is not None:
            members = [one for one in left if family.holds(run.program, one)]
            left[key] = [launch for one in members for launch in left.pop(one)]
            if not left[key]:
                left.pop(key)
        if launched_elsewhere(name):
            left.pop(key, None)
            continue
        if key not in left:
            # Template arguments that are spelled differently: the name alone, where it is the only one.
            alike = [one for one in left if one.partition("<")[0] == key.partition("<")[0]]
            key = alike[0] if len(alike) == 1 else key
        if key not in left:
            troubles.append(f"{run.program}: {name} was not measured (ncu sees no kernel that a kernel launched)")
            continue
        launches = left.pop(key)
        if len(launches) != kernel["launches"] and family is None:
            troubles.append(f"{run.program}: {name}: {kernel['launches']} launches emulated, "
                            f"{len(launches)} measured")
            continue
        for counter in COUNTERS:
            value = measured_sum(launches, counter, kernel)
            if value is None:
                troubles.append(f"{run.program}: {name}: ncu has no {counter.name}")
            else:
                rows.append(Row(date, run.program, run.arguments, name, len(launches), counter.name,
                                kernel["totals"][counter.group][counter.field], value))
    troubles += [f"{run.program}: {key} was not emulated" for key in left]
    return rows, troubles


def judge(rows: list[Row], reasons: list[Reason]) -> tuple[list[Row], list[Reason]]:
    """Rows off the bar without a reason, and reasons that no row needs."""
    off = [row for row in rows if not row.within_bar]
    unexplained = [row for row in off if not any(reason.covers(row) for reason in reasons)]
    return unexplained, [reason for reason in reasons
                         if reason.counter != LAUNCHES and not any(reason.covers(row) for row in off)]


def write_rows(path: Path, rows: list[Row]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([row.date, row.program, row.arguments, row.kernel, row.launches, row.counter,
                      row.emulated, row.measured, row.ratio] for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text.getvalue(), encoding="utf-8")
    temporary.replace(path)


def read_rows(path: Path) -> list[Row]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise DataError(f"{path}: the header is not {','.join(COLUMNS)}")
            return [Row(one["date"], one["program"], one["arguments"], one["kernel"], int(one["launches"]),
                        one["counter"], int(one["emulated"]), int(one["measured"])) for one in reader]
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error


# ---- the page ------------------------------------------------------------------------------------------------

def summary_table(rows: list[Row], reasons: list[Reason]) -> list[str]:
    """Counters that are not 0 on both sides, by what was counted."""
    lines = ["| counter | compared | equal | within the bar | explained below |", "|---|---|---|---|---|"]
    for counter in COUNTERS:
        counted = [row for row in rows if row.counter == counter.name and (row.emulated or row.measured)]
        equal = sum(row.emulated == row.measured for row in counted)
        within = sum(row.within_bar for row in counted) - equal
        off = sum(not row.within_bar and any(reason.covers(row) for reason in reasons) for row in counted)
        lines.append(f"| {counter.name} | {len(counted)} | {equal} | {within} (± {100 * counter.bar:.0f} %) | {off} |")
    return lines


def cell(row: Row, numbers: dict[Reason, int]) -> str:
    if row.emulated == row.measured:
        return f"{row.emulated}" if row.emulated else ""
    notes = "" if row.within_bar else "".join(f" [{number}]" for reason, number in numbers.items()
                                              if reason.covers(row)) or " **?**"
    return f"{row.emulated} / {row.measured}{notes}"


def runs_table(rows: list[Row], reasons: list[Reason], wanted: Callable[[str], bool]) -> list[str]:
    numbers = {reason: i for i, reason in enumerate(reasons, 1)}
    names = [counter.name for counter in COUNTERS]
    heads = [name.replace("shared load wavefronts", "shared wavefronts: load")
             .replace("shared store wavefronts", "store").replace(ATOMIC_WAVEFRONTS, "atomic") for name in names]
    lines = [f"| program | kernel | launches | {' | '.join(heads)} |", "|---" * (3 + len(names)) + "|"]
    kernels: dict[tuple[str, str, str, int], dict[str, Row]] = {}
    for row in rows:
        if wanted(row.program):
            kernels.setdefault((row.program, row.arguments, row.kernel, row.launches), {})[row.counter] = row
    for (program, flags, kernel, launches), by_name in kernels.items():
        said = f"{program} `{flags}`" if flags else program.removeprefix("examples/")
        cells = [cell(by_name[name], numbers) if name in by_name else "not known" for name in names]
        lines.append(f"| {said} | `{kernel}` | {launches} | {' | '.join(cells)} |")
    return lines


def reasons_list(rows: list[Row], reasons: list[Reason]) -> list[str]:
    lines = []
    for number, reason in enumerate(reasons, 1):
        kernels = sorted({f"{row.program} `{row.kernel}`" for row in rows
                          if not row.within_bar and reason.covers(row)})
        where = ", ".join(kernels) or f"{reason.program} `{reason.kernel}`"
        lines.append(f"{number}. {where}: {reason.reason}")
    return lines or ["None."]


def page(text: str, rows: list[Row], reasons: list[Reason], device: str) -> str:
    dates = sorted({row.date[:10] for row in rows})
    measured = [f"Measured on an {device.upper().replace('-', ' ')} on {', '.join(dates)}: "
                f"{len({row.program for row in rows})} programs, "
                f"{len({(row.program, row.kernel) for row in rows})} kernels."]
    for name, lines in (
            ("measured", measured), ("summary", summary_table(rows, reasons)),
            ("stages", runs_table(rows, reasons, lambda program: not program.startswith("examples/"))),
            ("examples", runs_table(rows, reasons, lambda program: program.startswith("examples/"))),
            ("reasons", reasons_list(rows, reasons))):
        text = fill(text, name, lines, PAGE)
    return text


# ---- the commands ------------------------------------------------------------------------------------------

def check_page(folder: Path) -> int:
    rows, reasons = read_rows(folder / "counters.csv"), read_reasons(RUNS)
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    text = PAGE.read_text(encoding="utf-8")
    if page(text, rows, reasons, folder.name) != text:
        print(f"{PAGE}: out of date: run common/tools/prove_counters.py --page")
        return EXIT_FAILURE
    return EXIT_FAILURE if unexplained or stale else 0


def recount(folder: Path, scratch: Path, renew: bool) -> int:
    """Runs the CPU engine again and compares with what was recorded; `renew`: records it."""
    recorded = read_rows(folder / "counters.csv")
    groups = {counter.name: counter for counter in COUNTERS}
    families = read_families(RUNS)
    kernels: dict[tuple[str, str], dict[str, dict]] = {}
    for run in find_runs():
        if not any((row.program, row.arguments) == (run.program, run.arguments) for row in recorded):
            print(f"{run.program} {run.arguments}: not recorded yet")
            continue
        path = scratch / f"{run.file_name}.json"
        count(run, path)
        kernels[run.program, run.arguments] = join_families(run.program, read_emulated(path), families)
    rows, wrong = [], 0
    for row in recorded:
        emulated = kernels.get((row.program, row.arguments))
        if emulated is None:  # another chapter's
            rows.append(row)
            continue
        counter = groups[row.counter]
        totals = emulated[row.kernel]["totals"] if row.kernel in emulated else None
        now = totals[counter.group][counter.field] if totals else None
        if now != row.emulated:
            wrong += 1
            print(f"{row.program} {row.arguments}: {row.kernel}: {row.counter}: "
                  f"{row.emulated} recorded, {now} now")
        rows.append(row if now is None else replace(row, emulated=now))
    if renew:
        write_rows(folder / "counters.csv", rows)
        write_page(rows, read_reasons(RUNS), folder.name)
        return 0
    return EXIT_FAILURE if wrong else 0


def print_verdict(rows: list[Row], unexplained: list[Row], stale: list[Reason]) -> None:
    for row in unexplained:
        print(f"{row.program} {row.arguments}: {row.kernel}: {row.counter}: {row.emulated} emulated, "
              f"{row.measured} measured")
    for reason in stale:
        print(f"{RUNS.name}: nothing differs any more at {reason.program} {reason.kernel} {reason.counter}")
    counted = [row for row in rows if row.emulated or row.measured]
    print(f"{len(counted)} counters: {sum(row.emulated == row.measured for row in counted)} equal, "
          f"{sum(row.within_bar for row in counted)} within the bar, {len(unexplained)} off it without a reason")


def device_name(runs: list[Run]) -> str:
    """The GPU's name, asked of the first stage."""
    program = next((run.gpu for run in runs if run.gpu and not run.program.startswith("examples/")), None)
    if program is None:
        raise DataError("nothing was built for a GPU")
    result = nsight.run([str(program), "--n", "1000", "--repeats", "1", "--warmup", "0", "--quiet", "--json",
                         "-"], TIMEOUT_S)
    if result.returncode == EXIT_NO_DEVICE:
        raise ToolError("make prove: no usable device", EXIT_NO_DEVICE)
    if result.returncode != 0:
        raise DataError(f"{program.name}: {result.stderr.strip()}")
    return json.loads(result.stdout)["rows"][0]["device"]


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
            found, trouble = compare(run, counters, read_measured(table), date, reasons)
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
    unexplained, stale = judge(rows, reasons)
    print_verdict(rows, unexplained, stale)
    for trouble in troubles:
        print(trouble)
    if rows and options.data == ROOT / "plots" / "data":
        write_page(rows, reasons, slug)
    return EXIT_FAILURE if unexplained or troubles or not rows else 0


def joined_with_recorded(path: Path, rows: list[Row]) -> list[Row]:
    """With the recorded rows of programs that were not run now, as those of other chapters."""
    now = {row.program for row in rows}
    kept = [row for row in read_rows(path) if row.program not in now] if path.exists() else []
    return sorted(kept + rows, key=lambda row: (row.program.startswith("examples/"), row.program))


def write_page(rows: list[Row], reasons: list[Reason], device: str) -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows, reasons, device), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the CPU engine's counters with a GPU's.")
    parser.add_argument("--count-into", type=Path, metavar="DIR")
    parser.add_argument("--emulated", type=Path, metavar="DIR")
    parser.add_argument("--tables", type=Path, metavar="DIR")
    parser.add_argument("--processed", action="store_true")
    parser.add_argument("--device", help="with --processed: the device that the tables are of")
    parser.add_argument("--data", type=Path, default=ROOT / "plots" / "data")
    parser.add_argument("--recorded", help="with --check, --page, --recount: folder of plots/data")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true", help="write the page from the recorded table")
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
                write_page(read_rows(folder / "counters.csv"), read_reasons(RUNS), folder.name)
            return check_page(folder)
        return prove(options)
    except DataError as error:
        raise ToolError(f"make prove: {error}", EXIT_FAILURE) from None


if __name__ == "__main__":
    run_tool(main)
