# SPDX-License-Identifier: MIT
"""Each optimisation as data, one per stage that is compared with another: the gain in the thesis,
the gain here, the counters, and the README's words. Nothing in it is typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.tools.lib.counting import GLOBAL, MEMORY, Kernel, bare
from common.tools.lib.lessons import lesson, words
from common.tools.lib.numbers import format_ms, whole_or_three_digits
from plots.drawing.chapter import Chapter
from plots.page.comparison import comparable, run_of, speed_up
from plots.page.links import page_of_stage_on_site
from plots.page.readme import first_sentence, read_document
from plots.page.speed_ups import (
    SpeedUp,
    parameter_words,
    printed_before,
    printed_over_serial,
    printed_speed_up,
)
from plots.page.stage_pages import page_of_stage, runs_of_page
from plots.records.counters import KernelCounters, read_counters
from plots.records.folders import THESIS
from plots.records.medians import Point, times
from plots.records.published import Published
from plots.records.rows import Row, read_rows
from common.tools.lib.stages import Stage

SPEED_UPS = ("speedup_over_previous", "speedup_over_first", "speedup_over_cpu")
SHOWN_CHANGES = 4
# A smaller share of the count before explains nothing.
TELLING = 0.02
ALIKE = 0.1


@dataclass(frozen=True)
class Counted:
    """What the counters say about a pair of stages: the main changes, and all that `make counters`
    says."""

    telling: tuple[str, ...]
    everything: tuple[str, ...] = ()
    arguments: str = ""


@dataclass(frozen=True)
class Optimisation:
    chapter: str
    before: str
    stage: str
    technique: str
    part: str  # the part of the chapter that begins here
    published: tuple[SpeedUp, ...]
    measured: tuple[SpeedUp, ...]
    counted: Counted
    said: str  # the idea of its page, as Markdown
    races: bool = False  # on purpose, so that it has no times

    @property
    def href(self) -> str:
        """Where the site tells of it."""
        return page_of_stage_on_site(self.chapter, self.stage)

    @property
    def sentence(self) -> str:
        return first_sentence(self.said) if self.said else self.technique


@dataclass(frozen=True)
class Records:
    """What is recorded of a chapter."""

    chapter: Chapter
    rows: Sequence[Row]  # of the compared runs; none where the chapter is not recorded
    counters: Sequence[KernelCounters]
    published: Sequence[Published]
    rows_path: Path
    counters_path: Path
    all_rows: Sequence[Row] = ()  # of other runs too
    measured_here: bool = False  # else recorded

    @property
    def device(self) -> str:
        return next((row.device for row in self.rows if row.engine == "gpu"), "")

    @property
    def origin(self) -> str:
        """Where its gains come from; empty where it has none."""
        how = "measured here" if self.measured_here else "recorded"
        return f"{self.device}, {how}" if self.device else ""


def read_chapter(
    chapter: Chapter, folder: Path | None, counters_folder: Path, published: Sequence[Published]
) -> Records:
    """The records of a chapter. A new chapter may have none."""
    rows_path = (folder or counters_folder.parent) / f"{chapter.name}.csv"
    counters_path = counters_folder / f"{chapter.name}.csv"
    all_rows = read_rows(rows_path) if rows_path.exists() else []
    return Records(
        chapter,
        comparable(chapter.rules, all_rows),
        read_counters(counters_path) if counters_path.exists() else [],
        [one for one in published if one.chapter == chapter.name],
        rows_path,
        counters_path,
        all_rows,
    )


# ---- speed-ups ----


def point_at(rows: Sequence[Row], stage: str, n: int, kernels: bool) -> Point:
    return times([row for row in rows if (row.stage, row.n) == (stage, n)], kernels)[0]


def milliseconds(point: Point) -> str:
    middle, lower, upper = (
        format_ms(1000 * value) for value in (point.median, point.lower, point.upper)
    )
    if point.repeats == 1:
        return f"{middle} ms"
    return f"{middle} ms ({lower} to {upper}; {point.repeats} runs)"


def runs_words(repeats: int) -> str:
    """One run has no median and no quartiles."""
    return ", medians (quartiles)" if repeats > 1 else ", one run each"


def measured_speed_up(
    records: Records,
    before: str,
    stage: str,
    n: int | None = None,
    parameters: Mapping[str, str] | None = None,
) -> SpeedUp | None:
    """`parameters`: those of another run than the compared one, or of one of several compared
    runs."""
    rules = records.chapter.rules
    kernels = records.chapter.timed_by_kernels(stage)
    rows, said = list(records.rows), ""
    if parameters and (parameters in rules.runs or {**rules.run, **parameters} != rules.run):
        rows = run_of(rules, parameters, rows, records.all_rows)
        said = parameter_words(parameters)
    found = speed_up(rows, before, stage, n, kernels)
    if found is None:
        return None
    value, size = found
    slow, fast = (point_at(rows, name, size, kernels) for name in (before, stage))
    return SpeedUp(
        value,
        before,
        size,
        (
            f"{'kernels' if kernels else 'whole runs'}"
            f"{runs_words(max(slow.repeats, fast.repeats))}: {before} "
            f"{milliseconds(slow)}, {stage} {milliseconds(fast)}"
        ),
        records.rows_path,
        parameters=said,
    )


def speed_ups(records: Records, before: str, stage: str) -> tuple[list[SpeedUp], list[SpeedUp]]:
    """The published speed-ups of a stage, and ours. Ours are over `before`, the stage before that
    has times, at the largest n of each compared run, and at each place where something else was
    published."""
    chapter, rules = records.chapter, records.chapter.rules
    printed: list[SpeedUp] = []
    here: list[SpeedUp] = []

    def measure(
        over: str, n: int | None = None, parameters: Mapping[str, str] | None = None
    ) -> None:
        found = measured_speed_up(records, over, stage, n, parameters)
        if found and not any(
            (one.over, one.n, one.parameters) == (found.over, found.n, found.parameters)
            for one in here
        ):
            here.append(found)

    for parameters in rules.runs:
        measure(before, None, parameters)
    for one in records.published:
        if one.stage != stage or one.quantity not in SPEED_UPS:
            continue
        over = (
            before
            if one.quantity == "speedup_over_previous"
            else (
                chapter.stages.serial
                if one.quantity == "speedup_over_cpu"
                else rules.first_of(stage)
            )
        )
        printed.append(
            SpeedUp(
                one.value,
                over,
                one.n,
                f"section {one.section}",
                THESIS,
                parameters=parameter_words(one.parameters),
            )
        )
        measure(over, one.n, one.parameters)
    if other := printed_speed_up(chapter, printed_before(chapter, stage), stage):
        printed.append(other)
        if other.n:
            measure(other.over, other.n)
    if other := printed_over_serial(chapter, stage):
        printed.append(other)
        measure(chapter.stages.serial, other.n)
    return printed, here


# ---- counters ----


def kernel_of(name: str, found: Sequence[KernelCounters]) -> Kernel:
    """The sum of counted kernels, without their source lines, which are not recorded."""
    added: dict[str, int] = {}
    for one in found:
        for counter, value in one.counters.items():
            if not (
                counter.startswith("loop.") and len(found) > 1
            ):  # several kernels have no common loop
                added[counter] = added.get(counter, 0) + value
    return Kernel(name, added, [])


def kernels_of(records: Records, stage: str) -> dict[str, list[KernelCounters]]:
    found: dict[str, list[KernelCounters]] = {}
    for one in records.counters:
        if one.stage == stage and one.kernel:
            found.setdefault(bare(one.kernel), []).append(one)
    return found


def weight(a: Kernel, b: Kernel) -> int:
    """How much two kernels differ, to find the one that a stage is about."""
    names = [f"{name}.{what}" for name in MEMORY for what in ("requests", "sectors", "wavefronts")]
    return sum(abs(a.count(name) - b.count(name)) for name in (*names, "barriers", "collectives"))


def follows(cost: tuple[float, float], requests: tuple[float, float]) -> bool:
    """Whether sectors or wavefronts changed with their requests, and so say nothing more."""
    if 0 in requests:
        return True
    return (
        abs(cost[1] / cost[0] / (requests[1] / requests[0]) - 1) <= ALIKE
        if cost[0]
        else cost == requests
    )


def telling(a: Kernel, b: Kernel, unit: str) -> list[str]:
    """`4 → 1 global load requests per body`: in one iteration of the inner loop where both kernels
    have the same loop, else in all."""
    same_loop = a.has_loop and a.count("loop.iterations") == b.count("loop.iterations")

    def values(name: str) -> tuple[float, float, str]:
        if same_loop and a.per_iteration(name) != b.per_iteration(name):
            return a.per_iteration(name), b.per_iteration(name), f" per {unit}"
        return a.count(name), b.count(name), ""

    lines = []
    shown: dict[str, tuple[float, float]] = {}
    names = [
        (name, what)
        for name in MEMORY
        for what in ("requests", "sectors" if name in GLOBAL else "wavefronts")
    ]
    for group, what in [("launches", ""), *names, ("barriers", ""), ("collectives", "")]:
        name = f"{group}.{what}".rstrip(".")
        before, after, whose = values(name)
        if abs(a.count(name) - b.count(name)) <= TELLING * max(a.count(name), b.count(name)):
            continue
        if what != "requests" and group in shown and follows((before, after), shown[group]):
            continue
        shown.setdefault(group, (before, after))
        said = "warp collectives" if group == "collectives" else f"{words(group)} {what}".strip()
        lines.append(
            f"{whole_or_three_digits(before)} → {whole_or_three_digits(after)} {said}{whose}"
        )
    return lines


def telling_copies(records: Records, before: str, stage: str) -> list[str]:
    """`80 000 → 0 bytes copied to the device`, where that is a large part of all copies."""
    ways = {"host_to_device": "to the device", "device_to_host": "from the device"}
    copied = [
        {
            way: sum(
                one.count(f"{way}.bytes")
                for one in records.counters
                if one.stage == name and not one.kernel
            )
            for way in ways
        }
        for name in (before, stage)
    ]
    least = TELLING * max(sum(one.values()) for one in copied)
    return [
        f"{whole_or_three_digits(copied[0][way])} → {whole_or_three_digits(copied[1][way])} bytes"
        f" copied {said}"
        for way, said in ways.items()
        if abs(copied[0][way] - copied[1][way]) > least
    ]


def in_run_of_page(records: Records, stage: str) -> Records:
    """With the counters of the run that a stage's page shows, where it is not the stage's own."""
    if not any(one.stage == stage for one in records.counters):
        return records
    if not (runs := runs_of_page(records.chapter.stages.any_of(stage))):
        return records
    return replace(records, counters=read_counters(records.counters_path, runs[0]))


def counted_change(records: Records, before: str, stage: str, unit: str) -> Counted:
    records = in_run_of_page(records, stage)
    a, b = kernels_of(records, before), kernels_of(records, stage)
    if not records.counters or not b:
        return Counted(("not counted",))
    if not a:
        return Counted((f"{before} has no kernels to count",))
    arguments = {one.arguments for found in (a, b) for kernels in found.values() for one in kernels}
    if len(arguments) > 1:
        return Counted(("counted in different runs",))
    everything = []
    for name in dict.fromkeys([*a, *b]):
        if name in a and name in b:
            said = lesson(kernel_of(name, a[name]), kernel_of(name, b[name]), unit)
            everything += [f"{name}: {line.replace(' -> ', ' → ')}" for line in said]
        else:
            everything.append(f"{name}: only in {before if name in a else stage}")
    if a.keys() == b.keys():
        pairs = [(kernel_of(name, a[name]), kernel_of(name, b[name])) for name in a]
        first, second = max(pairs, key=lambda pair: weight(*pair))
        whose = f"{first.name}: " if len(pairs) > 1 else ""
    else:
        first, second = (
            kernel_of("", [one for kernels in found.values() for one in kernels])
            for found in (a, b)
        )
        whose = "all kernels together: "
    copies = telling_copies(records, before, stage)
    lines = telling(first, second, unit)[: SHOWN_CHANGES - len(copies)]
    if lines:
        lines[0] = whose + lines[0]
    elif not copies:
        lines = [
            "nothing: launches, requests, sectors, wavefronts, barriers and copied bytes are the"
            " same"
        ]
    return Counted((*lines, *copies), tuple(everything) + tuple(copies), arguments.pop())


# ---- all of it ----


def said_of(stage: Stage) -> str:
    """What a stage does: the idea of its page."""
    page = page_of_stage(stage)
    return read_document(page).idea() if page.is_file() else ""


def optimisations(records: Records) -> list[Optimisation]:
    stages = records.chapter.stages
    found = []
    for stage in stages:
        name, before = stage.name, stage.compared_with
        if not before:
            continue
        printed, here = speed_ups(records, stages.timed_before(name), name)
        found.append(
            Optimisation(
                records.chapter.name,
                before,
                name,
                stage.technique,
                stage.begins_part,
                tuple(printed),
                tuple(here),
                counted_change(records, before, name, stage.counter_unit),
                said_of(stage),
                stages.races(name),
            )
        )
    return found
