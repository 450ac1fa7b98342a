# SPDX-License-Identifier: MIT
"""Where a figure's numbers come from: recorded data, or this machine's. Notes which files it read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from common.tools.lib.stages import DataError
from plots.records.complete import complete_rows
from plots.records.counters import KernelCounters, read_counters
from plots.records.folders import COUNTERS, THESIS, TRACES, rank_table
from plots.records.limits import Limits, read_limits
from plots.records.published import Published
from plots.records.rows import (
    Metric,
    Report,
    Row,
    read_profile,
    read_rank_rows,
    read_reports,
    read_rows,
)
from common.tools.lib.csv_tables import read_records


class Source:
    """`kind`: "recorded" or "here". `folder`: its rows. `recorded_folder`: the course's own, which
    serve where another device or this machine has none."""

    def __init__(
        self,
        kind: str,
        folder: Path,
        recorded_folder: Path | None,
        published: Sequence[Published],
        counters_folder: Path = COUNTERS,
    ) -> None:
        self.kind = kind
        self.folder = folder
        self.recorded_folder = recorded_folder
        self.counters_folder = counters_folder
        self._published = published
        self.read: dict[Path, None] = {}  # the files that numbers were taken from, in order

    @property
    def recorded(self) -> bool:
        return self.kind == "recorded"

    def afresh(self) -> Source:
        """The same source, with nothing read yet."""
        return Source(
            self.kind, self.folder, self.recorded_folder, self._published, self.counters_folder
        )

    def of(self, chapter: str) -> Source:
        """The source of a chapter, with nothing read yet. A chapter that was not measured here, or
        on the device that was asked for, stays with the course's rows."""
        if self.recorded_folder and not self.rows_path(chapter).exists():
            return self.of_the_course()
        return self.afresh()

    def of_the_course(self) -> Source:
        """The recorded rows that the course's pages show, with nothing read yet."""
        own = self.afresh()
        if self.recorded_folder:
            own.kind, own.folder = "recorded", self.recorded_folder
        return own

    def on_a_gpu(self, chapter: str) -> Source:
        """This source, or the recorded one if a machine without a GPU measured here: for a figure
        that compares the stages' times and nothing else."""
        if self.recorded or not self.recorded_folder:
            return self
        if any(row.engine == "gpu" for row in read_rows(self.rows_path(chapter))):
            return self
        other = self.afresh()
        other.kind, other.folder, other.read = "recorded", self.recorded_folder, self.read
        return other

    def with_all(self, chapter: str, stages: Sequence[str], match: Mapping[str, object]) -> Source:
        """This source, or that of another recorded device, if only that one has rows of all these
        stages."""
        if not self.recorded:
            return self
        other = self.afresh()
        other.folder = complete_rows(self.folder, chapter, stages, match).parent
        other.read = self.read
        return other

    def reading(self, path: Path) -> Path:
        """Notes that numbers are taken from this file."""
        self.read[path] = None
        return path

    def rows_path(self, chapter: str) -> Path:
        return self.folder / f"{chapter}.csv"

    def rows(self, chapter: str) -> list[Row]:
        return read_rows(self.reading(self.rows_path(chapter)))

    def rank_rows(self, chapter: str) -> list[Row]:
        """Of runs on several GPUs, which most machines have none of. Recorded ones may be another
        device's."""
        path = rank_table(self.folder, chapter)
        return read_rank_rows(self.reading(path) if path.exists() else path)

    def reports_path(self, chapter: str) -> Path:
        return self.folder / f"{chapter}_report.csv"

    def reports(self, chapter: str) -> list[Report]:
        return read_reports(self.reading(self.reports_path(chapter)))

    def profile_path(self, chapter: str) -> tuple[Path, bool]:
        """The profile's file, and whether it is the recorded one although this machine's was asked
        for: a machine without a GPU has no profiler counters."""
        own = self.folder / f"{chapter}_profile.csv"
        if not self.recorded and not own.exists() and self.recorded_folder is not None:
            return self.recorded_folder / own.name, True
        return own, False

    def profile(self, chapter: str) -> tuple[list[Metric], Path, bool]:
        path, from_recorded = self.profile_path(chapter)
        return read_profile(self.reading(path)), path, from_recorded

    def counters_path(self, chapter: str) -> Path:
        """Counters are the same on every machine, so the recorded ones serve all."""
        return self.counters_folder / f"{chapter}.csv"

    def counters(self, chapter: str) -> list[KernelCounters]:
        return read_counters(self.reading(self.counters_path(chapter)))

    def trace_path(self, name: str) -> Path:
        return self.counters_folder.parent / TRACES.name / f"{name}.csv"

    def trace(self, name: str, columns: Sequence[str]) -> list[dict[str, str]]:
        """What a small run did, access by access: the same on every machine."""
        return read_records(self.reading(self.trace_path(name)), columns)

    def limits(self) -> dict[str, Limits]:
        """What the devices of these rows can do at most. An emulated device has no limits."""
        path = self.folder / "limits.csv"
        return read_limits(self.reading(path)) if path.exists() else {}

    def published(self, figure: str, quantity: str) -> list[Published]:
        found = [one for one in self._published if (one.figure, one.quantity) == (figure, quantity)]
        if not found:
            raise DataError(f"{THESIS}: no {quantity} of figure {figure}")
        self.reading(THESIS)
        return found
