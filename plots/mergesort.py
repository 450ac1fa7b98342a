# SPDX-License-Identifier: MIT
"""Figures of the merge sort chapter: 4.5 and 4.9 from what the kernels did, 4.10 and 4.11 from measurements,
and the tables of seed 003 (multisort) drawn beside ours, with the least time that memory allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import traces
from drawing import (
    PLOTS,
    Block,
    Drawing,
    Figure,
    Source,
    TableMaker,
    check_stages,
    device_label,
    kernel_engine,
    log_range,
    origin,
    provenance,
    short_count,
    short_ratio,
    short_time,
    three_digits,
)
from limits import Limits, reachable_seconds
from measurements import DataError, Report, Row, TableCell, newest, quartiles, read_tables
from panels import Gain, Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published

CHAPTER = "mergesort"
STAGES = ("01_selection_and_search", "02_shared_list", "03_padded_list", "04_streams", "05_merge_path",
          "06_overlap_copy")
FIRST, SHARED, NOT_OVERLAPPED, BEST = STAGES[0], STAGES[1], STAGES[4], STAGES[5]
MULTISORT_CPU, THREAD_MERGE, MERGE_PATH, OPENCL = MULTISORT_STAGES = (
    "07_multisort_cpu", "08_multisort_thread_merge", "09_multisort_merge_path", "10_multisort_opencl")

# What plots/tables.py needs to know of a chapter. The multisort's stages are compared by their kernels, as
# seed 003 does, each with the parameters that its authors found to be the best.
COMPARED_RUN = {"input": "uniform"}
STAGE_RUNS = {MULTISORT_CPU: {"size-i": "64"}, THREAD_MERGE: {"size-i": "4", "threads": "1"},
              MERGE_PATH: {"size-i": "2", "threads": "32"}, OPENCL: {"size-i": "2", "threads": "32"}}
KERNEL_TIMED = MULTISORT_STAGES
SERIES = (STAGES, MULTISORT_STAGES)
# The least different bytes that a key takes in a run: the list and what it is merged into.
BYTES_AN_ELEMENT = 8

RUNS = Runs(CHAPTER, thesis_n="320 M keys")
SEED_INPUTS = {"sorted": "sorted", "uniform": "random (seed 21364)", "reverse": "reversed"}
SEED_KEY = "RTX 3080, 2024"
SEED_FILE = PLOTS / "published" / "multisort.csv"
# GeForce RTX 3080: 760 GB/s (the seed's 3.6.1), 5 MB of L2 (NVIDIA, Ampere GA102 white paper). How fast its L2
# is nobody says: hits are free, so that the least time is one for certain.
SEED_CARD = Limits(SEED_KEY, 760e9, l2_bytes=5 * 2**20)


# ---- the thesis' figures from measurements ------------------------------------------------------------------


def prepare_stages(source: Source) -> Drawing:
    """Figure 4.10."""
    shared = published(source, "4.10", "speedup_over_previous", SHARED)
    whole = published(source, "4.10", "speedup_over_first", BEST)
    gains = [*gains_of(STAGES, {SHARED: shared}), Gain("06 over 01", FIRST, BEST, whole)]
    return prepare_against_n(source, RUNS, STAGES, gains, BEST, "sorts", smallest_recorded=10_000_000)


def prepare_best(source: Source) -> Drawing:
    """Figure 4.11."""
    return prepare_cpu_gpu(source, RUNS, STAGES, (FIRST, BEST), "4.11")


# ---- figure 4.9: copies and sorts, chunk by chunk ------------------------------------------------------------


@dataclass(frozen=True)
class Chunk:
    """One chunk of the list, in milliseconds after the first one's copy began."""

    copy_begin: float
    copy_end: float
    sort_end: float


def read_chunks(source: Source) -> tuple[list[Chunk], int, str]:
    """Of stage 06's run of the most keys that 05 has sorted too: its chunks, n and engine."""
    path = source.reports_path(CHAPTER)
    reports = [one for one in source.reports(CHAPTER) if one.stage == BEST and one.field.startswith("chunk_")]
    if not reports:
        raise DataError(f"{path}: no chunks of {BEST}")
    engine = "gpu" if any(one.engine == "gpu" for one in reports) else "emu"
    sizes = {row.n for row in source.rows(CHAPTER) if (row.stage, row.engine) == (NOT_OVERLAPPED, engine)}
    sizes &= {one.n for one in reports if one.engine == engine}
    if not sizes:
        raise DataError(f"{path}: no chunks of {BEST} at an n of {NOT_OVERLAPPED} ({engine})")
    n = max(sizes)
    found: dict[int, Chunk] = {}
    for one in reports:  # a run recorded anew stands further down and counts
        if (one.engine, one.n) == (engine, n):
            try:
                number = int(one.field.removeprefix("chunk_").removesuffix("_ms"))
                found[number] = Chunk(*(float(word) for word in one.value.split(" ")))
            except (ValueError, TypeError):
                raise DataError(f"{path}: {one.field} is '{one.value}', not three times") from None
    chunks = [found[number] for number in sorted(found)]
    if sorted(found) != list(range(len(found))) or any(
            not 0 <= one.copy_begin <= one.copy_end <= one.sort_end < math.inf for one in chunks):
        raise DataError(f"{path}: the chunks of n = {n} are in no possible order")
    return chunks, n, engine


def sort_begin(chunks: Sequence[Chunk], number: int) -> float:
    """No event says it: not before the chunk has come, nor before the sort before it has left the GPU."""
    return max(chunks[number].copy_end, chunks[number - 1].sort_end if number else 0.0)


