# SPDX-License-Identifier: MIT
"""Counters of stages that depend on the compiler: where a GPU counted something else than the CPU
engine, as `make prove` has recorded it (plots/data/<device>/counters.csv)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import PROOF_COLUMNS
from common.tools.lib.counting import kernel_key
from common.tools.lib.csv_tables import integer, read_table
from common.tools.lib.numbers import grouped, short_ratio
from common.tools.lib.stages import ROOT, Stage

RECORDED = ROOT / "plots" / "data"
PREFERRED_DEVICE = "nvidia-h200"  # by whose rules the engine counts
# So far may a counter be from the hardware's.
SAME, SAME_WAVEFRONTS = 0.02, 0.05
BARS = {"requests": SAME, "sectors": SAME, "wavefronts": SAME_WAVEFRONTS}
MARK = "~"
MEANING = (
    "a GPU counts otherwise, mostly because nvcc leaves other accesses in a kernel than g++ "
    "(common/emulator/how-true-are-the-counters.md)"
)


def proof_name(counter: str) -> str:
    """How `make prove` calls a counter: "load sectors" for "global_load.sectors"."""
    return counter.removeprefix("global_").replace("_", " ").replace(".", " ")


@dataclass(frozen=True)
class Difference:
    """One counter of one kernel."""

    counter: str  # "global_load.sectors"
    arguments: str  # of the recorded run
    emulated: int
    measured: int

    @property
    def within_bar(self) -> bool:
        return abs(self.emulated - self.measured) <= self.bar * self.measured

    @property
    def bar(self) -> float:
        return BARS[self.counter.partition(".")[2]]

    def said(self, arguments: Sequence[str]) -> str:
        """The GPU's number for a run with these arguments, or its share in the recorded run."""
        what = self.counter.replace("_", " ").replace(".", " ")
        if " ".join(arguments) == self.arguments:
            return f"{what}: GPU: {grouped(self.measured)}"
        ratio = short_ratio(self.measured / self.emulated)
        return f"{what}: GPU: {ratio} times as many (with {self.arguments})"


Recorded = dict[tuple[str, str], list[Difference]]  # by kernel_key() and counter


@functools.cache
def recorded_of(program: str, folder: Path) -> Recorded:
    """All recorded counters of a stage that are not 0 in the engine, of the first device that ran
    it."""
    names = {
        proof_name(f"{group}.{field}"): f"{group}.{field}"
        for space, fields in (("global", ("requests", "sectors")), ("shared", ("wavefronts",)))
        for group in (f"{space}_load", f"{space}_store", f"{space}_atomic")
        for field in fields
    }
    paths = sorted(
        folder.glob("*/counters.csv"),
        key=lambda path: (path.parent.name != PREFERRED_DEVICE, path.parent.name),
    )
    found: Recorded = {}
    for path in paths:
        for number, row in read_table(path, PROOF_COLUMNS):
            if row["program"] != program or row["counter"] not in names:
                continue
            counter = names[row["counter"]]
            place = f"{path}:{number}"
            emulated, measured = (integer(row[one], one, place) for one in ("emulated", "measured"))
            if emulated:
                one = Difference(counter, row["arguments"], emulated, measured)
                found.setdefault((kernel_key(row["kernel"]), counter), []).append(one)
        if found:
            break
    return found


def differences(stage: Stage, kernel: str, arguments: Sequence[str]) -> Mapping[str, Difference]:
    """By counter, what depends on the compiler in this kernel: beyond the bar in the recorded run
    with these arguments, or else in one with others. A program of one's own has no record."""
    if stage.is_own_program:
        return {}
    found: dict[str, Difference] = {}
    for (name, counter), runs in recorded_of(stage.stage, RECORDED).items():
        if name != kernel_key(kernel):
            continue
        same = [one for one in runs if one.arguments == " ".join(arguments)]
        off = [one for one in same or runs if not one.within_bar]
        if off:
            found[counter] = max(off, key=lambda one: one.emulated)
    return found


def texts_of(kernel: str, found: Mapping[str, Difference], arguments: Sequence[str]) -> list[str]:
    """What to say of a kernel's differences in a run with these arguments."""
    return [f"{kernel}: {one.said(arguments)}" for one in found.values()]
