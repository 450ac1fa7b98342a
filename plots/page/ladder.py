# SPDX-License-Identifier: MIT
"""A chapter's ladder: how much work its kernels do per second, stage by stage, up to the most that
the hardware allows.

Each stage has the point of its largest recorded n. Rates make stages of different n comparable.
Grey are the stages of the source documents, in colour those of the course. The programs on the CPU
are far below all of them: a label names the rates on one core and on all cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from common.tools.explain.devices import read_devices
from common.tools.lib.numbers import short_count, short_rate, times, whole_percent
from common.tools.lib.stages import ROOT, DataError
from plots.drawing.axes import log_marks, log_range
from plots.drawing.chapter import Chapter
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.words import kernel_engine, origin
from plots.page.all_cores import cores_of
from plots.page.bounds_table import chapter_bounds
from plots.page.comparison import comparable, speed_up
from plots.page.readme import read_document
from plots.page.stage_head import of_a_source, read_head
from plots.records.medians import quartiles
from plots.records.rows import Row
from plots.records.source import Source
from common.tools.lib.stages import label_of

MANY = 16  # stages, from which on names are short and upright
AXIS = 1310  # units of the picture's width that the stages share
ON_THE_CPU = ("serial", "cores")
KINDS = {  # of stages, and how the key names them
    "source": "stage of the source",
    "course": "stage of the course",
    "library": "library",
}


@dataclass(frozen=True)
class Rung:
    """One stage. Rates are units of work per second."""

    stage: str
    kind: str  # one of KINDS or of ON_THE_CPU
    n: int
    kernels: float
    whole: float
    rows: Sequence[Row]
    bound: float = 0.0  # at most; 0: none is known
    binding: str = ""
    gain: float = 0.0  # over the stage before; 0: none, or that is the serial program
    share: float = 0.0  # of the library's rate, or of the bound


def kind_of(chapter: Chapter, stage: str) -> str:
    if stage == chapter.stages.serial:
        return "serial"
    if chapter.stages[stage].uses_all_cores:
        return "cores"
    if chapter.stages[stage].libraries:
        return "library"
    return "source" if of_a_source(read_head(ROOT / chapter.stages[stage].source)) else "course"


def at_largest(rows: Sequence[Row], stage: str) -> list[Row]:
    """A stage's rows at its largest n."""
    own = [row for row in rows if row.stage == stage]
    largest = max((row.n for row in own), default=0)
    return [row for row in own if row.n == largest]


def rungs_of(chapter: Chapter, source: Source) -> list[Rung]:
    """Of each stage that has rows."""
    laddered = replace(chapter, rules=chapter.rules.shown)
    every = source.rows(chapter.name)
    engine = kernel_engine(every)
    rows = [
        row
        for row in comparable(laddered.rules, every)
        if row.engine in (engine, "cpu", "opencl") and row.kernels_ms > 0
    ]
    bounds = {}
    for device in read_devices().values():
        if any((row.engine, row.device) == ("gpu", device.name) for row in rows):
            found = chapter_bounds(laddered, every, source.folder, device)
            bounds = {one.stage: one for one in found}
    rungs = []
    for stage in chapter.stages:
        at = at_largest(rows, stage.name)
        if not at or chapter.stages.races(stage.name):
            continue
        work, n = chapter.rate.work(at[0]), at[0].n
        whole = work / (quartiles([row.total_ms for row in at])[1] / 1000)
        by_run = is_by_whole_run(chapter, stage.name)
        kernels = work / (quartiles([row.kernels_ms for row in at])[1] / 1000)
        rate = whole if by_run else kernels
        bound = bounds.get(stage.name)
        most = work / bound.binding.seconds if bound is not None and bound.n == n else 0.0
        before = chapter.stages.timed_before(stage.name) if stage.compared_with else ""
        gain = (
            speed_up(rows, before, stage.name, kernels=not by_run)
            if before not in ("", chapter.stages.serial)
            else None
        )
        # Of the library's kernels at the largest n of both.
        library = None if by_run else speed_up(rows, chapter.share_of, stage.name, kernels=True)
        share = (library[0] if library else 0.0) if chapter.share_of else most and rate / most
        rungs.append(
            Rung(
                stage.name,
                kind_of(chapter, stage.name),
                n,
                rate,
                whole,
                at,
                most,
                bound.binding.resource if bound and most else "",
                gain[0] if gain else 0.0,
                share,
            )
        )
    if len(rungs) < 2:
        raise DataError(f"{source.rows_path(chapter.name)}: fewer than two stages have rows")
    return rungs


def is_by_whole_run(chapter: Chapter, stage: str) -> bool:
    """Whether the kernels alone would not tell what the stage takes."""
    return stage in chapter.rules.kernels_in_part or stage in chapter.rules.with_copies


