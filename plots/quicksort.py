# SPDX-License-Identifier: MIT
"""Figures of the quicksort chapter: 3.9 to 3.13 from measurements, 3.2 and 3.6 from what its kernels did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import traces
from drawing import Block, Drawing, Figure, Source, TableMaker, short_count, short_ratio, short_time, three_digits
from limits import Limits
from measurements import DataError, Report, Row, newest, quartiles
from panels import Gain, Runs, gains_of, prepare_against_n, prepare_bars, prepare_cpu_gpu, published

CHAPTER = "quicksort"
BITONIC_STAGES = ("01_bitonic_global", "02_bitonic_shared", "03_bitonic_first_step")
TWO_KERNELS = "04_bitonic_two_kernels"
SMALL_STAGES = ("05_small_recursive", "06_small_streams", "07_small_shuffle",
                "08_small_segment_shared", "09_small_sublists_shared")
BIG_STAGES = ("10_big", "11_big_streams", "12_big_lazy_streams", "13_big_device_loop")
BEST = "12_big_lazy_streams"
COUNTING = "14_counting_partition"

# What plots/tables.py needs to know of a chapter.
COMPARED_RUN = {"input": "uniform", "memory": "pinned"}
# The thesis' timing rule (3.4): these are compared by their kernels, all others by whole runs.
KERNEL_TIMED = (*BITONIC_STAGES, TWO_KERNELS, *SMALL_STAGES)
SERIES = (BITONIC_STAGES, SMALL_STAGES, BIG_STAGES)  # speedup_over_first: over the first of its series

INPUTS = ("uniform", "sorted", "all-equal", "few-unique")
BITONIC_RUNS = Runs(CHAPTER, thesis_n="2048 keys")
SMALL_RUNS = Runs(CHAPTER, thesis_n="6080 keys")
BIG_RUNS = Runs(CHAPTER, thesis_n="160 M keys")


def prepare_bitonic(source: Source) -> Drawing:
    shared = published(source, "3.9", "speedup_over_previous", BITONIC_STAGES[1])
    return prepare_bars(source, BITONIC_RUNS, BITONIC_STAGES, gains_of(BITONIC_STAGES, {BITONIC_STAGES[1]: shared}),
                        "Speed-up over the stage before")


def prepare_two_kernels(source: Source) -> Drawing:
    one = BITONIC_STAGES[-1]
    thesis = 1 / published(source, "3.10", "speedup_over_previous", TWO_KERNELS)
    return prepare_bars(source, BITONIC_RUNS, (one, TWO_KERNELS),
                        [Gain("03 over 04", TWO_KERNELS, one, thesis)], "Speed-up of one kernel over two")


def prepare_small(source: Source) -> Drawing:
    streams = published(source, "3.11", "speedup_over_previous", SMALL_STAGES[1])
    whole = published(source, "3.11", "speedup_over_first", SMALL_STAGES[-1])
    gains = [*gains_of(SMALL_STAGES, {SMALL_STAGES[1]: streams}),
             Gain("09 over 05", SMALL_STAGES[0], SMALL_STAGES[-1], whole)]
    return prepare_bars(source, SMALL_RUNS, SMALL_STAGES, gains, "Speed-up over the stage before")


def prepare_big(source: Source) -> Drawing:
    """Figure 3.12."""
    ring = published(source, "3.12", "speedup_over_previous", BIG_STAGES[1])
    whole = published(source, "3.12", "speedup_over_first", BEST)
    gains = [*gains_of(BIG_STAGES, {BIG_STAGES[1]: ring}), Gain("12 over 10", BIG_STAGES[0], BEST, whole)]
    return prepare_against_n(source, BIG_RUNS, BIG_STAGES, gains, BEST, "sorts", smallest_recorded=10_000_000)


def prepare_best(source: Source) -> Drawing:
    """Figure 3.13."""
    return prepare_cpu_gpu(source, BIG_RUNS, BIG_STAGES, (BIG_STAGES[0], BEST), "3.13")


# ---- drawings of what the kernels did (plots/traces.py) -------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """Two places of the list that one thread compared in one step."""

    step: int
    low: int
    high: int
    exchanged: bool


@dataclass(frozen=True)
class Network:
    keys: list[int]  # as loaded, in order of place
    sorted_keys: list[int]  # as stored at the end
    comparisons: list[Comparison]

    def steps(self) -> list[list[Comparison]]:
        numbers = sorted({one.step for one in self.comparisons})
        return [[one for one in self.comparisons if one.step == number] for number in numbers]


def signed(text: str) -> int:
    """A key as the kernel had it: the trace writes 32 bits without a sign."""
    value = int(text)
    return value - 2**32 if value >= 2**31 else value


def read_network(source: Source) -> Network:
    """The compare-exchanges of a block: the two places of s_keys that a thread loads in a step without
    an access to global memory, exchanged where it stores too."""
    path = source.trace_path("network")
    records = source.trace("network", traces.NETWORK_COLUMNS)
    ends: dict[str, dict[int, int]] = {"load": {}, "store": {}}
    accesses: dict[tuple[int, int], dict[str, list[int]]] = {}
    copying = {one["step"] for one in records if one["space"] == "global"}
    for one in records:
        place = int(one["offset"]) // 4
        if one["space"] == "global":
            ends[one["operation"]][place] = signed(one["value"])
        elif one["step"] not in copying:
            lane = accesses.setdefault((int(one["step"]), int(one["lane"])), {"load": [], "store": []})
            lane[one["operation"]].append(place)
    comparisons = []
    for (step, lane), found in accesses.items():
        if len(found["load"]) != 2 or found["store"] and sorted(found["store"]) != sorted(found["load"]):
            raise DataError(f"{path}: no compare-exchange in step {step}, lane {lane}")
        comparisons.append(Comparison(step, min(found["load"]), max(found["load"]), bool(found["store"])))
    count = len(ends["load"])
    if not comparisons or sorted(ends["load"]) != list(range(count)) or sorted(ends["store"]) != list(range(count)):
        raise DataError(f"{path}: not every key is loaded and stored")
    return Network([ends["load"][i] for i in range(count)], [ends["store"][i] for i in range(count)],
                   comparisons)


def in_columns(step: Sequence[Comparison]) -> list[list[Comparison]]:
    """The comparisons of one step in columns, so that no two lie on one another."""
    columns: list[list[Comparison]] = []
    for one in sorted(step, key=lambda pair: (pair.low - pair.high, pair.low)):
        column = next((column for column in columns
                       if all(one.high < other.low or other.high < one.low for other in column)), None)
        if column is None:
            columns.append([one])
        else:
            column.append(one)
    return columns


def prepare_network(source: Source) -> Drawing:
    """Figure 3.6, from the accesses of stage 02's kernel."""
    network = read_network(source)
    count = len(network.keys)
    ranks = {key: rank for rank, key in enumerate(sorted(network.keys))}
    lines: dict[bool, list[tuple[float, int, int]]] = {True: [], False: []}
    x, gap = 1.0, 1.0
    marks = []
    steps = network.steps()
    for number, step in enumerate(steps, 1):
        begin = x
        for column in in_columns(step):
            for one in column:
                lines[one.exchanged].append((x, count - 1 - one.low, count - 1 - one.high))
            x += 0.55
        marks.append(((begin + x - 0.55) / 2, str(number) if number > 1 else "step 1"))
        x += gap
    right = x - gap + 0.45
    exchanges = len(lines[True])
    return Drawing(
        tables={"wires": [Block("wires", [(0, count - 1 - i, right) for i in range(count)])],
                "pairs": [Block("keys exchanged", lines[True]), Block("compared, left in place", lines[False])],
                "steps": [Block("steps", marks)],
                "first": [Block("input", [(0, count - 1 - i, str(ranks[key]))
                                          for i, key in enumerate(network.keys)])],
                "last": [Block("output", [(right, count - 1 - i, str(ranks[key]))
                                          for i, key in enumerate(network.sorted_keys)])]},
        variables={"right": right, "top": count},
        emulated=False,
        subtitle=f"quicksort/02_bitonic_shared sorts {count} keys on the CPU engine: each access to s_keys, "
                 "traced; keys are numbered by size.",
        ours=f"{len(steps)} steps of {count // 2} comparisons, {exchanges} of {len(network.comparisons)} with an "
             "exchange. Each puts the smaller key first: mirror images in a run, then a stride apart.",
        alt=f"Sorting network of {count} wires: {len(network.comparisons)} compare-exchanges in {len(steps)} "
            f"steps with a barrier after each, {exchanges} of which exchanged their keys; unsorted numbers on "
            "the left, 0 to 15 on the right.")


