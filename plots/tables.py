#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of the chapters' READMEs from recorded data, so that no number in them is typed.

    plots/tables.py              rewrites what stands between `<!-- table:NAME -->` and `<!-- end -->`
    plots/tables.py --check      only says whether a README is out of date (exit 1)

Tables: `stages` (technique, speed-up in the thesis and here, limit now), `published` (each number that
the thesis prints beside the one measured here), `counters` (what each kernel asks of the memory, from
plots/data/counters) and what a chapter's own module here has in TABLES. Where the thesis prints nothing
`published` is what the chapter's seed prints.

A chapter whose rows are not recorded yet keeps its README as it is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from drawing import PLOTS, PUBLISHED, SERIAL, THESIS_CARD, short_count, short_time, three_digits
from figures import chapter_module, device_folder
from limits import read_limits
from measurements import (
    DataError,
    KernelCounters,
    Metric,
    Published,
    Report,
    Row,
    chapters_of,
    newest,
    quartiles,
    read_counters,
    read_profile,
    read_published,
    read_reports,
    read_rows,
    read_stages,
    stages_file,
)
from speed_ups import (NO_BREAK, NO_TIMES, parameter_words, races, ratio, seed_speed_up, speed_up_words, time_words,
                       timed_before)
from common.tools.lib.counting import bare
from common.tools.lib.stages import grouped

ROOT = PLOTS.parent
ISSUE_SLOTS = "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"
SAME_WITHIN = 0.10


@dataclass(frozen=True)
class Rules:
    """How a chapter's stages are compared; a chapter's module here says otherwise."""

    run: dict[str, str] = field(default_factory=dict)  # COMPARED_RUN: the input and parameters of the rows
    kernel_timed: tuple[str, ...] = ()  # KERNEL_TIMED: stages compared by their kernels, not by whole runs
    stage_runs: dict[str, dict[str, str]] = field(default_factory=dict)  # STAGE_RUNS: parameters of a stage's own
    series: tuple[tuple[str, ...], ...] = ()  # SERIES: speedup_over_first is over the first of one of these
    further_runs: tuple[dict[str, str], ...] = ()  # FURTHER_RUNS: parameters of runs that are compared beside `run`

    @property
    def runs(self) -> list[dict[str, str]]:
        """Of each run that is compared the parameters that tell it from the others: none where there is one."""
        names = {name for parameters in self.further_runs for name in parameters}
        return [{name: value for name, value in self.run.items() if name in names}, *self.further_runs]

    def first_of(self, stage: str) -> str:
        return next(series[0] for series in self.series if stage in series)


def rules_of(chapter: str) -> Rules:
    module = chapter_module(chapter)
    return Rules(getattr(module, "COMPARED_RUN", {}), getattr(module, "KERNEL_TIMED", ()),
                 getattr(module, "STAGE_RUNS", {}), getattr(module, "SERIES", ()),
                 getattr(module, "FURTHER_RUNS", ()))


def comparable(rules: Rules, rows: list[Row]) -> list[Row]:
    """The rows of the compared run; what a stage has no parameter for is no difference. A row that lacks
    one which others of its stage have ran without that flag."""
    known: dict[str, set[str]] = {}
    for row in rows:
        known.setdefault(row.stage, set()).update(row.parameters)

    def same(row: Row, key: str, value: str) -> bool:
        return (row.input if key == "input" else row.parameters.get(key, "" if key in known[row.stage] else value)) == value

    return newest([row for row in rows if all(
        same(row, key, value) for key, value in (rules.run | rules.stage_runs.get(row.stage, {})).items())])


def run_of(rules: Rules, parameters: dict[str, str], rows: list[Row], all_rows: list[Row]) -> list[Row]:
    """The rows of the compared run, or of one with other parameters, as a published number may have."""
    return rows if not parameters else comparable(replace(rules, run=rules.run | parameters), all_rows)


