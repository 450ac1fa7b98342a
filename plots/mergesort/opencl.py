# SPDX-License-Identifier: MIT
"""The same kernels in CUDA and in OpenCL, each timed by its own profiling events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, short_ratio, short_time
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.words import device_label, kernel_engine, origin
from plots.mergesort.multisort import our_series
from plots.mergesort.published import FILE, SAID_BY, cells_of
from plots.mergesort.stages import MERGE_PATH, OPENCL, STAGE_RUNS, STAGES
from plots.records.rows import Report, Row
from plots.records.source import Source

PARTS = {"insertion_sort_ms": "Insertion sort, ms", "merge_ms": "Merges, ms"}


def part_times(
    all_rows: Sequence[Row],
    reports: Sequence[Report],
    path: str,
    stage: str,
    device: str,
    parameters: Mapping[str, str],
) -> dict[str, dict[int, float]]:
    """The profiled times of the kernels by n, for uniform keys. A report does not name its input.
    But runs and reports are in the same order: of two runs with different inputs, the first
    report is the first run's. `path`: the file of the reports, for error messages."""

    def is_wanted(one: Row | Report) -> bool:
        return (one.stage, one.device) == (stage, device) and all(
            one.parameters.get(key) == value for key, value in parameters.items()
        )

    rows = [row for row in all_rows if is_wanted(row)]
    inputs: dict[tuple[int, int], list[str]] = {}  # by n and seed, of each run
    for n, seed, _, name in dict.fromkeys(
        (row.n, row.seed, row.version, row.input) for row in rows
    ):
        inputs.setdefault((n, seed), []).append(name)
    values: dict[tuple[str, int, int], list[str]] = {}
    for one in reports:
        if one.field in PARTS and is_wanted(one):
            values.setdefault((one.field, one.n, one.seed), []).append(one.value)
    found: dict[str, dict[int, float]] = {name: {} for name in PARTS}
    for (field, n, seed), reported in values.items():
        runs = inputs.get((n, seed), [])
        if len(reported) != len(runs):
            raise DataError(
                f"{path}: {field} of {stage}, n = {n}: {len(reported)} reports of {len(runs)} runs"
            )
        for value in (value for value, name in zip(reported, runs) if name == "uniform"):
            try:
                found[field][n] = float(value)
            except ValueError:
                raise DataError(f"{path}: {field} of {stage} is '{value}', no number") from None
    if not all(found.values()):
        raise DataError(
            f"{path}: no {', '.join(PARTS)} of {stage} on {device} ({dict(parameters)})"
        )
    return found


def sums_of(parts: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    return {n: sum(times[n] for times in parts.values()) for n in parts["merge_ms"]}


def opencl_ratios(
    cuda: Mapping[int, float], opencl: Mapping[int, float], path: str
) -> list[tuple[int, float]]:
    """OpenCL's time over CUDA's by n, ascending."""
    sizes = sorted(set(cuda) & set(opencl))
    if not sizes:
        raise DataError(f"{path}: no n of both {MERGE_PATH} and {OPENCL}")
    return [(n, opencl[n] / cuda[n]) for n in sizes]


def prepare_opencl(source: Source) -> Drawing:
    """Three panels: the insertion sort, the merges, and the ratio of their sums."""
    parameters = STAGE_RUNS[MERGE_PATH]
    cuda = our_series(source, MERGE_PATH, "uniform", "n", parameters)
    opencl = our_series(source, OPENCL, "uniform", "n", parameters)
    engine = kernel_engine(cuda.rows)
    devices = {"CUDA": cuda.rows[0].device, "OpenCL": opencl.rows[0].device}
    if source.recorded and devices["CUDA"] != devices["OpenCL"]:
        raise DataError(
            f"{source.rows_path(STAGES.chapter)}: {OPENCL} ran on {devices['OpenCL']},"
            f" {MERGE_PATH} on {devices['CUDA']}: not the same GPU"
        )
    rows, reports, path = (
        source.rows(STAGES.chapter),
        source.reports(STAGES.chapter),
        str(source.reports_path(STAGES.chapter)),
    )
    own = {
        "CUDA": part_times(rows, reports, path, MERGE_PATH, devices["CUDA"], parameters),
        "OpenCL": part_times(rows, reports, path, OPENCL, devices["OpenCL"], parameters),
    }
    whole = {api: sums_of(parts) for api, parts in own.items()}
    ratios = opencl_ratios(whole["CUDA"], whole["OpenCL"], path)
    sizes = [n for n, _ in ratios]
    source.reading(FILE)
    printed = {
        figure: {one.n: one.value for one in cells_of(figure) if one.input == "uniform"}
        for figure in (10, 16)
    }
    printed_ratios = [(n, printed[16][n] / printed[10][n]) for n in printed[10]]
    recorded = source.recorded
    tables = {
        part: [Block(api, [(n, own[api][name][n]) for n in sizes]) for api in own]
        for part, name in (("insertion", "insertion_sort_ms"), ("merges", "merge_ms"))
    }
    tables |= {
        "ratio": [Block("here", ratios)],
        "printed": [Block(f"{SAID_BY} (RTX 3080)", printed_ratios)],
    }
    everything = [
        value for api in own for name in PARTS for n in sizes if (value := own[api][name][n]) > 0
    ]
    low, high = log_range(everything, 0.15)
    shown = [ratio for _, ratio in ratios] + (
        [ratio for _, ratio in printed_ratios] if recorded else []
    )
    ratio_low, ratio_high = log_range([*shown, 1.0], 0.15)
    n = sizes[-1]
    words = (
        f"At {short_count(n)} keys OpenCL takes {short_ratio(ratios[-1][1])} times as long as CUDA "
        f"({short_time(whole['OpenCL'][n] / 1000)} against {short_time(whole['CUDA'][n] / 1000)})"
    )
    return Drawing(
        tables=tables,
        variables={
            "time_low": low,
            "time_high": high,
            "ratio_low": ratio_low,
            "ratio_high": ratio_high,
            "n_low": min(sizes) / 1.6,
            "n_high": max([*sizes, *(printed[10] if recorded else [])]) * 1.6,
            "show_printed": int(recorded),
            "insertion_title": PARTS["insertion_sort_ms"],
            "merges_title": PARTS["merge_ms"],
        },
        subtitle=f"{origin(cuda.rows, engine, source.kind)}"
        + (f", OpenCL on {devices['OpenCL']}" if devices["CUDA"] != devices["OpenCL"] else "")
        + f". Random keys, size_i 2, {parameters['threads']} threads per block; by profiling "
        "events, last run.",
        emulated=engine == "emu",
        ours=(
            f"{words}. {SAID_BY} print {short_ratio(printed_ratios[-1][1])} times at"
            f" {short_count(printed_ratios[-1][0])} keys."
        ),
        alt=(
            "Three charts against keys: the times of the insertion sort and of the merges, CUDA"
            f" ({device_label(cuda.rows, engine)}) beside OpenCL ({devices['OpenCL']}), and the ratio of the sums."
            f" {words}."
        ),
    )


FIGURE = Figure(
    "multisort_opencl",
    "",
    STAGES.chapter,
    "MultiSort, CUDA against OpenCL",
    (
        "Its authors set out to compare the two, but could not. Their OpenCL is 278 times as slow"
        " as their CUDA at 2^25 random keys, and neither time can be trusted (3.7.4, 4)."
    ),
    prepare_opencl,
    in_readme=True,
    said_by=SAID_BY,
)
