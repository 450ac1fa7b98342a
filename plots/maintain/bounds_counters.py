#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what bounds need, at three sizes of every stage, into plots/data/bounds/<chapter>.csv.
It needs no GPU.

    python3 -m plots.maintain.bounds_counters [CHAPTER…]

A stage runs with the flags of the recorded run, at its chapter's size for counters, at half and
at a quarter of it. The operations and bytes that a stage declares for each size tell how its
work grows.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from common.tools.explain.bounds import work_of
from common.tools.lib.columns import BOUND_COLUMNS, ROW_COLUMNS
from common.tools.lib.counting import Counted, count
from common.tools.lib.csv_tables import read_records
from common.tools.lib.csv_tables import write_table
from common.tools.lib.stages import (
    Stage,
    ToolError,
    chapters_of,
    choose,
    load_stages,
    run_tool,
)
from plots.page.bounds_table import grid_of, largest_run
from plots.page.chapters import load_chapter
from plots.page.comparison import comparable
from plots.records.folders import BOUNDS, DATA, device_folder
from plots.records.rows import newest, read_rows

NOT_A_FLAG = re.compile(r"not a flag of this program: (\S+)")
ZERO = re.compile(r"(--[\w-]+) '0' is below 1")
Row = tuple[str, ...]


def flags_of(stage: Stage) -> dict[str, str]:
    """The flags of the recorded run that is compared, over those of the run for counters. A stage
    that is not recorded with them has those of its largest run."""
    own = stage.counter_args
    flags = dict(zip(own[::2], own[1::2], strict=True))
    rules = load_chapter(stage.chapter).rules
    run = {**rules.run, **rules.stage_runs.get(stage.name, {})}
    path = device_folder(DATA, None) / f"{stage.chapter}.csv"
    rows = read_rows(path) if path.exists() else []
    if not largest_run(comparable(rules, rows), stage.name):
        for row in largest_run(newest(rows), stage.name)[:1]:
            run = row.parameters | {"input": row.input}
    for key, value in run.items():
        if value:
            flags[f"--{key}"] = value
    return flags


def words_of(flags: dict[str, str]) -> list[str]:
    """A flag whose value is empty is a switch."""
    return [word for pair in flags.items() for word in pair if word]


def counted_at(stage: Stage, flags: dict[str, str], table: Path) -> Counted:
    """Counts with these flags. The stage may lack some of its chapter's flags, and others may have
    no value: both are taken out of `flags`."""
    while True:
        words = [*words_of(flags), "--csv", str(table)]
        try:
            return count(stage, words, {"EMULATOR_RACES": "off"})
        except ToolError as error:
            # A row says 0 where a flag was not given.
            zero = ZERO.search(str(error))
            if zero and flags.pop(zero[1], None):
                continue
            wrong = NOT_A_FLAG.search(str(error))
            if wrong is None:
                raise
            if flags.pop(wrong[1], None) is None:
                switches = [key for key, value in flags.items() if value == wrong[1]]
                if not switches:
                    raise
                flags[switches[-1]] = ""  # a parameter that says 1


def rows_at(stage: Stage, flags: dict[str, str], n: int) -> list[Row]:
    flags["--n"] = str(n)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows.csv"
        counted = counted_at(stage, flags, table)
        row = read_records(table, ROW_COLUMNS)[0]
    work: dict[str, float] = work_of(counted.kernels)
    work |= {name: float(row[name]) for name in ("operations", "bytes")}
    blocks, threads = grid_of(row["grid"])
    work |= {"blocks": blocks, "threads": threads}
    return [
        (stage.name, row["parameters"], str(n), name, f"{value:.12g}")
        for name, value in work.items()
    ]


def rows_of(stage: Stage) -> list[Row]:
    flags = flags_of(stage)
    n = int(flags["--n"])
    return [row for size in (n // 4, n // 2, n) for row in rows_at(stage, flags, size)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Counts every stage for bounds, at three sizes.")
    parser.add_argument("names", nargs="*", metavar="CHAPTER")
    parser.add_argument("--data", type=Path, default=BOUNDS)
    arguments = parser.parse_args()
    stages = load_stages()
    for name in arguments.names or chapters_of(stages):
        chapter = choose("CHAPTER", name, chapters_of(stages))
        rows: list[Row] = []
        for stage in stages:
            recorded = stage.chapter == chapter and not stage.not_recorded
            if not recorded or not stage.has_kernels or stage.race_on_purpose:
                continue
            try:
                rows += rows_of(stage)
            except ToolError as error:
                # For example a largest size, or one that its n must be a multiple of.
                print(f"left out: {stage.stage}: {error}", file=sys.stderr)
        write_table(arguments.data / f"{chapter}.csv", BOUND_COLUMNS, rows)
        print(arguments.data / f"{chapter}.csv")
    return 0


if __name__ == "__main__":
    run_tool(main)
