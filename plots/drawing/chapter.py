# SPDX-License-Identifier: MIT
"""What a chapter tells the plots about itself: the one object CHAPTER of
plots/<chapter>/figures.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from plots.drawing.animation import Animation
from plots.records.limits import Limits
from plots.drawing.figure import Figure, ProfileTableMaker, TableMaker
from plots.records.published import TableCell
from plots.records.rows import Row
from plots.records.stages import Stages
from plots.records.traces import Recorded


@dataclass(frozen=True)
class Rules:
    """How a chapter's stages are compared with one another."""

    run: Mapping[str, str] = field(
        default_factory=dict
    )  # input and parameters of the compared rows
    kernel_timed: tuple[str, ...] = ()  # stages compared by their kernels, the others by whole runs
    stage_runs: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # a stage's own parameters
    series: tuple[tuple[str, ...], ...] = ()  # speedup_over_first is over the first of one of these
    kernels_in_part: tuple[str, ...] = ()  # stages whose kernels do only a part of the work
    # Stages that change how the input comes to the device: their whole runs count, with the copies.
    # The bytes that cross the host's link in one direction, of n elements.
    with_copies: Mapping[str, Callable[[int], float]] = field(default_factory=dict)
    # Parameters of the runs that ladders, tables of paths and numbers in sentences show, where they
    # are not those of `run`.
    shown_run: Mapping[str, str] = field(default_factory=dict)
    iterations: str = ""  # the parameter that says how many; runs of one are recorded, too
    further_runs: tuple[Mapping[str, str], ...] = ()  # runs that are compared beside `run`
    # The same of the runs of one n.
    run_of_size: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    @property
    def shown(self) -> Rules:
        """The same with the run that is shown."""
        return replace(self, run={**self.run, **self.shown_run})

    def at(self, n: int) -> Rules:
        """The same with the run that is shown at this n."""
        return replace(self, run={**self.shown.run, **self.run_of_size.get(n, {})})

    @property
    def runs(self) -> list[dict[str, str]]:
        """The parameters that tell one compared run from the others; none where there is one
        run."""
        names = {name for parameters in self.further_runs for name in parameters}
        own = {name: value for name, value in self.run.items() if name in names}
        return [own, *(dict(one) for one in self.further_runs)]

    def first_of(self, stage: str) -> str:
        """The stage that speedup_over_first is over."""
        return next(series[0] for series in self.series if stage in series)


@dataclass(frozen=True)
class Rate:
    """The chapter's natural rate: what its kernels do per second. `work`: how much a row does."""

    unit: str
    work: Callable[[Row], float] = lambda row: row.n


@dataclass(frozen=True)
class PrintedTables:
    """Numbers that another source than the thesis prints for this chapter's stages."""

    source: str  # "Herrero and Troiani 2024"
    key: str  # its device in tables and figures: "RTX 3080, 2024"
    file: Path
    cells: tuple[TableCell, ...]
    beyond_reach: Callable[
        [TableCell], bool
    ] = lambda cell: False  # whether the card cannot be so fast


@dataclass(frozen=True)
class Chapter:
    """A chapter's figures, tables, recorded runs, and how its stages are compared."""

    stages: Stages
    figures: tuple[Figure, ...]
    rate: Rate
    rules: Rules = Rules()
    tables: Mapping[str, TableMaker] = field(default_factory=dict)  # that only its README has
    # Its own tables need rows of all these stages with these parameters, from one device.
    all_stages: tuple[tuple[str, ...], Mapping[str, object]] = ((), {})
    # A path, or a part of one by its title -> the n of its table.
    path_sizes: Mapping[str, int] = field(default_factory=dict)
    # Further sizes of a path's table, which has their gains: `few cells` -> their n.
    further_gains: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    whole_runs: tuple[str, ...] = ()  # paths whose source prints whole runs; so does their table
    share_of: str = ""  # the stage of a library, whose rate is 100 % in these tables
    bound: tuple[str, Callable[[Limits], float]] | None = None  # else this rate of a device is
    printed: PrintedTables | None = None
    working_set_bytes: Callable[[int], float] = lambda n: 4.0 * n  # at least, of n elements
    traces: tuple[Recorded, ...] = ()
    animation: Callable[[Stages, Path, Path], Animation] | None = None
    profile: str = ""  # a module that profiles stages on a GPU, for `make record`
    profiled: tuple[str, ...] = ()  # a profile that lacks one of these stages is made again
    profiled_work: Callable[[str, int], float] | None = None  # of a stage's profile at this n
    profile_tables: Mapping[str, ProfileTableMaker] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.stages.chapter

    def timed_by_kernels(self, stage: str) -> bool:
        return stage in self.rules.kernel_timed
