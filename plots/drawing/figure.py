# SPDX-License-Identifier: MIT
"""What a figure is: how its data are prepared, and what gnuplot and the site are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.tools.lib.stages import DataError, shown
from plots.records.folders import PLOTS, TRACES
from plots.records.limits import Limits
from plots.records.rows import Metric, Report, Row
from plots.records.source import Source


@dataclass(frozen=True)
class Block:
    """One series of a .dat file: a title and rows of numbers (or of a text and numbers)."""

    title: str
    rows: Sequence[Sequence[Any]]


EMULATED_TIMES = "times of the CPU engine, not of a GPU"
EMULATED_RUN = "run on the CPU engine"

# Rows of cells, the head first.
NumberTable = Sequence[Sequence[str]]


@dataclass
class Drawing:
    """The data of a figure's gnuplot script, and what the site says about it."""

    tables: dict[str, list[Block]]
    subtitle: str
    ours: str
    alt: str
    variables: dict[str, object] = field(default_factory=dict)
    numbers: Sequence[NumberTable] = ()  # what is drawn, as tables
    ours_repeats: bool = False  # whether `ours` says no more than these tables
    from_recorded: bool = False
    emulated: bool = False  # the CPU engine ran what is shown
    shows_times: bool = True
    origin: str = ""  # device and day, where the page names them beside the picture

    @property
    def ran_on(self) -> str:
        """What every title of the drawing says of the CPU engine: its times are not a GPU's."""
        if not self.emulated:
            return ""
        return f" ({EMULATED_TIMES if self.shows_times else EMULATED_RUN})"


@dataclass(frozen=True)
class Figure:
    """A figure of a chapter. Its script is plots/<chapter>/<name>.gp unless `script` names another;
    its files are <name>.png and <name>.svg."""

    name: str
    label: str  # its number in the thesis: "Figure 6.6"; empty where it has none
    chapter: str
    title: str
    thesis: str  # what the source says about it
    prepare: Callable[[Source], Drawing]
    in_readme: bool = False
    said_by: str = "Thesis"  # the source whose words `thesis` reports
    script: str = ""  # where several figures share one: <script>.gp
    folder: str = ""  # of the script, where that is not the chapter's

    @property
    def script_path(self) -> Path:
        return PLOTS / (self.folder or self.chapter) / f"{self.script or self.name}.gp"

    def drawing(self, source: Source) -> Drawing:
        """What prepare() makes. A trace is a table of every kind of values, which only a figure's
        own code understands: where that fails, the trace is damaged. Errors: DataError that names
        it.
        """
        try:
            return self.prepare(source)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            traces = [path for path in source.read if path.parent.name == TRACES.name]
            if not traces:
                raise
            said = shown(f"{type(error).__name__} {error}")
            raise DataError(f"{traces[-1]}: {self.name} cannot be drawn from it: {said}") from error

    @property
    def heading(self) -> str:
        return f"{self.label}. {self.title}" if self.label else self.title

    def title_of(self, drawing: Drawing) -> str:
        """The title of the picture, of its place on the site, and of its line on the terminal."""
        return self.heading + drawing.ran_on


# A table of a chapter's README: from all rows, all reports, and the limits of their devices.
TableMaker = Callable[[Sequence[Row], Sequence[Report], Mapping[str, Limits]], list[str]]
# A table of a profiled chapter's README, from the profiler's metrics.
ProfileTableMaker = Callable[[Sequence[Metric]], list[str]]
