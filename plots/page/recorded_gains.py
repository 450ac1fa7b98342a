# SPDX-License-Identifier: MIT
"""Of each stage of a chapter: the time that a GPU took when it was recorded, the gain over the
stage that it is compared with, and the counter that changed most. For machines without a GPU.

A gain is that of the site's page "Then and now": of the kernels or of whole runs as the chapter's
rules say, at the largest n of both stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.lib.counting import GLOBAL, MEMORY, Kernel
from common.tools.lib.lessons import words
from common.tools.lib.numbers import short_rate, three_digits
from plots.drawing.chapter import Chapter
from plots.page.chapters import load_chapter
from plots.page.comparison import median_seconds, speed_up
from plots.page.optimisations import TELLING, Records, in_run_of_page, kernel_of, read_chapter
from plots.records.folders import COUNTERS, DATA, PLOTS, device_folder
from plots.records.rows import Row

RUNS_ON = ("gpu", "cpu", "opencl")  # the engines whose times are those of a device


@dataclass(frozen=True)
class RecordedTime:
    """A median. `gain`: how many times as fast as `before`; None where no n is common."""

    seconds: float
    n: int
    whole_run: bool  # else of the kernels alone
    before: str = ""
    gain: float | None = None


@dataclass(frozen=True)
class RecordedGains:
    """What is recorded of a chapter, by stage."""

    device: str = ""  # of the kernels
    host: str = ""  # of the serial stage
    times: Mapping[str, RecordedTime] = field(default_factory=dict)
    changed: Mapping[str, str] = field(default_factory=dict)  # the counter that changed most


def recorded_time(chapter: Chapter, rows: Sequence[Row], stage: str) -> RecordedTime | None:
    """None for a stage without rows."""
    whole_run = not chapter.timed_by_kernels(stage)
    before = chapter.stages.timed_before(stage)
    found = speed_up(rows, before, stage, kernels=not whole_run) if before else None
    sizes = {row.n for row in rows if row.stage == stage}
    if not sizes:
        return None
    n = found[1] if found else max(sizes)
    seconds = median_seconds(rows, stage, n, kernels=not whole_run)
    assert seconds is not None
    return RecordedTime(seconds, n, whole_run, before, found[0] if found else None)


# ---- counters ----


@dataclass(frozen=True)
class Change:
    """Of one counter. `weight`: sectors, wavefronts, requests or warps more or less."""

    weight: float
    said: str


def changes_of(a: Kernel, b: Kernel) -> list[Change]:
    """Of all counters that differ by more than a trifle. Where as many requests cost more or less
    than before, the cost of one is named."""

    def differs(name: str) -> bool:
        return abs(a.count(name) - b.count(name)) > TELLING * max(a.count(name), b.count(name))

    def change(name: str, said: str) -> Change:
        before, after = a.count(name), b.count(name)
        return Change(abs(before - after), f"{said} {short_rate(before)} → {short_rate(after)}")

    def per_request(group: str, cost: str) -> Change:
        name, requests = f"{group}.{cost}", f"{group}.requests"
        before, after = (three_digits(one.count(name) / one.count(requests)) for one in (a, b))
        return Change(
            abs(a.count(name) - b.count(name)), f"{cost}/{words(group)} {before} → {after}"
        )

    found = []
    for group in MEMORY:
        cost = "sectors" if group in GLOBAL else "wavefronts"
        if differs(f"{group}.{cost}"):
            alike = a.count(f"{group}.requests") and not differs(f"{group}.requests")
            name = f"{group}.{cost}"
            found.append(
                per_request(group, cost) if alike else change(name, f"{words(group)} {cost}")
            )
        if differs(f"{group}.requests"):
            found.append(change(f"{group}.requests", f"{words(group)} requests"))
    for name, said in (("barriers", "barriers"), ("collectives", "warp collectives")):
        if differs(name):
            found.append(change(name, said))
    return found


def fewer_launches(a: Kernel, b: Kernel) -> str:
    before, after = a.count("launches"), b.count("launches")
    return f"kernel launches {short_rate(before)} → {short_rate(after)}" if before != after else ""


def fewer_copies(records: Records, before: str, stage: str) -> str:
    """Of the bytes that are copied between host and device."""
    copied = [
        sum(
            one.count(f"{way}.bytes")
            for one in records.counters
            if one.stage == name and not one.kernel
            for way in ("host_to_device", "device_to_host")
        )
        for name in (before, stage)
    ]
    if abs(copied[0] - copied[1]) <= TELLING * max(copied):
        return ""
    return f"copied bytes {short_rate(copied[0])} → {short_rate(copied[1])}"


def changed_most(records: Records, before: str, stage: str) -> str:
    """`sectors/global load 8 → 1`. All kernels of a stage together. Empty where the two stages were
    not counted in the same run."""
    records = in_run_of_page(records, stage)
    kernels = {
        name: [one for one in records.counters if one.stage == name and one.kernel]
        for name in (before, stage)
    }
    arguments = {one.arguments for counted in kernels.values() for one in counted}
    if not all(kernels.values()) or len(arguments) > 1:
        return ""
    a, b = (kernel_of(name, counted) for name, counted in kernels.items())
    if found := changes_of(a, b):
        return max(found, key=lambda one: one.weight).said
    return fewer_launches(a, b) or fewer_copies(records, before, stage) or "none"


# ---- all of it ----


def recorded_gains(name: str, recorded: Path = DATA, counters: Path = COUNTERS) -> RecordedGains:
    """Empty for a chapter without records."""
    if not (PLOTS / name / "figures.py").is_file():
        return RecordedGains()
    chapter = load_chapter(name)
    records = read_chapter(chapter, device_folder(recorded, None), counters, ())
    rows = [row for row in records.rows if row.engine in RUNS_ON]
    times = {
        stage.name: found
        for stage in chapter.stages
        if not chapter.stages.races(stage.name)
        and (found := recorded_time(chapter, rows, stage.name))
    }
    changed = {
        stage.name: changed_most(records, before, stage.name)
        for stage in chapter.stages
        if (before := chapter.stages.timed_before(stage.name))
    }
    return RecordedGains(
        records.device,
        next((row.device for row in rows if row.engine == "cpu"), ""),
        times,
        changed,
    )
