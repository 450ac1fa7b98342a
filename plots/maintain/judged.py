# SPDX-License-Identifier: MIT
"""Whether the records of one device can be trusted and shared: what is wrong, and what is only
worth a note.

A folder is wrong if a table cannot be read, a row is not verified, rows of a GPU are of several
devices, a run is missing, a time is shorter than the device's peaks allow, runs of one kind differ
too much, or have the same time to the last digit, or the GPU was slowed down while it measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from common.tools.lib.columns import LIMITS_COLUMNS, RANK_COLUMNS, ROW_COLUMNS
from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter
from plots.records.conditions import FILE as CONDITIONS
from plots.records.conditions import Conditions, read_conditions
from plots.records.limits import impossible_rows, read_limits
from plots.records.medians import quartiles
from plots.records.recorded_runs import (
    RECORDED_ENGINES,
    TOO_LARGE_FILE,
    missing_runs,
    recorded_rows,
    too_large_runs,
)
from plots.records.rows import Row, read_profile, read_reports, read_rows
from plots.records.sweeps import FILE as SWEEPS
from plots.records.sweeps import read_sweeps
from plots.records.folders import PLOTS, folder_name

# So far may the quartiles of a run's kernels lie apart. A kernel of a few microseconds varies more:
# the second number, in milliseconds, is always allowed.
WIDEST, ALWAYS_MS = 0.25, 0.02
# So many runs of a folder may be wider: other programs disturb a run now and then.
MOST_WIDE = 0.02
FEW_REPEATS = 3  # fewer runs say nothing about their spread
# Tables of make prove, make instructions and make verdicts, which have their own checks.
OF_PROOFS = {"counters.csv", "instructions.csv", "verdicts.csv"}
PARTS = ("report", "profile")
NAMED = 3  # so many examples are named


@dataclass
class Judgement:
    """What was found in a folder. It can be shared if nothing is wrong."""

    device: str = ""
    rows: int = 0
    chapters: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def some(names: Sequence[str]) -> str:
    """The first few, and how many others there are."""
    more = len(names) - NAMED
    return "; ".join(names[:NAMED]) + (f"; and {more} more" if more > 0 else "")


def run_name(row: Row) -> str:
    parameters = "".join(f" {key}={value}" for key, value in row.parameters.items())
    ranks = f" on {row.ranks} GPUs" if row.ranks > 1 else ""
    return f"{row.chapter}/{row.stage} {row.engine} n={row.n}{parameters} {row.input}{ranks}"


def same_runs(rows: Iterable[Row]) -> list[list[Row]]:
    """The repeats of each run. Rows of two commits are two runs."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((run_name(row), row.seed, row.grid, row.version), []).append(row)
    return list(found.values())


def known_tables(chapters: Iterable[str]) -> set[str]:
    ends = ("", "_ranks", *(f"_{part}" for part in PARTS))
    return {f"{name}{end}.csv" for name in chapters for end in ends} | {
        "limits.csv",
        CONDITIONS,
        TOO_LARGE_FILE,
        *OF_PROOFS,
    }


def wide_runs(runs: Iterable[Sequence[Row]]) -> list[str]:
    """Runs whose kernels took very different times."""
    found = []
    for rows in runs:
        if len(rows) < FEW_REPEATS or rows[0].engine != "gpu":
            continue
        low, middle, high = quartiles(row.kernels_ms for row in rows)
        if high - low > max(WIDEST * middle, ALWAYS_MS):
            share = 100 * (high - low) / middle
            found.append(f"{run_name(rows[0])}: quartiles {share:.0f} % of the median apart")
    return found


def copied_runs(runs: Iterable[Sequence[Row]]) -> list[str]:
    """Runs of which several repeats have all of their times in common: a clock is finer than
    that."""
    found = []
    for rows in runs:
        times = [(row.kernels_ms, row.total_ms, row.setup_ms) for row in rows]
        if len(set(times)) < len(times):
            found.append(run_name(rows[0]))
    return found


def late_rows(rows: Iterable[Row], now: datetime) -> list[str]:
    """Rows without a date, or with one that has not come yet."""
    found = []
    for row in rows:
        try:
            date = datetime.fromisoformat(row.date.replace("Z", "+00:00"))
        except ValueError:
            date = None
        if date is None or date.tzinfo is None or date > now:
            found.append(f"{run_name(row)}: {row.date or 'nothing'}")
    return found


def missing_lines(chapter: str, folder: Path) -> Iterator[str]:
    """What `make record CHAPTER=…` would still measure, of each sweep that is not optional. A run
    that the machine could not hold is not missing."""
    path, too_large = PLOTS / chapter / SWEEPS, too_large_runs(folder)
    if not path.exists():
        return
    for sweep in read_sweeps(path, "record", RECORDED_ENGINES):
        if sweep.optional or sweep.ranks:
            continue  # several GPUs, or a library, are no duty
        runs = [
            run
            for run in missing_runs(sweep, recorded_rows(sweep, folder))
            if str(run) not in too_large
        ]
        if runs:
            yield f"sweep {sweep.name}: {some([str(run) for run in runs])}"


