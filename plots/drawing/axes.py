# SPDX-License-Identifier: MIT
"""Axes: their ends, their marks, and the unit of a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from common.tools.lib.numbers import short_count, short_time


def log_range(values: Collection[float], room_above: float) -> tuple[float, float]:
    """The ends of a logarithmic axis that shows all values and leaves a share of its length for the
    key."""
    low, high = min(values), max(values)
    low, high = low / 1.6, high * 1.6
    return low, high * (high / low) ** (room_above / (1 - room_above))


def time_unit(seconds: float) -> tuple[str, float]:
    """The unit for a figure whose longest time this is, and its factor."""
    return ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)


def tics(values: Sequence[float]) -> str:
    """An xtics list with a mark at each measured n."""
    return "(" + ", ".join(f"'{short_count(value)}' {value}" for value in values) + ")"


CLOSE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)  # marks where all values are nearly equal


def log_marks(low: float, high: float, show: Callable[[float], str]) -> str:
    """Marks of a logarithmic axis: two to four powers of ten, or every second power, or marks
    between them."""
    edge = (high / low) ** 0.08  # nearer to an end a mark's text would reach the next panel

    def marks(digits: Sequence[float], step: int) -> list[float]:
        return [
            value
            for exponent in range(-9, 18, step)
            for digit in digits
            if low * edge <= (value := digit * 10.0**exponent) <= high / edge
        ]

    decades = marks((1,), 1)
    found = (
        decades
        if 2 <= len(decades) <= 4
        else next(
            some
            for digits, step in (((1,), 2), ((1, 3), 1), ((1, 2, 5), 1), (CLOSE, 1))
            if 2 <= len(some := marks(digits, step))
        )
    )
    return "(" + ", ".join(f"'{show(value)}' {value:g}" for value in found) + ")"


def time_marks(low: float, high: float) -> str:
    """Marks of a logarithmic axis of seconds."""
    return log_marks(low, high, short_time)


def spread(sizes: Sequence[int]) -> list[int]:
    """The sizes that a logarithmic axis has room to name."""
    found: list[int] = []
    for n in sizes:
        if not found or n >= 2 * found[-1]:
            found.append(n)
    return found