def by_order(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The same with the order of the events instead of their times."""
    times = sorted({time for one in chunks for time in (one.copy_begin, one.copy_end, one.sort_end)})
    return [Chunk(*(float(times.index(time)) for time in (one.copy_begin, one.copy_end, one.sort_end)))
            for one in chunks]


def prepare_overlap(source: Source) -> Drawing:
    """Figure 4.9. On the CPU engine a queue's order is all that there is to see."""
    chunks, n, engine = read_chunks(source)
    emulated = engine == "emu"
    rows = newest([row for row in source.rows(CHAPTER) if row.engine == engine and row.n == n
                   and row.stage in (NOT_OVERLAPPED, BEST) and row.input == "uniform"])
    check_stages(rows, (NOT_OVERLAPPED, BEST), source.rows_path(CHAPTER), f"{engine}, n = {n}")
    before = [row for row in rows if row.stage == NOT_OVERLAPPED]
    copy_ms, kernels_ms = (quartiles(values)[1] for values in (
        [row.copy_in_ms for row in before], [row.kernels_ms for row in before]))
    shown = by_order(chunks) if emulated else chunks
    right = shown[-1].sort_end
    # The stage before, on the topmost line: one copy, then the kernels, of which the sort is a part.
    whole = (right / 2, right) if emulated else (copy_ms, copy_ms + kernels_ms)
    right = max(right, whole[0]) * 1.02
    lanes = [NOT_OVERLAPPED, *(f"chunk {number}" for number in range(len(shown)))]
    copies = [(0.0, whole[0], 0)] + [(one.copy_begin, one.copy_end, i + 1) for i, one in enumerate(shown)]
    sorts = [(whole[0], min(whole[1], right), 0)] + [
        (sort_begin(shown, i), one.sort_end, i + 1) for i, one in enumerate(shown)]
    busy = [(sort_begin(chunks, i), one.sort_end) for i, one in enumerate(chunks)]
    hidden = sum(max(0.0, min(end, one.copy_end) - max(begin, one.copy_begin))
                 for one in chunks for begin, end in busy)
    copied = sum(one.copy_end - one.copy_begin for one in chunks)
    share = 100 * hidden / copied if copied > 0 else 0.0
    device = device_label(rows, engine)
    what = (f"The order in which the CPU engine's queues did the copies and sorts of {short_count(n)} keys" if emulated
            else f"{short_count(n)} keys in {len(chunks)} chunks: {share:.0f} % of the copies' {short_time(copied / 1000)} "
                 "lie beside a sort")
    return Drawing(
        tables={"copy": [Block("copy to the GPU", copies)], "sort": [Block("selection sort", sorts)],
                "lanes": [Block("lanes", [(i, lane) for i, lane in enumerate(lanes)])]},
        variables={"right": right, "lanes": len(lanes), "whole_end": min(whole[1], right),
                   "time_title": "events, in their order" if emulated else "ms after the first copy began",
                   "whole_key": "05: kernels, the merges too", "emulated": int(emulated)},
        subtitle=f"{origin(rows, engine, source.kind)}. {short_count(n)} keys, one run; a sort begins where its keys have "
                 "come and the sort before it has left.",
        emulated=emulated,
        ours=what + "." + ("" if emulated else f" {NOT_OVERLAPPED} copies for {short_time(copy_ms / 1000)} first."),
        alt=f"Gantt chart on {device}: a line for {NOT_OVERLAPPED}, whose kernels begin when the whole list has been "
            f"copied, and one for each of the {len(chunks)} chunks of {BEST}, its copy and behind it its sort. {what}.")


# ---- figure 4.5: the merge matrix and its path ----------------------------------------------------------------


@dataclass(frozen=True)
class Diagonal:
    """What one thread did: the probes of its search, (i, j) and whether left[i] > right[j]; where the path
    crosses its diagonal; and the key that it stored."""

    number: int
    probes: list[tuple[int, int, bool]]
    crossing: tuple[int, int]
    stored: int


@dataclass(frozen=True)
class MergePath:
    left: list[int]  # the keys that were read, from the first
    right: list[int]
    diagonals: list[Diagonal]

    @property
    def rows(self) -> int:
        return max(one.crossing[0] for one in self.diagonals) + 1

    @property
    def columns(self) -> int:
        return max(one.crossing[1] for one in self.diagonals) + 1


def signed(text: str) -> int:
    """A key as the kernel had it: the trace writes 32 bits without a sign."""
    value = int(text)
    return value - 2**32 if value >= 2**31 else value


def read_merge_path(source: Source) -> MergePath:
    """The first diagonals of stage 05's merge of two runs of 512. A search looks at right[j] and left[i] with
    i + j = diagonal - 1; what is read where i + j = diagonal is the crossing."""
    run = 512
    path = source.trace_path("mergepath")
    records = source.trace("mergepath", traces.MERGEPATH_COLUMNS)
    sides: tuple[dict[int, int], dict[int, int]] = ({}, {})
    diagonals = []
    for number in sorted({int(one["thread"]) for one in records}):
        own = [one for one in records if int(one["thread"]) == number]
        loads = [(int(one["place"]), signed(one["value"])) for one in own if one["operation"] == "load"]
        stores = [(int(one["place"]), signed(one["value"])) for one in own if one["operation"] == "store"]
        for place, key in loads:
            sides[place >= run][place % run] = key
        probes, crossing = [], None
        for (right_place, right_key), (left_place, left_key) in zip(loads, loads[1:]):
            i, j = left_place, right_place - run
            if crossing is None and j >= 0 and i < run and i + j == number - 1:
                probes.append((i, j, right_key < left_key))
            elif crossing is None and j >= 0 and i < run and i + j == number:
                crossing = (i, j)
        if crossing is None or len(stores) != 1 or stores[0][0] != number:
            raise DataError(f"{path}: thread {number} finds no crossing or stores elsewhere")
        diagonals.append(Diagonal(number, probes, crossing, stores[0][1]))
    known = [[side[place] for place in range(len(side)) if place in side] for side in sides]
    found = MergePath(known[0], known[1], diagonals)
    if not diagonals or len(found.left) < found.rows or len(found.right) < found.columns:
        raise DataError(f"{path}: keys beside the path were not read")
    return found


def prepare_merge_path(source: Source) -> Drawing:
    """Figure 4.5: a column a key of the right run, a row a key of the left one."""
    path = read_merge_path(source)
    rows, columns = path.rows, path.columns
    ranks = {key: rank for rank, key in enumerate(sorted({*path.left[:rows], *path.right[:columns]}))}
    ones = [(j + 0.5, i + 0.5, str(int(path.left[i] > path.right[j]))) for i in range(rows) for j in range(columns)]
    steps = [(j, i) for i, j in (one.crossing for one in path.diagonals)]
    probes = [(j + 0.5, i + 0.5) for one in path.diagonals for i, j, _ in one.probes]
    lines = []
    for one in path.diagonals:
        # From the upper right to the lower left, cut where the drawing ends.
        begin, end = max(0, one.number - rows), min(one.number, columns)
        if begin < end:
            lines.append(Block(str(one.number), [(end, one.number - end), (begin, one.number - begin)]))
    searched = sum(len(one.probes) for one in path.diagonals)
    count = len(path.diagonals)
    most = max(len(one.probes) for one in path.diagonals)
    return Drawing(
        tables={"entries": [Block("entries", ones)], "path": [Block("merge path", steps)],
                "probes": [Block("compared by a search", probes)], "diagonals": lines,
                "left": [Block("left", [(-0.35, i + 0.5, str(ranks[path.left[i]])) for i in range(rows)])],
                "right": [Block("right", [(j + 0.5, -0.4, str(ranks[path.right[j]])) for j in range(columns)])]},
        variables={"rows": rows, "columns": columns},
        emulated=False,
        subtitle=f"{CHAPTER}/{NOT_OVERLAPPED} merges two runs of 512 keys on the CPU engine: its first {count} threads, "
                 "traced; keys are numbered by size.",
        ours=f"{count} diagonals, {searched} comparisons of the searches, at most {most} for one. Each thread stores the "
             "key that the path takes from its crossing: right where the entry is 1, down where it is 0.",
        alt=f"Two grids of {rows} rows and {columns} columns, a key of the left run a row, one of the right run a "
            "column. In the first each entry is 1 where the left key is greater, else 0, and the merge path runs "
            f"between them; in the second the path with {count} diagonals, the comparisons that each thread's search "
            "made on its own, and the points where the path crosses them.")


# ---- the tables of seed 003 -----------------------------------------------------------------------------------


def merge_levels(n: int, size_i: int) -> int:
    return math.ceil(math.log2(math.ceil(n / size_i)))


def moved_bytes(n: int, size_i: int) -> float:
    """As chapters/mergesort/problem/multisort.cpp declares them: the insertion sorts read each key and write all but
    each run's first, a level of merges reads and writes every key."""
    def insertions(keys: int) -> int:
        return 2 * keys - 1 if keys > 1 else 0
    return 4.0 * (n // size_i * insertions(size_i) + insertions(n % size_i) + 2 * n * merge_levels(n, size_i))


def least_ms(limits: Limits, n: int, size_i: int) -> float:
    """For moving the keys alone, 0 where all stays in a cache of unknown rate."""
    return 1000 * reachable_seconds(limits, moved_bytes(n, size_i), 8.0 * n)


@cache
def seed_cells() -> tuple[TableCell, ...]:
    return tuple(read_tables(SEED_FILE))


def cells_of(figure: int) -> list[TableCell]:
    found = [one for one in seed_cells() if one.figure == str(figure)]
    if not found:
        raise DataError(f"{SEED_FILE}: no table {figure}")
    return found


def varied_value(cell: TableCell, varied: str) -> int:
    return cell.n if varied == "n" else int(cell.parameters[varied])


@dataclass(frozen=True)
class Series:
    """Our runs along one table: x, and of each the repeats' rows."""

    by_x: dict[int, list[Row]]

    def points(self, value: str = "kernels_ms") -> list[tuple[float, ...]]:
        return [(x, median, lower, upper) for x, rows in self.by_x.items()
                for lower, median, upper in [quartiles([getattr(row, value) for row in rows])]]

    def medians(self, value: str = "kernels_ms") -> dict[int, float]:
        return {x: quartiles([getattr(row, value) for row in rows])[1] for x, rows in self.by_x.items()}

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.by_x.values() for row in rows]


def our_series(source: Source, stage: str, name: str, varied: str, wanted: Mapping[str, str]) -> Series:
    """The rows of one stage and input, along one parameter. Recorded ones have the seed's other parameters
    (`wanted`: n, size-i, threads); of this machine's, those that were measured at the most places."""
    engines = {MULTISORT_CPU: ("cpu",), OPENCL: ("opencl",)}.get(stage, ("gpu", "emu"))
    rows = [row for row in source.rows(CHAPTER) if row.stage == stage and row.input == name and row.engine in engines]
    if any(row.engine == "gpu" for row in rows):
        rows = [row for row in rows if row.engine == "gpu"]
    groups: dict[tuple[tuple[str, str], ...], dict[int, list[Row]]] = {}
    for row in rows:
        have = row.parameters | {"n": str(row.n)}
        if varied not in have:
            continue
        others = tuple((key, have[key]) for key in ("n", "size-i", "threads") if key != varied and key in have)
        if source.kind == "recorded" and any(wanted.get(key, value) != value for key, value in others):
            continue
        groups.setdefault(others, {}).setdefault(int(have[varied]), []).append(row)
    if not groups:
        listed = ", ".join(f"{key} {value}" for key, value in wanted.items())
        raise DataError(f"{source.rows_path(CHAPTER)}: no rows of {stage}, input {name}, {varied} varied ({listed})")
    best = max(groups.values(), key=lambda group: (len(group), max(row.n for rows in group.values() for row in rows)))
    return Series({x: newest(best[x]) for x in sorted(best)})


def along(source: Source, figure: int, varied: str, name: str) -> Series:
    """Our runs beside one column of the seed's table."""
    cells = [one for one in cells_of(figure) if one.input == name]
    wanted = cells[0].parameters | {"n": str(cells[0].n)}
    wanted.pop(varied)
    return our_series(source, cells[0].stage, name, varied, wanted)


@dataclass(frozen=True)
class Panel:
    """One input's part of a figure."""

    title: str
    ours: list[tuple[float, ...]]  # x, median and perhaps quartiles
    seed: list[tuple[float, float]]
    our_bound: list[tuple[float, float]]
    seed_bound: list[tuple[float, float]]
    more: list[tuple[float, float]]


AXES = {"n": "keys", "size-i": "keys an insertion sort takes (size_i)", "threads": "threads a block"}


def drawing_engine(rows: Sequence[Row]) -> str:
    return next((one for one in ("gpu", "opencl") if any(row.engine == one for row in rows)), "emu")


def draw_panels(source: Source, rows: Sequence[Row], panels: Sequence[Panel], varied: str, value_title: str, ours: str,
                keys: Mapping[str, str], serial: bool = False) -> Drawing:
    """Three panels, an input each (multisort_panels.gp). `keys`: seed, our_bound, seed_bound, more."""
    recorded = source.kind == "recorded"
    engine = "cpu" if serial else drawing_engine(rows)
    device = device_label(rows, engine)
    tables = {"ours": [Block(device, panel.ours) for panel in panels]}
    parts = {"our_bound": [panel.our_bound for panel in panels]}
    if recorded:
        source.reading(SEED_FILE)
        parts |= {"seed": [panel.seed for panel in panels], "seed_bound": [panel.seed_bound for panel in panels],
                  "more": [panel.more for panel in panels]}
    shown = {name: int(name in parts and all(parts[name])) for name in ("seed", "our_bound", "seed_bound", "more")}
    tables |= {name.replace("_", ""): [Block(keys[name], one) for one in parts[name]]
               for name, there in shown.items() if there}
    values = [value for blocks in tables.values() for block in blocks for row in block.rows for value in row[1:]]
    low, high = log_range([float(value) for value in values if isinstance(value, (int, float))], 0.22)
    places = [row[0] for blocks in tables.values() for block in blocks for row in block.rows]
    listed = "; ".join(f"{panel.title} {three_digits(min(row[1] for row in panel.ours))} to "
                       f"{three_digits(max(row[1] for row in panel.ours))}" for panel in panels)
    return Drawing(
        tables=tables,
        variables={**{f"show_{name.replace('_', '')}": there for name, there in shown.items()},
                   "x_title": AXES[varied], "value_title": value_title, "power_tics": int(varied == "n"),
                   "x_low": min(places) / 1.6, "x_high": max(places) * 1.6, "y_low": low, "y_high": high,
                   **{f"title_{i}": panel.title for i, panel in enumerate(panels)}},
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{ours} {value_title}: {listed}.",
        alt=f"Three charts, for sorted, random and reversed keys: {value_title} against {AXES[varied]}, both axes "
            f"logarithmic, on {device}" + (f" and in seed 003 ({SEED_KEY})" if recorded else "") + f". {listed}.")


def our_limits(source: Source, rows: Sequence[Row]) -> Limits | None:
    """None where nothing is known: on the CPU engine, and on the devices that OpenCL has on a CPU."""
    return source.limits().get(rows[0].device)


def bound(limits: Limits | None, shape: Sequence[tuple[int, int, int]]) -> list[tuple[float, float]]:
    """The least ms at each (x, n, size_i), where there is any."""
    if limits is None:
        return []
    return [(x, ms) for x, n, size in shape if (ms := least_ms(limits, n, size)) > 0]


def prepare_times(source: Source, figure: int, varied: str) -> Drawing:
    """Figures 2 to 6, 8 to 10 and 14 to 16 of the seed: time along size_i, the block's threads or n."""
    panels, rows = [], []
    serial = cells_of(figure)[0].stage == MULTISORT_CPU
    for name, title in SEED_INPUTS.items():
        cells = [one for one in cells_of(figure) if one.input == name]
        ours = along(source, figure, varied, name)
        rows += ours.rows
        shape = [] if serial else [(x, some[0].n, int(some[0].parameters["size-i"])) for x, some in ours.by_x.items()]
        seed_shape = [] if serial else [(varied_value(one, varied), one.n, int(one.parameters["size-i"]))
                                        for one in cells]
        panels.append(Panel(title, ours.points(), [(varied_value(one, varied), one.value) for one in cells],
                            bound(our_limits(source, ours.rows), shape), bound(SEED_CARD, seed_shape), []))
    device = rows[0].device
    fixed = f"{short_count(rows[0].n)} keys. " if varied != "n" else ""
    what = "one core, ms" if serial else "kernels, ms"
    return draw_panels(source, rows, panels, varied, what, fixed + ("" if serial else impossible_words(figure)),
                       {"seed": "its CPU, 2024" if serial else SEED_KEY, "our_bound": f"least, {device}",
                        "seed_bound": "least, RTX 3080", "more": ""}, serial)


def beyond_reach(cell: TableCell) -> bool:
    """Whether a time of kernels is quicker than the seed's card can move the keys."""
    return (cell.quantity == "kernels_time"
            and cell.value < least_ms(SEED_CARD, cell.n, int(cell.parameters["size-i"])))


def impossible(figure: int) -> list[TableCell]:
    """The cells of a table that are quicker than the seed's card can move the keys."""
    return [one for one in cells_of(figure) if beyond_reach(one)]


def impossible_words(figure: int) -> str:
    found = len(impossible(figure))
    return f"{found} of the seed's {len(cells_of(figure))} times are less than its card can take." if found else ""


def prepare_speed_up(source: Source) -> Drawing:
    """Figure 11: the thread's merge over the merge path."""
    panels, rows = [], []
    for name, title in SEED_INPUTS.items():
        slow, fast = along(source, 6, "n", name), along(source, 10, "n", name)
        before, after = slow.medians(), fast.medians()
        ours = [(n, before[n] / after[n]) for n in before if n in after]
        if not ours:
            raise DataError(f"{source.rows_path(CHAPTER)}: no n of both {THREAD_MERGE} and {MERGE_PATH}, input {name}")
        rows += [*slow.rows, *fast.rows]
        panels.append(Panel(title, ours, [(one.n, one.value) for one in cells_of(11) if one.input == name], [], [], []))
    return draw_panels(source, rows, panels, "n", "speed-up of 09 over 08, kernels", "",
                       {"seed": SEED_KEY, "our_bound": "", "seed_bound": "", "more": ""})


def prepare_bandwidth(source: Source) -> Drawing:
    """Figure 12: bytes a second. The seed counts one reading and one writing of the keys, as if one pass sorted."""
    panels, rows = [], []
    for name, title in SEED_INPUTS.items():
        series = along(source, 10, "n", name)
        rows += series.rows
        medians = series.medians()
        size = {n: int(some[0].parameters["size-i"]) for n, some in series.by_x.items()}
        cells = [one for one in cells_of(12) if one.input == name]
        limits = our_limits(source, series.rows)
        reach = [(n, moved_bytes(n, size[n]) / least_ms(limits, n, size[n]) / 1e6) for n in medians] if limits else []
        panels.append(Panel(
            title, [(n, moved_bytes(n, size[n]) / ms / 1e6) for n, ms in medians.items()],
            [(one.n, one.value) for one in cells], reach,
            [(one.n, moved_bytes(one.n, 2) / ms / 1e6) for one in cells if (ms := least_ms(SEED_CARD, one.n, 2)) > 0],
            [(one.n, one.value * moved_bytes(one.n, 2) / (8 * one.n)) for one in cells]))
    most = max(rate for panel in panels for _, rate in panel.more) * 1e9 / SEED_CARD.bytes_per_second
    return draw_panels(source, rows, panels, "n", "bandwidth, GB/s",
                       f"With every pass counted the seed's times ask for up to {short_ratio(most)} times its card's bandwidth.",
                       {"seed": f"{SEED_KEY}, as printed", "our_bound": f"most, {rows[0].device}",
                        "seed_bound": "most, RTX 3080", "more": f"{SEED_KEY}, all passes"})


def seed_copies_ms(n: int, name: str) -> float:
    """What table 13 leaves for the copies: the serial time over the speed-up, less the kernels."""
    cell = {figure: next(one.value for one in cells_of(figure) if (one.n, one.input) == (n, name))
            for figure in (3, 10, 13)}
    return cell[3] / cell[13] - cell[10]


def prepare_cpu_speed_up(source: Source) -> Drawing:
    """Figure 13: the serial multisort over the merge path with its copies."""
    panels, rows, host = [], [], ""
    for name, title in SEED_INPUTS.items():
        slow, fast = along(source, 3, "n", name), along(source, 10, "n", name)
        before, after = slow.medians(), fast.medians("total_ms")
        ours = [(n, before[n] / after[n]) for n in before if n in after]
        if not ours:
            raise DataError(f"{source.rows_path(CHAPTER)}: no n of both {MULTISORT_CPU} and {MERGE_PATH}, input {name}")
        rows += fast.rows
        host = slow.rows[0].device
        cells = [one for one in cells_of(13) if one.input == name]
        serial = {one.n: one.value for one in cells_of(3) if one.input == name}
        kernels = {one.n: one.value for one in cells_of(10) if one.input == name}
        mended = [(n, serial[n] / (kernels[n] + 1000 * seed_copies_ms(n, name))) for n in serial]
        panels.append(Panel(title, ours, [(one.n, one.value) for one in cells], [], [], mended))
    drawing = draw_panels(source, rows, panels, "n", "speed-up of 09 over 07, with copies", "",
                          {"seed": f"{SEED_KEY}, as printed", "our_bound": "", "seed_bound": "",
                           "more": "its copies 1000 times as long"})
    drawing.subtitle = provenance(rows, drawing_engine(rows), source.kind, host)
    return drawing


# ---- CUDA against OpenCL ---------------------------------------------------------------------------------------

REPORTS = f"{CHAPTER}_report.csv"
PARTS = {"insertion_sort_ms": "Insertion sort, ms", "merge_ms": "Merges, ms"}


def part_times(all_rows: Sequence[Row], reports: Sequence[Report], path: str, stage: str, device: str,
               parameters: Mapping[str, str]) -> dict[str, dict[int, float]]:
    """The profiled times of the kernels by n, for uniform keys. A report does not name its input, but runs and
    reports are kept in one order: the first report of two runs that differ in their input is the first run's.
    `path`: where the reports are, for what is said of them."""
    def is_wanted(one: Row | Report) -> bool:
        return (one.stage, one.device) == (stage, device) and all(
            one.parameters.get(key) == value for key, value in parameters.items())

    rows = [row for row in all_rows if is_wanted(row)]
    inputs: dict[tuple[int, int], list[str]] = {}  # by n and seed, of each run
    for n, seed, _, name in dict.fromkeys((row.n, row.seed, row.version, row.input) for row in rows):
        inputs.setdefault((n, seed), []).append(name)
    values: dict[tuple[str, int, int], list[str]] = {}
    for one in reports:
        if one.field in PARTS and is_wanted(one):
            values.setdefault((one.field, one.n, one.seed), []).append(one.value)
    found: dict[str, dict[int, float]] = {name: {} for name in PARTS}
    for (field, n, seed), reported in values.items():
        runs = inputs.get((n, seed), [])
        if len(reported) != len(runs):
            raise DataError(f"{path}: {field} of {stage}, n = {n}: {len(reported)} reports of {len(runs)} runs")
        for value in (value for value, name in zip(reported, runs) if name == "uniform"):
            try:
                found[field][n] = float(value)
            except ValueError:
                raise DataError(f"{path}: {field} of {stage} is '{value}', no number") from None
    if not all(found.values()):
        raise DataError(f"{path}: no {', '.join(PARTS)} of {stage} on {device} ({dict(parameters)})")
    return found


def sums_of(parts: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    return {n: sum(times[n] for times in parts.values()) for n in parts["merge_ms"]}


def opencl_ratios(cuda: Mapping[int, float], opencl: Mapping[int, float], path: str) -> list[tuple[int, float]]:
    """By n, ascending."""
    sizes = sorted(set(cuda) & set(opencl))
    if not sizes:
        raise DataError(f"{path}: no n of both {MERGE_PATH} and {OPENCL}")
    return [(n, opencl[n] / cuda[n]) for n in sizes]


def prepare_opencl(source: Source) -> Drawing:
    """The same kernels in CUDA and OpenCL, each by its own profiling events."""
    parameters = STAGE_RUNS[MERGE_PATH]
    cuda = our_series(source, MERGE_PATH, "uniform", "n", parameters)
    opencl = our_series(source, OPENCL, "uniform", "n", parameters)
    engine = kernel_engine(cuda.rows)
    devices = {"CUDA": cuda.rows[0].device, "OpenCL": opencl.rows[0].device}
    if source.kind == "recorded" and devices["CUDA"] != devices["OpenCL"]:
        raise DataError(f"{source.rows_path(CHAPTER)}: {OPENCL} ran on {devices['OpenCL']}, {MERGE_PATH} on "
                        f"{devices['CUDA']}: not the same GPU")
    rows, reports, path = source.rows(CHAPTER), source.reports(CHAPTER), str(source.reports_path(CHAPTER))
    own = {"CUDA": part_times(rows, reports, path, MERGE_PATH, devices["CUDA"], parameters),
           "OpenCL": part_times(rows, reports, path, OPENCL, devices["OpenCL"], parameters)}
    whole = {api: sums_of(parts) for api, parts in own.items()}
    ratios = opencl_ratios(whole["CUDA"], whole["OpenCL"], path)
    sizes = [n for n, _ in ratios]
    source.reading(SEED_FILE)
    seed = {figure: {one.n: one.value for one in cells_of(figure) if one.input == "uniform"} for figure in (10, 16)}
    seed_ratios = [(n, seed[16][n] / seed[10][n]) for n in seed[10]]
    recorded = source.kind == "recorded"
    tables = {part: [Block(api, [(n, own[api][name][n]) for n in sizes]) for api in own]
              for part, name in (("insertion", "insertion_sort_ms"), ("merges", "merge_ms"))}
    tables |= {"ratio": [Block("here", ratios)], "seed": [Block("seed 003 (RTX 3080)", seed_ratios)]}
    everything = [value for api in own for name in PARTS for n in sizes if (value := own[api][name][n]) > 0]
    low, high = log_range(everything, 0.15)
    shown = [ratio for _, ratio in ratios] + ([ratio for _, ratio in seed_ratios] if recorded else [])
    ratio_low, ratio_high = log_range([*shown, 1.0], 0.15)
    n = sizes[-1]
    words = (f"At {short_count(n)} keys OpenCL takes {short_ratio(ratios[-1][1])} times as long as CUDA "
             f"({short_time(whole['OpenCL'][n] / 1000)} against {short_time(whole['CUDA'][n] / 1000)})")
    return Drawing(
        tables=tables,
        variables={"time_low": low, "time_high": high, "ratio_low": ratio_low, "ratio_high": ratio_high,
                   "n_low": min(sizes) / 1.6, "n_high": max([*sizes, *(seed[10] if recorded else [])]) * 1.6,
                   "show_seed": int(recorded), "insertion_title": PARTS["insertion_sort_ms"],
                   "merges_title": PARTS["merge_ms"]},
        subtitle=f"{origin(cuda.rows, engine, source.kind)}"
                 + (f", OpenCL on {devices['OpenCL']}" if devices["CUDA"] != devices["OpenCL"] else "")
                 + f". Random keys, size_i 2, {parameters['threads']} threads a block; by profiling "
                 "events, last run.",
        emulated=engine == "emu",
        ours=f"{words}; in seed 003 {short_ratio(seed_ratios[-1][1])} times at {short_count(seed_ratios[-1][0])} keys.",
        alt=f"Three charts against keys: the insertion sort's time and the merges', CUDA ({devices['CUDA']}) beside "
            f"OpenCL ({devices['OpenCL']}), and the ratio of the sums. {words}.")


# ---- tables of the README that only this chapter has ----------------------------------------------------------


def bounds_table(rows: Sequence[Row], _reports: Sequence[Report], limits: Mapping[str, Limits]) -> list[str]:
    """Seed 003's times of the merge path beside the least that memory allows, and ours."""
    own = newest([row for row in rows if row.engine == "gpu" and row.stage == MERGE_PATH and row.input == "uniform"
                  and all(row.parameters.get(key) == value for key, value in STAGE_RUNS[MERGE_PATH].items())])
    if not own:
        raise DataError(f"no rows of {MERGE_PATH} with size-i 2 and 32 threads")
    device = own[0].device
    lines = [f"| keys | levels of merges | GB moved | RTX 3080, at least | seed 003 | {device}, at least | here |",
             "|---|---|---|---|---|---|---|"]
    for cell in cells_of(10):
        times = [row.kernels_ms for row in own if row.n == cell.n]
        if cell.input != "uniform" or cell.n < 2**20 or not times:
            continue
        least = least_ms(SEED_CARD, cell.n, 2)
        verdict = " (impossible)" if cell.value < least else ""
        ours = short_ms(least_ms(limits[device], cell.n, 2)) if device in limits else "not known"
        lines.append(f"| {power(cell.n)} | {merge_levels(cell.n, 2)} | {three_digits(moved_bytes(cell.n, 2) / 1e9)} | "
                     f"{short_ms(least)} | {short_ms(cell.value)}{verdict} | {ours} | {short_ms(quartiles(times)[1])} |")
    return [*lines, "", "Random keys, size_i 2, 32 threads a block, kernels alone. At least: the insertion sort and every "
            "level of merges read and write the keys once, at the memory's bandwidth "
            f"({three_digits(SEED_CARD.bytes_per_second / 1e9)} GB/s; here as measured), less what the L2 cache may "
            "serve."]


# Where the README sets the seed's times of random keys beside ours: its table, what it varies, and at which values.
SHOWN_CELLS = ((4, "size-i", (2, 4, 16, 128)), (5, "threads", (1, 32, 1024)), (8, "size-i", (2, 4, 8, 16)),
               (9, "threads", (1, 32, 128, 1024)))


def kernel_ms(rows: Sequence[Row], stage: str, n: int, parameters: Mapping[str, str]) -> float:
    """Of random keys: the median."""
    found = newest([row for row in rows if (row.stage, row.input, row.n) == (stage, "uniform", n)
                    and row.engine == {MULTISORT_CPU: "cpu", OPENCL: "opencl"}.get(stage, "gpu")
                    and all(row.parameters.get(key) == value for key, value in parameters.items())])
    if not found:
        raise DataError(f"no rows of {stage} at n = {n} ({', '.join(f'{key} {value}' for key, value in parameters.items())})")
    return quartiles([row.kernels_ms for row in found])[1]


def time_list(milliseconds: Sequence[float]) -> str:
    unit, factor = ("s", 1e-3) if min(milliseconds) >= 1000 else ("ms", 1.0)
    return f"{', '.join(three_digits(one * factor) for one in milliseconds)} {unit}"


def found_table(rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """What seed 003 found of size_i and threads, beside ours."""
    device = next((row.device for row in rows if row.stage == MERGE_PATH and row.engine == "gpu"), "")
    lines = [f"| kernels | seed 003 ({SEED_KEY}) | {device} |", "|---|---|---|"]
    uniform = {figure: [one for one in cells_of(figure) if one.input == "uniform"] for figure in (2, 3, 4, 5, 6, 8, 9, 10)}
    n = uniform[2][0].n
    serial = [{int(one.parameters["size-i"]): value(one) for one in uniform[2]}
              for value in (lambda one: one.value, lambda one: kernel_ms(rows, one.stage, one.n, one.parameters))]
    best = [min(times, key=times.__getitem__) for times in serial]
    lines.append(f"| {MULTISORT_CPU}, best `size_i` | "
                 + " | ".join(f"{size}: {time_list([times[size]])}" for size, times in zip(best, serial)) + " |")
    for figure, varied, values in SHOWN_CELLS:
        cells = [next(one for one in uniform[figure] if varied_value(one, varied) == value) for value in values]
        listed = ", ".join(map(str, values))
        what = (f"`size_i` {listed}, {cells[0].parameters['threads']} threads" if varied == "size-i"
                else f"`size_i` {cells[0].parameters['size-i']}, threads {listed}")
        lines.append(f"| {cells[0].stage}, {what} | {time_list([one.value for one in cells])} | "
                     f"{time_list([kernel_ms(rows, one.stage, one.n, one.parameters) for one in cells])} |")
    last = {figure: max(uniform[figure], key=lambda one: one.n) for figure in (3, 6, 10)}
    for slow, fast in ((3, 6), (6, 10)):
        before, after = last[slow], last[fast]
        ours = [kernel_ms(rows, one.stage, one.n, STAGE_RUNS[one.stage]) for one in (before, after)]
        lines.append(f"| {after.stage} over {before.stage}, {power(after.n)} keys | ×{short_ratio(before.value / after.value)} | "
                     f"×{short_ratio(ours[0] / ours[1])} |")
    return [*lines, "", f"{power(n)} random keys where nothing else is said; kernels alone, medians."]


def opencl_table(rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """OpenCL's time over CUDA's, by n."""
    parameters = STAGE_RUNS[MERGE_PATH]
    device = next((row.device for row in rows if row.stage == MERGE_PATH and row.engine == "gpu"), "")
    cuda, opencl = (sums_of(part_times(rows, reports, REPORTS, stage, device, parameters)) for stage in (MERGE_PATH, OPENCL))
    ratios = opencl_ratios(cuda, opencl, REPORTS)
    return [f"| keys | {' | '.join(power(n) for n, _ in ratios)} |", "|---" * (1 + len(ratios)) + "|",
            f"| ratio | {' | '.join(short_ratio(ratio) for _, ratio in ratios)} |", "",
            f"The sums of the insertion sort's and the merges' times; random keys, size_i 2, {parameters['threads']} threads a "
            "block."]


def short_ms(milliseconds: float) -> str:
    """Of a column that is in ms throughout."""
    return f"{three_digits(milliseconds)} ms"


def power(n: int) -> str:
    """Of two: `2²⁵`."""
    return "2" + str(n.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


TABLES: dict[str, TableMaker] = {"bounds": bounds_table, "found": found_table, "opencl": opencl_table}

SEED_TITLES = {
    2: ("size-i", "serial time against size_i", "Sorted keys want long insertion sorts, reversed ones short (3.2.1)."),
    3: ("n", "serial time against n", "18.3 s for 2^27 random keys (3.2.2)."),
    4: ("size-i", "a thread a merge, against size_i", "The merges take nearly all of the time (3.3.1)."),
    5: ("threads", "a thread a merge, against the block's size", "One thread a block is best (3.3.2)."),
    6: ("n", "a thread a merge, against n", "5.26 s for 2^25 random keys, where its CPU takes 4.16 s (3.3.3)."),
    8: ("size-i", "merge path, against size_i", "1.54 to 1.67 ms at size_i 2 (3.4.1), which no RTX 3080 can."),
    9: ("threads", "merge path, against the block's size", "32 threads a block are best (3.4.2)."),
    10: ("n", "merge path, against n", "1.48 ms for 2^25 random keys (3.4.3)."),
    14: ("size-i", "OpenCL, against size_i", "411.7 ms at size_i 2, random (3.7.1); its authors did not trust it."),
    15: ("threads", "OpenCL, against the block's size", "512 threads a block are best (3.7.2)."),
    16: ("n", "OpenCL, against n", "1804 ms for 2^27 random keys (3.7.3)."),
}
README_TABLES = (6, 8, 10)


def seed_figure(number: int, title: str, said: str, prepare: Callable[[Source], Drawing]) -> Figure:
    return Figure(f"multisort_{number:02}", f"Seed 003, table {number}", CHAPTER, f"Multisort, {title}", said, prepare,
                  in_readme=number in README_TABLES, script="multisort_panels", said_by="Seed 003")


FIGURES = (
    Figure("figure_4_5", "Figure 4.5", CHAPTER, "Merge path: the matrix, and a diagonal a thread",
           "Two drawings of the idea: the border between zeros and ones, and its crossings (4.2.2).",
           prepare_merge_path, in_readme=True),
    Figure("figure_4_9", "Figure 4.9", CHAPTER, "Merge sort, copies beside sorts",
           "A drawing of the idea: without and with overlap (4.3.5).", prepare_overlap, in_readme=True),
    Figure("figure_4_10", "Figure 4.10", CHAPTER, "Merge sort, its stages",
           "At 320 million keys shared memory gains 1.2, all stages together 1.4 (4.4.1).", prepare_stages,
           in_readme=True),
    Figure("figure_4_11", "Figure 4.11", CHAPTER, "Merge sort, CPU against GPU",
           "2.54 times as fast as the CPU (one core of a Core i7-3820) at 320 million keys (4.4.2).", prepare_best,
           in_readme=True),
    *(seed_figure(number, title, said, partial(prepare_times, figure=number, varied=varied))
      for number, (varied, title, said) in SEED_TITLES.items() if number <= 10),
    seed_figure(11, "merge path over a thread a merge", "3558.9 at 2^25 random keys (3.5).", prepare_speed_up),
    seed_figure(12, "bandwidth of the merge path", "27.5 % of 760 GB/s at best, counting one pass of 27 (3.6.1).",
                prepare_bandwidth),
    seed_figure(13, "merge path over the CPU", "2759 at 2^25 random keys, copies included (3.6.2).",
                prepare_cpu_speed_up),
    *(seed_figure(number, title, said, partial(prepare_times, figure=number, varied=varied))
      for number, (varied, title, said) in SEED_TITLES.items() if number > 10),
    Figure("multisort_opencl", "", CHAPTER, "Multisort, CUDA against OpenCL",
           "Its authors set out to compare the two, and did not: their OpenCL is 278 times as slow as their CUDA at "
           "2^25 random keys, and neither is to be trusted (3.7.4, 4).", prepare_opencl, in_readme=True,
           said_by="Seed 003"),
)
