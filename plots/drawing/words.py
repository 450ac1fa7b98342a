# SPDX-License-Identifier: MIT
"""Words about measurements that figures and tables share: device, date, sizes, repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.numbers import short_count
from common.tools.lib.stages import DataError
from plots.records.counters import KernelCounters
from plots.records.rows import Metric, Row

THESIS_CARD = "GTX 980, 2016"  # whose numbers are drawn in grey
EMULATED = "CPU engine (emulated; not a GPU's time)"


def kernel_engine(rows: Sequence[Row]) -> str:
    """The engine whose rows a figure draws: the GPU where it has rows, else the CPU engine."""
    return "gpu" if any(row.engine == "gpu" for row in rows) else "emu"


def device_label(rows: Sequence[Row], engine: str) -> str:
    """The name that a figure gives to the rows of the kernels."""
    if engine == "emu":
        return EMULATED
    return next((row.device for row in rows if row.engine == engine), engine)


def repeats_of(rows: Sequence[Row]) -> str:
    """How often each stage ran at each n: `5 runs each`, `1 to 5 runs each`."""
    counts = Counter(
        (row.stage, row.engine, row.n, row.input, tuple(row.parameters.items())) for row in rows
    ).values()
    fewest, most = min(counts), max(counts)
    return (
        f"{fewest} to {most} runs each" if fewest < most else f"{most} run{'s' * (most > 1)} each"
    )


def sizes_of(rows: Sequence[Row]) -> str:
    """`n = 2048`, `n from 10 k to 3.2 M`."""
    sizes = sorted({row.n for row in rows})
    return (
        f"n = {short_count(sizes[0])}"
        if len(sizes) == 1
        else f"n from {short_count(sizes[0])} to {short_count(sizes[-1])}"
    )


def origin(rows: Sequence[Row], engine: str, kind: str, host: str = "") -> str:
    """Which device ran the stages, and when."""
    day = max(row.date for row in rows)[:10]
    how = "recorded" if kind == "recorded" else "measured here"
    against = f", against one core of {host}" if host else ""
    return f"{device_label(rows, engine)}, {how} {day}{against}"


def provenance(rows: Sequence[Row], engine: str, kind: str, host: str = "") -> str:
    """A subtitle: the device, the day, the sizes, and what a point shows."""
    repeats = repeats_of(rows)
    # A single run has no median.
    what = "" if repeats.startswith("1 run ") else ": medians and quartiles"
    return f"{origin(rows, engine, kind, host)}. {sizes_of(rows)}, {repeats}{what}."


def check_stages(
    rows: Sequence[Row | Metric | KernelCounters], stages: Sequence[str], path: Path, what: str
) -> None:
    """Every stage that a figure shows must have rows. A missing stage is an error, not a gap."""
    missing = [stage for stage in stages if not any(row.stage == stage for row in rows)]
    if missing:
        raise DataError(f"{path}: no rows of {', '.join(missing)} ({what})")
