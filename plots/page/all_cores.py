# SPDX-License-Identifier: MIT
"""A chapter on all cores of the CPU (peers/cpu_cores) beside one core and the fastest stage on the
GPU. Speed-ups over one core alone flatter a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from common.tools.lib.numbers import short_count, short_rate, times
from plots.drawing.chapter import Chapter
from plots.page.comparison import comparable, rate_at
from plots.records.rows import Row

NOT_MEASURED = "Not measured yet."


def cores_of(row: Row) -> str:
    """`one core`, `16 cores`: a host program has one block, with a thread for each core."""
    cores = int(row.grid.partition("x")[2] or 1)
    return "one core" if cores == 1 else f"{cores} cores"


def rows_of(rows: Sequence[Row], stage: str) -> list[Row]:
    return [row for row in rows if row.stage == stage and row.engine == "cpu"]


def all_cores_words(chapter: Chapter, rows: Sequence[Row]) -> str:
    """A sentence about the largest n, or nothing before there are rows."""
    stage = chapter.stages.all_cores
    own = rows_of(rows, stage) if stage in chapter.stages else []
    found = rate_at(chapter.rate, own, stage)
    if not found:
        return ""
    return (
        f" [{stage}]({stage}/README.md) reaches {short_rate(found[0])} {chapter.rate.unit}/s at"
        f" {short_count(found[1])}, on {cores_of(own[0])}."
    )


def fastest(chapter: Chapter, rows: Sequence[Row], n: int) -> tuple[float, str] | None:
    """The largest rate of kernels at n, and whose it is. Of some stages the kernels are not all."""
    rules = chapter.rules
    names = [
        name
        for name in chapter.stages.kernels
        if name not in rules.kernels_in_part and name not in rules.with_copies
    ]
    on_gpu = [row for row in rows if row.engine == "gpu"]
    found = {name: rate_at(chapter.rate, on_gpu, name, n) for name in names}
    return max(((rate[0], name) for name, rate in found.items() if rate), default=None)


def all_cores_table(chapter: Chapter, all_rows: Sequence[Row]) -> list[str]:
    """Of each n that was measured on all cores. `all_rows`: of all runs."""
    stage, serial = chapter.stages.all_cores, chapter.stages.serial
    sizes = sorted({row.n for row in rows_of(all_rows, stage)}) if stage in chapter.stages else []
    lines = []
    for n in sizes:
        rows = comparable(chapter.rules.at(n), all_rows)
        own = rows_of(rows, stage)
        found = rate_at(chapter.rate, own, stage, n)
        if not found:
            continue
        core = rate_at(chapter.rate, rows_of(rows, serial), serial, n)
        best = fastest(chapter, rows, n)
        cells = [
            short_count(n),
            short_rate(core[0]) if core else "",
            short_rate(found[0]),
            times(found[0] / core[0]) if core else "",
            f"[{best[1]}](../../{best[1]}/README.md)" if best else "",
            times(best[0] / found[0]) if best else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if not lines:
        return [NOT_MEASURED]
    device = rows_of(all_rows, stage)[0]
    unit = chapter.rate.unit
    heads = ["n", f"{unit}/s on one core", f"{unit}/s on {cores_of(device)}", "gain"]
    heads += ["fastest recorded on the GPU", "its gain over all cores"]
    said = f"{device.device}; kernels alone, medians."
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines, "", said]
