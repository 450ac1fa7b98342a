# SPDX-License-Identifier: MIT
"""The tables that only the merge sort's pages have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import power_of_two, short_ms, short_ratio, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.figure import TableMaker
from plots.mergesort.opencl import opencl_ratios, part_times, sums_of
from plots.mergesort.published import (
    CARD,
    KEY,
    SAID_BY,
    cells_of,
    least_ms,
    merge_levels,
    moved_bytes,
    varied_value,
)
from plots.mergesort.stages import (
    MERGE_PATH,
    MULTISORT_CPU,
    OPENCL,
    OTHER_ENGINES,
    STAGE_RUNS,
    STAGES,
)
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Report, Row, newest

REPORTS = f"{STAGES.chapter}_report.csv"


def bounds_table(
    rows: Sequence[Row], _reports: Sequence[Report], limits: Mapping[str, Limits]
) -> list[str]:
    """The printed times of the merge path beside the least that memory allows, and ours."""
    own = newest(
        [
            row
            for row in rows
            if row.engine == "gpu"
            and row.stage == MERGE_PATH
            and row.input == "uniform"
            and all(
                row.parameters.get(key) == value for key, value in STAGE_RUNS[MERGE_PATH].items()
            )
        ]
    )
    if not own:
        raise DataError(f"no rows of {MERGE_PATH} with size-i 2 and 32 threads")
    device = own[0].device
    lines = [
        (
            f"| keys | levels of merges | GB moved | RTX 3080, at least | {SAID_BY} | {device}, at"
            " least | here |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    for cell in cells_of(10):
        times = [row.kernels_ms for row in own if row.n == cell.n]
        if cell.input != "uniform" or cell.n < 2**20 or not times:
            continue
        least = least_ms(CARD, cell.n, 2)
        verdict = " (impossible)" if cell.value < least else ""
        ours = short_ms(least_ms(limits[device], cell.n, 2)) if device in limits else "not known"
        lines.append(
            f"| {power_of_two(cell.n)} | {merge_levels(cell.n, 2)} |"
            f" {three_digits(moved_bytes(cell.n, 2) / 1e9)} | {short_ms(least)} |"
            f" {short_ms(cell.value)}{verdict} | {ours} | {short_ms(quartiles(times)[1])} |"
        )
    return [
        *lines,
        "",
        (
            "Random keys, size_i 2, 32 threads per block, kernels alone. At least: the insertion"
            " sort and every level of merges read and write the keys once, at the memory's"
            f" bandwidth ({three_digits(CARD.bytes_per_second / 1e9)} GB/s; here as measured), less"
            " the bytes that the L2 cache may serve."
        ),
    ]


# The printed times of random keys that the reference shows beside ours: a table, what it varies, and
# the values.
SHOWN_CELLS = (
    (4, "size-i", (2, 4, 16, 128)),
    (5, "threads", (1, 32, 1024)),
    (8, "size-i", (2, 4, 8, 16)),
    (9, "threads", (1, 32, 128, 1024)),
)


def kernel_ms(rows: Sequence[Row], stage: str, n: int, parameters: Mapping[str, str]) -> float:
    """The median of the kernel times for random keys."""
    found = newest(
        [
            row
            for row in rows
            if (row.stage, row.input, row.n) == (stage, "uniform", n)
            and row.engine == OTHER_ENGINES.get(stage, "gpu")
            and all(row.parameters.get(key) == value for key, value in parameters.items())
        ]
    )
    if not found:
        raise DataError(
            f"no rows of {stage} at n ="
            f" {n} ({', '.join(f'{key} {value}' for key, value in parameters.items())})"
        )
    return quartiles([row.kernels_ms for row in found])[1]


def time_list(milliseconds: Sequence[float]) -> str:
    unit, factor = ("s", 1e-3) if min(milliseconds) >= 1000 else ("ms", 1.0)
    return f"{', '.join(three_digits(one * factor) for one in milliseconds)} {unit}"


def found_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """What the report finds about size_i and threads, beside ours."""
    device = next(
        (row.device for row in rows if row.stage == MERGE_PATH and row.engine == "gpu"), ""
    )
    lines = [f"| kernels | {SAID_BY} ({KEY}) | {device} |", "|---|---|---|"]
    uniform = {
        figure: [one for one in cells_of(figure) if one.input == "uniform"]
        for figure in (2, 3, 4, 5, 6, 8, 9, 10)
    }
    n = uniform[2][0].n
    serial = [
        {int(one.parameters["size-i"]): one.value for one in uniform[2]},
        {
            int(one.parameters["size-i"]): kernel_ms(rows, one.stage, one.n, one.parameters)
            for one in uniform[2]
        },
    ]
    best = [min(times, key=times.__getitem__) for times in serial]
    lines.append(
        f"| {MULTISORT_CPU}, best `size_i` | "
        + " | ".join(f"{size}: {time_list([times[size]])}" for size, times in zip(best, serial))
        + " |"
    )
    for figure, varied, values in SHOWN_CELLS:
        cells = [
            next(one for one in uniform[figure] if varied_value(one, varied) == value)
            for value in values
        ]
        listed = ", ".join(map(str, values))
        what = (
            f"`size_i` {listed}, {cells[0].parameters['threads']} threads"
            if varied == "size-i"
            else f"`size_i` {cells[0].parameters['size-i']}, threads {listed}"
        )
        lines.append(
            f"| {cells[0].stage}, {what} | {time_list([one.value for one in cells])} | "
            f"{time_list([kernel_ms(rows, one.stage, one.n, one.parameters) for one in cells])} |"
        )
    last = {figure: max(uniform[figure], key=lambda one: one.n) for figure in (3, 6, 10)}
    for slow, fast in ((3, 6), (6, 10)):
        before, after = last[slow], last[fast]
        ours = [kernel_ms(rows, one.stage, one.n, STAGE_RUNS[one.stage]) for one in (before, after)]
        lines.append(
            f"| {after.stage} over {before.stage}, {power_of_two(after.n)} keys |"
            f" ×{short_ratio(before.value / after.value)} | ×{short_ratio(ours[0] / ours[1])} |"
        )
    return [
        *lines,
        "",
        f"{power_of_two(n)} random keys unless a row says otherwise; kernels alone, medians.",
    ]


def opencl_table(
    rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """OpenCL's time over CUDA's, by n."""
    parameters = STAGE_RUNS[MERGE_PATH]
    device = next(
        (row.device for row in rows if row.stage == MERGE_PATH and row.engine == "gpu"), ""
    )
    cuda, opencl = (
        sums_of(part_times(rows, reports, REPORTS, stage, device, parameters))
        for stage in (MERGE_PATH, OPENCL)
    )
    ratios = opencl_ratios(cuda, opencl, REPORTS)
    return [
        f"| keys | {' | '.join(power_of_two(n) for n, _ in ratios)} |",
        "|---" * (1 + len(ratios)) + "|",
        f"| ratio | {' | '.join(short_ratio(ratio) for _, ratio in ratios)} |",
        "",
        (
            "The sums of the insertion sort's and the merges' times; random keys, size_i 2,"
            f" {parameters['threads']} threads per block."
        ),
    ]


TABLES: dict[str, TableMaker] = {
    "bounds": bounds_table,
    "found": found_table,
    "opencl": opencl_table,
}
