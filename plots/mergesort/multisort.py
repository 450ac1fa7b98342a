# SPDX-License-Identifier: MIT
"""The tables of Herrero and Troiani 2024 as figures: their times beside ours, and the least time
that memory allows for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from common.tools.lib.numbers import short_count, short_ratio, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.axes import log_range
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.words import device_label, provenance
from plots.mergesort.published import (
    CARD,
    FILE,
    INPUTS,
    KEY,
    SAID_BY,
    cells_of,
    impossible_words,
    least_ms,
    moved_bytes,
    printed_copies_ms,
    varied_value,
)
from plots.mergesort.stages import MERGE_PATH, MULTISORT_CPU, OTHER_ENGINES, STAGES, THREAD_MERGE
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Row, newest
from plots.records.source import Source
from common.tools.lib.stages import label_of

AXES = {"n": "keys", "size-i": "keys per insertion sort (size_i)", "threads": "threads per block"}


@dataclass(frozen=True)
class Series:
    """Our runs along one table: the rows of the repeats at each x."""

    by_x: dict[int, list[Row]]

    def points(self, value: str = "kernels_ms") -> list[tuple[float, ...]]:
        return [
            (x, median, lower, upper)
            for x, rows in self.by_x.items()
            for lower, median, upper in [quartiles([getattr(row, value) for row in rows])]
        ]

    def medians(self, value: str = "kernels_ms") -> dict[int, float]:
        return {
            x: quartiles([getattr(row, value) for row in rows])[1] for x, rows in self.by_x.items()
        }

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.by_x.values() for row in rows]


def our_series(
    source: Source, stage: str, name: str, varied: str, wanted: Mapping[str, str]
) -> Series:
    """The rows of one stage and input along one parameter. Recorded rows have the report's other
    parameters (`wanted`: n, size-i, threads). Of this machine's rows, those measured at the most
    places count.
    """
    engines = (OTHER_ENGINES[stage],) if stage in OTHER_ENGINES else ("gpu", "emu")
    rows = [
        row
        for row in source.rows(STAGES.chapter)
        if row.stage == stage and row.input == name and row.engine in engines
    ]
    if any(row.engine == "gpu" for row in rows):
        rows = [row for row in rows if row.engine == "gpu"]
    groups: dict[tuple[tuple[str, str], ...], dict[int, list[Row]]] = {}
    for row in rows:
        have = row.parameters | {"n": str(row.n)}
        if varied not in have:
            continue
        others = tuple(
            (key, have[key]) for key in ("n", "size-i", "threads") if key != varied and key in have
        )
        if source.recorded and any(wanted.get(key, value) != value for key, value in others):
            continue
        groups.setdefault(others, {}).setdefault(int(have[varied]), []).append(row)
    if not groups:
        listed = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise DataError(
            f"{source.rows_path(STAGES.chapter)}: no rows of {stage}, input {name}, {varied} varied"
            f" ({listed})"
        )
    best = max(
        groups.values(),
        key=lambda group: (len(group), max(row.n for rows in group.values() for row in rows)),
    )
    return Series({x: newest(best[x]) for x in sorted(best)})


def along(source: Source, figure: int, varied: str, name: str) -> Series:
    """Our runs beside one column of the printed table."""
    cells = [one for one in cells_of(figure) if one.input == name]
    wanted = cells[0].parameters | {"n": str(cells[0].n)}
    wanted.pop(varied)
    return our_series(source, cells[0].stage, name, varied, wanted)


@dataclass(frozen=True)
class Panel:
    """The part of a figure that shows one input."""

    title: str
    ours: Sequence[tuple[float, ...]]  # x, median and perhaps quartiles
    printed: Sequence[tuple[float, float]]
    our_bound: Sequence[tuple[float, float]]
    printed_bound: Sequence[tuple[float, float]]
    more: Sequence[tuple[float, float]]


def drawing_engine(rows: Sequence[Row]) -> str:
    return next((one for one in ("gpu", "opencl") if any(row.engine == one for row in rows)), "emu")


def draw_panels(
    source: Source,
    rows: Sequence[Row],
    panels: Sequence[Panel],
    varied: str,
    value_title: str,
    ours: str,
    keys: Mapping[str, str],
    serial: bool = False,
) -> Drawing:
    """Three panels, one per input (multisort_panels.gp). `keys`: the titles of printed, our_bound,
    printed_bound and more."""
    recorded = source.recorded
    engine = "cpu" if serial else drawing_engine(rows)
    device = device_label(rows, engine)
    tables = {"ours": [Block(device, panel.ours) for panel in panels]}
    parts = {"our_bound": [panel.our_bound for panel in panels]}
    if recorded:
        source.reading(FILE)
        parts |= {
            "printed": [panel.printed for panel in panels],
            "printed_bound": [panel.printed_bound for panel in panels],
            "more": [panel.more for panel in panels],
        }
    shown = {
        name: int(name in parts and all(parts[name]))
        for name in ("printed", "our_bound", "printed_bound", "more")
    }
    tables |= {
        name.replace("_", ""): [Block(keys[name], one) for one in parts[name]]
        for name, there in shown.items()
        if there
    }
    values = [
        value
        for blocks in tables.values()
        for block in blocks
        for row in block.rows
        for value in row[1:]
    ]
    low, high = log_range(
        [float(value) for value in values if isinstance(value, (int, float))], 0.22
    )
    places = [row[0] for blocks in tables.values() for block in blocks for row in block.rows]
    listed = "; ".join(
        f"{panel.title} {three_digits(min(row[1] for row in panel.ours))} to "
        f"{three_digits(max(row[1] for row in panel.ours))}"
        for panel in panels
    )
    return Drawing(
        tables=tables,
        variables={
            **{f"show_{name.replace('_', '')}": there for name, there in shown.items()},
            "x_title": AXES[varied],
            "value_title": value_title,
            "power_tics": int(varied == "n"),
            "x_low": min(places) / 1.6,
            "x_high": max(places) * 1.6,
            "y_low": low,
            "y_high": high,
            **{f"title_{i}": panel.title for i, panel in enumerate(panels)},
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{ours} {value_title}: {listed}.",
        alt=(
            f"Three charts, for sorted, random and reversed keys: {value_title} against"
            f" {AXES[varied]}, both axes logarithmic, on {device}"
        )
        + (f" and by {SAID_BY} ({KEY})" if recorded else "")
        + f". {listed}.",
    )


def our_limits(source: Source, rows: Sequence[Row]) -> Limits | None:
    """None where nothing is known: on the CPU engine, and on an OpenCL device that is a CPU."""
    return source.limits().get(rows[0].device)


def bound(
    limits: Limits | None, shape: Sequence[tuple[int, int, int]]
) -> list[tuple[float, float]]:
    """The least ms at each (x, n, size_i) that has one."""
    if limits is None:
        return []
    return [(x, ms) for x, n, size in shape if (ms := least_ms(limits, n, size)) > 0]


def prepare_times(source: Source, figure: int, varied: str) -> Drawing:
    """Tables 2 to 6, 8 to 10 and 14 to 16: time along size_i, the threads of a block, or n."""
    panels, rows = [], []
    serial = cells_of(figure)[0].stage == MULTISORT_CPU
    for name, title in INPUTS.items():
        cells = [one for one in cells_of(figure) if one.input == name]
        ours = along(source, figure, varied, name)
        rows += ours.rows
        shape = (
            []
            if serial
            else [
                (x, some[0].n, int(some[0].parameters["size-i"])) for x, some in ours.by_x.items()
            ]
        )
        printed_shape = (
            []
            if serial
            else [
                (varied_value(one, varied), one.n, int(one.parameters["size-i"])) for one in cells
            ]
        )
        panels.append(
            Panel(
                title,
                ours.points(),
                [(varied_value(one, varied), one.value) for one in cells],
                bound(our_limits(source, ours.rows), shape),
                bound(CARD, printed_shape),
                [],
            )
        )
    device = rows[0].device
    fixed = f"{short_count(rows[0].n)} keys. " if varied != "n" else ""
    what = "one core, ms" if serial else "kernels, ms"
    return draw_panels(
        source,
        rows,
        panels,
        varied,
        what,
        fixed + ("" if serial else impossible_words(figure)),
        {
            "printed": "its CPU, 2024" if serial else KEY,
            "our_bound": f"least, {device}",
            "printed_bound": "least, RTX 3080",
            "more": "",
        },
        serial,
    )


def prepare_speed_up(source: Source) -> Drawing:
    """Table 11: one thread per merge over the merge path."""
    panels, rows = [], []
    for name, title in INPUTS.items():
        slow, fast = along(source, 6, "n", name), along(source, 10, "n", name)
        before, after = slow.medians(), fast.medians()
        ours = [(n, before[n] / after[n]) for n in before if n in after]
        if not ours:
            raise DataError(
                f"{source.rows_path(STAGES.chapter)}: no n of both {THREAD_MERGE} and {MERGE_PATH},"
                f" input {name}"
            )
        rows += [*slow.rows, *fast.rows]
        panels.append(
            Panel(
                title,
                ours,
                [(one.n, one.value) for one in cells_of(11) if one.input == name],
                [],
                [],
                [],
            )
        )
    return draw_panels(
        source,
        rows,
        panels,
        "n",
        f"speed-up of {label_of(MERGE_PATH)} over {label_of(THREAD_MERGE)}, kernels",
        "",
        {"printed": KEY, "our_bound": "", "printed_bound": "", "more": ""},
    )


def prepare_bandwidth(source: Source) -> Drawing:
    """Table 12: bytes per second. The report counts one read and one write of the keys, as if one
    pass sorted them."""
    panels, rows = [], []
    for name, title in INPUTS.items():
        series = along(source, 10, "n", name)
        rows += series.rows
        medians = series.medians()
        size = {n: int(some[0].parameters["size-i"]) for n, some in series.by_x.items()}
        cells = [one for one in cells_of(12) if one.input == name]
        limits = our_limits(source, series.rows)
        reach = (
            [(n, moved_bytes(n, size[n]) / least_ms(limits, n, size[n]) / 1e6) for n in medians]
            if limits
            else []
        )
        panels.append(
            Panel(
                title,
                [(n, moved_bytes(n, size[n]) / ms / 1e6) for n, ms in medians.items()],
                [(one.n, one.value) for one in cells],
                reach,
                [
                    (one.n, moved_bytes(one.n, 2) / ms / 1e6)
                    for one in cells
                    if (ms := least_ms(CARD, one.n, 2)) > 0
                ],
                [(one.n, one.value * moved_bytes(one.n, 2) / (8 * one.n)) for one in cells],
            )
        )
    most = max(rate for panel in panels for _, rate in panel.more) * 1e9 / CARD.bytes_per_second
    return draw_panels(
        source,
        rows,
        panels,
        "n",
        "bandwidth, GB/s",
        (
            f"With every pass counted, the report's times need up to {short_ratio(most)} times its"
            " card's bandwidth."
        ),
        {
            "printed": f"{KEY}, as printed",
            "our_bound": f"most, {rows[0].device}",
            "printed_bound": "most, RTX 3080",
            "more": f"{KEY}, all passes",
        },
    )


def prepare_cpu_speed_up(source: Source) -> Drawing:
    """Table 13: the serial MultiSort over the merge path with its copies."""
    panels, rows, host = [], [], ""
    for name, title in INPUTS.items():
        slow, fast = along(source, 3, "n", name), along(source, 10, "n", name)
        before, after = slow.medians(), fast.medians("total_ms")
        ours = [(n, before[n] / after[n]) for n in before if n in after]
        if not ours:
            raise DataError(
                f"{source.rows_path(STAGES.chapter)}: no n of both {MULTISORT_CPU} and"
                f" {MERGE_PATH}, input {name}"
            )
        rows += fast.rows
        host = slow.rows[0].device
        cells = [one for one in cells_of(13) if one.input == name]
        serial = {one.n: one.value for one in cells_of(3) if one.input == name}
        kernels = {one.n: one.value for one in cells_of(10) if one.input == name}
        mended = [(n, serial[n] / (kernels[n] + 1000 * printed_copies_ms(n, name))) for n in serial]
        panels.append(Panel(title, ours, [(one.n, one.value) for one in cells], [], [], mended))
    drawing = draw_panels(
        source,
        rows,
        panels,
        "n",
        f"speed-up of {label_of(MERGE_PATH)} over {label_of(MULTISORT_CPU)}, with copies",
        "",
        {
            "printed": f"{KEY}, as printed",
            "our_bound": "",
            "printed_bound": "",
            "more": "its copies 1000 times as long",
        },
    )
    drawing.subtitle = provenance(rows, drawing_engine(rows), source.kind, host)
    return drawing


TITLES = {
    2: (
        "size-i",
        "serial time against size_i",
        "Sorted keys are fastest with long insertion sorts, reversed keys with short ones (3.2.1).",
    ),
    3: ("n", "serial time against n", "18.3 s for 2^27 random keys (3.2.2)."),
    4: (
        "size-i",
        "one thread per merge, against size_i",
        "The merges take nearly all of the time (3.3.1).",
    ),
    5: (
        "threads",
        "one thread per merge, against the block's size",
        "One thread per block is best (3.3.2).",
    ),
    6: (
        "n",
        "one thread per merge, against n",
        "5.26 s for 2^25 random keys, where its CPU takes 4.16 s (3.3.3).",
    ),
    8: (
        "size-i",
        "merge path, against size_i",
        "1.54 to 1.67 ms at size_i 2 (3.4.1). No RTX 3080 can be so fast.",
    ),
    9: (
        "threads",
        "merge path, against the block's size",
        "32 threads per block are best (3.4.2).",
    ),
    10: ("n", "merge path, against n", "1.48 ms for 2^25 random keys (3.4.3)."),
    14: (
        "size-i",
        "OpenCL, against size_i",
        "411.7 ms at size_i 2, random keys (3.7.1). Its authors do not trust this time.",
    ),
    15: ("threads", "OpenCL, against the block's size", "512 threads per block are best (3.7.2)."),
    16: ("n", "OpenCL, against n", "1804 ms for 2^27 random keys (3.7.3)."),
}
README_TABLES = (6, 8, 10)


def table_figure(
    number: int, title: str, said: str, prepare: Callable[[Source], Drawing]
) -> Figure:
    return Figure(
        f"multisort_{number:02}",
        f"{SAID_BY}, table {number}",
        STAGES.chapter,
        f"MultiSort, {title}",
        said,
        prepare,
        in_readme=number in README_TABLES,
        script="multisort_panels",
        said_by=SAID_BY,
    )


def times_figure(number: int) -> Figure:
    varied, title, said = TITLES[number]
    return table_figure(number, title, said, partial(prepare_times, figure=number, varied=varied))


FIGURES = (
    *(times_figure(number) for number in TITLES if number <= 10),
    table_figure(
        11,
        "merge path over one thread per merge",
        "3558.9 at 2^25 random keys (3.5).",
        prepare_speed_up,
    ),
    table_figure(
        12,
        "bandwidth of the merge path",
        "27.5 % of 760 GB/s at best, counting one pass of 27 (3.6.1).",
        prepare_bandwidth,
    ),
    table_figure(
        13,
        "merge path over the CPU",
        "2759 at 2^25 random keys, copies included (3.6.2).",
        prepare_cpu_speed_up,
    ),
    *(times_figure(number) for number in TITLES if number > 10),
)