def slowed(one: Conditions) -> list[str]:
    """What slowed the GPU down while a recorder ran."""
    found = []
    if one.harmful:
        found.append(f"slowed down: {', '.join(one.harmful)} (at most {one.temperature_c:.0f} C)")
    if one.below_base:
        found.append(
            f"its clock was {one.clock_mhz:.0f} MHz, below its base of {one.base_mhz:.0f} MHz"
        )
    return [f"{one.date}: {words}" for words in found]


class Judge:
    """Reads the tables of one folder."""

    def __init__(self, folder: Path, chapters: Sequence[Chapter], now: datetime) -> None:
        self.folder, self.chapters, self.now = folder, chapters, now
        self.found = Judgement()

    def judge(self) -> Judgement:
        names = {path.name for path in self.folder.glob("*.csv")}
        for name in sorted(names - known_tables(one.name for one in self.chapters)):
            self.found.notes.append(f"{name}: no table of the course; it is not read")
        rows = self.all_rows(names)
        self.judge_device(rows)
        if rows:
            self.judge_rows(rows)
        for chapter in self.found.chapters:
            lines = list(self.tried(missing_lines, chapter, self.folder))
            if lines:
                self.found.wrong.append(
                    f"{chapter}: runs are missing; `make record CHAPTER={chapter}` measures them: "
                    + some(lines)
                )
        too_large = [f"{run}: {why}" for run, why in too_large_runs(self.folder).items()]
        self.add("too large for the machine", too_large, self.found.notes)
        self.judge_conditions()
        return self.found

    def tried(self, read: Callable[..., Iterable[Any]], *arguments: object) -> list[Any]:
        """What it reads; what is wrong with the file is noted instead."""
        try:
            return list(read(*arguments))
        except DataError as error:
            self.found.wrong.append(str(error))
            return []

    def all_rows(self, names: set[str]) -> list[Row]:
        rows: list[Row] = []
        for chapter in self.chapters:
            own = self.folder / f"{chapter.name}.csv"
            for path, columns in (
                (own, ROW_COLUMNS),
                (own.with_name(f"{chapter.name}_ranks.csv"), RANK_COLUMNS),
            ):
                if path.name in names:
                    rows += self.tried(read_rows, path, columns)
            if own.name in names:
                self.found.chapters.append(chapter.name)
            report, profile = (own.with_name(f"{chapter.name}_{one}.csv") for one in PARTS)
            if report.name in names:
                self.tried(read_reports, report)
            if profile.name in names:
                self.tried(read_profile, profile)
        self.found.rows = len(rows)
        return rows

    def judge_device(self, rows: Sequence[Row]) -> None:
        devices = sorted({row.device for row in rows if row.engine == "gpu"})
        if not devices:
            self.found.wrong.append("there is no row of a GPU")
        elif len(devices) > 1:
            self.found.wrong.append(f"rows of several GPUs: {', '.join(devices)}")
        else:
            self.found.device = devices[0]
            if folder_name(devices[0]) != self.folder.resolve().name:
                self.found.notes.append(
                    f"`make record` calls the folder of this GPU {folder_name(devices[0])}"
                )

    def judge_rows(self, rows: Sequence[Row]) -> None:
        runs = same_runs(rows)
        path = self.folder / "limits.csv"
        known = {}
        if path.exists():
            try:
                known = read_limits(path)
            except DataError as error:
                self.found.wrong.append(str(error))
        if self.found.device and self.found.device not in known:
            self.found.wrong.append(f"limits.csv does not have this GPU: {LIMITS_COLUMNS[1]} …")
        for chapter in self.chapters:
            own = [row for row in rows if row.chapter == chapter.name and row.ranks == 1]
            self.add(
                "faster than the GPU can be", impossible_rows(own, known, chapter.working_set_bytes)
            )
        self.add("repeats with the same times", copied_runs(runs))
        self.add("no date that has been", late_rows(rows, self.now))
        wide = wide_runs(runs)
        few = len(wide) <= max(1, MOST_WIDE * len(runs))
        self.add("times that vary", wide, self.found.notes if few else self.found.wrong)
        changed = [row for row in rows if row.version.endswith("-dirty")]
        if changed:
            self.found.notes.append(f"{len(changed)} rows are of sources with changes of your own")

    def add(self, what: str, names: Sequence[str], to: list[str] | None = None) -> None:
        if names:
            (self.found.wrong if to is None else to).append(f"{what}: {some(names)}")

    def judge_conditions(self) -> None:
        path = self.folder / CONDITIONS
        if not path.exists():
            self.found.notes.append(f"{CONDITIONS} is missing: nobody knows the GPU's clocks")
            return
        for one in self.tried(read_conditions, path):
            self.found.wrong += slowed(one)
            if one.others:
                self.found.notes.append(f"{one.date}: {one.others} other processes on the GPU")


def judge(folder: Path, chapters: Sequence[Chapter], now: datetime | None = None) -> Judgement:
    """The records of a device in `folder`, as make record writes them."""
    return Judge(folder, chapters, now or datetime.now(timezone.utc)).judge()