def median_seconds(rows: list[Row], stage: str, n: int, kernels: bool = False) -> float | None:
    times = [(row.kernels_ms if kernels else row.total_ms) / 1000
             for row in rows if row.stage == stage and row.n == n]
    return quartiles(times)[1] if times else None


def speed_up(rows: list[Row], before: str, after: str, n: int | None = None,
             kernels: bool = False) -> tuple[float, int] | None:
    """How many times as fast `after` is as `before`, and at which n: the largest that both have."""
    sizes = {stage: {row.n for row in rows if row.stage == stage} for stage in (before, after)}
    common = sizes[before] & sizes[after]
    if n is not None:
        common &= {n}
    if not common:
        return None
    largest = max(common)
    slow = median_seconds(rows, before, largest, kernels)
    fast = median_seconds(rows, after, largest, kernels)
    assert slow is not None and fast is not None
    return slow / fast, largest


def limit_now(source: Path) -> str:
    """The first sentence of the head comment's `Limit now:`."""
    head: list[str] = []
    for line in source.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        head.append(line.removeprefix("//").strip())
    match = re.search(r"Limit now: (.*?)(?:[.;:](?:\s|$)|$)", " ".join(head))
    if match is None:
        raise DataError(f"{source}: no `Limit now:` in its head comment")
    return match[1]


def timing_rule(stages: list[dict], rules: Rules) -> str:
    whole = "whole runs with allocation and copies, medians"
    timed = [stage["name"] for stage in stages if stage["name"] in rules.kernel_timed]
    before = "the stage before"
    if any(stage.get("begins_part") for stage in stages):
        before += " (where a part begins, over 00_cpu)"
    if wrong := [stage["name"] for stage in stages if stage.get("race_on_purpose")]:
        before += f" (not over {' or '.join(wrong)}, wrong on purpose)"
    if not timed:
        return f"Speed-ups are over {before}, {whole}."
    return (f"Speed-ups are over {before}: of {timed[0]} to {timed[-1]} the kernels alone, of the "
            f"others {whole}.")


def stages_table(stages: list[dict], rows: list[Row], published: list[Published],
                 rules: Rules = Rules(), all_rows: list[Row] | None = None) -> list[str]:
    """Where several runs are compared, a line of the cell each. What a seed prints stands where the thesis
    prints nothing of a chapter."""
    device = next(row.device for row in rows if row.engine == "gpu")
    chapter = stages[0]["chapter"]
    runs = [(parameters, run_of(rules, parameters, rows, all_rows or rows)) for parameters in rules.runs]
    seeded = is_seeded(chapter, published)

    def then(stage: str, before: str) -> list[str]:
        if seeded:
            found = seed_speed_up(chapter, rules, stages, timed_before(stage, stages), stage)
            return [speed_up_words(found, before, with_card=False).replace(NO_BREAK, " ")] if found else []
        return [words for parameters in rules.runs
                for words in [ratio(one.value) + parameter_words(parameters) for one in published
                              if (one.stage, one.quantity) == (stage, "speedup_over_previous")
                              and rules.run | one.parameters == rules.run | parameters][-1:]]

    def here(stage: str, before: str) -> list[str]:
        if races(stage, stages):
            return [NO_TIMES]
        timed = timed_before(stage, stages)
        over = f" over {timed}" if timed != before else ""
        return [f"{ratio(found[0])}{over} at {short_count(found[1])}{parameter_words(parameters)}"
                for parameters, own in runs
                if timed and (found := speed_up(own, timed, stage, kernels=stage in rules.kernel_timed))]

    printed = chapter_module(chapter).SEED_KEY if seeded else f"thesis ({THESIS_CARD})"
    lines = [f"| stage | technique | {printed} | here ({device}) | limit now |",
             "|---|---|---|---|---|"]
    for stage in stages:
        name, before = stage["name"], stage["compared_with"]
        limit = limit_now(ROOT / stage["source"])
        part = f"**{stage['begins_part']}:** " if stage.get("begins_part") else ""
        lines.append(f"| [{name}]({name}/{Path(stage['source']).name}) | {part}{stage['technique']} | "
                     f"{'<br>'.join(then(name, before))} | {'<br>'.join(here(name, before))} | {limit} |")
    return [*lines, "", timing_rule(stages, rules)]


