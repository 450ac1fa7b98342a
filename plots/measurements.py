# SPDX-License-Identifier: MIT
"""Reads recorded rows, reports, profiles and published numbers; medians and quartiles.

A row that cannot be trusted (not verified, a time that is not a number) is an error that
names file and line: a figure never leaves out what it cannot read.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import COUNTER_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS

PROFILE_COLUMNS = (
    "date", "chapter", "stage", "device", "n", "kernel", "metric", "unit", "value",
)
PUBLISHED_COLUMNS = (
    "figure", "chapter", "quantity", "stage", "n", "value", "unit", "section", "note",
)
TABLE_COLUMNS = (
    "figure", "quantity", "stage", "input", "n", "size-i", "threads", "value", "unit", "section",
)
SEED_TIME_COLUMNS = ("quantity", "stage", "value", "unit", "bound", "section")
ROOT = Path(__file__).resolve().parents[1]
ENGINES = ("gpu", "emu", "cpu", "opencl")
PARAMETERS = re.compile(r"[\w-]+ = [\w.-]+(?:, [\w-]+ = [\w.-]+)*")


class DataError(Exception):
    """Data that is missing or cannot be drawn; the message names the file."""


class MissingFile(DataError):
    """A file of recorded data that is not there."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path


@dataclass(frozen=True)
class Row:
    """One timed run."""

    date: str
    version: str
    chapter: str
    stage: str
    engine: str
    device: str
    n: int
    parameters: dict[str, str]
    input: str
    seed: int
    kernels_ms: float
    total_ms: float
    copy_in_ms: float = 0.0
    bytes: float = 0.0  # at least moved by the kernels
    operations: float = 0.0  # at least done by them
    setup_ms: float = 0.0
    copy_out_ms: float = 0.0


@dataclass(frozen=True)
class Report:
    """One reported field of one run, such as the estimate of pi."""

    stage: str
    engine: str
    device: str
    n: int
    parameters: dict[str, str]
    seed: int
    field: str
    value: str


@dataclass(frozen=True)
class Metric:
    """One profiler metric of one kernel launch."""

    date: str
    stage: str
    device: str
    n: int
    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class KernelCounters:
    """What the CPU engine counted of one kernel of one stage; a counter that is 0 is not there."""

    stage: str
    arguments: str
    kernel: str  # empty: the transfers, which are no kernel's
    counters: dict[str, int]

    def count(self, name: str) -> int:
        return self.counters.get(name, 0)

    def per_iteration(self, name: str) -> float:
        """Of the innermost loop; 0 where there is none."""
        iterations = self.count("loop.iterations")
        return self.count(f"loop.{name}") / iterations if iterations else 0.0


@dataclass(frozen=True)
class Published:
    """One number of the thesis."""

    figure: str
    chapter: str
    quantity: str
    stage: str
    n: int | None
    value: float
    section: str
    note: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """Of the run that the number is of, where the note begins with them: `k = 4; its sentence …`."""
        said = self.note.partition(";")[0]
        return dict(re.findall(r"([\w-]+) = ([\w.-]+)", said)) if PARAMETERS.fullmatch(said) else {}


@dataclass(frozen=True)
class TableCell:
    """One number of a seed's tables."""

    figure: str
    quantity: str
    stage: str
    input: str  # empty: not said
    n: int  # 0: not said
    parameters: dict[str, str]  # where they are said
    value: float
    unit: str
    section: str
    bound: str = ""  # `under`: it is less


