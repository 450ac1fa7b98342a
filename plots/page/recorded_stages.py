# SPDX-License-Identifier: MIT
"""Every stage of a chapter at one size, as it was recorded on a GPU: for machines without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plots.page.chapters import load_chapter
from plots.page.comparison import comparable
from plots.records.folders import COUNTERS, DATA, PLOTS, device_folder
from plots.records.counters import KernelCounters, read_counters
from plots.records.medians import quartiles
from plots.records.rows import Row, read_rows


@dataclass(frozen=True)
class RecordedStages:
    device: str
    n: int
    input: str
    kernels_ms: dict[str, tuple[float, float, float]]  # by stage: lower quartile, median, upper one


def best_size(rows: Sequence[Row]) -> int:
    """The n at which most stages are recorded, and the largest such n."""
    stages_at: dict[int, set[str]] = {}
    for row in rows:
        stages_at.setdefault(row.n, set()).add(row.stage)
    return max(stages_at, key=lambda n: (len(stages_at[n]), n))


def recorded_stages(
    chapter: str, names: Sequence[str], recorded: Path = DATA
) -> RecordedStages | None:
    """None for a chapter without records."""
    if not (PLOTS / chapter / "figures.py").is_file():
        return None
    path = device_folder(recorded, None) / f"{chapter}.csv"
    if not path.exists():
        return None
    rows = [
        row
        for row in comparable(load_chapter(chapter).rules, read_rows(path))
        if row.stage in names and row.engine in ("gpu", "cpu") and row.kernels_ms > 0
    ]
    on_gpu = [row for row in rows if row.engine == "gpu"]
    if not on_gpu:
        return None
    n = best_size(on_gpu)
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.n == n:
            times.setdefault(row.stage, []).append(row.kernels_ms)
    return RecordedStages(
        on_gpu[0].device,
        n,
        on_gpu[0].input,
        {stage: quartiles(values) for stage, values in times.items()},
    )


def about_copies(chapter: str, names: Sequence[str]) -> list[str]:
    """Those of these stages that change how the input comes to the device."""
    if not (PLOTS / chapter / "figures.py").is_file():
        return []
    return [name for name in names if name in load_chapter(chapter).rules.with_copies]


def counters_of(chapter: str, recorded: Path = COUNTERS) -> dict[str, list[KernelCounters]]:
    """What the CPU engine counted in the kernels of each stage; empty for a chapter without
    counters."""
    path = recorded / f"{chapter}.csv"
    found: dict[str, list[KernelCounters]] = {}
    for one in read_counters(path) if path.exists() else []:
        if one.kernel:
            found.setdefault(one.stage, []).append(one)
    return found
