# SPDX-License-Identifier: MIT
"""Which runs of the sweeps have their rows already, and which stages have all of theirs."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from common.tools.lib.columns import RANK_COLUMNS, ROW_COLUMNS
from common.tools.lib.csv_tables import read_table
from common.tools.lib.stages import Stage, chapters_of
from plots.records.folders import PLOTS
from plots.records.sweeps import FILE, Run, Sweep, read_sweeps, runs_of

RECORDED_ENGINES = ("gpu", "cpu", "opencl")
# Runs that the machine could not hold when they were tried, each with the stage's own words.
TOO_LARGE_FILE, TOO_LARGE_COLUMNS = "too_large.csv", ("run", "why")
# What common/harness/memory_check.hpp says before anything is allocated.
TOO_LARGE = re.compile(r" needs [\d.]+ \S+ of (device|host) memory, [\d.]+ \S+ are free$")
Row = dict[str, str]


def parameters_of(row: Row) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in row["parameters"].split(";") if "=" in pair)


def same_value(text: str, wanted: Any) -> bool:
    try:
        return float(text) == float(wanted)
    except ValueError:
        return text == str(wanted)


def same_but_size(row: Row, run: Run) -> bool:
    """Whether the row has the run's stage, engine and parameters. Its n and seed may differ."""
    if (row["chapter"], row["stage"], row["engine"]) != (
        run.sweep.chapter,
        run.stage,
        run.sweep.engine,
    ):
        return False
    parameters = parameters_of(row)
    for key, wanted in run.match:
        text = row[key] if key in ("input", "device", "grid") else parameters.get(key, "0")
        if not same_value(text, wanted):
            return False
    return True


def seconds_of(row: Row) -> float:
    return float(row["total_ms"]) / 1000


def is_recorded(run: Run, rows: list[Row]) -> bool:
    found = [
        row
        for row in rows
        if same_but_size(row, run) and int(row["n"]) == run.n and int(row["seed"]) == run.seed
    ]
    if len(found) >= run.sweep.repeats:
        return True
    limit = run.sweep.long_run_seconds
    return limit > 0 and any(seconds_of(row) >= limit for row in found)


def recorded_rows(sweep: Sweep, folder: Path) -> list[Row]:
    """The rows of the table that a sweep fills; none, if there is no such file."""
    path = folder / f"{sweep.chapter}{'_ranks' if sweep.ranks else ''}.csv"
    columns = RANK_COLUMNS if sweep.ranks else ROW_COLUMNS
    return [row for _, row in read_table(path, columns)] if path.exists() else []


def missing_runs(sweep: Sweep, rows: list[Row]) -> list[Run]:
    return [run for run in runs_of(sweep) if not is_recorded(run, rows)]


def too_large_runs(folder: Path) -> dict[str, str]:
    """Why the machine could not hold a run, by the run's name."""
    path = folder / TOO_LARGE_FILE
    if not path.exists():
        return {}
    return {row["run"]: row["why"] for _, row in read_table(path, TOO_LARGE_COLUMNS)}


def needless_marks(stages: Collection[Stage], folder: Path, plots: Path = PLOTS) -> list[Stage]:
    """The stages that are marked not_recorded although `folder` has all rows that make record makes
    of them. An optional sweep may lack some. Stages for many GPUs keep their mark, because no
    figure of the other stages reads their rows."""
    marked = [one for one in stages if one.not_recorded and not one.needs_ranks]
    found = []
    for chapter in chapters_of(marked):
        path = plots / chapter / FILE
        if not path.exists():
            continue
        sweeps = read_sweeps(path, "record", RECORDED_ENGINES, marked=True)
        needed = [one for one in sweeps if not one.optional and not one.ranks]
        lacking = {
            run.stage for one in needed for run in missing_runs(one, recorded_rows(one, folder))
        }
        named = {stage for one in needed for stage in one.stages}
        found += [one for one in marked if one.chapter == chapter and one.name in named - lacking]
    return found


def needless_mark_lines(stages: Collection[Stage], folder: Path) -> list[str]:
    """What to say of these marks, a line for each."""
    return [
        f"{one.stage}: its runs are recorded, so 'not_recorded' can go from"
        f" chapters/{one.chapter}/meson.build (then: python3 -m plots.maintain.tables)"
        for one in needless_marks(stages, folder)
    ]