@dataclass(frozen=True)
class Point:
    """Median and quartiles of the repeats at one n."""

    n: int
    lower: float
    median: float
    upper: float
    repeats: int


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    """First quartile, median and third quartile by linear interpolation (Hyndman and Fan's type 7)."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("quartiles of no values")
    if any(not math.isfinite(value) for value in ordered):
        raise ValueError("quartiles of a value that is not finite")

    def quantile(share: float) -> float:
        position = share * (len(ordered) - 1)
        below = math.floor(position)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (position - below) * (ordered[above] - ordered[below])

    return quantile(0.25), quantile(0.5), quantile(0.75)


def parse_parameters(text: str) -> dict[str, str]:
    """`steps=100;dt=0.01` as a dictionary."""
    parameters = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        key, _, value = part.partition("=")
        parameters[key] = value
    return parameters


def read_table(path: Path, columns: Sequence[str]) -> Iterable[tuple[int, dict[str, str]]]:
    """Yields line number and record; `#` lines are comments."""
    try:
        file = path.open(encoding="utf-8", newline="")
    except FileNotFoundError as error:
        raise MissingFile(path, str(error.strerror)) from error
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    with file:
        numbered = [(number, line) for number, line in enumerate(file, 1)
                    if line.strip() and not line.startswith("#")]
    if not numbered:
        raise DataError(f"{path}: is empty")
    header = next(csv.reader([numbered[0][1]]))
    if tuple(header) != tuple(columns):
        raise DataError(f"{path}:{numbered[0][0]}: the header is not {','.join(columns)}")
    for number, line in numbered[1:]:
        fields = next(csv.reader([line]))
        if len(fields) != len(columns):
            raise DataError(f"{path}:{number}: {len(fields)} fields where {len(columns)} are due")
        yield number, dict(zip(columns, fields))


def _integer(text: str, name: str, place: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise DataError(f"{place}: {name} is '{text}', not an integer") from None


def real(text: str, name: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise DataError(f"{place}: {name} is '{text}', not a number") from None
    if not math.isfinite(value):
        raise DataError(f"{place}: {name} is '{text}', not a finite number")
    return value


def _stage_name(text: str) -> str:
    """The stage without its chapter: `nbody/02_float4` and `02_float4` are the same stage."""
    return text.rpartition("/")[2]


def read_rows(path: Path) -> list[Row]:
    """The timed runs of a file. A run that is not verified, or whose time is not a positive finite
    number, is an error."""
    rows = []
    for number, record in read_table(path, ROW_COLUMNS):
        place = f"{path}:{number}"
        if record["verified"].lower() not in ("1", "true", "yes"):
            raise DataError(f"{place}: a row that is not verified ('{record['verified']}')")
        if record["engine"] not in ENGINES:
            raise DataError(f"{place}: unknown engine '{record['engine']}'")
        total_ms = real(record["total_ms"], "total_ms", place)
        kernels_ms = real(record["kernels_ms"], "kernels_ms", place)
        n = _integer(record["n"], "n", place)
        if total_ms <= 0 or kernels_ms < 0:
            raise DataError(f"{place}: a time that no run can have")
        if n <= 0:
            raise DataError(f"{place}: n is {n}")
        rows.append(Row(record["date"], record["version"], record["chapter"],
                        _stage_name(record["stage"]), record["engine"], record["device"], n,
                        parse_parameters(record["parameters"]), record["input"],
                        _integer(record["seed"], "seed", place), kernels_ms, total_ms,
                        *(real(record[name], name, place) for name in ("copy_in_ms", "bytes", "operations", "setup_ms",
                                                                    "copy_out_ms"))))
    return rows


def read_reports(path: Path) -> list[Report]:
    """What the runs reported beside their times."""
    reports = []
    for number, record in read_table(path, REPORT_COLUMNS):
        place = f"{path}:{number}"
        reports.append(Report(_stage_name(record["stage"]), record["engine"], record["device"],
                              _integer(record["n"], "n", place),
                              parse_parameters(record["parameters"]),
                              _integer(record["seed"], "seed", place), record["field"],
                              record["value"]))
    return reports


def read_profile(path: Path) -> list[Metric]:
    """The profiler's metrics, one a row."""
    metrics = []
    for number, record in read_table(path, PROFILE_COLUMNS):
        place = f"{path}:{number}"
        metrics.append(Metric(record["date"], _stage_name(record["stage"]), record["device"],
                              _integer(record["n"], "n", place), record["metric"], record["unit"],
                              real(record["value"], "value", place)))
    return metrics


