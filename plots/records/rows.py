# SPDX-License-Identifier: MIT
"""Reads recorded rows, reports and profiles.

A row that cannot be trusted (not verified, or a time that is not a number) is an error that names
the file and the line: a figure never leaves out what it cannot read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import PROFILE_COLUMNS, RANK_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.stages import DataError, shown
from common.tools.lib.csv_tables import integer, read_table, real

ENGINES = ("gpu", "emu", "cpu", "opencl")


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
    bytes: float = 0.0  # that the kernels move at least
    operations: float = 0.0  # that they do at least
    setup_ms: float = 0.0
    copy_out_ms: float = 0.0
    grid: str = ""  # blocks x threads of the main kernel
    ranks: int = 1


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
    kernel: str = ""


def parse_parameters(text: str) -> dict[str, str]:
    """`steps=100;dt=0.01` as a dictionary."""
    parameters = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        key, _, value = part.partition("=")
        parameters[key] = value
    return parameters


def _stage_name(text: str, chapter: str) -> str:
    """The stage without its chapter: rows may have `chapter/02_name` or `02_name`."""
    return text.removeprefix(f"{chapter}/")


def read_rank_rows(path: Path) -> list[Row]:
    """Those of stages for many GPUs; none, if there is no such file."""
    return read_rows(path, RANK_COLUMNS) if path.exists() else []


def read_rows(path: Path, columns: Sequence[str] = ROW_COLUMNS) -> list[Row]:
    """The timed runs of a file. A run that is not verified, or whose time is not a positive finite
    number, is an error."""
    rows = []
    for number, record in read_table(path, columns):
        place = f"{path}:{number}"
        if record["verified"].lower() not in ("1", "true", "yes"):
            raise DataError(f"{place}: a row that is not verified ({shown(record['verified'])})")
        if record["engine"] not in ENGINES:
            raise DataError(f"{place}: unknown engine {shown(record['engine'])}")
        total_ms = real(record["total_ms"], "total_ms", place)
        kernels_ms = real(record["kernels_ms"], "kernels_ms", place)
        n = integer(record["n"], "n", place)
        if total_ms <= 0 or kernels_ms < 0:
            raise DataError(f"{place}: a time that no run can have")
        if n <= 0:
            raise DataError(f"{place}: n is {n}")
        ranks = integer(record.get("ranks", "1"), "ranks", place)
        if ranks <= 0:
            raise DataError(f"{place}: ranks is {ranks}")
        rows.append(
            Row(
                record["date"],
                record["version"],
                record["chapter"],
                _stage_name(record["stage"], record["chapter"]),
                record["engine"],
                record["device"],
                n,
                parse_parameters(record["parameters"]),
                record["input"],
                integer(record["seed"], "seed", place),
                kernels_ms,
                total_ms,
                **{
                    name: real(record[name], name, place)
                    for name in ("copy_in_ms", "bytes", "operations", "setup_ms", "copy_out_ms")
                },
                grid=record["grid"],
                ranks=ranks,
            )
        )
    return rows


def read_reports(path: Path) -> list[Report]:
    """The report fields of the runs."""
    reports = []
    for number, record in read_table(path, REPORT_COLUMNS):
        place = f"{path}:{number}"
        reports.append(
            Report(
                _stage_name(record["stage"], record["chapter"]),
                record["engine"],
                record["device"],
                integer(record["n"], "n", place),
                parse_parameters(record["parameters"]),
                integer(record["seed"], "seed", place),
                record["field"],
                record["value"],
            )
        )
    return reports


def read_profile(path: Path) -> list[Metric]:
    """The profiler's metrics, one per row."""
    metrics = []
    for number, record in read_table(path, PROFILE_COLUMNS):
        place = f"{path}:{number}"
        metrics.append(
            Metric(
                record["date"],
                _stage_name(record["stage"], record["chapter"]),
                record["device"],
                integer(record["n"], "n", place),
                record["metric"],
                record["unit"],
                real(record["value"], "value", place),
                record["kernel"],
            )
        )
    return metrics


def matches(row: Row, match: Mapping[str, object]) -> bool:
    """Whether a row belongs to a sweep (plots/records/sweeps.md has the rule)."""
    for key, wanted in match.items():
        actual = row.input if key == "input" else row.parameters.get(key, "0")
        if actual != str(wanted):
            return False
    return True


def repeated(rows: Sequence[Row]) -> list[Row]:
    """Without the runs of a sweep over seeds. It asks for results, not for times: each seed is one
    cold run in a process of its own. Where runs differ in their seeds, only those of a seed that
    was repeated are times."""

    def run(row: Row) -> tuple[object, ...]:
        return (row.stage, row.engine, row.n, row.input, *sorted(row.parameters.items()))

    repeats: dict[tuple[object, ...], dict[int, int]] = {}
    for row in rows:
        of_seed = repeats.setdefault(run(row), {})
        of_seed[row.seed] = of_seed.get(row.seed, 0) + 1
    return [row for row in rows if len(repeats[run(row)]) == 1 or repeats[run(row)][row.seed] > 1]


def newest(rows: Sequence[Row]) -> list[Row]:
    """For each stage, n and input only the rows of the commit that was recorded last: a row of an
    older one says nothing about the stage as it is. Uncommitted changes count as their commit."""

    def commit(row: Row) -> str:
        return row.version.removesuffix("-dirty")

    def key(row: Row) -> tuple[str, str, int, str]:
        return (row.stage, row.engine, row.n, row.input)

    latest: dict[tuple[str, str, int, str], Row] = {}
    for row in rows:
        if key(row) not in latest or row.date >= latest[key(row)].date:
            latest[key(row)] = row
    return repeated([row for row in rows if commit(row) == commit(latest[key(row)])])
