# SPDX-License-Identifier: MIT
"""The table of one path of a chapter: each stage's idea, rate at one n, gain over the stage before,
and share of a library's rate. One number per cell. A part whose stages change how the input comes to
the device has a table of whole runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.explain.bounds import host_link
from common.tools.explain.devices import read_devices
from common.tools.lib.numbers import short_count, short_rate, short_time, times, whole_percent
from common.tools.lib.stages import Stage, label_of
from plots.drawing.chapter import Chapter
from plots.page.all_cores import NOT_MEASURED, all_cores_words
from plots.page.comparison import comparable, median_seconds, rate_at, speed_up
from plots.page.speed_ups import parameter_words
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Row


def table_of(path: str) -> str:
    """The name of a path's table; of the source's own path it is `path`, of a part of a path the
    part's title."""
    return f"path-{path.replace(' ', '-')}" if path else "path"


def begins_table(chapter: Chapter, stage: Stage) -> bool:
    """Whether a part with an n of its own begins here."""
    return bool(stage.begins_part) and stage.begins_part in chapter.path_sizes


def stages_on(chapter: Chapter, path: str) -> list[Stage]:
    """The stages with kernels on a path, up to the first part that has an n of its own; or those of
    such a part, which `path` names."""
    found, before, on = [], "", ""
    for stage in chapter.stages:
        if stage.path != before:
            on = before = stage.path
        if begins_table(chapter, stage):
            on = stage.begins_part
        if on == path and stage.has_kernels:
            found.append(stage)
    return found


def path_tables(
    chapter: Chapter, rows: Sequence[Row], limits: Mapping[str, Limits]
) -> dict[str, list[str]]:
    """The tables of those paths whose n the chapter gives. `rows`: all that are recorded."""
    return {
        table_of(path): path_table(chapter, path, n, rows, limits)
        for path, n in chapter.path_sizes.items()
    }


def ideas_table(chapter: Chapter, path: str) -> list[str]:
    """The same table of a chapter that no device has rows of."""
    lines = ["| stage | idea |", "|---|---|"]
    for stage in stages_on(chapter, path):
        lines.append(f"| [{stage.name}]({stage.name}/README.md) | {stage.technique} |")
    return [*lines, "", NOT_MEASURED]


def over(chapter: Chapter, shown: Sequence[Stage], stage: Stage) -> str:
    """What a gain is over, where that is not the stage in the line above. The first stage of a table
    goes on from another one."""
    before, place = chapter.stages.timed_before(stage.name), shown.index(stage)
    return f" over {label_of(before)}" if place and shown[place - 1].name != before else ""


def copies_table(
    chapter: Chapter, shown: Sequence[Stage], n: int, rows: Sequence[Row], device: str
) -> list[str]:
    """Of stages that change how the input comes to the device."""
    known = next((one for one in read_devices().values() if one.name == device), None)
    heads = ["stage", "idea", f"whole run at {short_count(n)}", "gain"]
    heads += ["share of the link"] if known else []
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in shown:
        seconds = median_seconds(rows, stage.name, n)
        gain = speed_up(rows, chapter.stages.timed_before(stage.name), stage.name, n)
        cells = [
            f"[{stage.name}]({stage.name}/README.md)",
            stage.technique,
            short_time(seconds) if seconds else "",
            f"{times(gain[0])}{over(chapter, shown, stage)}" if gain else "",
        ]
        if known:
            least = host_link(chapter.rules.with_copies[stage.name](n), known).seconds
            cells.append(whole_percent(least / seconds) if seconds else "")
        lines.append(f"| {' | '.join(cells)} |")
    runs = [row.total_ms for one in shown for row in rows if (row.stage, row.n) == (one.name, n)]
    said = f"{device}, here. Whole runs with allocation and copies, medians"
    said += f" of {len(runs) // len(shown)} runs."
    if known:
        rate = known.host_bytes_per_second / 1e9
        said += f" 100 % is the host's link, {rate:.0f} GB/s by the data sheet."
    return [*lines, "", said]


