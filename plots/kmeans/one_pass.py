# SPDX-License-Identifier: MIT
"""The stages after the thesis', which read each point at most once per iteration: the time of an
iteration against the number of clusters, beside whole runs and the time of reading the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import check_stages, device_label, kernel_engine, provenance
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Report, Row, matches, newest
from plots.records.source import Source
from plots.records.stages import stages_of

STAGES = stages_of("kmeans")
ONE_PASS = tuple(name for name in STAGES.kernels if STAGES[name].path)
# The CPU engine does not run a library's kernels.
WITHOUT_LIBRARIES = tuple(name for name in ONE_PASS if not STAGES[name].libraries)
# A narrow range, in which the sums of a thread fit one word.
RUN = {"input": "uniform", "init": "random", "all-iterations": 1, "max-coordinate": 1_000_000}
FEW, MANY, HUNDRED = 1, 20, 100  # iterations; those of the last are computed
BYTES_PER_POINT = 8
SHOWN_K = 16  # whose whole runs are shown

# By stage, k and number of iterations: the medians of kernels and of whole runs, in ms.
Medians = dict[tuple[str, int, int], tuple[float, float]]


def medians_of(rows: Sequence[Row]) -> Medians:
    found: dict[tuple[str, int, int], list[Row]] = {}
    for row in rows:
        key = (row.stage, int(row.parameters["k"]), int(row.parameters["max-iterations"]))
        found.setdefault(key, []).append(row)
    return {
        key: (
            quartiles(one.kernels_ms for one in own)[1],
            quartiles(one.total_ms for one in own)[1],
        )
        for key, own in found.items()
    }


def iteration_ms(medians: Medians, stage: str, k: int) -> float:
    """The kernels of one more iteration. What a run does once, as finding the box of the points and
    writing the labels, is in runs of few and of many iterations."""
    few, many = (medians[stage, k, number][0] for number in (FEW, MANY))
    if many <= few:
        raise DataError(
            f"{STAGES.chapter}: {stage}, k = {k}: {MANY} iterations take {many:g} ms, {FEW} takes"
            f" {few:g} ms"
        )
    return (many - few) / (MANY - FEW)


def rows_at_largest_n(rows: Sequence[Row], stages: Sequence[str]) -> tuple[int, list[Row]]:
    """The rows of these runs at the largest n that every stage has."""
    common = set.intersection(*({row.n for row in rows if row.stage == stage} for stage in stages))
    if not common:
        raise DataError(f"{STAGES.chapter}: there is no n at which every stage was measured")
    n = max(common)
    return n, [row for row in rows if row.n == n]


def clusters_of(medians: Medians, stage: str) -> list[int]:
    """Every k that a stage was measured at with FEW and with MANY iterations."""
    ks = sorted({k for one, k, _ in medians if one == stage})
    found = [k for k in ks if all((stage, k, number) in medians for number in (FEW, MANY))]
    if not found:
        wanted = f"{stage} with the same k and {FEW} and {MANY} iterations"
        raise DataError(f"{STAGES.chapter}: no rows of {wanted}")
    return found


def all_clusters(medians: Medians, stages: Sequence[str]) -> list[int]:
    return sorted({k for stage in stages for k in clusters_of(medians, stage)})


def reading_ms(n: int, limits: Mapping[str, Limits], device: str) -> float:
    """The time of reading every point once; 0 for a device without limits."""
    rate = limits[device].bytes_per_second if device in limits else 0
    return 1000 * BYTES_PER_POINT * n / rate if rate > 0 else 0.0


def prepare_iterations(source: Source) -> Drawing:
    """The time of an iteration: every stage at one k, and against k those with several."""
    path = source.rows_path(STAGES.chapter)
    rows = [
        row for row in source.rows(STAGES.chapter) if row.stage in ONE_PASS and matches(row, RUN)
    ]
    engine = kernel_engine(rows)
    stages = ONE_PASS if engine == "gpu" else WITHOUT_LIBRARIES
    rows = newest([row for row in rows if row.engine == engine])
    check_stages(rows, stages, path, f"{engine}, within {RUN['max-coordinate']} of 0")
    n, rows = rows_at_largest_n(rows, stages)
    rows = [row for row in rows if int(row.parameters["max-iterations"]) in (FEW, MANY)]
    medians = medians_of(rows)
    ks = all_clusters(medians, stages)
    series = {
        stage: [(k, iteration_ms(medians, stage, k)) for k in clusters_of(medians, stage)]
        for stage in stages
    }
    # Some stages are measured at one k only.
    common = set.intersection(*({k for k, _ in points} for points in series.values()))
    if not common:
        raise DataError(f"{STAGES.chapter}: there is no k at which every stage was measured")
    shown_k = SHOWN_K if SHOWN_K in common else max(common)
    lines = {stage: points for stage, points in series.items() if len(points) > 1} or series
    device = device_label(rows, engine)
    limits = {} if engine == "emu" else source.limits()
    reading = reading_ms(n, limits, rows[0].device)
    reading_values = [reading] * (reading > 0)
    shown = [dict(points)[shown_k] for points in series.values()]
    bars_low, bars_high = log_range(shown + reading_values, 0.1)
    low, high = log_range([ms for own in lines.values() for _, ms in own] + reading_values, 0.1)
    listed = ", ".join(
        f"{stage} {three_digits(dict(points)[shown_k])} ms" for stage, points in series.items()
    )
    said = f" Reading the points once takes {three_digits(reading)} ms." if reading else ""
    return Drawing(
        tables={
            "iteration": [Block(stage, points) for stage, points in lines.items()],
            "stage": [Block("one more iteration", list(zip(series, shown)))],
        },
        variables={
            "k_low": ks[0] / 1.2,
            "k_high": ks[-1] * 1.2,
            "k_tics": "(" + ", ".join(f"'{k}' {k}" for k in ks) + ")",
            "ms_low": low,
            "ms_high": high,
            "reading": reading,
            "reading_text": "reading points once",
            "bars": len(stages),
            "bars_low": bars_low,
            "bars_high": bars_high,
            "bars_title": f"Kernels of one more iteration, k = {shown_k}, ms",
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=(
            f"Kernels of one more iteration, {short_count(n)} points, k = {shown_k}: {listed}.{said}"
        ),
        alt=(
            f"Bar chart of the time of an iteration on {device}, the times logarithmic, and a line"
            f" chart against the number of clusters; k = {shown_k}: {listed}.{said}"
        ),
    )


def iterations_table(
    rows: Sequence[Row], _reports: Sequence[Report], limits: Mapping[str, Limits]
) -> list[str]:
    """For the reference: one row per stage, one column per k."""
    own = [
        row for row in rows if row.engine == "gpu" and row.stage in ONE_PASS and matches(row, RUN)
    ]
    n, chosen = rows_at_largest_n(newest(own), ONE_PASS)
    medians = medians_of(chosen)
    ks = all_clusters(medians, ONE_PASS)
    device = chosen[0].device
    reading = reading_ms(n, limits, device)
    heads = ["stage", *(f"k = {k}" for k in ks), f"{HUNDRED} iterations, k = {SHOWN_K}"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for stage in ONE_PASS:
        cells = [f"[{stage}]({stage}/README.md)"]
        for k in ks:
            known = k in clusters_of(medians, stage)
            cells.append(f"{three_digits(iteration_ms(medians, stage, k))} ms" if known else "")
        few = medians.get((stage, SHOWN_K, FEW))
        hundred = few and few[0] + (HUNDRED - FEW) * iteration_ms(medians, stage, SHOWN_K)
        lines.append(
            f"| {' | '.join(cells)} | {f'{three_digits(hundred)} ms' if hundred else ''} |"
        )
    note = (
        f"{device}, {short_count(n)} points within 10⁶ of 0, medians: the kernels of one more"
        f" iteration, from runs of {FEW} and of {MANY}. The last column adds what a run does once:"
        f" all kernels of {HUNDRED} iterations."
    )
    if reading:
        note += f" Reading the points once takes {three_digits(reading)} ms."
    return [*lines, "", note]
