# SPDX-License-Identifier: MIT
"""What is measured: the sweeps of plots/<chapter>/sweep.toml (format: plots/records/sweeps.md), run
by run."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.files import read_text
from common.tools.lib.stages import DataError, choose, shown
from plots.records.folders import PLOTS
from plots.records.stages import Stages, nearest, stages_of

FILE = "sweep.toml"
# Of each key of a sweep, the value that it has when it is left out; None: it must be there.
KEYS: dict[str, Any] = {
    **dict.fromkeys(("name", "scope", "engine", "figures", "stages", "n")),
    **{"args": [], "match": {}, "vary": {}, "seeds": [1]},
    **{"repeats": 5, "long_run_seconds": 5, "optional": False},
}
SCOPES = ("record", "here")
ENGINES = ("gpu", "cpu", "opencl", "emu")


@dataclass(frozen=True)
class Sweep:
    """Runs of one engine: some stages at some sizes."""

    chapter: str
    name: str
    scope: str
    engine: str
    stages: tuple[str, ...]
    sizes: tuple[int, ...]
    args: tuple[str, ...]
    match: tuple[tuple[str, Any], ...]
    vary: tuple[tuple[str, tuple[Any, ...]], ...]
    seeds: tuple[int, ...]
    repeats: int
    long_run_seconds: float
    optional: bool
    figures: tuple[str, ...]  # what reads its rows


@dataclass(frozen=True)
class Run:
    """One start of one executable."""

    sweep: Sweep
    stage: str
    n: int
    seed: int
    varied: tuple[tuple[str, Any], ...] = ()

    @property
    def arguments(self) -> list[str]:
        return [
            *self.sweep.args,
            *(word for name, value in self.varied for word in (f"--{name}", str(value))),
        ]

    @property
    def match(self) -> tuple[tuple[str, Any], ...]:
        return (*self.sweep.match, *self.varied)

    def __str__(self) -> str:
        words = [
            f"{self.sweep.chapter}/{self.stage} {self.sweep.engine} n={self.n} seed={self.seed}",
            *(f"{name}={value}" for name, value in self.varied),
        ]
        return " ".join(words)


def checked_sweep(entry: Mapping[str, Any], stages: Stages, path: Path) -> Sweep:
    """A sweep of the file. A wrong key, word or stage is an error that names the nearest right
    one."""
    place = f"{path}: sweep {shown(str(entry.get('name', '')))[1:-1]}".rstrip()
    for key in entry:
        if key not in KEYS:
            raise DataError(f"{place}: there is no key {shown(key)}; {nearest(key, list(KEYS))}")
    for key, default in KEYS.items():
        if default is None and key not in entry:
            raise DataError(f"{place}: '{key}' is missing")
    for key, words in (("scope", SCOPES), ("engine", ENGINES)):
        if entry[key] not in words:
            raise DataError(
                f"{place}: {key} = {shown(str(entry[key]))}; {nearest(str(entry[key]), words)}"
            )
    value = {key: entry.get(key, default) for key, default in KEYS.items()}
    return Sweep(
        stages.chapter,
        value["name"],
        value["scope"],
        value["engine"],
        stages.chosen(value["stages"], place),
        tuple(value["n"]),
        tuple(value["args"]),
        tuple(value["match"].items()),
        tuple((name, tuple(values)) for name, values in value["vary"].items()),
        tuple(value["seeds"]),
        value["repeats"],
        value["long_run_seconds"],
        value["optional"],
        tuple(value["figures"]),
    )


def all_sweeps(path: Path) -> list[Sweep]:
    """Every sweep of a chapter's file. The file's folder has the chapter's name."""
    try:
        document = tomllib.loads(read_text(path))
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except (ValueError, RecursionError) as error:  # also an integer of thousands of digits
        raise DataError(f"{path}: {error}") from None
    for key in document:
        if key != "sweep":
            raise DataError(f"{path}: there is no key {shown(key)}; did you mean 'sweep'?")
    stages = stages_of(path.parent.name, path)
    try:
        found = [checked_sweep(entry, stages, path) for entry in document.get("sweep", [])]
    except (AttributeError, TypeError, ValueError):
        raise DataError(f"{path}: a sweep has a value of the wrong type") from None
    for name in (one.name for one in found):
        if sum(one.name == name for one in found) > 1:
            raise DataError(f"{path}: two sweeps have the name '{name}'")
    return found


def read_sweeps(path: Path, scope: str, engines: Collection[str]) -> list[Sweep]:
    return [one for one in all_sweeps(path) if one.scope == scope and one.engine in engines]


def runs_of(sweep: Sweep) -> Iterator[Run]:
    names = [name for name, _ in sweep.vary]
    for n in sweep.sizes:
        for values in itertools.product(*(values for _, values in sweep.vary)):
            for seed in sweep.seeds:
                for stage in sweep.stages:
                    yield Run(sweep, stage, n, seed, tuple(zip(names, values)))


def sweeps_of(chapters: Sequence[str], scope: str, engines: Collection[str]) -> list[Sweep]:
    """The sweeps of several chapters. One line names a chapter without a file."""
    found: list[Sweep] = []
    for chapter in chapters:
        path = PLOTS / chapter / FILE
        if path.exists():
            found += read_sweeps(path, scope, engines)
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