@dataclass(frozen=True)
class Share:
    """What one block did in a partition. Places count keys, ends exclude."""

    block: int
    tile: tuple[int, int]
    left_before: int  # keys that other blocks had already put to the left when this one asked
    right_before: int
    left: tuple[int, int]
    right: tuple[int, int]


@dataclass(frozen=True)
class PartitionStep:
    count: int
    pivot: int  # its place
    shares: list[Share]  # in the order in which the blocks asked


def read_partition(source: Source) -> PartitionStep:
    """One partition of stage 10. What the atomics returned must be where the block then wrote."""
    path = source.trace_path("partition")
    records = source.trace("partition", traces.PARTITION_COLUMNS)
    blocks = list(dict.fromkeys(one["block"] for one in records))
    atomics = [one for one in records if one["operation"] == "atomic"]
    if not atomics:
        raise DataError(f"{path}: no atomic")
    # The list is what all blocks load, its copy what they store to, both in keys of 4 bytes.
    loads = [one for one in records if one["operation"] == "load" and one["bytes"] == "4"]
    source_list = loads[0]["object"]
    count = max(int(one["offset"]) // 4 + int(one["count"]) for one in loads)
    before = {"0": 0, "8": 0}  # the two counters, by their offset
    shares = []
    for block in blocks:
        own = [one for one in records if one["block"] == block]
        tile = max(((int(one["offset"]) // 4, int(one["count"])) for one in own if one in loads),
                   key=lambda run: run[1])
        begin = max(1, tile[0])  # key 0 is the pivot, which every block loads
        found = {}
        for offset in before:
            value = next((int(one["value"]) for one in own if one["operation"] == "atomic"
                          and one["offset"] == offset), None)
            if value is None:
                raise DataError(f"{path}: block {block} asks for no room")
            found[offset] = (before[offset], value)
            before[offset] = value
        left, right = found["0"], (count - found["8"][1], count - found["8"][0])
        written = sorted((int(one["offset"]) // 4, int(one["offset"]) // 4 + int(one["count"])) for one in own
                         if one["operation"] == "store" and one["object"] != source_list and one["bytes"] == "4"
                         and one["object"] != atomics[0]["object"])
        if written != sorted(run for run in (left, right) if run[0] < run[1]):
            raise DataError(f"{path}: block {block} does not write where it was given room")
        shares.append(Share(int(block), (begin, tile[0] + tile[1]), found["0"][0], found["8"][0], left, right))
    pivots = [one for one in records if one["operation"] == "store" and one["object"] == source_list]
    if len(pivots) != 1:
        raise DataError(f"{path}: the pivot is stored {len(pivots)} times")
    return PartitionStep(count, int(pivots[0]["offset"]) // 4, shares)


def prepare_partition(source: Source) -> Drawing:
    """Figure 3.2, from the accesses of stage 10's kernel."""
    step = read_partition(source)
    top, middle, bottom, height = 3.0, 1.9, 0.0, 0.42
    boxes, bands, texts, asked = [], [], [(0.0, top + height + 0.1, "pivot")], []
    for share in step.shares:
        colour = (1, 3, 4, 5)[share.block % 4]
        begin, end = share.tile
        lefts = share.left[1] - share.left[0]
        cut = begin + lefts
        boxes += [(begin, end, top, top + height, colour), (begin, cut, middle, middle + height, colour),
                  (cut, end, middle, middle + height, colour), (*share.left, bottom, bottom + height, colour),
                  (*share.right, bottom, bottom + height, colour)]
        for (low, high), place in (((begin, cut), share.left), ((cut, end), share.right)):
            bands.append(Block(str(colour), [(low, middle), (high, middle), (place[1], bottom + height),
                                             (place[0], bottom + height), (low, middle)]))
        texts += [((begin + end) / 2, top + height / 2, f"block {share.block}"),
                  ((begin + cut) / 2, middle + height / 2, f"{lefts} <"),
                  ((cut + end) / 2, middle + height / 2, f"{end - cut} ≥")]
        asked.append(f"block {share.block}: left {share.left_before} + {lefts}, "
                     f"right {share.right_before} + {end - cut}")
    width = step.count / 300
    boxes += [(0, width, top, top + height, 7), (step.pivot, step.pivot + width, bottom, bottom + height, 7)]
    texts.append((step.pivot, bottom - 0.18, f"gap for the pivot: {step.pivot}"))
    order = ", ".join(str(share.block) for share in step.shares)
    return Drawing(
        tables={"boxes": [Block("boxes", boxes)], "bands": bands, "texts": [Block("texts", texts)],
                "asked": [Block("asked", [(4.45 - 0.2 * i, text) for i, text in enumerate(
                    ["room that the atomic counters gave, in the order of asking:", *asked])])]},
        variables={"count": step.count, "top_row": top + height / 2, "middle_row": middle + height / 2,
                   "bottom_row": bottom + height / 2,
                   "band_colours": " ".join(block.title for block in bands)},
        subtitle=f"quicksort/10_big on the CPU engine as a GTX 980: {short_count(step.count)} keys, "
                 f"{len(step.shares)} blocks that run in the order {order}; its accesses, traced.",
        ours="The atomics' counters give each block its room when it asks: " + "; ".join(asked) + ".",
        alt=f"Three rows of boxes: a list of {step.count} keys cut into tiles of {len(step.shares)} blocks, each "
            "tile put in order of less than the pivot and not less, and the list after the partition, where "
            f"bands lead each block's two parts to the room it was given in the order {order}; the pivot "
            f"stands between at {step.pivot}.")


# ---- tables of the README that only this chapter has ----------------------------------------------------------


def median_ms(rows: Sequence[Row]) -> float:
    return quartiles([row.total_ms for row in rows])[1]


def inputs_table(rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """Whole runs of the big stages on inputs that their pivots do not like, beside uniform keys."""
    by_run: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        if row.engine == "gpu" and row.stage in BIG_STAGES:
            by_run.setdefault((row.stage, row.input, row.n), []).append(row)
    sizes = [n for stage, name, n in by_run if name == INPUTS[1]]
    if not sizes:
        raise DataError(f"no rows of {', '.join(BIG_STAGES)} for sorted keys")
    n = max(sizes)
    lines = [f"| {short_count(n)} keys | " + " | ".join(INPUTS) + " |", "|---|" + "---|" * len(INPUTS)]
    for stage in BIG_STAGES:
        cells = []
        uniform = median_ms(newest(by_run[stage, INPUTS[0], n]))
        for name in INPUTS:
            value = median_ms(newest(by_run[stage, name, n]))
            cells.append(short_time(value / 1000) + ("" if name == INPUTS[0] else f" (×{short_ratio(value / uniform)})"))
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return [*lines, "", "Whole runs, medians; in brackets the time over that of uniform keys."]


def counting_table(_rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """Seed 001's report, a line a run."""
    fields = {"global_ms": "all", "kernel_ms": "kernels", "cpu_sort_ms": "CPU's two sorts",
              "serial_sort_ms": "one sort on the CPU", "host_to_device_ms": "host to device",
              "device_to_host_ms": "device to host"}
    found: dict[tuple[int, str], dict[str, str]] = {}
    for one in reports:
        if one.engine == "gpu" and one.stage == COUNTING:
            found.setdefault((one.n, one.parameters.get("memory", "")), {})[one.field] = one.value
    if not found:
        raise DataError(f"no report of {COUNTING}")
    lines = ["| keys | memory | " + " | ".join(fields.values()) + " |", "|---|---|" + "---|" * len(fields)]
    for (n, memory), values in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] != "pinned")):
        lines.append(f"| {short_count(n)} | {memory} | "
                     + " | ".join(three_digits(float(values[name])) for name in fields) + " |")
    return [*lines, "", f"{COUNTING}, its own report: milliseconds of the last run."]


TABLES: dict[str, TableMaker] = {
    "inputs": inputs_table,
    "counting": counting_table,
}

FIGURES = (
    Figure("figure_3_2", "Figure 3.2", CHAPTER, "Quicksort, one list partitioned by many blocks",
           "A drawing of the idea: each block counts, asks for room, and writes (3.2.1).",
           prepare_partition, in_readme=True),
    Figure("figure_3_6", "Figure 3.6", CHAPTER, "Bitonic sort, the network of 16 keys",
           "A drawing of the network, one arrow a comparison (3.3.1).", prepare_network, in_readme=True),
    Figure("figure_3_9", "Figure 3.9", CHAPTER, "Bitonic sort of one block",
           "Shared memory makes the sort of 2048 keys about 2 times as fast; the first step outside of the "
           "loops hardly shows (3.4.1).", prepare_bitonic, in_readme=True),
    Figure("figure_3_10", "Figure 3.10", CHAPTER, "Bitonic sort, one kernel against two",
           "One kernel is about 10 times as fast as a launch a step, for 2048 keys (3.4.1).",
           prepare_two_kernels, in_readme=True),
    Figure("figure_3_11", "Figure 3.11", CHAPTER, "Small quicksort, a segment",
           "Streams gain most, 1.26; shuffles alone little; 1.77 in all, at 6080 keys (3.4.2).",
           prepare_small, in_readme=True),
    Figure("figure_3_12", "Figure 3.12", CHAPTER, "Big quicksort, any length",
           "At 160 million keys streams gain 1.76, and 2.1 when made only as they are needed; the rounds on the "
           "device are somewhat slower (3.4.3).", prepare_big, in_readme=True),
    Figure("figure_3_13", "Figure 3.13", CHAPTER, "Quicksort, CPU against GPU",
           "27.5 times as fast as the CPU (one core of a Core i7-3820) at 80 million keys, 51.21 times at 160 "
           "million (3.4.4).", prepare_best, in_readme=True),
)
