# SPDX-License-Identifier: MIT
"""Numbers in sentences, computed from recorded rows: what `<!-- measured:… -->` stands for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.tools.lib.counting import bare
from common.tools.lib.marks import Mark
from common.tools.lib.numbers import (
    percent,
    short_rate,
    short_time,
    three_digits,
    times,
    whole_or_three_digits,
    whole_percent,
)
from common.tools.lib.stages import ROOT, DataError
from plots.drawing.chapter import Chapter
from plots.page.chapters import load_chapter
from plots.page.comparison import comparable, median_seconds, rate_at
from plots.page.counter_table import counted_runs
from plots.page.ranks import measured, modelled, speed_ups
from plots.page.stage_pages import COUNTERS_OF
from plots.records.counters import KernelCounters, read_counters
from plots.records.medians import quartiles
from plots.records.instructions import CLASS_LABELS, instructions_per
from plots.records.published import Published, read_published
from plots.records.folders import THESIS, rank_table
from plots.records.rows import (
    Metric,
    Report,
    Row,
    read_profile,
    read_rank_rows,
    read_reports,
    read_rows,
)
from plots.records.stages import chapter_names, nearest

# The same quantity under two names, of a multiprocessor's parts and of the whole.
BUSY = {
    "": (
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "sm__inst_issued.avg.pct_of_peak_sustained_active",
    ),
    "alu": ("sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",),
}
BUSY_LABELS = {"": "issue slots busy", "alu": "integer pipe busy"}
REGISTERS = "launch__registers_per_thread"
LETTERS = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
ALL = "all"  # kernels of a stage, and its copies


def number_of(word: str) -> int:
    """`3.2M` is 3 200 000."""
    letter = word[-1:]
    scale = LETTERS.get(letter, 1)
    return round(float(word.removesuffix(letter) if letter in LETTERS else word) * scale)


@dataclass(frozen=True)
class Value:
    number: float
    show: Callable[[float], str]


class Chapters:
    """Recorded data, read once. `device`: the folder whose rows count unless a mark names another."""

    def __init__(self, device: Path, counters: Path) -> None:
        self.device, self.counters_folder = device, counters

    @functools.cached_property
    def published(self) -> list[Published]:
        return read_published(THESIS)

    @functools.cache
    def rows(self, chapter: str, device: str) -> list[Row]:
        path = self.folder(device) / f"{chapter}.csv"
        return read_rows(path) if path.exists() else []

    @functools.cache
    def profile(self, chapter: str, device: str) -> list[Metric]:
        path = self.folder(device) / f"{chapter}_profile.csv"
        return read_profile(path) if path.exists() else []

    @functools.cache
    def reports(self, chapter: str, device: str) -> list[Report]:
        path = self.folder(device) / f"{chapter}_report.csv"
        return read_reports(path) if path.exists() else []

    @functools.cache
    def counters(self, chapter: str, run: str = "") -> list[KernelCounters]:
        path = self.counters_folder / f"{chapter}.csv"
        return read_counters(path, run) if path.exists() else []

    def folder(self, device: str) -> Path:
        return self.device.parent / device if device else self.device


@dataclass(frozen=True)
class Term:
    """One quantity of one stage: `rate 02_float4 3.2M steps=0 on=nvidia-h200`."""

    chapter: Chapter
    quantity: str
    stage: str
    rest: list[str]
    parameters: dict[str, str]
    device: str


class Measured:
    """Fills the marks of one page."""

    def __init__(self, data: Chapters, page: Path) -> None:
        self.data = data
        # A page of a chapter names the chapter's stages without its name.
        inner = page.relative_to(ROOT).parts if page.is_relative_to(ROOT) else page.parts[-3:]
        self.own = next((name for name in inner if name in chapter_names()), "")

    # ---- words ----

    def stage(self, word: str) -> tuple[Chapter, str]:
        name, _, inner = word.partition("/")
        if name in chapter_names():
            chapter, stage = load_chapter(name), inner
        elif self.own:
            chapter, stage = load_chapter(self.own), word
        else:
            raise DataError(f"'{word}' begins with no chapter")
        if stage not in chapter.stages.every:
            said = nearest(stage, chapter.stages.every)
            raise DataError(f"'{stage}' is no stage of {chapter.name}; {said}")
        return chapter, stage

    def term(self, words: str) -> Term:
        found = words.split()
        if len(found) < 2:
            raise DataError("write a quantity and a stage")
        named = dict(word.split("=", 1) for word in found[2:] if "=" in word)
        device = named.pop("on", "")
        rest = [word for word in found[2:] if "=" not in word]
        chapter, stage = self.stage(found[1])
        return Term(chapter, found[0], stage, rest, named, device)

    # ---- values ----

    def own_rows(self, term: Term) -> tuple[list[Row], int]:
        """The compared rows of the run, and its n."""
        if not term.rest:
            raise DataError(f"{term.quantity} {term.stage}: which n?")
        n = number_of(term.rest[0])
        rules = term.chapter.rules.at(n)
        own = {**rules.stage_runs.get(term.stage, {}), **term.parameters}
        rows = [
            row
            for row in self.data.rows(term.chapter.name, term.device)
            if row.engine != "emu" and row.n == n
        ]
        changed = replace(
            rules,
            run={**rules.run, **term.parameters},
            stage_runs={**rules.stage_runs, term.stage: own},
        )
        return comparable(changed, rows), n

    def seconds(self, term: Term, stage: str, kernels: bool) -> float:
        rows, n = self.own_rows(term)
        found = median_seconds(rows, stage, n, kernels)
        if found is None:
            where = self.data.folder(term.device) / f"{term.chapter.name}.csv"
            raise DataError(f"{where} has no row of {stage} with n = {n}")
        return found

    def reported(self, term: Term, field: str) -> float:
        """A number of a run's report, such as its iterations. The last run counts."""
        if not term.rest:
            raise DataError(f"{term.quantity} {term.stage}: which n?")
        n = number_of(term.rest[0])
        rules = term.chapter.rules.at(n)
        wanted = {**rules.run, **rules.stage_runs.get(term.stage, {}), **term.parameters}
        wanted = {key: value for key, value in wanted.items() if value and key != "input"}
        engine = "gpu" if term.chapter.stages.any_of(term.stage).has_kernels else "cpu"
        found = [
            one.value
            for one in self.data.reports(term.chapter.name, term.device)
            if (one.stage, one.n, one.engine, one.field) == (term.stage, n, engine, field)
            and one.parameters == wanted
        ]
        if not found:
            raise DataError(f"no report of {term.stage} with n = {n} has '{field}'")
        if not found[-1].replace(".", "", 1).isdigit():
            raise DataError(f"{field} of {term.stage} is '{found[-1]}', no number")
        return float(found[-1])

    def time(self, term: Term, kernels: bool) -> Value:
        """`kernels STAGE N`, or a part of it: `kernels STAGE N per iterations`."""
        seconds = self.seconds(term, term.stage, kernels)
        if term.rest[1:2] == ["per"]:
            seconds /= self.reported(term, " ".join(term.rest[2:]))
        return Value(seconds, short_time)

    def gain(self, term: Term, kernels: bool) -> Value:
        over = term.chapter.stages.timed_before(term.stage)
        if term.rest[1:2] == ["over"]:
            over = self.stage(" ".join(term.rest[2:]))[1]
        return Value(
            self.seconds(term, over, kernels) / self.seconds(term, term.stage, kernels), times
        )

    def iteration(self, term: Term) -> float:
        """The kernels of one more iteration. What a run does once is in runs of one iteration,
        too."""
        rules = term.chapter.rules.shown
        many = int({**rules.run, **term.parameters}.get(rules.iterations, 0))
        if many < 2:
            raise DataError(f"{term.chapter.name} has no runs of several iterations")
        one = replace(term, parameters={**term.parameters, rules.iterations: "1"})
        further = self.seconds(term, term.stage, True) - self.seconds(one, term.stage, True)
        return further / (many - 1)

    def copies(self, term: Term) -> float:
        """Seconds of both copies of a run."""
        self.seconds(term, term.stage, False)  # names what is missing
        rows, n = self.own_rows(term)
        own = [row for row in rows if (row.stage, row.n) == (term.stage, n)]
        return quartiles([row.copy_in_ms + row.copy_out_ms for row in own])[1] / 1000

    def rate(self, term: Term) -> float:
        self.seconds(term, term.stage, True)  # names what is missing
        rows, n = self.own_rows(term)
        found = rate_at(term.chapter.rate, rows, term.stage, n)
        assert found
        return found[0]

    def metrics(self, term: Term) -> list[Metric]:
        found = self.data.profile(term.chapter.name, term.device)
        own = [one for one in found if one.stage == term.stage]
        if not own:
            raise DataError(f"the profile of {term.chapter.name} has no {term.stage}")
        return own

    def metric(self, term: Term, name: str, kernel: str = ALL) -> float:
        """Of a stage's one profiled kernel, or of the named one. Several launches of it may differ a
        little: the last one counts."""
        own = {
            bare(one.kernel): one.value
            for one in self.metrics(term)
            if one.name == name and kernel in (ALL, bare(one.kernel))
        }
        if len(own) != 1:
            raise DataError(
                f"the profile of {term.stage} has {name} of {len(own)} kernels, not one"
            )
        return own.popitem()[1]

    def instructions(self, term: Term) -> float:
        own, work = self.metrics(term), term.chapter.profiled_work
        if work is None:
            raise DataError(f"{term.chapter.name} says no profiled_work")
        mix = instructions_per(own, work(term.stage, own[0].n))
        if not term.rest:
            return sum(mix.values())
        if term.rest[0] not in mix:
            raise DataError(f"'{term.rest[0]}' is no class; {nearest(term.rest[0], list(mix))}")
        return mix[term.rest[0]]

    def busy(self, term: Term, kernel: str = ALL) -> float:
        """Of the slots in which instructions are issued, or of one pipe (`busy STAGE alu`)."""
        pipe = term.rest[0] if term.rest else ""
        if pipe not in BUSY:
            raise DataError(f"'{pipe}' is no pipe; {nearest(pipe, list(BUSY)[1:])}")
        known = {one.name for one in self.metrics(term)}
        names = [name for name in BUSY[pipe] if name in known] or BUSY[pipe]
        return self.metric(term, names[0], kernel)

    def counted(self, term: Term, kernel: str, name: str, run: str = "") -> float | None:
        """A counter of a stage's kernel, or of all with the copies between them; `NAME/NAME` is a
        ratio, `NAME/loop` is one iteration of the inner loop. None: the stage has no such
        kernel."""
        every = self.data.counters(term.chapter.name, run)
        own = [
            one
            for one in every
            if one.stage == term.stage and (kernel == ALL or kernel == bare(one.kernel))
        ]
        if not own:
            return None
        counter, _, per = name.partition("/")
        known = {one.removeprefix("loop.") for kernels in every for one in kernels.counters}
        for word in (counter, per):
            if word not in known | {"", "loop"}:
                raise DataError(f"'{word}' is no counter; {nearest(word, sorted(known))}")
        if per == "loop":
            return sum(one.per_iteration(counter) for one in own)
        total = sum(one.count(counter) for one in own)
        if not per:
            return total
        divisor = sum(one.count(per) for one in own)
        return total / divisor if divisor else None

    def counter(self, term: Term) -> float:
        if len(term.rest) != 2:
            raise DataError(f"counter {term.stage}: write a kernel and a counter")
        found = self.counted(term, *term.rest)
        if found is None:
            raise DataError(f"{term.stage} has no {term.rest[1]} in {term.rest[0]}")
        return found

    def of_ranks(self, term: Term) -> float:
        """How many times as fast a stage for many GPUs is on so many as on one."""
        model = modelled(term.chapter.name, term.parameters)
        path = rank_table(self.data.device, term.chapter.name, self.data.device.parent)
        found = speed_ups(measured(read_rank_rows(path), model)) if model else {}
        ranks = int(term.rest[0]) if term.rest else 0
        if ranks not in found:
            raise DataError(f"{path} has no run of {term.stage} on {ranks} GPUs")
        return found[ranks]

    def value(self, words: str) -> Value:
        term = self.term(words)
        makers: dict[str, Callable[[], Value]] = {
            "kernels": lambda: self.time(term, True),
            "run": lambda: self.time(term, False),
            "report": lambda: Value(
                self.reported(term, " ".join(term.rest[1:])), whole_or_three_digits
            ),
            "iteration": lambda: Value(self.iteration(term), short_time),
            "copies": lambda: Value(self.copies(term), short_time),
            "rate": lambda: Value(self.rate(term), short_rate),
            "gain": lambda: self.gain(term, True),
            "rungain": lambda: self.gain(term, False),
            "instructions": lambda: Value(self.instructions(term), three_digits),
            "busy": lambda: Value(self.busy(term), percent),
            "registers": lambda: Value(self.metric(term, REGISTERS), three_digits),
            "ranks": lambda: Value(self.of_ranks(term), times),
            "counter": lambda: Value(self.counter(term), whole_or_three_digits),
        }
        if term.quantity not in makers:
            raise DataError(
                f"'{term.quantity}' is no quantity; {nearest(term.quantity, list(makers))}"
            )
        return makers[term.quantity]()

    # ---- what marks say ----

    def measured(self, mark: Mark) -> str:
        """One value, its part of so many (`… / 1250`), the ratio of two (`… / …`), or the one as a
        share of the other (`… % …`)."""
        for sign, show in ((" / ", times), (" % ", whole_percent)):
            first, found, second = mark.words.partition(sign)
            if sign == " / " and second.isdigit():
                one = self.value(first)
                return one.show(one.number / int(second))
            if found:
                return show(self.value(first).number / self.value(second).number)
        value = self.value(mark.words)
        return value.show(value.number)

    def thesis(self, mark: Mark) -> str:
        """A number that the thesis prints: `thesis:speedup_over_previous 02_float4 3.2M`."""
        term = self.term(mark.words)
        n = number_of(term.rest[0]) if term.rest else None
        found = [
            one
            for one in self.data.published
            if (one.chapter, one.stage, one.quantity)
            == (term.chapter.name, term.stage, term.quantity)
            and n in (None, one.n)
        ]
        if len(found) != 1:
            raise DataError(f"{THESIS} has {len(found)} such numbers, not one")
        show = (
            percent
            if term.quantity == "utilisation"
            else short_time
            if term.quantity.startswith("time")
            else times
        )
        return show(found[0].value)

    def counters(self, mark: Mark, stage: str) -> list[str]:
        """A table of what a stage changed: `counters:KERNEL NAME, NAME/NAME, instructions fp32`."""
        found = COUNTERS_OF.fullmatch(mark.words)
        if not stage or not found:
            raise DataError("stands on a stage's page; write a kernel, and counters with commas")
        kernel, run, items = found["kernel"], found["run"] or "", found["items"]
        chapter, name = self.stage(stage)
        before = chapter.stages.any_of(name).compared_with
        if run:
            self.check_run(chapter, (before, name), run)
        lines = [f"| counter | {before} | {name} |", "|---|---|---|"]
        for item in (one.strip() for one in items.split(",")):
            cells = [
                self.cell(f"{chapter.name}/{one}", kernel, item, run) for one in (before, name)
            ]
            if cells == ["", ""]:
                raise DataError(f"neither stage has {item} in {kernel}")
            lines.append(f"| {self.label(chapter, item)} | {cells[0]} | {cells[1]} |")
        return [*lines, "", self.origin(chapter, (before, name), kernel, items, run)]

    def check_run(self, chapter: Chapter, stages: Sequence[str], run: str) -> None:
        counted = {one.stage for one in self.data.counters(chapter.name, run)}
        for stage in stages:
            if chapter.stages.any_of(stage).has_kernels and stage not in counted:
                again = f"python3 -m plots.maintain.record_counters {chapter.name}/{stage}"
                raise DataError(f"{stage} was not counted for `{run}`: run {again}")

    def cell(self, stage: str, kernel: str, item: str, run: str = "") -> str:
        quantity, *rest = item.split()
        if quantity in ("instructions", "busy", "registers"):
            term = self.term(f"{quantity} {stage}")
            if not term.chapter.stages[term.stage].has_kernels:
                return ""
            if quantity == "instructions":
                return three_digits(self.instructions(replace(term, rest=rest)))
            if quantity == "registers":
                return three_digits(self.metric(term, REGISTERS, kernel))
            return percent(self.busy(replace(term, rest=rest), kernel))
        found = self.counted(self.term(f"counter {stage}"), kernel, item, run)
        return "" if found is None else whole_or_three_digits(found)

    @staticmethod
    def label(chapter: Chapter, item: str) -> str:
        quantity, *rest = item.split()
        unit = chapter.rate.unit.removesuffix("s")
        if quantity == "instructions":
            kind = f"{CLASS_LABELS.get(rest[0], rest[0])} " if rest else ""
            return f"{kind}instructions per {unit}"
        if quantity == "busy":
            return BUSY_LABELS[" ".join(rest)]
        if quantity == "registers":
            return "registers per thread"
        counter, _, per = item.partition("/")
        said = counter.replace("_", " ").replace(".", " ")
        said = "warp collectives" if said == "collectives" else said
        if per == "loop":
            return f"{said} per step of the inner loop"
        if per:
            space, _, what = per.replace("_", " ").partition(".")
            return f"{said.removeprefix(space).strip()} per {space} {what.removesuffix('s')}"
        return said

    def origin(
        self, chapter: Chapter, stages: Sequence[str], kernel: str, items: str, run: str
    ) -> str:
        words = items.replace(",", " ").split()
        profiled = any(one in words for one in ("instructions", "busy", "registers"))
        counted = [one for one in words if "." in one or one in ("barriers", "collectives")]
        said = []
        if counted:
            own = [one for one in self.data.counters(chapter.name, run) if one.stage in stages]
            whose = "all kernels" if kernel == ALL else f"`{kernel}`"
            said.append(f"Of {whose}, counted on the CPU engine for {counted_runs(own)}.")
        if profiled:
            device = self.data.profile(chapter.name, "")[0].device
            said.append(f"Instructions and issue slots by Nsight Compute on an {device}.")
        return " ".join(said)