def measured_value(one: Published, stages: list[dict], rows: list[Row], profile: list[Metric],
                   rules: Rules) -> float | None:
    """What this course measured where the thesis printed `one`."""
    if one.quantity == "utilisation":
        return next((metric.value for metric in profile
                     if metric.stage == one.stage and metric.name == ISSUE_SLOTS), None)
    if one.quantity.startswith("speedup_over_"):
        if one.quantity == "speedup_over_previous":
            before = timed_before(one.stage, stages)
        else:
            before = SERIAL if one.quantity == "speedup_over_cpu" else rules.first_of(one.stage)
        found = speed_up(rows, before, one.stage, one.n, one.stage in rules.kernel_timed)
        return found[0] if found else None
    sizes = [row.n for row in rows if row.stage == one.stage]
    if one.n is None or not sizes:
        return None
    nearest = min(sizes, key=lambda n: abs(n - one.n))
    if abs(nearest - one.n) > 0.1 * one.n:
        return None
    return median_seconds(rows, one.stage, nearest)


def published_table(stages: list[dict], rows: list[Row], profile: list[Metric],
                    published: list[Published], rules: Rules = Rules(), all_rows: list[Row] | None = None) -> list[str]:
    """`all_rows`: those of other runs than the compared one too."""
    gpu = next(row.device for row in rows if row.engine == "gpu")
    cpu = next((row.device for row in rows if row.engine == "cpu"), "")
    what = {"utilisation": "issue slots busy", "speedup_over_previous": "speed-up over the stage before",
            "speedup_over_cpu": f"speed-up over {SERIAL}", "speedup_over_first": "speed-up over",
            "time": "time", "time_low": "time, at least",
            "time_high": "time, at most"}
    lines = [f"| thesis | quantity | stage | n | {THESIS_CARD} | {gpu} | the same within 10 % |",
             "|---|---|---|---|---|---|---|"]
    for one in published:
        value = measured_value(one, stages, run_of(rules, one.parameters, rows, all_rows or rows), profile, rules)
        quantity = what[one.quantity]
        if one.quantity == "speedup_over_first":
            quantity += f" {rules.first_of(one.stage)}"
        quantity += parameter_words(one.parameters)
        show = ((lambda v: f"{v:.0f} %") if one.quantity == "utilisation"
                else short_time if one.quantity.startswith("time") else ratio)
        same = "" if value is None else "yes" if abs(value / one.value - 1) <= SAME_WITHIN else "no"
        size = short_count(one.n) if one.n else ""
        lines.append(f"| {one.section} | {quantity} | {one.stage} | {size} | {show(one.value)} | "
                     f"{show(value) if value is not None else 'not measured'} | {same} |")
    if cpu:
        lines += ["", f"{SERIAL} ran on one core of {cpu}; the thesis' CPU was a Core i7-3820."]
    return lines


def is_seeded(chapter: str, published: list[Published]) -> bool:
    """Whether it is a seed, and not the thesis, whose numbers stand beside the chapter's."""
    return not published and hasattr(chapter_module(chapter), "seed_cells")


def seed_table(stages: list[dict], rows: list[Row], rules: Rules = Rules(), all_rows: list[Row] | None = None) -> list[str]:
    """Of each time that a seed prints: what it gained over the stage before, and what that gains here."""
    chapter = stages[0]["chapter"]
    module = chapter_module(chapter)
    device = next(row.device for row in rows if row.engine == "gpu")
    runs = {parameter_words(parameters).removeprefix(", "): run_of(rules, parameters, rows, all_rows or rows)
            for parameters in rules.runs}
    heads = [": ".join(part for part in (device, name) if part) for name in runs]
    lines = [f"| {module.SEED_KEY} | stage | time | speed-up over the stage before | {' | '.join(heads)} |",
             "|---" * (4 + len(runs)) + "|"]
    for cell in module.seed_cells():
        timed = timed_before(cell.stage, stages)
        before = next(stage["compared_with"] for stage in stages if stage["name"] == cell.stage)
        printed = seed_speed_up(chapter, rules, stages, timed, cell.stage)
        said = speed_up_words(printed, before, with_card=False) if printed else ""
        ours = []
        for own in runs.values():
            found = speed_up(own, timed, cell.stage, kernels=cell.stage in rules.kernel_timed)
            ours.append(NO_TIMES if races(cell.stage, stages) else
                        f"{ratio(found[0])} at {short_count(found[1])}" if found else "")
        lines.append(f"| {cell.section} | {cell.stage} | {time_words(cell)} | {said} | {' | '.join(ours)} |")
    return [*lines, "", timing_rule(stages, rules)]


