# SPDX-License-Identifier: MIT
"""The pages' tables of printed numbers, each beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count, short_time, times
from plots.drawing.chapter import Chapter
from plots.drawing.words import THESIS_CARD
from plots.page.comparison import median_seconds, run_of, speed_up
from plots.page.speed_ups import (
    NO_TIMES,
    parameter_words,
    printed_before,
    printed_speed_up,
    speed_up_words,
    time_words,
)
from plots.records.published import Published
from plots.records.rows import Metric, Row

ISSUE_SLOTS = "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"
SAME_WITHIN = 0.10


def ranges_of(names: Sequence[str], chosen: Sequence[str]) -> str:
    """ "01_a to 03_c and 05_e to 07_g": the chosen ones of all names, by neighbours."""
    found: list[list[str]] = []
    for before, name in zip(("", *names), names):
        if name in chosen:
            if before in chosen:
                found[-1].append(name)
            else:
                found.append([name])
    return " and ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else one[0] for one in found)


def timing_rule(chapter: Chapter) -> str:
    whole = "whole runs with allocation and copies, medians"
    timed = [name for name in chapter.stages.names if chapter.timed_by_kernels(name)]
    wrong = [name for name in chapter.stages.names if chapter.stages.races(name)]
    before = "the stage before"
    serial = chapter.stages.serial
    if any(stage.begins_part and stage.compared_with == serial for stage in chapter.stages):
        before += f" (where a part begins, over {serial})"
    if wrong:
        before += f" (not over {' or '.join(wrong)}, which is wrong on purpose)"
    if not timed:
        return f"Speed-ups are over {before}: {whole}."
    return (
        f"Speed-ups are over {before}: kernels alone for {ranges_of(chapter.stages.names, timed)},"
        f" for the others {whole}."
    )


def printed_source(chapter: Chapter, published: Sequence[Published]) -> str:
    """The source whose numbers take the thesis' place, where the thesis prints none."""
    return chapter.printed.key if chapter.printed and not published else ""


def measured_value(
    one: Published, chapter: Chapter, rows: Sequence[Row], profile: Sequence[Metric]
) -> float | None:
    """The number of this course that corresponds to a printed one."""
    if one.quantity == "utilisation":
        return next(
            (
                metric.value
                for metric in profile
                if metric.stage == one.stage and metric.name == ISSUE_SLOTS
            ),
            None,
        )
    if one.quantity.startswith("speedup_over_"):
        if one.quantity == "speedup_over_previous":
            before = chapter.stages.timed_before(one.stage)
        else:
            before = (
                chapter.stages.serial
                if one.quantity == "speedup_over_cpu"
                else chapter.rules.first_of(one.stage)
            )
        found = speed_up(rows, before, one.stage, one.n, chapter.timed_by_kernels(one.stage))
        return found[0] if found else None
    # Never a neighbouring size: its time would stand beside a number of another size.
    if one.n is None or all(row.n != one.n for row in rows if row.stage == one.stage):
        return None
    return median_seconds(rows, one.stage, one.n)


@dataclass(frozen=True)
class Compared:
    """A printed number and ours, as words."""

    quantity: str
    size: str
    then: str
    here: str
    same: str  # yes, no; empty: ours is not measured


def compared(
    one: Published,
    chapter: Chapter,
    rows: Sequence[Row],
    profile: Sequence[Metric],
    all_rows: Sequence[Row],
) -> Compared:
    rules, serial = chapter.rules, chapter.stages.serial
    what = {
        "utilisation": "issue slots busy",
        "speedup_over_previous": "speed-up over the stage before",
        "speedup_over_cpu": f"speed-up over {serial}",
        "speedup_over_first": "speed-up over",
        "time": "time",
        "time_low": "time, at least",
        "time_high": "time, at most",
    }
    value = measured_value(one, chapter, run_of(rules, one.parameters, rows, all_rows), profile)
    quantity = what[one.quantity]
    if one.quantity == "speedup_over_first":
        quantity += f" {rules.first_of(one.stage)}"
    quantity += parameter_words(one.parameters)
    show = (
        (lambda v: f"{v:.0f} %")
        if one.quantity == "utilisation"
        else short_time
        if one.quantity.startswith("time")
        else times
    )
    same = "" if value is None else "yes" if abs(value / one.value - 1) <= SAME_WITHIN else "no"
    size = short_count(one.n) if one.n else ""
    here = show(value) if value is not None else "not measured"
    return Compared(quantity, size, show(one.value), here, same)


def published_table(
    chapter: Chapter,
    rows: Sequence[Row],
    profile: Sequence[Metric],
    published: Sequence[Published],
    all_rows: Sequence[Row] | None = None,
) -> list[str]:
    """Each number of the thesis beside ours. `all_rows`: the rows of other runs too."""
    gpu = next(row.device for row in rows if row.engine == "gpu")
    serial = chapter.stages.serial
    cpu = next((row.device for row in rows if row.engine == "cpu"), "")
    lines = [
        f"| thesis | quantity | stage | n | {THESIS_CARD} | {gpu} | the same within 10 % |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in published:
        own = compared(one, chapter, rows, profile, all_rows or rows)
        lines.append(
            f"| {one.section} | {own.quantity} | {one.stage} | {own.size} | {own.then} | "
            f"{own.here} | {own.same} |"
        )
    if cpu:
        lines += ["", f"{serial} ran on one core of {cpu}, the thesis' CPU code on a Core i7-3820."]
    return lines


def printed_table(
    chapter: Chapter, rows: Sequence[Row], all_rows: Sequence[Row] | None = None
) -> list[str]:
    """Each time that a source prints: its gain over the stage before, and our gain there."""
    assert chapter.printed is not None
    stages, rules = chapter.stages, chapter.rules
    device = next(row.device for row in rows if row.engine == "gpu")
    runs = {
        parameter_words(parameters).removeprefix(", "): run_of(
            rules, parameters, rows, all_rows or rows
        )
        for parameters in rules.runs
    }
    heads = [": ".join(part for part in (device, name) if part) for name in runs]
    lines = [
        (
            f"| {chapter.printed.key} | stage | time | speed-up over the stage before |"
            f" {' | '.join(heads)} |"
        ),
        "|---" * (4 + len(runs)) + "|",
    ]
    for cell in chapter.printed.cells:
        timed, before = printed_before(chapter, cell.stage), stages[cell.stage].compared_with
        printed = printed_speed_up(chapter, timed, cell.stage)
        said = speed_up_words(printed, before, with_card=False) if printed else ""
        ours = []
        for own in runs.values():
            found = speed_up(own, timed, cell.stage, kernels=chapter.timed_by_kernels(cell.stage))
            ours.append(
                NO_TIMES
                if stages.races(cell.stage)
                else f"{times(found[0])} at {short_count(found[1])}"
                if found
                else ""
            )
        lines.append(
            f"| {cell.section} | {cell.stage} | {time_words(cell)} | {said} | {' | '.join(ours)} |"
        )
    return [*lines, "", timing_rule(chapter)]