def read_counters(path: Path) -> list[KernelCounters]:
    """Counters by stage and kernel, in the file's order."""
    found: dict[tuple[str, str], KernelCounters] = {}
    for number, record in read_table(path, COUNTER_COLUMNS):
        key = (record["stage"], record["kernel"])
        one = found.setdefault(key, KernelCounters(record["stage"], record["arguments"],
                                                   record["kernel"], {}))
        one.counters[record["counter"]] = _integer(record["value"], record["counter"],
                                                   f"{path}:{number}")
    return list(found.values())


def read_published(path: Path) -> list[Published]:
    """The thesis' numbers."""
    published = []
    for number, record in read_table(path, PUBLISHED_COLUMNS):
        place = f"{path}:{number}"
        published.append(Published(record["figure"], record["chapter"], record["quantity"],
                                   record["stage"],
                                   _integer(record["n"], "n", place) if record["n"] else None,
                                   real(record["value"], "value", place), record["section"],
                                   record["note"]))
    return published


def read_tables(path: Path) -> list[TableCell]:
    """The numbers of published tables, a cell a line."""
    return [TableCell(record["figure"], record["quantity"], record["stage"], record["input"],
                      _integer(record["n"] or "0", "n", f"{path}:{number}"),
                      {name: record[name] for name in ("size-i", "threads") if record[name]},
                      real(record["value"], "value", f"{path}:{number}"), record["unit"], record["section"])
            for number, record in read_table(path, TABLE_COLUMNS)]


def read_seed_times(path: Path) -> list[TableCell]:
    """Times that are printed without an input or a size, a stage a line."""
    found = []
    for number, record in read_table(path, SEED_TIME_COLUMNS):
        if record["bound"] not in ("", "under"):
            raise DataError(f"{path}:{number}: bound is '{record['bound']}', neither empty nor 'under'")
        found.append(TableCell("", record["quantity"], record["stage"], "", 0, {},
                               real(record["value"], "value", f"{path}:{number}"), record["unit"], record["section"],
                               record["bound"]))
    return found


def read_trace(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The accesses of one traced run, as plots/traces.py keeps them."""
    return [record for _, record in read_table(path, columns)]


def stages_file() -> Path:
    """The list of all stages, which Meson writes; COURSE_BUILD as the tools understand it."""
    return Path(os.environ.get("COURSE_BUILD", ROOT / "build")) / "stages.json"


def read_stages(path: Path) -> list[dict]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; make build writes it") from error


def chapters_of(stages: Sequence[dict]) -> list[str]:
    """The chapters, in the build's order."""
    return list(dict.fromkeys(stage["chapter"] for stage in stages))


def matches(row: Row, match: dict[str, object]) -> bool:
    """Whether a row belongs to a sweep (plots/sweeps/README says how)."""
    for key, wanted in match.items():
        actual = row.input if key == "input" else row.parameters.get(key, "0")
        if actual != str(wanted):
            return False
    return True


def newest(rows: Sequence[Row]) -> list[Row]:
    """For each stage and n only the rows of the version that was recorded last: a row of an older
    version says nothing about the stage as it is."""
    latest: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        key = (row.stage, row.engine, row.n)
        if key not in latest or row.date >= latest[key].date:
            latest[key] = row
    return [row for row in rows if row.version == latest[(row.stage, row.engine, row.n)].version]


def times(rows: Sequence[Row], kernels: bool = False) -> list[Point]:
    """Median and quartiles at each n, in seconds: of whole runs, or of their kernels alone."""
    by_n: dict[int, list[float]] = {}
    for row in rows:
        by_n.setdefault(row.n, []).append((row.kernels_ms if kernels else row.total_ms) / 1000)
    return [Point(n, *quartiles(values), len(values)) for n, values in sorted(by_n.items())]