def each(part: str, ideal: str, whole: str) -> Callable[[KernelCounters], str]:
    """`1.02 (1)`: what one request costs, and what it would at best."""
    def cell(one: KernelCounters) -> str:
        requests = one.count(whole)
        if not requests:
            return ""
        cost, best = one.count(part) / requests, one.count(ideal) / requests
        said = three_digits(cost)
        return said if cost == best else f"{said} ({three_digits(best)})"
    return cell


def counter_columns(unit: str) -> list[tuple[str, Callable[[KernelCounters], str]]]:
    """Heading and cell; an empty cell is a counter that is 0."""
    def plain(name: str) -> Callable[[KernelCounters], str]:
        return lambda one: grouped(one.count(name)) if one.count(name) else ""

    def looped(name: str) -> Callable[[KernelCounters], str]:
        return lambda one: three_digits(one.per_iteration(name)) if one.per_iteration(name) else ""

    columns = []
    for space, costs in (("global", "sectors"), ("shared", "wavefronts")):
        for what in ("load", "store", "atomic"):
            name = f"{space}_{what}"
            columns += [(f"{space} {what}s", plain(f"{name}.requests")),
                        (f"{costs} each", each(f"{name}.{costs}", f"{name}.ideal_{costs}",
                                               f"{name}.requests"))]
    columns += [("barriers", plain("barriers")), ("warp functions", plain("collectives"))]
    for what in ("global", "shared"):
        columns.append((f"{what} loads a {unit}", looped(f"{what}_load.requests")))
    return columns


def counted_runs(counted: list[KernelCounters]) -> str:
    """The runs' arguments; which stages they are of, where not all have the same."""
    stages: dict[str, list[str]] = {}
    for one in counted:
        stages.setdefault(one.arguments, []).append(one.stage)
    if len(stages) == 1:
        return f"`{counted[0].arguments}`"
    parts = []
    for arguments, names in stages.items():
        numbers = list(dict.fromkeys(name.partition("_")[0] for name in names))
        parts.append(f"`{arguments}` ({', '.join(numbers)})")
    return ", ".join(parts)


def counters_table(stages: list[dict], counted: list[KernelCounters]) -> list[str]:
    """A row a kernel and stage; stages that no counter of the table tells apart share one."""
    stages = [stage for stage in stages if any(one.stage == stage["name"] for one in counted)]
    columns = counter_columns(stages[0]["counter_unit"])
    of_loops = [f"loads a {stages[0]['counter_unit']}" in head for head, _ in columns]
    # A kernel of the chapter's headers is in its namespace, and in a stage of its own is not.
    kernels = list(dict.fromkeys(bare(one.kernel) for one in counted if one.kernel))
    rows: list[tuple[str, list[str], list[str]]] = []
    for kernel in kernels:
        for stage in stages:
            for one in counted:
                if (one.stage, bare(one.kernel)) != (stage["name"], kernel):
                    continue
                alike = stage["counter_unit"] == stages[0]["counter_unit"]
                cells = [cell(one) if alike or not of_loop else "" for (_, cell), of_loop in zip(columns, of_loops)]
                if rows and (rows[-1][0], rows[-1][2]) == (kernel, cells):
                    rows[-1][1].append(stage["name"])
                else:
                    rows.append((kernel, [stage["name"]], cells))
    shown = [i for i in range(len(columns)) if any(cells[i] for _, _, cells in rows)]
    lines = ["| kernel | stage | " + " | ".join(columns[i][0] for i in shown) + " |",
             "|" + "---|" * (2 + len(shown))]
    for kernel, names, cells in rows:
        lines.append(f"| {kernel} | {', '.join(names)} | " + " | ".join(cells[i] for i in shown) + " |")
    return [*lines, "",
            f"Counted on the CPU engine for {counted_runs(counted)} by the rules of an H200, before any "
            "cache: requests of warps, sectors (of 32 bytes) or wavefronts a request and in brackets the "
            "fewest that would do, arrivals of warps at barriers."]