def numbers_in_words(stages: Sequence[str]) -> str:
    """`01, 03 to 05, limit/02` of 01_lead, 03_gold, 04_iron, 05_tin and limit/02_zinc."""
    runs: list[list[str]] = []
    for label in map(label_of, stages):
        path, digits = label[:-2], label[-2:]
        before = runs[-1][-1] if runs else ""
        follows = digits.isdigit() and before == f"{path}{int(digits) - 1:02}"
        if follows:
            runs[-1].append(label)
        else:
            runs.append([label])
    return ", ".join(f"{run[0]} to {run[-1]}" if run[2:] else ", ".join(run) for run in runs)


def left_out(chapter: Chapter, rungs: Sequence[Rung]) -> str:
    """Which stages are not shown, and why."""
    shown = {rung.stage for rung in rungs}
    races = [name for name in chapter.stages.names if chapter.stages.races(name)]
    ranks = chapter.stages.for_ranks
    without = [name for name in chapter.stages.names if name not in shown and name not in races]
    groups = {
        "without rows": without,
        "not recorded yet": [name for name in chapter.stages.not_recorded if name != ranks],
        "wrong on purpose": races,
        "for several GPUs": [ranks] if ranks and ranks not in shown else [],
    }
    said = [f"{why}: {numbers_in_words(names)}" for why, names in groups.items() if names]
    return f" Left out: {'; '.join(said)}." if said else ""


def whole_run_words(rungs: Sequence[Rung], chapter: Chapter) -> str:
    """Which stages have the time of whole runs, and why."""
    said = ""
    for names, why in (
        (chapter.rules.kernels_in_part, "the CPU does a part"),
        (chapter.rules.with_copies, "they change how the input comes to the device"),
    ):
        shown = [rung.stage for rung in rungs if rung.stage in names]
        said += f" Whole runs, because {why}: {numbers_in_words(shown)}." if shown else ""
    return said


def path_of(stage: str) -> str:
    """`limit` of limit/05_one_pass; a stage that is a path has no other name."""
    label = label_of(stage)
    return label.rpartition("/")[0] or ("" if label.isdigit() else label)


def letters_of(stages: Sequence[str]) -> tuple[int, int]:
    """The sizes of the names below the axis and of the numbers at the points, so that neighbours do
    not touch. Where stages are many, all of them stand upright."""
    step = AXIS / len(stages)
    if len(stages) > MANY:
        return round(min(24.0, step * 0.5)), round(min(20.0, step * 0.42))
    return round(min(26.0, step * 0.42)), round(min(21.0, step * 0.26))


def names_of(stages: Sequence[str]) -> list[str]:
    """What stands below the axis: the stages' names; of many stages their numbers, and each path at
    its first one."""
    if len(stages) <= MANY:
        return list(stages)
    found, before = [], ""
    for stage in stages:
        path, _, last = label_of(stage).rpartition("/")
        numbered = last.isdigit()
        found.append(label_of(stage) if numbered and path != before else last)
        before = path
    return found


def above(rung: Rung, near: float) -> float:
    """Where the gain stands: above the point, and above its bound if that is at most `near` times as
    high."""
    return rung.bound if rung.kernels < rung.bound < near * rung.kernels else rung.kernels


def lines_of(chapter: Chapter, rungs: Sequence[Rung]) -> dict[str, list[Rung]]:
    """The rungs that a line joins, path by path: a side path begins at the stage from which it goes
    on. Stages without numbers do not follow one another. Stages about copies have lines of their
    own, which begin at the whole run of the stage that the first is compared with."""
    by_name = {one.stage: one for one in rungs}
    lines: dict[str, list[Rung]] = {}
    copied = ""
    for one in rungs:
        path = path_of(one.stage)
        if path and not label_of(one.stage)[-2:].isdigit():
            continue
        before = by_name.get(chapter.stages[one.stage].compared_with)
        if one.stage not in chapter.rules.with_copies:
            lines.setdefault(path, [before] if path and before else []).append(one)
            continue
        if not copied or before != lines[copied][-1]:
            copied = f"copies, {label_of(one.stage)}"
            lines[copied] = [replace(before, kernels=before.whole)] if before else []
        lines[copied].append(one)
    return lines


def numbers_of(chapter: Chapter, rungs: Sequence[Rung]) -> list[list[str]]:
    unit = chapter.rate.unit
    heads = ["stage", "n", f"kernels, {unit}/s", "gain", "share", "whole run", "at most", "binding"]
    return [
        heads,
        *(
            [
                one.stage,
                short_count(one.n),
                "" if is_by_whole_run(chapter, one.stage) else short_rate(one.kernels),
                times(one.gain) if one.gain else "",
                share_words(one),
                short_rate(one.whole),
                short_rate(one.bound) if one.bound else "",
                one.binding,
            ]
            for one in rungs
        ),
    ]


def share_words(rung: Rung) -> str:
    return whole_percent(rung.share) if rung.share else ""


