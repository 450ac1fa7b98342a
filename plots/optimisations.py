# SPDX-License-Identifier: MIT
"""Each optimisation as data, one a stage that is compared with another: what the thesis gained by it,
what is gained here, what the counters say, and what the README says. Nothing in it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tables
from drawing import PUBLISHED, SERIAL
from markdown import Document, first_sentence
from measurements import DataError, KernelCounters, Point, Published, Row, read_counters, read_rows, times
from speed_ups import SpeedUp, parameter_words, races, seed_over_serial, seed_speed_up, timed_before

from common.tools import counters as counters_tool
from common.tools.lib.counting import GLOBAL, MEMORY, Kernel, bare
from common.tools.lib.stages import format_ms

SPEED_UPS = ("speedup_over_previous", "speedup_over_first", "speedup_over_cpu")
SHOWN_CHANGES = 4
# Below this share of what was there before a change explains nothing.
TELLING = 0.02
ALIKE = 0.1


@dataclass(frozen=True)
class Counted:
    """What the counters say of a pair of stages: the telling changes, and all that `make counters` says."""

    telling: tuple[str, ...]
    everything: tuple[str, ...] = ()
    arguments: str = ""


@dataclass(frozen=True)
class Optimisation:
    chapter: str
    before: str
    stage: str
    technique: str
    part: str  # that begins here
    published: tuple[SpeedUp, ...]
    measured: tuple[SpeedUp, ...]
    counted: Counted
    said: str  # the README's bullet, as Markdown
    races: bool = False  # on purpose: it has no times

    @property
    def name(self) -> str:
        """Of its place in the page."""
        return f"{self.chapter}-{self.stage}"

    @property
    def sentence(self) -> str:
        return first_sentence(self.said) if self.said else self.technique


@dataclass(frozen=True)
class Chapter:
    name: str
    stages: Sequence[dict]
    rows: Sequence[Row]  # of the compared runs; none where the chapter is not recorded
    counters: Sequence[KernelCounters]
    published: Sequence[Published]
    rows_path: Path
    counters_path: Path
    all_rows: Sequence[Row] = ()  # of other runs too

    @property
    def device(self) -> str:
        return next((row.device for row in self.rows if row.engine == "gpu"), "")


def read_chapter(name: str, stages: Sequence[dict], folder: Path | None, counters_folder: Path,
                 published: Sequence[Published]) -> Chapter:
    """What is recorded of a chapter; of a new one nothing may be."""
    rows_path = (folder or counters_folder.parent) / f"{name}.csv"
    counters_path = counters_folder / f"{name}.csv"
    all_rows = read_rows(rows_path) if rows_path.exists() else []
    return Chapter(name, [stage for stage in stages if stage["chapter"] == name],
                   tables.comparable(tables.rules_of(name), all_rows),
                   read_counters(counters_path) if counters_path.exists() else [],
                   [one for one in published if one.chapter == name], rows_path, counters_path, all_rows)


# ---- speed-ups -------------------------------------------------------------------------------------------------

def point_at(rows: Sequence[Row], stage: str, n: int, kernels: bool) -> Point:
    return times([row for row in rows if (row.stage, row.n) == (stage, n)], kernels)[0]


def milliseconds(point: Point) -> str:
    middle, lower, upper = (format_ms(1000 * value) for value in (point.median, point.lower, point.upper))
    return f"{middle} ms ({lower} to {upper}; {point.repeats} run{'s' * (point.repeats > 1)})"


def measured_speed_up(chapter: Chapter, before: str, stage: str, n: int | None = None,
                      parameters: dict[str, str] | None = None) -> SpeedUp | None:
    """`parameters`: of another run than the compared one, or of one of several that are compared."""
    rules = tables.rules_of(chapter.name)
    kernels = stage in rules.kernel_timed
    rows, said = list(chapter.rows), ""
    if parameters and (parameters in rules.runs or rules.run | parameters != rules.run):
        rows = tables.run_of(rules, parameters, rows, list(chapter.all_rows))
        said = parameter_words(parameters)
    found = tables.speed_up(rows, before, stage, n, kernels)
    if found is None:
        return None
    value, size = found
    slow, fast = (point_at(rows, name, size, kernels) for name in (before, stage))
    return SpeedUp(value, before, size, f"{'kernels' if kernels else 'whole runs'}, medians (quartiles): {before} "
                                        f"{milliseconds(slow)}, {stage} {milliseconds(fast)}", chapter.rows_path,
                   parameters=said)


def speed_ups(chapter: Chapter, before: str, stage: str) -> tuple[list[SpeedUp], list[SpeedUp]]:
    """What was published of a stage, and what is measured here: over `before`, the stage before that has times, at
    the largest n, of each run that is compared, and wherever something else was published."""
    rules = tables.rules_of(chapter.name)
    printed, here = [], []

    def measure(over: str, n: int | None = None, parameters: dict[str, str] | None = None) -> None:
        found = measured_speed_up(chapter, over, stage, n, parameters)
        if found and not any((one.over, one.n, one.parameters) == (found.over, found.n, found.parameters)
                             for one in here):
            here.append(found)

    for parameters in rules.runs:
        measure(before, None, parameters)
    for one in chapter.published:
        if one.stage != stage or one.quantity not in SPEED_UPS:
            continue
        over = (before if one.quantity == "speedup_over_previous"
                else SERIAL if one.quantity == "speedup_over_cpu" else rules.first_of(stage))
        printed.append(SpeedUp(one.value, over, one.n, f"section {one.section}", PUBLISHED,
                               parameters=parameter_words(one.parameters)))
        measure(over, one.n, one.parameters)
    if seed := seed_speed_up(chapter.name, rules, chapter.stages, before, stage):
        printed.append(seed)
        if seed.n:
            measure(before, seed.n)
    if seed := seed_over_serial(chapter.name, rules, stage):
        printed.append(seed)
        measure(SERIAL, seed.n)
    return printed, here


# ---- counters --------------------------------------------------------------------------------------------------

def kernel_of(name: str, found: Sequence[KernelCounters]) -> Kernel:
    """Counted kernels as `make counters` has them, added up; without their lines, which are not recorded."""
    added: dict[str, int] = {}
    for one in found:
        for counter, value in one.counters.items():
            if not (counter.startswith("loop.") and len(found) > 1):  # loops of several kernels are no loop
                added[counter] = added.get(counter, 0) + value
    return Kernel(name, added, [])


def kernels_of(chapter: Chapter, stage: str) -> dict[str, list[KernelCounters]]:
    found: dict[str, list[KernelCounters]] = {}
    for one in chapter.counters:
        if one.stage == stage and one.kernel:
            found.setdefault(bare(one.kernel), []).append(one)
    return found


def weight(a: Kernel, b: Kernel) -> int:
    """By how much two kernels differ, to find the one that a stage is about."""
    names = [f"{name}.{what}" for name in MEMORY for what in ("requests", "sectors", "wavefronts")]
    return sum(abs(a.count(name) - b.count(name)) for name in (*names, "barriers", "collectives"))


def follows(cost: tuple[float, float], requests: tuple[float, float]) -> bool:
    """Whether sectors or wavefronts changed as their requests did, and so say nothing more."""
    if 0 in requests:
        return True
    return abs(cost[1] / cost[0] / (requests[1] / requests[0]) - 1) <= ALIKE if cost[0] else cost == requests


def telling(a: Kernel, b: Kernel, unit: str) -> list[str]:
    """`4 → 1 global load requests a body`: of one iteration of the inner loop where both kernels have the
    same one, else in all."""
    same_loop = a.has_loop and a.count("loop.iterations") == b.count("loop.iterations")

    def values(name: str) -> tuple[float, float, str]:
        if same_loop and a.per_iteration(name) != b.per_iteration(name):
            return a.per_iteration(name), b.per_iteration(name), f" a {unit}"
        return a.count(name), b.count(name), ""

    lines = []
    shown: dict[str, tuple[float, float]] = {}
    names = [(name, what) for name in MEMORY
             for what in ("requests", "sectors" if name in GLOBAL else "wavefronts")]
    for group, what in [("launches", ""), *names, ("barriers", ""), ("collectives", "")]:
        name = f"{group}.{what}".rstrip(".")
        before, after, whose = values(name)
        if abs(a.count(name) - b.count(name)) <= TELLING * max(a.count(name), b.count(name)):
            continue
        if what != "requests" and group in shown and follows((before, after), shown[group]):
            continue
        shown.setdefault(group, (before, after))
        said = "warp collectives" if group == "collectives" else f"{counters_tool.words(group)} {what}".strip()
        lines.append(f"{counters_tool.number(before)} → {counters_tool.number(after)} {said}{whose}")
    return lines


def telling_copies(chapter: Chapter, before: str, stage: str) -> list[str]:
    """`80 000 → 0 bytes copied to the device`, where that is much of all that is copied."""
    ways = {"host_to_device": "to the device", "device_to_host": "from the device"}
    copied = [{way: sum(one.count(f"{way}.bytes") for one in chapter.counters if one.stage == name and not one.kernel)
               for way in ways} for name in (before, stage)]
    least = TELLING * max(sum(one.values()) for one in copied)
    return [f"{counters_tool.number(copied[0][way])} → {counters_tool.number(copied[1][way])} bytes copied {said}"
            for way, said in ways.items() if abs(copied[0][way] - copied[1][way]) > least]


def counted_change(chapter: Chapter, before: str, stage: str, unit: str) -> Counted:
    a, b = kernels_of(chapter, before), kernels_of(chapter, stage)
    if not chapter.counters or not b:
        return Counted(("not counted",))
    if not a:
        return Counted((f"{before} has no kernels to count",))
    arguments = {one.arguments for found in (a, b) for kernels in found.values() for one in kernels}
    if len(arguments) > 1:
        return Counted(("counted in different runs",))
    everything = []
    for name in dict.fromkeys([*a, *b]):
        if name in a and name in b:
            said = counters_tool.lesson(kernel_of(name, a[name]), kernel_of(name, b[name]), unit)
            everything += [f"{name}: {line.replace(' -> ', ' → ')}" for line in said]
        else:
            everything.append(f"{name}: only in {before if name in a else stage}")
    if a.keys() == b.keys():
        pairs = [(kernel_of(name, a[name]), kernel_of(name, b[name])) for name in a]
        first, second = max(pairs, key=lambda pair: weight(*pair))
        whose = f"{first.name}: " if len(pairs) > 1 else ""
    else:
        first, second = (kernel_of("", [one for kernels in found.values() for one in kernels]) for found in (a, b))
        whose = "all kernels together: "
    copies = telling_copies(chapter, before, stage)
    lines = telling(first, second, unit)[:SHOWN_CHANGES - len(copies)]
    if lines:
        lines[0] = whose + lines[0]
    elif not copies:
        lines = ["nothing: no launch, request, sector, wavefront, barrier or byte copied more or less"]
    return Counted((*lines, *copies), tuple(everything) + tuple(copies), arguments.pop())


# ---- all of it -------------------------------------------------------------------------------------------------

def optimisations(chapter: Chapter, readme: Document) -> list[Optimisation]:
    said = readme.pairs()
    found = []
    for stage in chapter.stages:
        name, before = stage["name"], stage["compared_with"]
        if not before:
            continue
        number = name.partition("_")[0]
        # What a part begins with is compared with the serial stage, and told after the stage above it.
        text = said.get((before.partition("_")[0], number)) or next(
            (text for (_, last), text in said.items() if last == number and stage.get("begins_part")), "")
        printed, here = speed_ups(chapter, timed_before(name, chapter.stages), name)
        found.append(Optimisation(chapter.name, before, name, stage["technique"], stage.get("begins_part", ""),
                                  tuple(printed), tuple(here),
                                  counted_change(chapter, before, name, stage["counter_unit"]), text,
                                  races(name, chapter.stages)))
    return found


def check_stage_names(chapter: Chapter) -> None:
    """A published number of a stage that is none would silently be nowhere; of a chapter that is not
    recorded yet some stages may be to come."""
    names = {stage["name"] for stage in chapter.stages}
    for one in chapter.published:
        if chapter.rows and one.stage not in names:
            raise DataError(f"{PUBLISHED}: {one.chapter}/{one.stage} is no stage")
