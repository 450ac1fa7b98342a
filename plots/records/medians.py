# SPDX-License-Identifier: MIT
"""Medians and quartiles of recorded runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plots.records.rows import Row


@dataclass(frozen=True)
class Point:
    """Median and quartiles of the repeats at one n."""

    n: int
    lower: float
    median: float
    upper: float
    repeats: int


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    """First quartile, median and third quartile by linear interpolation (Hyndman and Fan's type
    7)."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("quartiles of no values")
    if any(not math.isfinite(value) for value in ordered):
        raise ValueError("quartiles of a value that is not finite")

    def quantile(share: float) -> float:
        position = share * (len(ordered) - 1)
        below = math.floor(position)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (position - below) * (ordered[above] - ordered[below])

    return quantile(0.25), quantile(0.5), quantile(0.75)


def times(rows: Sequence[Row], kernels: bool = False) -> list[Point]:
    """Median and quartiles at each n, in seconds: of whole runs, or of their kernels alone."""
    by_n: dict[int, list[float]] = {}
    for row in rows:
        by_n.setdefault(row.n, []).append((row.kernels_ms if kernels else row.total_ms) / 1000)
    return [Point(n, *quartiles(values), len(values)) for n, values in sorted(by_n.items())]
