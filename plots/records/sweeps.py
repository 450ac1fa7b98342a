# SPDX-License-Identifier: MIT
"""What is measured: the sweeps of plots/<chapter>/sweep.toml (format: plots/records/sweeps.md), run
by run."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import DataError, choose, shown
from plots.records.folders import PLOTS
from plots.records.stages import Stages, stages_of
from plots.records.sweep_values import check_values, line_of

FILE = "sweep.toml"


@dataclass(frozen=True)
class Sweep:
    """Runs of one engine: some stages at some sizes."""

    chapter: str
    name: str
    scope: str
    engine: str
    stages: tuple[str, ...]
    left_out: tuple[str, ...]  # stages that are named, but not recorded yet
    sizes: tuple[int, ...]
    args: tuple[str, ...]
    match: tuple[tuple[str, Any], ...]
    vary: tuple[tuple[str, tuple[Any, ...]], ...]
    ranks: tuple[int, ...]  # none: the stages have one rank, and their rows no such column
    seeds: tuple[int, ...]
    repeats: int
    long_run_seconds: float
    optional: bool
    alone: bool  # no other recorder of the device measures meanwhile
    figures: tuple[str, ...]  # what reads its rows


@dataclass(frozen=True)
class Run:
    """One start of one executable."""

    sweep: Sweep
    stage: str
    n: int
    seed: int
    varied: tuple[tuple[str, Any], ...] = ()
    ranks: int = 0  # 0: see Sweep.ranks

    @property
    def arguments(self) -> list[str]:
        return [
            *self.sweep.args,
            *(word for name, value in self.varied for word in (f"--{name}", str(value))),
        ]

    @property
    def match(self) -> tuple[tuple[str, Any], ...]:
        ranks = (("ranks", self.ranks),) if self.ranks else ()
        return (*self.sweep.match, *self.varied, *ranks)

    def __str__(self) -> str:
        words = [
            f"{self.sweep.chapter}/{self.stage} {self.sweep.engine} n={self.n} seed={self.seed}",
            *(f"{name}={value}" for name, value in self.varied),
            *([f"ranks={self.ranks}"] if self.ranks else []),
        ]
        return " ".join(words)


def checked_sweep(
    entry: object, text: str, number: int, stages: Stages, path: Path, marked: bool
) -> Sweep:
    """The file's sweep with this number. A wrong key, value, word or stage is an error that names
    the line, and the nearest right one."""
    value = check_values(entry, text, number, path)
    line = line_of(text, number, "stages")
    place = f"{path}{f':{line}' if line else ''}: sweep {value['name']}"
    # Stages for many GPUs have a table of their own, and wait for no figure of the others.
    chosen = (
        stages.listed(value["stages"], place)
        if value["ranks"]
        else stages.chosen(value["stages"], place, marked)
    )
    return Sweep(
        stages.chapter,
        value["name"],
        value["scope"],
        value["engine"],
        chosen,
        () if value["ranks"] or marked else stages.left_out(value["stages"]),
        tuple(value["n"]),
        tuple(value["args"]),
        tuple(value["match"].items()),
        tuple((name, tuple(values)) for name, values in value["vary"].items()),
        tuple(value["ranks"]),
        tuple(value["seeds"]),
        value["repeats"],
        value["long_run_seconds"],
        value["optional"],
        value["alone"],
        tuple(value["figures"]),
    )


def all_sweeps(path: Path, marked: bool = False) -> list[Sweep]:
    """Every sweep of a chapter's file. The file's folder has the chapter's name. `marked`: also
    with the stages that are marked not_recorded."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    document = parse_toml(text, path)
    for key in document:
        if key != "sweep":
            raise DataError(f"{path}: there is no key {shown(key)}; did you mean 'sweep'?")
    entries = document.get("sweep", [])
    if not isinstance(entries, list):
        raise DataError(f"{path}: a sweep begins with [[sweep]]")
    stages = stages_of(path.parent.name, path)
    found: list[Sweep] = []
    for number, entry in enumerate(entries):
        one = checked_sweep(entry, text, number, stages, path, marked)
        if any(one.name == other.name for other in found):
            line = line_of(text, number, "name")
            place = f"{path}{f':{line}' if line else ''}"
            raise DataError(f"{place}: two sweeps have the name '{one.name}'")
        found.append(one)
    return found


def read_sweeps(
    path: Path, scope: str, engines: Collection[str], marked: bool = False
) -> list[Sweep]:
    found = all_sweeps(path, marked)
    return [one for one in found if one.scope == scope and one.engine in engines]


def runs_of(sweep: Sweep) -> Iterator[Run]:
    names = [name for name, _ in sweep.vary]
    for n in sweep.sizes:
        for values in itertools.product(*(values for _, values in sweep.vary)):
            for seed in sweep.seeds:
                for stage in sweep.stages:
                    for ranks in sweep.ranks or (0,):
                        yield Run(sweep, stage, n, seed, tuple(zip(names, values)), ranks)


def sweeps_of(
    chapters: Sequence[str], scope: str, engines: Collection[str], marked: bool = False
) -> list[Sweep]:
    """The sweeps of several chapters. One line names a chapter without a file."""
    found: list[Sweep] = []
    for chapter in chapters:
        path = PLOTS / chapter / FILE
        if path.exists():
            found += read_sweeps(path, scope, engines, marked)
        else:
            print(
                f"plots/{chapter}/{FILE} is missing: nothing of {chapter} is measured", flush=True
            )
    return found


def chosen_sweeps(sweeps: Sequence[Sweep], names: Sequence[str]) -> list[Sweep]:
    """The sweeps of these names, or all where no name is given."""
    known = list(dict.fromkeys(sweep.name for sweep in sweeps))
    for name in names:
        choose("SWEEPS", name, known)
    return [sweep for sweep in sweeps if not names or sweep.name in names]