def fill(text: str, name: str, lines: list[str], path: Path) -> str:
    """`text` with the table put between its marks."""
    pattern = re.compile(rf"(<!-- table:{name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(text):
        raise DataError(f"{path}: no place for the table `{name}`")
    return pattern.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text)


def own_tables(chapter: str, rows: list[Row], folder: Path) -> dict[str, list[str]]:
    """Those that only this chapter has: of all rows, not of the compared runs alone."""
    makers = getattr(chapter_module(chapter), "TABLES", {})
    report_path = folder / f"{chapter}_report.csv"
    reports: list[Report] = read_reports(report_path) if makers and report_path.exists() else []
    limits_path = folder / "limits.csv"
    limits = read_limits(limits_path) if makers and limits_path.exists() else {}
    return {name: make(rows, reports, limits) for name, make in makers.items()}


def chapter_readme(chapter: str, stages: list[dict], folder: Path, counted: list[KernelCounters],
                   published: list[Published], path: Path) -> str:
    """The chapter's README with fresh tables."""
    rules = rules_of(chapter)
    all_rows = read_rows(folder / f"{chapter}.csv")
    rows = comparable(rules, all_rows)
    profile_path = folder / f"{chapter}_profile.csv"
    profile = read_profile(profile_path) if profile_path.exists() else []
    text = path.read_text(encoding="utf-8")
    made = {"stages": stages_table(stages, rows, published, rules, all_rows),
            "counters": counters_table(stages, counted)}
    if published:
        made["published"] = published_table(stages, rows, profile, published, rules, all_rows)
    elif is_seeded(chapter, published):
        made["published"] = seed_table(stages, rows, rules, all_rows)
    for name, lines in (made | own_tables(chapter, all_rows, folder)).items():
        text = fill(text, name, lines, path)
    return text


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes the tables of the chapters' READMEs.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when out of date")
    parser.add_argument("--device", help="folder of plots/data")
    parser.add_argument("--stages", type=Path, default=stages_file())
    parser.add_argument("--recorded", type=Path, default=PLOTS / "data")
    parser.add_argument("--chapters", type=Path, default=ROOT / "chapters")
    arguments = parser.parse_args(words)
    stale = []
    try:
        folder = device_folder(arguments.recorded, arguments.device)
        stages = read_stages(arguments.stages)
        published = read_published(PUBLISHED)
        for chapter in chapters_of(stages):
            path = arguments.chapters / chapter / "README.md"
            if not (folder / f"{chapter}.csv").exists():
                print(f"{path}: left as it is, {folder} has no rows of {chapter}")
                continue
            own = [stage for stage in stages if stage["chapter"] == chapter]
            counted = read_counters(arguments.recorded / "counters" / f"{chapter}.csv")
            text = chapter_readme(chapter, own, folder, counted,
                                  [one for one in published if one.chapter == chapter], path)
            if text == path.read_text(encoding="utf-8"):
                continue
            stale.append(path)
            if not arguments.check:
                path.write_text(text, encoding="utf-8")
    except (DataError, OSError) as error:
        print(f"tables.py: {error}", file=sys.stderr)
        return 1
    for path in stale:
        print(f"{path}: {'out of date: run plots/tables.py' if arguments.check else 'written'}")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
