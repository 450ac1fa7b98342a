# SPDX-License-Identifier: MIT
"""How many times as fast one stage is as another: as it is said, and by the times that a seed prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drawing import SERIAL, short_count, short_ratio, short_time
from figures import chapter_module
from measurements import TableCell

from common.tools.lib.stages import format_ms

if TYPE_CHECKING:
    from tables import Rules

SEED_TIMES = ("time", "kernels_time")
NO_BREAK = "\u00a0"
NO_TIMES = "no times: wrong on purpose"


@dataclass(frozen=True)
class SpeedUp:
    """How many times as fast as `over`, at n; `where`: which numbers that is of, and `path` their file."""

    value: float
    over: str
    n: int | None
    where: str
    path: Path
    card: str = ""  # where it is not the thesis' or the one of the records
    remark: str = ""  # what speaks against the number
    parameters: str = ""  # where they are not the compared run's: `, k = 8`
    bound: str = ""  # `more than`, `less than`


def ratio(value: float) -> str:
    return f"×{short_ratio(value)}"


def parameter_words(parameters: Mapping[str, str]) -> str:
    """An input needs no more than its name."""
    return "".join(f", {value}" if key == "input" else f", {key} = {value}" for key, value in parameters.items())


def speed_up_words(one: SpeedUp, before: str, with_card: bool = True) -> str:
    """`×1.76 at 160 M`, and over what where that is not the stage before."""
    said = ", ".join(part for part in (one.card if with_card else "", one.remark) if part)
    return ((f"{one.bound} " if one.bound else "") + ratio(one.value)
            + (f" over {one.over}" if one.over != before else "")
            + (f" at {short_count(one.n)}".replace(" ", NO_BREAK) if one.n else "")
            + one.parameters + (f" ({said})" if said else ""))


def timed_before(stage: str, stages: Sequence[dict]) -> str:
    """The stage whose times a stage's are compared with: the one that it is compared with, or, where that
    races on purpose and so has no times, the last one before it that has. Empty: none."""
    by_name = {one["name"]: one for one in stages}
    before = by_name[stage]["compared_with"]
    while before and by_name[before].get("race_on_purpose"):
        before = by_name[before]["compared_with"]
    return before


def races(stage: str, stages: Sequence[dict]) -> bool:
    return any(one["name"] == stage and one.get("race_on_purpose") for one in stages)


def time_words(cell: TableCell) -> str:
    said = f"{format_ms(cell.value)} ms" if cell.unit == "ms" else short_time(cell.value)
    return f"{cell.bound} {said}" if cell.bound else said


def seed_speed_up(chapter: str, rules: Rules, stages: Sequence[dict], before: str, stage: str) -> SpeedUp | None:
    """By the times that a seed prints of both, which a chapter's module has as `seed_cells()`, read from
    SEED_FILE and measured on SEED_KEY: with the input and the parameters of the compared run, where the seed
    says them, at the largest n. `beyond_reach(cell)`: whether the card cannot be as fast as is printed."""
    module = chapter_module(chapter)
    if not hasattr(module, "seed_cells"):
        return None

    def by_n(name: str) -> dict[int, TableCell]:
        wanted = {key: value for key, value in (rules.run | rules.stage_runs.get(name, {})).items() if key != "input"}
        return {cell.n: cell for cell in module.seed_cells()
                if cell.stage == name and cell.input in ("", rules.run.get("input")) and cell.quantity in SEED_TIMES
                and all(cell.parameters.get(key, value) == value for key, value in wanted.items())}

    slow, fast = by_n(before), by_n(stage)
    if not slow.keys() & fast.keys():
        return None
    n = max(slow.keys() & fast.keys())
    cells = (slow[n], fast[n])
    if all(cell.bound for cell in cells):
        return None  # of two bounds there is no ratio
    beyond_reach = getattr(module, "beyond_reach", lambda cell: False)
    remark = ("with its race" if any(races(name, stages) for name in (before, stage))
              else "beyond its reach" if any(beyond_reach(cell) for cell in cells)
              # Ours are of the kernels there.
              else "whole runs" if fast[n].quantity == "time" and stage in rules.kernel_timed else "")
    sections = list(dict.fromkeys(cell.section for cell in cells))
    place = f"section{'s' * (len(sections) > 1)} " if sections[0][0].isdigit() else ""
    # A time below what is printed makes a smaller ratio where it is divided, a larger one where it divides.
    bound = "less than" if slow[n].bound else "more than" if fast[n].bound else ""
    return SpeedUp(slow[n].value / fast[n].value, before, n or None,
                   f"{place}{' and '.join(sections)}: {before} {time_words(slow[n])}, {stage} {time_words(fast[n])}",
                   module.SEED_FILE, module.SEED_KEY, remark, bound=bound)


def seed_over_serial(chapter: str, rules: Rules, stage: str) -> SpeedUp | None:
    """The speed-up over its CPU that a seed prints of what the stage is timed by, its kernels or whole runs, at the
    largest n."""
    module = chapter_module(chapter)
    if not hasattr(module, "seed_cells"):
        return None
    wanted = ("kernels_" if stage in rules.kernel_timed else "") + "speedup_over_cpu"
    cells = [cell for cell in module.seed_cells()
             if (cell.stage, cell.quantity) == (stage, wanted) and cell.input in ("", rules.run.get("input"))]
    if not cells:
        return None
    last = max(cells, key=lambda cell: cell.n)
    return SpeedUp(last.value, SERIAL, last.n or None, last.section, module.SEED_FILE, module.SEED_KEY)
