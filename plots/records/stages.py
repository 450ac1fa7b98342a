# SPDX-License-Identifier: MIT
"""A chapter's stages, found by their short names: `shared_tiles` is 03_shared_tiles, whatever its
number becomes. A name that is wrong is an error that says where it stands and which is nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from common.tools.lib.stages import DataError, Stage, build_folder, load_stages, shown

SERIAL, KERNELS = "serial", "kernels"  # words that choose stages, beside short names
RANGE = ".."


def short_name(stage: str) -> str:
    """`shared_tiles` of `03_shared_tiles`."""
    return stage.partition("_")[2]


def number(stage: str) -> str:
    """`03` of `03_shared_tiles`."""
    return stage.partition("_")[0]


def nearest(wrong: str, names: Sequence[str]) -> str:
    """What to say of a name that does not exist: the nearest one, or all of a few."""
    found = difflib.get_close_matches(wrong, names, n=1, cutoff=0.5)
    return f"did you mean '{found[0]}'?" if found else f"choose one of {', '.join(names)}"


class Stages:
    """The stages of one chapter, in their order. `where`: the file whose names are looked up."""

    def __init__(self, chapter: str, stages: Sequence[Stage], where: object) -> None:
        if not stages:
            raise DataError(f"{where}: there are no stages of a chapter '{chapter}' in the build")
        self.chapter = chapter
        self.where = where
        self._stages = tuple(stages)
        self._by_name = {one.name: one for one in stages}

    def __iter__(self) -> Iterator[Stage]:
        return iter(self._stages)

    def __getitem__(self, name: str) -> Stage:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    @property
    def serial(self) -> str:
        """The stage on one core of the CPU, which is every chapter's first."""
        return self._stages[0].name

    @property
    def kernels(self) -> tuple[str, ...]:
        """The stages with kernels that have times: a race on purpose has none."""
        return tuple(
            one.name
            for one in self._stages
            if (one.has_kernels or one.opencl) and not one.race_on_purpose
        )

    def named(self, short: str, where: object = "") -> str:
        """The stage of a short name."""
        names = {short_name(name): name for name in self._by_name}
        if short not in names:
            said = f"'{short}' is no stage of {self.chapter}; {nearest(short, list(names))}"
            raise DataError(f"{where or self.where}: {said}")
        return names[short]

    def between(self, first: str, last: str, where: object = "") -> tuple[str, ...]:
        """The stages from one short name to another, both included, that have times."""
        begin, end = (self.names.index(self.named(one, where)) for one in (first, last))
        if begin > end:
            raise DataError(f"{where or self.where}: '{first}' comes after '{last}'")
        return tuple(name for name in self.names[begin : end + 1] if not self.races(name))

    def chosen(self, words: str | Sequence[str], where: object = "") -> tuple[str, ...]:
        """The stages that a sweep names: "serial", "kernels", or a list of short names, of which
        `first..last` are several."""
        if isinstance(words, str):
            if words not in (SERIAL, KERNELS):
                said = f"stages = {shown(words)}; {nearest(words, (SERIAL, KERNELS))}"
                raise DataError(f"{where or self.where}: {said}")
            return (self.serial,) if words == SERIAL else self.kernels
        found: list[str] = []
        for word in words:
            first, several, last = word.partition(RANGE)
            found += self.between(first, last, where) if several else (self.named(first, where),)
        return tuple(found)

    def races(self, name: str) -> bool:
        """Whether its blocks race on purpose, so that it has no times."""
        return self._by_name[name].race_on_purpose

    def timed_before(self, name: str) -> str:
        """The stage whose times are compared with this one's: the stage that it is compared with,
        or the last one before that which has times. Empty where there is none."""
        before = self._by_name[name].compared_with
        while before and self.races(before):
            before = self._by_name[before].compared_with
        return before


@cache
def _loaded(_path: Path, _changed: float) -> tuple[Stage, ...]:
    return tuple(one for one in load_stages() if not one.not_recorded)


def all_stages() -> tuple[Stage, ...]:
    """Every stage of the build whose times are recorded, read once."""
    path = build_folder() / "stages.json"
    return _loaded(path, path.stat().st_mtime if path.exists() else 0)


def chapter_names() -> list[str]:
    """The chapters in the build's order, which is the page's too."""
    return list(dict.fromkeys(one.chapter for one in all_stages()))


def stages_of(chapter: str, where: object = "") -> Stages:
    own = [one for one in all_stages() if one.chapter == chapter]
    return Stages(chapter, own, where or f"plots/{chapter}/figures.py")