def path_table(
    chapter: Chapter, path: str, n: int, all_rows: Sequence[Row], limits: Mapping[str, Limits]
) -> list[str]:
    rows = comparable(chapter.rules.at(n), all_rows)
    device = next(row.device for row in rows if row.engine == "gpu")
    shown = stages_on(chapter, path)
    if all(stage.name in chapter.rules.with_copies for stage in shown):
        return copies_table(chapter, shown, n, rows, device)
    unit, library, whole = chapter.rate.unit, chapter.share_of, path in chapter.whole_runs
    found = rate_at(chapter.rate, rows, library, n) if library else None
    best, share = (found[0] if found else 0.0), ""
    if best:
        share = f"share of {chapter.stages[library].label}"
    elif (
        not library and chapter.bound and device in limits and not whole
    ):  # whose kernels do a part
        best, share = chapter.bound[1](limits[device]), "share of the bound"
    further = {
        words: (size, comparable(chapter.rules.at(size), all_rows))
        for words, size in chapter.further_gains.get(path, {}).items()
    }
    heads = [
        "stage",
        "idea",
        f"{unit}/s at {short_count(n)}{parameter_words(chapter.rules.shown_run)}",
        "gain",
    ]
    heads += [f"gain, {words}" for words in further]
    heads += ["gain of whole runs"] if whole else []
    heads += [share] if share else []
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in shown:
        rate = rate_at(chapter.rate, rows, stage.name, n)
        before = chapter.stages.timed_before(stage.name)
        # Where a serial program's run counts as its kernels, they compare with no others.
        only_whole = (
            whole and before == chapter.stages.serial and is_mostly_kernels(rows, before, n)
        )
        gains = [None if only_whole else speed_up(rows, before, stage.name, n, kernels=True)]
        gains += [
            speed_up(own, before, stage.name, size, kernels=True) for size, own in further.values()
        ]
        gains += [speed_up(rows, before, stage.name, n)] if whole else []
        cells = [
            f"[{stage.name}]({stage.name}/README.md)",
            stage.technique,
            short_rate(rate[0]) if rate else "",
            *(times(gain[0]) + over(chapter, shown, stage) if gain else "" for gain in gains),
            whole_percent(rate[0] / best) if rate and best else "",
        ]
        lines.append(f"| {' | '.join(cells[: len(heads)])} |")
    said = caption(chapter, [one.name for one in shown], n, rows, device, bool(share))
    if whole:
        apart = spread_words(rows, [one.name for one in shown], n, kernels=False)
        said += f" Whole runs have allocation, copies, and what the host does{apart}."
    if further:
        sizes = ", ".join(f"{words}: {short_count(size)}" for words, (size, _) in further.items())
        said += f" The further gains: {sizes}."
    return [*lines, "", said]


def is_mostly_kernels(rows: Sequence[Row], stage: str, n: int) -> bool:
    """Whether more than half of a stage's run counts as its kernels."""
    run, kernels = (median_seconds(rows, stage, n, kernels) for kernels in (False, True))
    return run is not None and kernels is not None and kernels > run / 2


def spread_words(rows: Sequence[Row], stages: Sequence[str], n: int, kernels: bool) -> str:
    """Of how many runs the medians are, and how far these lie apart."""
    spreads, repeats = [], set()
    for stage in stages:
        own = [
            row.kernels_ms if kernels else row.total_ms
            for row in rows
            if (row.stage, row.n) == (stage, n)
        ]
        if own:
            low, middle, high = quartiles(own)
            spreads.append((high - low) / middle)
            repeats.add(len(own))
    if repeats == {1}:
        return ", one run each"
    if not spreads:
        return ""
    runs = f"{min(repeats)} to {max(repeats)}" if len(repeats) > 1 else f"{min(repeats)}"
    widest = max(0.1, 100 * max(spreads))
    return f", medians of {runs} runs, whose quartiles are at most {widest:.1f} % apart"


def caption(
    chapter: Chapter,
    stages: Sequence[str],
    n: int,
    rows: Sequence[Row],
    device: str,
    shares: bool,
) -> str:
    """Which machine, how many runs, and how far they lie apart."""
    said = f"{device}, here. Kernels alone{spread_words(rows, stages, n, kernels=True)}."
    serial = chapter.stages.serial
    sizes = [row.n for row in rows if row.stage == serial]
    # Where each part has its own n, it is named beside the one that it has, too.
    in_parts = any(begins_table(chapter, stage) for stage in chapter.stages)
    if serial == chapter.stages[stages[0]].compared_with and sizes and (n in sizes or not in_parts):
        largest = max(sizes)
        rate = rate_at(chapter.rate, rows, serial, largest)
        core = next(row.device for row in rows if row.stage == serial)
        assert rate and median_seconds(rows, serial, largest)
        said += (
            f" The serial program [{serial}]({serial}/README.md) reaches {short_rate(rate[0])}"
            f" {chapter.rate.unit}/s at {short_count(largest)}, on one core of {core}."
            f"{all_cores_words(chapter, rows)}"
        )
    if not shares:
        return said
    if library := chapter.share_of:
        said += f" 100 % is [{library}]({library}/README.md)."
    elif chapter.bound:
        said += f" 100 % is {chapter.bound[0]}."
    return said
