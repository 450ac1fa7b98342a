#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts every stage once with its chapter's own flags, into plots/data/counters/<chapter>.csv, and
line by line into plots/data/lines/<chapter>.csv. The READMEs' tables, the figures of counters and
the margins of the site's sources are made from these files. It needs no GPU.

Where the mark of a table on a stage's page names another run, that stage and the one before are
counted with its flags, too.

    python3 -m plots.maintain.record_counters [CHAPTER|STAGE…]
    python3 -m plots.maintain.record_counters --check [CHAPTER|STAGE…]
                                              writes nothing; exit status 1 if a counter differs
                                              from the record
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.columns import COUNTER_COLUMNS, LINE_COLUMNS
from common.tools.lib.counting import Counted, count, source_text
from common.tools.lib.csv_tables import read_records
from common.tools.lib.margins import margins_of
from common.tools.lib.csv_tables import write_table
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    Stage,
    ToolError,
    chapters_of,
    choose,
    find_stage,
    load_stages,
    run_tool,
)
from plots.page.stage_pages import runs_of_page

FOLDER = ROOT / "plots" / "data" / "counters"
LINES = "lines"  # the folder beside it
# g++ decides how a kernel is divided into basic blocks. Its next version may do it differently.
COMPILER_S_OWN = ("basic_blocks", "basic_block_lanes", "loop.basic_blocks")
# It depends on the order of the replay: when do the other lanes of a warp return? No cost depends
# on it.
NOT_RECORDED = ("alive_lanes",)

Row = tuple[str, ...]


def runs_on_pages(stages: Sequence[Stage]) -> dict[str, list[str]]:
    """The further runs of stages, by their full names: `nbody/02_float4`."""
    found: dict[str, list[str]] = {}
    for stage in stages:
        for run in runs_of_page(stage):
            for name in (f"{stage.chapter}/{stage.compared_with}", stage.stage):
                runs = found.setdefault(name, [])
                if run not in runs:
                    runs.append(run)
    return found


def counted_of(stage: Stage, run: str = "") -> Counted:
    counted = count(stage, run.split())
    if counted.failed and not stage.race_on_purpose:
        raise ToolError(f"{stage.stage}: not recorded, the checks found a mistake", EXIT_FAILURE)
    return counted


def rows_of_all(stage: Stage, counted: Counted, runs: Sequence[str]) -> list[Row]:
    """Of the stage's own run first, and then of its further ones."""
    every = [counted, *(counted_of(stage, run) for run in runs)]
    return [row for one in every for row in rows_of(one)]


def rows_of(counted: Counted) -> list[Row]:
    stage = counted.stage
    arguments = " ".join(counted.arguments)
    rows: list[Row] = [
        (stage.name, arguments, "", name, str(value))
        for name, value in counted.transfers.items()
        if value
    ]
    for kernel in counted.kernels:
        rows += [
            (stage.name, arguments, kernel.name, name, str(value))
            for name, value in kernel.counters.items()
            if name not in NOT_RECORDED
        ]
    return rows


def lines_of(counted: Counted) -> list[Row]:
    """What each line asks whose text is known. A line that only computes has no row."""
    margins = margins_of({"kernels": [{"lines": kernel.lines} for kernel in counted.kernels]})
    rows = []
    for (file, line), margin in sorted(margins.items()):
        text = source_text(counted.stage, {"file": file, "line": line}) if line > 0 else ""
        if margin.asks and text:
            values = (str(getattr(margin, name)) for name in LINE_COLUMNS[4:])
            rows.append((counted.stage.name, file, str(line), text, *values))
    return rows


def read_rows(path: Path, columns: Sequence[str] = COUNTER_COLUMNS) -> list[Row]:
    return [tuple(row.values()) for row in read_records(path, columns)]


def counted_stages(chapter: str, stages: list[Stage], chosen: str = "") -> list[Stage]:
    """Of the chapter, those with kernels that the CPU engine can run. It lacks some libraries; who
    chooses such a stage is told so."""
    return [
        stage
        for stage in stages
        if stage.chapter == chapter
        and stage.has_kernels
        and ("emu" not in stage.skipped or stage.stage == chosen)
    ]


def record(chapter: str, stages: list[Stage], folder: Path, chosen: str = "") -> None:
    """Every stage of the chapter, or only the `chosen` one; then the rows of the others stay."""
    further = runs_on_pages(stages)

    def every_row(counted: Counted) -> list[Row]:
        return rows_of_all(counted.stage, counted, further.get(counted.stage.stage, []))

    tables = (
        (folder / f"{chapter}.csv", COUNTER_COLUMNS, every_row),
        (folder.parent / LINES / f"{chapter}.csv", LINE_COLUMNS, lines_of),
    )
    own = counted_stages(chapter, stages, chosen)
    counted = {stage.name: counted_of(stage) for stage in own if chosen in ("", stage.stage)}
    for path, columns, made in tables:
        kept = read_rows(path, columns) if chosen and path.exists() else []
        rows = [
            row
            for stage in own
            for row in (
                made(counted[stage.name])
                if stage.name in counted
                else [row for row in kept if row[0] == stage.name]
            )
        ]
        write_table(path, columns, rows)
        print(path)


def check(stage: Stage, folder: Path, runs: Sequence[str] = ()) -> list[str]:
    """The counters that differ from the record. `runs`: further ones."""
    recorded = {
        row[:-1]: row[-1]
        for row in read_rows(folder / f"{stage.chapter}.csv")
        if row[0] == stage.name
    }
    counted = {row[:-1]: row[-1] for row in rows_of_all(stage, counted_of(stage), runs)}
    return [
        f"{stage.stage}, {key[2] or 'transfers'}: {key[3]} is {counted.get(key, '0')}, "
        f"recorded {recorded.get(key, '0')}"
        for key in sorted(recorded.keys() | counted.keys())
        if key[3] not in COMPILER_S_OWN and recorded.get(key) != counted.get(key)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Records the counters of every stage.")
    parser.add_argument("names", nargs="*", metavar="CHAPTER|STAGE")
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the records")
    parser.add_argument("--check", action="store_true", help="compare stages with what is recorded")
    arguments = parser.parse_args()
    stages = load_stages()
    chapters = chapters_of(stages)
    if arguments.check:
        chosen = [
            stage
            for name in arguments.names or chapters
            for stage in (
                [find_stage(stages, name)]
                if "/" in name
                else counted_stages(choose("CHAPTER", name, chapters), stages)
            )
        ]
        further = runs_on_pages(stages)
        lines = [
            line
            for stage in chosen
            for line in check(stage, arguments.data, further.get(stage.stage, []))
        ]
        print("\n".join(lines or ["as recorded"]))
        return EXIT_FAILURE if lines else 0
    for name in arguments.names or chapters:
        if "/" in name:
            record(find_stage(stages, name).chapter, stages, arguments.data, name)
        else:
            record(choose("CHAPTER", name, chapters), stages, arguments.data)
    return 0


if __name__ == "__main__":
    run_tool(main)
