# SPDX-License-Identifier: MIT
"""A chapter's ladder: what its kernels take per unit of work, stage by stage, from one core of the
CPU down to the least time that the hardware allows.

Each stage has the point of its largest recorded n. Time per unit of work makes stages of different
n comparable. Grey are the stages of the source documents, in colour those of the course.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from common.tools.explain.devices import read_devices
from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import ROOT, DataError
from plots.drawing.axes import log_range
from plots.drawing.chapter import Chapter
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.words import kernel_engine, origin
from plots.page.bounds_table import chapter_bounds
from plots.page.comparison import comparable
from plots.page.readme import read_document
from plots.page.stage_head import of_a_source, read_head
from plots.records.medians import quartiles
from plots.records.rows import Row
from plots.records.source import Source
from common.tools.lib.stages import label_of

LEFT_OUT = "Left out: "  # begins the last sentence of what is said about a ladder
MARKS = 15  # stages that the axis has room to name
NEXT_LINE = r"\n"  # in gnuplot's texts
KINDS = {  # of stages, and how the key names them
    "serial": "one core",
    "source": "stage of the source",
    "course": "stage of the course",
    "library": "library",
}


@dataclass(frozen=True)
class Rung:
    """One stage. Times are of one unit of work, in seconds."""

    stage: str
    kind: str
    n: int
    kernels: float
    whole: float
    rows: Sequence[Row]
    bound: float = 0.0  # 0: none is known
    binding: str = ""


PREFIXES = {0: "s", -3: "ms", -6: "µs", -9: "ns", -12: "ps", -15: "fs"}


def unit_time(seconds: float) -> str:
    """`1.34 ps`: the time of one unit of work."""
    exponent = max(-15, min(0, 3 * math.floor(math.log10(seconds) / 3 + 1e-9)))
    return f"{three_digits(seconds / 10.0**exponent)} {PREFIXES[exponent]}"


def decades(low: float, high: float) -> str:
    """Marks of a logarithmic axis at powers of ten."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    values = [10.0**exponent for exponent in range(first, last + 1)]
    return ", ".join(f"'{unit_time(value)}' {value:g}" for value in values)


def kind_of(chapter: Chapter, stage: str) -> str:
    if stage == chapter.stages.serial:
        return "serial"
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
        work = chapter.rate.work(at[0])
        whole = quartiles([row.total_ms for row in at])[1] / 1000 / work
        by_run = is_by_whole_run(chapter, stage.name)
        bound = bounds.get(stage.name)
        alike = bound is not None and bound.n == at[0].n
        rungs.append(
            Rung(
                stage.name,
                kind_of(chapter, stage.name),
                at[0].n,
                whole if by_run else quartiles([row.kernels_ms for row in at])[1] / 1000 / work,
                whole,
                at,
                bound.binding.seconds / work if bound and alike else 0.0,
                bound.binding.resource if bound and alike else "",
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
    without = [name for name in chapter.stages.names if name not in shown and name not in races]
    groups = {
        "without rows": without,
        "not recorded yet": chapter.stages.not_recorded,
        "wrong on purpose": races,
    }
    said = [f"{why}: {numbers_in_words(names)}" for why, names in groups.items() if names]
    return f" {LEFT_OUT}{'; '.join(said)}." if said else ""


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


def stage_marks(stages: Sequence[str]) -> list[str]:
    """The axis: numbers of stages, and below the middle of each side path the path's name."""
    step = -(-len(stages) // MARKS)
    paths = [path_of(stage) for stage in stages]
    middle = {(paths.index(one) + len(paths) - 1 - paths[::-1].index(one)) // 2 for one in {*paths}}
    marks, shown = [], -step
    for i, stage in enumerate(stages):
        last = label_of(stage).rpartition("/")[2]
        number = last if last.isdigit() and i >= shown + step else ""
        shown = i if number else shown
        below = NEXT_LINE + paths[i] if paths[i] and i in middle else ""
        if number or below:
            marks.append(f'"{number}{below}" {i}')
    return marks


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


def unit_of(chapter: Chapter) -> str:
    return chapter.rate.unit.removesuffix("s")


def numbers_of(chapter: Chapter, rungs: Sequence[Rung]) -> list[list[str]]:
    heads = ["stage", "n", f"kernels, per {unit_of(chapter)}", "whole run", "least time", "binding"]
    return [
        heads,
        *(
            [
                one.stage,
                short_count(one.n),
                "" if is_by_whole_run(chapter, one.stage) else unit_time(one.kernels),
                unit_time(one.whole),
                unit_time(one.bound) if one.bound else "",
                one.binding,
            ]
            for one in rungs
        ),
    ]


def prepare(source: Source, chapter: Chapter) -> Drawing:
    """A ladder of the CPU engine's times would lead astray: there, the best stage for a GPU may be
    the slowest."""
    source = source.on_a_gpu(chapter.name)
    rungs = rungs_of(chapter, source)
    places = {rung.stage: i for i, rung in enumerate(rungs)}
    bounded = [rung for rung in rungs if rung.bound]
    tables = {
        "path": [
            Block(name or "source", [(places[one.stage], one.kernels) for one in line])
            for name, line in lines_of(chapter, rungs).items()
        ],
        "whole": [Block("whole", [(i, one.kernels, one.whole) for i, one in enumerate(rungs)])],
    }
    for kind, name in KINDS.items():
        own = [(places[rung.stage], rung.kernels) for rung in rungs if rung.kind == kind]
        if own:
            tables[kind] = [Block(name, own)]
    if bounded:
        tables["limit"] = [Block("limit", [(places[one.stage], one.bound) for one in bounded])]
    values = [value for one in rungs for value in (one.kernels, one.whole)]
    low, high = log_range(values + [rung.bound for rung in bounded], 0.06)
    unit = unit_of(chapter)
    first = rungs[0]
    best = min(rungs, key=lambda rung: rung.kernels)
    rows = [row for rung in rungs for row in rung.rows]
    engine = kernel_engine(rows)
    by_run = [rung.stage for rung in rungs if is_by_whole_run(chapter, rung.stage)]
    of_whole = f" (whole runs: {numbers_in_words(by_run)})" if by_run else ""
    where = origin(rows, engine, source.kind)
    return Drawing(
        tables=tables,
        variables={
            "time_low": low,
            "time_high": high,
            "stage_marks": f"({', '.join(stage_marks([one.stage for one in rungs]))})",
            "stages": len(rungs),
            "time_marks": f"({decades(low, high)})",
        },
        subtitle=f"{where}. Kernels' time per {unit}{of_whole}, medians at each stage's largest n.",
        origin=where,
        emulated=engine == "emu",
        numbers=[numbers_of(chapter, rungs)],
        ours=(
            "Grey lines reach up to the time of the whole run. The least time is that of the"
            f" stage's own work.{whole_run_words(rungs, chapter)}{left_out(chapter, rungs)}"
        ),
        alt=(
            f"The kernels' time per {unit} of {len(rungs)} stages on a logarithmic axis, from"
            f" {first.stage} with {unit_time(first.kernels)} at n = {short_count(first.n)} down to"
            f" {best.stage} with {unit_time(best.kernels)} at n = {short_count(best.n)}."
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
