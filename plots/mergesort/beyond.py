# SPDX-License-Identifier: MIT
"""The merge sort by tiles and the libraries' merge sorts: keys per second against the number of
keys, beside what the device allows; and the sort from host to host beside its copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import power_of_two, short_ms, three_digits
from common.tools.lib.stages import DataError, words_of
from plots.drawing.figure import Drawing
from plots.drawing.panels import Runs
from plots.drawing.rates import Limit
from plots.drawing.rates import prepare_rates as draw_rates
from plots.drawing.rates import rates_table as table_of_rates
from plots.drawing.words import kernel_engine
from plots.mergesort.stages import HOST_TO_HOST, STAGES, TILE_SIZES, TILES
from plots.records import against_library
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Report, Row, newest
from plots.records.source import Source

INPUT_WORDS = ("odd_windows", "bulk_tiles", "tiles_by_size", "natural_runs", "cub_merge_sort")
INPUT_STAGES = [name for name in TILES if words_of(name) in INPUT_WORDS]
RUNS = Runs(STAGES, {"input": "uniform"}, "keys", "uniform keys")

# Models of the last stage of limit/, of 2^28 uniform keys: see the reference.
BYTES_PER_KEY = 48  # the sort of the tiles and five passes read and write each key
WAVEFRONTS_PER_KEY = 151 / 32  # of shared memory; a multiprocessor does one per cycle
ALU_CYCLES_PER_KEY = 104 / 32  # integer instructions; a multiprocessor does 64 lanes per cycle
# A multiprocessor does 128 fused multiply-adds per cycle, which count as two operations.
OPERATIONS_PER_CYCLE = 256


def limits_of(limits: Limits) -> list[Limit]:
    """What memory, shared memory and the integer units allow; without those that are not known."""
    cycles = limits.operations_per_second / OPERATIONS_PER_CYCLE  # of all multiprocessors
    found = [
        Limit("memory", limits.bytes_per_second / BYTES_PER_KEY),
        Limit("shared memory", cycles / WAVEFRONTS_PER_KEY),
        Limit("integer units", cycles / ALU_CYCLES_PER_KEY),
    ]
    return [one for one in found if one.rate > 0]


def recorded_stages(rows: Sequence[Row]) -> list[str]:
    """A new stage is left out until it is recorded."""
    found = {row.stage for row in rows}
    return [stage for stage in TILES if stage in found] or list(TILES)


def prepare_rates(source: Source) -> Drawing:
    """Kernels alone. On this machine, of the stages that run here."""
    rows = source.rows(STAGES.chapter)
    engine = "gpu" if source.recorded else kernel_engine(rows)
    stages = (
        recorded_stages(rows)
        if source.recorded
        else [stage for stage in TILES if engine in STAGES[stage].executables]
    )
    return draw_rates(source, RUNS, stages, TILE_SIZES, limits_of)


def rates_table(
    rows: Sequence[Row], _reports: Sequence[Report], limits: Mapping[str, Limits]
) -> list[str]:
    """For the reference: keys per second of the kernels."""
    own = [row for row in rows if row.n in TILE_SIZES]
    return table_of_rates(own, limits, recorded_stages(own), TILE_SIZES, limits_of)


def inputs_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """For the reference: keys per second of the last stages on other inputs, of the size with most of
    them."""
    own = [row for row in rows if row.stage in INPUT_STAGES and row.engine == "gpu"]
    named = {n: {row.input for row in own if row.n == n} for n in {row.n for row in own}}
    n = max(named, key=lambda n: (len(named[n]), n), default=0)
    stages = [stage for stage in INPUT_STAGES if any(row.stage == stage for row in own)]
    lines = [f"| input | {' | '.join(stages)} |", "|---" * (len(stages) + 1) + "|"]
    for name in sorted(named.get(n, ()), key=lambda name: (name != "uniform", name)):
        cells = []
        for stage in stages:
            here = newest([r for r in own if (r.stage, r.n, r.input) == (stage, n, name)])
            ms = quartiles([row.kernels_ms for row in here])[1] if here else 0.0
            cells.append(f"{three_digits(n / ms / 1e6)} G" if here else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, "", f"{power_of_two(n)} keys, keys per second of kernel time, medians."]


def sizes_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """For the reference: the last stage of limit/ that has the smallest size, and the library's."""
    smallest = against_library.SIZES[0]
    own = [row.stage for row in rows if row.stage.startswith("limit/") and row.n == smallest]
    library = STAGES.named("cub_merge_sort")
    return against_library.sizes_table(rows, (max(own, default=TILES[0]), library))


def copies_by_n(reports: Sequence[Report]) -> dict[int, float]:
    """Milliseconds of two plain copies, the latest of each n."""
    return {
        one.n: float(one.value)
        for one in reports
        if (one.stage, one.engine, one.field) == (HOST_TO_HOST, "gpu", "copies_ms")
    }


def host_table(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """For the stage's page: whole runs from host to host beside the copies alone."""
    own = newest(
        [
            row
            for row in rows
            if (row.stage, row.engine, row.input) == (HOST_TO_HOST, "gpu", "uniform")
        ]
    )
    copies = copies_by_n(reports)
    sizes = sorted({row.n for row in own} & copies.keys())
    if not sizes:
        raise DataError(f"no rows of {HOST_TO_HOST} with a report of the copies")
    lines = ["| keys | copies alone | sort from host to host | more |", "|---|---|---|---|"]
    for n in sizes:
        total = quartiles([row.kernels_ms for row in own if row.n == n])[1]
        more = 100 * (total / copies[n] - 1)
        lines.append(
            f"| {power_of_two(n)} | {short_ms(copies[n])} | {short_ms(total)} | {more:.1f} % |"
        )
    return [
        *lines,
        "",
        f"{own[0].device}, uniform keys in pinned memory, medians without allocation. Copies alone:"
        " to the device and back, one after the other.",
    ]
