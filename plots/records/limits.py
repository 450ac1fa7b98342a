# SPDX-License-Identifier: MIT
"""What devices can do at most, and the least time that a stage's work then takes.

The rules are those of common/limits/device_limits.cpp, by which the harness refuses a time.
Figures draw them beside the times, and a test applies them to every recorded row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import LIMITS_COLUMNS
from plots.records.rows import Row
from common.tools.lib.csv_tables import read_table, real


@dataclass(frozen=True)
class Limits:
    """One device: rates per second that a good program reaches, and peaks that no program
    exceeds."""

    device: str
    bytes_per_second: float
    l2_bytes_per_second: float = 0.0  # 0: not known, no limit follows
    l2_bytes: float = 0.0
    operations_per_second: float = 0.0
    peak_bytes_per_second: float = 0.0
    peak_l2_bytes_per_second: float = 0.0
    peak_operations_per_second: float = 0.0


def read_limits(path: Path) -> dict[str, Limits]:
    """By device. Of several lines the largest values count: a busy device shows less than it
    can."""
    found: dict[str, dict[str, float]] = {}
    for number, record in read_table(path, LIMITS_COLUMNS):
        best = found.setdefault(record["device"], dict.fromkeys(LIMITS_COLUMNS[1:], 0.0))
        for name in best:
            best[name] = max(best[name], real(record[name], name, f"{path}:{number}"))
    return {device: Limits(device, **values) for device, values in found.items()}


def hit_fraction(working_set: float, l2_bytes: float) -> float:
    """The largest part of the bytes that the L2 cache can serve."""
    return 1.0 if working_set <= l2_bytes else l2_bytes / working_set


def byte_seconds(
    moved: float, working_set: float, l2_bytes: float, memory_rate: float, l2_rate: float
) -> float:
    """The least time for these bytes, when hits come at one rate and misses at the other. A rate of
    0 is unknown and takes no time."""
    hits = hit_fraction(min(working_set, moved), l2_bytes)
    return (moved * (1 - hits) / memory_rate if memory_rate > 0 else 0.0) + (
        moved * hits / l2_rate if l2_rate > 0 else 0.0
    )


def reachable_seconds(limits: Limits, moved: float, working_set: float) -> float:
    """The time of a program that only moves these bytes, at the measured rates."""
    return byte_seconds(
        moved, working_set, limits.l2_bytes, limits.bytes_per_second, limits.l2_bytes_per_second
    )


def least_seconds(limits: Limits, moved: float, operations: float, working_set: float) -> float:
    """The least time at the peak rates. A shorter time cannot be a measurement."""
    for_bytes = byte_seconds(
        moved,
        working_set,
        limits.l2_bytes,
        limits.peak_bytes_per_second,
        limits.peak_l2_bytes_per_second,
    )
    peak = limits.peak_operations_per_second
    return max(for_bytes, operations / peak if peak > 0 else 0.0)


def impossible_rows(
    rows: Iterable[Row], limits: dict[str, Limits], working_set: Callable[[int], float]
) -> list[str]:
    """One line for each row whose kernels were faster than its device can be. Rows do not tell
    their working set: `working_set` is the least number of bytes that n elements take."""
    found = []
    for row in rows:
        if row.device not in limits:
            continue
        least = least_seconds(limits[row.device], row.bytes, row.operations, working_set(row.n))
        if row.kernels_ms < 1000 * least:
            found.append(
                f"{row.chapter}/{row.stage} n={row.n} on {row.device}: {row.kernels_ms:.6g} ms, at"
                f" least {1000 * least:.6g} ms"
            )
    return found
