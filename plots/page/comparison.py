# SPDX-License-Identifier: MIT
"""Which recorded rows are compared with one another, and the ratios and rates of their medians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from plots.drawing.chapter import Rate, Rules
from plots.records.medians import quartiles
from plots.records.rows import Row, newest


def comparable(rules: Rules, rows: Sequence[Row]) -> list[Row]:
    """The rows of the compared run. A parameter that a stage does not have makes no difference. A
    row that lacks a parameter which other rows of its stage have ran without that flag."""
    known: dict[str, set[str]] = {}
    for row in rows:
        known.setdefault(row.stage, set()).update(row.parameters)

    def same(row: Row, key: str, value: str) -> bool:
        return (
            row.input
            if key == "input"
            else row.parameters.get(key, "" if key in known[row.stage] else value)
        ) == value

    return newest(
        [
            row
            for row in rows
            if all(
                same(row, key, value)
                for key, value in {**rules.run, **rules.stage_runs.get(row.stage, {})}.items()
            )
        ]
    )


def run_of(
    rules: Rules, parameters: Mapping[str, str], rows: Sequence[Row], all_rows: Sequence[Row]
) -> list[Row]:
    """The rows of the compared run, or of a run with other parameters, which a published number may
    have."""
    return (
        list(rows)
        if not parameters
        else comparable(replace(rules, run={**rules.run, **parameters}), all_rows)
    )


def median_seconds(rows: Sequence[Row], stage: str, n: int, kernels: bool = False) -> float | None:
    times = [
        (row.kernels_ms if kernels else row.total_ms) / 1000
        for row in rows
        if row.stage == stage and row.n == n
    ]
    return quartiles(times)[1] if times else None


def speed_up(
    rows: Sequence[Row], before: str, after: str, n: int | None = None, kernels: bool = False
) -> tuple[float, int] | None:
    """How many times as fast `after` is as `before`, and at which n: the largest n of both."""
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


def rate_at(
    rate: Rate, rows: Sequence[Row], stage: str, n: int | None = None
) -> tuple[float, int] | None:
    """What the kernels of a stage do per second at n, or at its largest n."""
    own = [row for row in rows if row.stage == stage and n in (None, row.n)]
    largest = max((row.n for row in own), default=0)
    own = [row for row in own if row.n == largest]
    seconds = median_seconds(own, stage, largest, kernels=True)
    return (rate.work(own[0]) / seconds, largest) if seconds else None
