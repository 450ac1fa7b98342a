# SPDX-License-Identifier: MIT
"""A sort beside a library's: keys per second by the distribution of the keys, and by their number."""

from __future__ import annotations

from collections.abc import Sequence

from common.tools.lib.numbers import short_count, short_rate
from common.tools.lib.stages import DataError
from plots.records.medians import quartiles
from plots.records.rows import Row, newest

# Those of common/sorting/keys.hpp, in the order of the tables.
INPUTS = (
    "uniform",
    "gaussian",
    "bucket",
    "staggered",
    "g-group",
    "permutation",
    "sorted",
    "reverse",
    "nearly-sorted",
    "organ-pipe",
    "sawtooth",
    "bit-reversed",
    "clusters",
    "normal-floats",
    "time-stamps",
    "networks",
    "exponential-sizes",
    "anded",
    "zipf-half",
    "zipf",
    "zipf-three-halves",
    "zipf-two",
    "deterministic-duplicates",
    "stairs-up-4096",
    "stairs-down-4096",
    "stairs-shuffled-4096",
    "stairs-shuffled-64",
    "values-500",
    "values-255",
    "values-30",
    "few-unique",
    "heavy-ends",
    "one-heavy",
    "one-other",
    "all-equal",
)
MERGE_INPUTS = ("interleaved-runs", "one-sided")
# A sweep of sizes has all of them.
SIZES = tuple(2**exponent for exponent in range(10, 31))
Pair = tuple[str, str]  # the own stage, and the library's


def rates_at(
    rows: Sequence[Row], stages: Pair, n: int, name: str, engine: str = "gpu"
) -> tuple[float, float] | None:
    """Keys per second of both; None if one of them has no row."""
    found = []
    for stage in stages:
        own = [r for r in rows if (r.stage, r.engine, r.n, r.input) == (stage, engine, n, name)]
        if not own:
            return None
        found.append(n / quartiles([row.kernels_ms for row in newest(own)])[1] * 1e3)
    return found[0], found[1]


def by_input(
    rows: Sequence[Row], stages: Pair, engine: str = "gpu"
) -> tuple[int, dict[str, tuple[float, float]]]:
    """The largest n at which both have an input that is not uniform, and their rates by input."""
    sizes = [{row.n for row in rows if row.stage == s and row.input != "uniform"} for s in stages]
    n = max(set.intersection(*sizes), default=0)
    found = {}
    for name in (*INPUTS, *MERGE_INPUTS):
        rates = rates_at(rows, stages, n, name, engine)
        if rates is not None:
            found[name] = rates
    if not found:
        raise DataError(f"no rows of {' and '.join(stages)} for several inputs")
    return n, found


def inputs_table(rows: Sequence[Row], stages: Pair) -> list[str]:
    """For the reference."""
    n, found = by_input(rows, stages)
    lines = [f"| keys | {stages[0]} | {stages[1]} | ratio |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {short_rate(own)} | {short_rate(library)} | ×{own / library:.2f} |"
        for name, (own, library) in found.items()
    ]
    return [*lines, "", f"{short_count(n)} keys: keys per second of kernel time, medians."]


def worst_input(rows: Sequence[Row], stages: Pair) -> list[str]:
    """For the README: the input for which the own stage is slowest, measured by the library."""
    n, found = by_input(rows, stages)
    name, (own, library) = min(found.items(), key=lambda item: item[1][0] / item[1][1])
    return [
        f"Of {len(found)} inputs with {short_count(n)} keys, the worst for {stages[0]} is `{name}`: "
        f"×{own / library:.2f} of the rate of {stages[1]}."
    ]


def sizes_table(rows: Sequence[Row], stages: Pair) -> list[str]:
    """For the reference: uniform keys of each power of two."""
    lines = [f"| keys | {stages[0]} | {stages[1]} | ratio |", "|---|---|---|---|"]
    for n in SIZES:
        rates = rates_at(rows, stages, n, "uniform")
        if rates is not None:
            cells = [short_count(n), *map(short_rate, rates), f"×{rates[0] / rates[1]:.2f}"]
            lines.append(f"| {' | '.join(cells)} |")
    if len(lines) == 2:
        raise DataError(f"no rows of {' and '.join(stages)}")
    words = (
        "Keys per second of kernel time, medians. The clock runs from the keys in device memory to "
        "the sorted keys there, and until the host knows that all is done."
    )
    return [*lines, "", words]
