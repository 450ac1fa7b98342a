# SPDX-License-Identifier: MIT
"""The sample sort and the libraries' sorts: keys per second against the number of keys, beside what
the device allows, and by the distribution of the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, short_rate
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.drawing.panels import Runs
from plots.drawing.rates import Limit, rate_of
from plots.drawing.rates import prepare_rates as draw_rates
from plots.drawing.rates import rates_table as table_of_rates
from plots.drawing.words import check_stages, device_label, kernel_engine, provenance
from plots.quicksort.stages import PAIRS, SAMPLE, SAMPLE_SIZES, STAGES
from plots.records.against_library import INPUTS, by_input
from plots.records.limits import Limits
from plots.records.medians import times
from plots.records.rows import Row, newest
from plots.records.source import Source

RUNS = Runs(STAGES, {"input": "uniform"}, "keys", "uniform keys")
# Models of the last stage, of 2^28 uniform keys: see the reference.
BYTES_PER_KEY = 24  # two levels and the leaves read and write each key
WAVEFRONTS_PER_KEY = 73 / 32  # of shared memory; a multiprocessor does one per cycle
INSTRUCTIONS_PER_KEY = 300  # a multiprocessor issues four per cycle, each for 32 threads
# A multiprocessor does 128 fused multiply-adds per cycle, which count as two operations.
OPERATIONS_PER_CYCLE = 256


def limits_of(limits: Limits) -> list[Limit]:
    """What memory, the ports of shared memory and the issue of instructions allow; without those
    that are not known."""
    cycles = limits.operations_per_second / OPERATIONS_PER_CYCLE  # of all multiprocessors
    found = [
        Limit("memory", limits.bytes_per_second / BYTES_PER_KEY),
        Limit("shared memory", cycles / WAVEFRONTS_PER_KEY),
        Limit("instructions", cycles * 4 * 32 / INSTRUCTIONS_PER_KEY),
    ]
    return [one for one in found if one.rate > 0]


def prepare_rates(source: Source, stages: Sequence[str] = SAMPLE) -> Drawing:
    """Kernels alone."""
    return draw_rates(source, RUNS, stages, SAMPLE_SIZES, limits_of)


def compared(stages: Sequence[str] = SAMPLE) -> tuple[str, str]:
    """The last stage without a library, and the first with one."""
    own = [stage for stage in stages if not STAGES[stage].libraries]
    libraries = [stage for stage in stages if STAGES[stage].libraries]
    if not own or not libraries:
        raise DataError(f"{STAGES.chapter}: no stage to compare with a library's")
    return own[-1], libraries[0]


def prepare_inputs(source: Source, stages: Sequence[str] = SAMPLE) -> Drawing:
    """Rates over the distributions of keys: ours beside the library's."""
    shown = compared(stages)
    rows = [row for row in source.rows(STAGES.chapter) if row.stage in shown]
    engine = kernel_engine(rows)
    rows = newest([row for row in rows if row.engine == engine])
    check_stages(rows, shown, source.rows_path(STAGES.chapter), engine)
    n, rates = by_input(rows, shown, engine)
    device = device_label(rows, engine)
    rows = [row for row in rows if row.n == n]
    listed = ", ".join(
        f"{name}: {short_rate(own)} to {short_rate(library)}"
        for name, (own, library) in rates.items()
    )
    words = f"At {short_count(n)} keys, kernels alone, {shown[0]} to {shown[1]}: {listed}."
    return Drawing(
        numbers=[
            [
                ["input", *shown],
                *([name, *map(short_rate, both)] for name, both in rates.items()),
            ]
        ],
        tables={
            "input": [
                Block(f"{shown[0]}\t{shown[1]}", [(name, *both) for name, both in rates.items()])
            ]
        },
        variables={
            "bars": len(rates),
            "rate_top": 1.2 * max(rate for both in rates.values() for rate in both),
            "own_key": shown[0],
            "library_key": shown[1],
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=words,
        alt=f"Bar chart of keys per second by the distribution of the keys on {device}. {words}",
    )


def pairs_table(rows: Sequence[Row], stages: Sequence[str] = PAIRS) -> list[str]:
    """For the pages: pairs per second, ours beside the libraries'. Uniform keys of each size that
    all stages have, then the other inputs of the largest one."""
    own, library = compared(stages)
    stages = (own, *(stage for stage in stages if stage != own))
    rows = newest([row for row in rows if row.engine == "gpu" and row.stage in stages])
    heads = ["keys", "n", *stages, f"{own} over {library}"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in INPUTS:
        for n in sorted({row.n for row in rows if row.input == name}):
            at = [row for row in rows if (row.input, row.n) == (name, n)]
            points = [times([row for row in at if row.stage == stage], True) for stage in stages]
            if not all(points):
                continue
            rates = [rate_of(found[0]) for found in points]
            ratio = rates[0] / rates[1]
            cells = [name, short_count(n), *map(short_rate, rates), f"×{ratio:.2f}"]
            lines.append(f"| {' | '.join(cells)} |")
    if len(lines) == 2:
        raise DataError(f"{STAGES.chapter}: no rows of {' and '.join(stages)}")
    return [*lines, "", "Pairs per second of kernel time, medians."]


def rates_table(
    rows: Sequence[Row], limits: Mapping[str, Limits], stages: Sequence[str] = SAMPLE
) -> list[str]:
    """For the reference: keys per second of the kernels, one row per stage, one column per size."""
    return [
        *table_of_rates(rows, limits, stages, SAMPLE_SIZES, limits_of),
        "",
        "![Keys per second against the number of keys](figures/quicksort_beyond.svg)",
        "![Keys per second by the distribution of the keys](figures/quicksort_inputs.svg)",
    ]