def of_what(chapter: Chapter) -> str:
    """What is 100 %."""
    if chapter.share_of:
        return f"the rate of {label_of(chapter.share_of)}"
    return "the most that the hardware allows for the stage's own work"


def prepare(source: Source, chapter: Chapter) -> Drawing:
    """A ladder of the CPU engine's times would lead astray: there, the best stage for a GPU may be
    the slowest."""
    source = source.on_a_gpu(chapter.name)
    every = rungs_of(chapter, source)
    rungs = [one for one in every if one.kind not in ON_THE_CPU] or every
    on_cpu = [one for one in every if one not in rungs]
    places = {rung.stage: i for i, rung in enumerate(rungs)}
    bounded = [rung for rung in rungs if rung.bound]
    lines = {
        name: [(places[one.stage], one.kernels) for one in line if one.stage in places]
        for name, line in lines_of(chapter, every).items()
    }
    tables = {
        "path": [Block(name or "source", line) for name, line in lines.items() if line],
        "whole": [Block("whole", [(i, one.kernels, one.whole) for i, one in enumerate(rungs)])],
    }
    for kind, name in KINDS.items():
        own = [(places[rung.stage], rung.kernels) for rung in rungs if rung.kind == kind]
        if own:
            tables[kind] = [Block(name, own)]
    if bounded:
        tables["limit"] = [Block("limit", [(places[one.stage], one.bound) for one in bounded])]
    values = [value for one in rungs for value in (one.kernels, one.whole)]
    low, high = log_range(values + [rung.bound for rung in bounded], 0.08)
    upright = len(rungs) > MANY
    # Room for the share below the lowest point, and for a gain and the serial program's label above.
    span = high / low
    low, high = low / span ** (0.36 if upright else 0.1), high * span ** (0.3 if upright else 0.1)
    near = (high / low) ** (0.32 if upright else 0.13)
    gains = [(places[one.stage], above(one, near), times(one.gain)) for one in rungs if one.gain]
    shares = [(places[one.stage], one.kernels, share_words(one)) for one in rungs if one.share]
    for name, points in (("gains", gains), ("shares", shares)):
        if points:
            tables[name] = [Block(name, points)]
    unit = chapter.rate.unit
    first = rungs[0]
    best = max(rungs, key=lambda rung: rung.kernels)
    rows = [row for rung in rungs for row in rung.rows]
    engine = kernel_engine(rows)
    by_run = [rung.stage for rung in rungs if is_by_whole_run(chapter, rung.stage)]
    of_whole = f" (whole runs: {numbers_in_words(by_run)})" if by_run else ""
    where = origin(rows, engine, source.kind)
    core = "; ".join(
        f"{'one core' if one.kind == 'serial' else cores_of(one.rows[0])}:"
        f" {short_rate(one.kernels)} {unit}/s"
        for one in on_cpu
    )
    shown = names_of([one.stage for one in rungs])
    marks = ", ".join(f'"{name}" {place}' for place, name in enumerate(shown))
    below = f" Below the points: the share of {of_what(chapter)}." if shares else ""
    names, numbers = letters_of([one.stage for one in rungs])
    return Drawing(
        tables=tables,
        variables={
            "rate_low": low,
            "rate_high": high,
            "stage_marks": f"({marks})",
            "stages": len(rungs),
            "name_letters": names,
            "number_letters": numbers,
            "longest": max(map(len, shown)),
            "upright": int(upright),
            "rate_marks": log_marks(low, high, short_rate),
            "rate_title": f"{unit} per second",
            "core": core,
        },
        subtitle=(
            f"{where}. Kernels' {unit} per second{of_whole}, medians at each stage's largest n."
        ),
        origin=where,
        emulated=engine == "emu",
        numbers=[numbers_of(chapter, every)],
        ours=(
            "Above the points: the gain over the stage before, at the largest n of both."
            f"{below} Grey lines reach down to the rate of the whole run."
            f"{whole_run_words(rungs, chapter)}{left_out(chapter, every)}"
        ),
        alt=(
            f"The kernels' {unit} per second of {len(rungs)} stages on a logarithmic axis, from"
            f" {first.stage} with {short_rate(first.kernels)} at n = {short_count(first.n)} to"
            f" {best.stage} with {short_rate(best.kernels)} at n = {short_count(best.n)}."
            + (f" On the CPU, which is no point, {core}." if core else "")
        ),
    )


def title_of(chapter: Chapter) -> str:
    """`N-body`; a chapter that is being written may have no README yet."""
    path = ROOT / "chapters" / chapter.name / "README.md"
    return read_document(path).title.partition(":")[0] if path.exists() else chapter.name


def ladder_name(chapter: str) -> str:
    return f"{chapter}_ladder"


def ladder_of(chapter: Chapter) -> Figure:
    return Figure(
        ladder_name(chapter.name),
        "",
        chapter.name,
        f"{title_of(chapter)}, from one core to the limit",
        "",
        partial(prepare, chapter=chapter),
        script="ladder",
        folder="drawing",
    )
