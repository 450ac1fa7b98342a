# SPDX-License-Identifier: MIT
"""A chapter's stages, found by their words: `shared_tiles` is 03_shared_tiles, and `one_pass` is
limit/05_one_pass, whatever their numbers become. A name that is wrong is an error that says where
it stands and which is nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from common.tools.lib.stages import DataError, Stage, build_folder, load_stages, shown, words_of

SERIAL, KERNELS = "serial", "kernels"  # words that choose stages, beside short names
RANGE = ".."


def nearest(wrong: str, names: Sequence[str]) -> str:
    """What to say of a name that does not exist: the nearest one, or all of a few."""
    found = difflib.get_close_matches(wrong, names, n=1, cutoff=0.5)
    return f"did you mean '{found[0]}'?" if found else f"choose one of {', '.join(names)}"


class Stages:
    """The recorded stages of one chapter, in their order. `where`: the file whose names are looked
    up. Stages that are not recorded yet are known by name only, so that a sweep may name them."""

    def __init__(self, chapter: str, stages: Sequence[Stage], where: object) -> None:
        self._stages = tuple(one for one in stages if not one.not_recorded)
        if not self._stages:
            raise DataError(f"{where}: there are no stages of a chapter '{chapter}' in the build")
        self.chapter = chapter
        self.where = where
        self._by_name = {one.name: one for one in self._stages}
        self._every = {one.name: one for one in stages}
        self._known = tuple(self._every)

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
    def every(self) -> tuple[str, ...]:
        """All stages, recorded or not."""
        return self._known

    def any_of(self, name: str) -> Stage:
        """A stage that may not be recorded yet."""
        return self._every[name]

    @property
    def serial(self) -> str:
        """The stage on one core of the CPU, which is every chapter's first."""
        return self._stages[0].name

    @property
    def all_cores(self) -> str:
        """The stage on all cores of the CPU, recorded or not. Empty where the chapter has none."""
        return next((name for name, one in self._every.items() if one.uses_all_cores), "")

    @property
    def for_ranks(self) -> str:
        """The stage for many GPUs, recorded or not. Empty where the chapter has none."""
        return next((name for name, one in self._every.items() if one.needs_ranks), "")

    @property
    def kernels(self) -> tuple[str, ...]:
        """The stages with kernels that have times: a race on purpose has none."""
        return tuple(name for name in self._by_name if self._is_timed(name))

    @property
    def kernels_and_marked(self) -> tuple[str, ...]:
        """The same, and those that are not recorded yet. Stages for many GPUs have sweeps of their
        own."""
        return tuple(
            name
            for name, one in self._every.items()
            if self._is_timed(name) and not (one.not_recorded and one.needs_ranks)
        )

    def _is_timed(self, name: str) -> bool:
        one = self._every[name]
        return (one.has_kernels or one.opencl) and not one.race_on_purpose

    def named(self, short: str, where: object = "") -> str:
        """The stage of a short name."""
        return self._found(short, self.names, where)

    def _found(self, short: str, among: Sequence[str], where: object) -> str:
        names = {words_of(name): name for name in among}
        if short not in names:
            said = f"'{short}' is no stage of {self.chapter}; {nearest(short, list(names))}"
            raise DataError(f"{where or self.where}: {said}")
        return names[short]

    def between(self, first: str, last: str, where: object = "") -> tuple[str, ...]:
        """The stages from one short name to another, both included, that have times."""
        found = self._range(first, last, self.names, where)
        return tuple(name for name in found if not self.races(name))

    def _range(self, first: str, last: str, among: Sequence[str], where: object) -> Sequence[str]:
        begin, end = (among.index(self._found(one, among, where)) for one in (first, last))
        if begin > end:
            raise DataError(f"{where or self.where}: '{first}' comes after '{last}'")
        return among[begin : end + 1]

    def chosen(
        self, words: str | Sequence[str], where: object = "", marked: bool = False
    ) -> tuple[str, ...]:
        """The stages that a sweep names: "serial", "kernels", or a list of short names, of which
        `first..last` are several. Those that are not recorded yet are among them only if `marked`.
        """
        if isinstance(words, str):
            if words not in (SERIAL, KERNELS):
                said = f"stages = {shown(words)}; {nearest(words, (SERIAL, KERNELS))}"
                raise DataError(f"{where or self.where}: {said}")
            kernels = self.kernels_and_marked if marked else self.kernels
            return (self.serial,) if words == SERIAL else kernels
        return tuple(name for name in self._listed(words, where) if marked or name in self)

    def listed(self, words: str | Sequence[str], where: object = "") -> tuple[str, ...]:
        """The stages of a list of short names, recorded or not."""
        if isinstance(words, str):
            raise DataError(f"{where or self.where}: stages must be a list beside ranks")
        return tuple(self._listed(words, where))

    def left_out(self, words: str | Sequence[str]) -> tuple[str, ...]:
        """Those stages of a sweep's list that are not recorded yet."""
        listed = () if isinstance(words, str) else self._listed(words, "")
        return tuple(name for name in listed if name not in self)

    def _listed(self, words: Sequence[str], where: object) -> list[str]:
        found: list[str] = []
        for word in words:
            first, several, last = word.partition(RANGE)
            if several:
                names = self._range(first, last, self._known, where)
                found += (one for one in names if not self.races(one))
            else:
                found.append(self._found(first, self._known, where))
        return found

    @property
    def not_recorded(self) -> tuple[str, ...]:
        """Stages of the chapter that wait for their first measurement."""
        return tuple(name for name in self._known if name not in self)

    def races(self, name: str) -> bool:
        """Whether its blocks race on purpose, so that it has no times."""
        return self._every[name].race_on_purpose

    def timed_before(self, name: str) -> str:
        """The stage whose times are compared with this one's: the stage that it is compared with,
        or the last one before that which has times. Empty where there is none."""
        before = self._by_name[name].compared_with
        while before and self.races(before):
            before = self._by_name[before].compared_with
        return before


@cache
def _loaded(_path: Path, _changed: float) -> tuple[Stage, ...]:
    return tuple(load_stages())


def _built_stages() -> tuple[Stage, ...]:
    """Every stage of the build, read once."""
    path = build_folder() / "stages.json"
    return _loaded(path, path.stat().st_mtime if path.exists() else 0)


def all_stages() -> tuple[Stage, ...]:
    """Every stage of the build whose times are recorded."""
    return tuple(one for one in _built_stages() if not one.not_recorded)


def chapter_names() -> list[str]:
    """The chapters in the build's order, which is the site's too."""
    return list(dict.fromkeys(one.chapter for one in all_stages()))


def stages_of(chapter: str, where: object = "") -> Stages:
    own = [one for one in _built_stages() if one.chapter == chapter]
    return Stages(chapter, own, where or f"plots/{chapter}/figures.py")
