# SPDX-License-Identifier: MIT
"""How many times as fast one stage is as another: the words for it, and the ratios that follow from
printed times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.numbers import format_ms, short_count, short_time, times
from plots.drawing.chapter import Chapter
from plots.records.published import TableCell

PRINTED_TIMES = ("time", "kernels_time")
NO_BREAK = "\u00a0"
NO_TIMES = "no times: wrong on purpose"


@dataclass(frozen=True)
class SpeedUp:
    """How many times as fast as `over`, at n. `where`: the numbers behind it; `path`: their
    file."""

    value: float
    over: str
    n: int | None
    where: str
    path: Path
    card: str = ""  # where it is neither the thesis' nor the recorded one
    remark: str = ""  # what to know about the number
    parameters: str = ""  # where they are not the compared run's: `, k = 8`
    bound: str = ""  # `more than`, `less than`


def parameter_words(parameters: Mapping[str, str]) -> str:
    """`, k = 8`; of an input its name alone."""
    return "".join(
        f", {value}" if key == "input" else f", {key} = {value}"
        for key, value in parameters.items()
    )


def speed_up_words(one: SpeedUp, before: str, with_card: bool = True) -> str:
    """`×1.76 at 160 M`, and the other stage where that is not the stage before."""
    said = ", ".join(part for part in (one.card if with_card else "", one.remark) if part)
    return (
        (f"{one.bound} " if one.bound else "")
        + times(one.value)
        + (f" over {one.over}" if one.over != before else "")
        + (f" at {short_count(one.n)}".replace(" ", NO_BREAK) if one.n else "")
        + one.parameters
        + (f" ({said})" if said else "")
    )


def time_words(cell: TableCell) -> str:
    said = f"{format_ms(cell.value)} ms" if cell.unit == "ms" else short_time(cell.value)
    return f"{cell.bound} {said}" if cell.bound else said


def printed_speed_up(chapter: Chapter, before: str, stage: str) -> SpeedUp | None:
    """The ratio of two printed times, at the largest n: those with the input and the parameters of
    the compared run, where the source states them."""
    printed, rules = chapter.printed, chapter.rules
    if printed is None:
        return None
    cells_of_source = printed.cells

    def by_n(name: str) -> dict[int, TableCell]:
        run = {**rules.run, **rules.stage_runs.get(name, {})}
        wanted = {key: value for key, value in run.items() if key != "input"}
        return {
            cell.n: cell
            for cell in cells_of_source
            if cell.stage == name
            and cell.input in ("", rules.run.get("input"))
            and cell.quantity in PRINTED_TIMES
            and all(cell.parameters.get(key, value) == value for key, value in wanted.items())
        }

    slow, fast = by_n(before), by_n(stage)
    if not slow.keys() & fast.keys():
        return None
    n = max(slow.keys() & fast.keys())
    cells = (slow[n], fast[n])
    if all(cell.bound for cell in cells):
        return None  # two bounds have no ratio
    if any(chapter.stages.races(name) for name in (before, stage)):
        remark = "with its race"
    elif any(printed.beyond_reach(cell) for cell in cells):
        remark = "beyond its reach"
    elif fast[n].quantity == "time" and chapter.timed_by_kernels(stage):
        remark = "whole runs"  # while ours are kernels
    else:
        remark = ""
    sections = list(dict.fromkeys(cell.section for cell in cells))
    place = f"section{'s' * (len(sections) > 1)} " if sections[0][0].isdigit() else ""
    # The true time is shorter than a printed bound. So the ratio is smaller if the bound is
    # divided, and larger if it divides.
    bound = "less than" if slow[n].bound else "more than" if fast[n].bound else ""
    said = f"{before} {time_words(slow[n])}, {stage} {time_words(fast[n])}"
    return SpeedUp(
        slow[n].value / fast[n].value,
        before,
        n or None,
        f"{place}{' and '.join(sections)}: {said}",
        printed.file,
        printed.key,
        remark,
        bound=bound,
    )


def printed_before(chapter: Chapter, stage: str) -> str:
    """The stage over which a printed speed-up is: the last timed one before it with a printed time.
    Without one, the stage whose times ours are compared with."""
    timed = before = chapter.stages.timed_before(stage)
    cells = chapter.printed.cells if chapter.printed else ()
    printed = {cell.stage for cell in cells if cell.quantity in PRINTED_TIMES}
    while before and before not in printed:
        before = chapter.stages.timed_before(before)
    return before or timed


def printed_over_serial(chapter: Chapter, stage: str) -> SpeedUp | None:
    """The printed speed-up over the CPU at the largest n, of kernels or whole runs: whichever the
    stage is timed by."""
    if chapter.printed is None:
        return None
    wanted = ("kernels_" if chapter.timed_by_kernels(stage) else "") + "speedup_over_cpu"
    cells = [
        cell
        for cell in chapter.printed.cells
        if (cell.stage, cell.quantity) == (stage, wanted)
        and cell.input in ("", chapter.rules.run.get("input"))
    ]
    if not cells:
        return None
    last = max(cells, key=lambda cell: cell.n)
    return SpeedUp(
        last.value,
        chapter.stages.serial,
        last.n or None,
        last.section,
        chapter.printed.file,
        chapter.printed.key,
    )
