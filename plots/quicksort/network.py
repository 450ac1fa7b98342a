# SPDX-License-Identifier: MIT
"""Figure 3.6: the bitonic network, from the accesses of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.quicksort.stages import BITONIC, STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed

COLUMNS = ("step", "lane", "operation", "space", "offset", "value")


def kept_rows(records: Iterable[Record]) -> Kept:
    """The accesses without what is the same in all of them."""
    return [tuple(one[name] for name in COLUMNS) for one in records]


TRACE = Trace("network", STAGES[BITONIC[1]].stage, ("--n", "16"), COLUMNS, kept_rows)


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


def read_network(source: Source) -> Network:
    """The compare-exchanges of a block. In a step without an access to global memory a thread loads
    two places of s_keys. It exchanged them where it stores too."""
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)
    ends: dict[str, dict[int, int]] = {"load": {}, "store": {}}
    accesses: dict[tuple[int, int], dict[str, list[int]]] = {}
    copying = {one["step"] for one in records if one["space"] == "global"}
    for one in records:
        place = int(one["offset"]) // 4
        if one["space"] == "global":
            ends[one["operation"]][place] = signed(one["value"])
        elif one["step"] not in copying:
            of_lane = accesses.setdefault(
                (int(one["step"]), int(one["lane"])), {"load": [], "store": []}
            )
            of_lane[one["operation"]].append(place)
    comparisons = []
    for (step, lane), found in accesses.items():
        if (
            len(found["load"]) != 2
            or found["store"]
            and sorted(found["store"]) != sorted(found["load"])
        ):
            raise DataError(f"{path}: no compare-exchange in step {step}, lane {lane}")
        comparisons.append(
            Comparison(step, min(found["load"]), max(found["load"]), bool(found["store"]))
        )
    count = len(ends["load"])
    if (
        not comparisons
        or sorted(ends["load"]) != list(range(count))
        or sorted(ends["store"]) != list(range(count))
    ):
        raise DataError(f"{path}: not every key is loaded and stored")
    return Network(
        [ends["load"][i] for i in range(count)],
        [ends["store"][i] for i in range(count)],
        comparisons,
    )


def in_columns(step: Sequence[Comparison]) -> list[list[Comparison]]:
    """The comparisons of one step in columns, so that no two lines overlap."""
    columns: list[list[Comparison]] = []
    for one in sorted(step, key=lambda pair: (pair.low - pair.high, pair.low)):
        column = next(
            (
                column
                for column in columns
                if all(one.high < other.low or other.high < one.low for other in column)
            ),
            None,
        )
        if column is None:
            columns.append([one])
        else:
            column.append(one)
    return columns


def prepare_network(source: Source) -> Drawing:
    """Figure 3.6: one wire per place of the list, one line per comparison."""
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
        tables={
            "wires": [Block("wires", [(0, count - 1 - i, right) for i in range(count)])],
            "pairs": [
                Block("keys exchanged", lines[True]),
                Block("compared, left in place", lines[False]),
            ],
            "steps": [Block("steps", marks)],
            "first": [
                Block(
                    "input",
                    [(0, count - 1 - i, str(ranks[key])) for i, key in enumerate(network.keys)],
                )
            ],
            "last": [
                Block(
                    "output",
                    [
                        (right, count - 1 - i, str(ranks[key]))
                        for i, key in enumerate(network.sorted_keys)
                    ],
                )
            ],
        },
        variables={"right": right, "top": count},
        emulated=False,
        subtitle=(
            f"{TRACE.stage} sorts {count} keys on the CPU engine: each access to s_keys, "
            "traced; keys are numbered by size."
        ),
        ours=(
            f"{len(steps)} steps of {count // 2} comparisons. {exchanges} of"
            f" {len(network.comparisons)} exchange their keys. Each comparison puts the smaller key"
            " first: mirror images in a run, then keys a stride apart."
        ),
        alt=(
            f"Sorting network of {count} wires: {len(network.comparisons)} compare-exchanges in"
            f" {len(steps)} steps with a barrier after each, {exchanges} of which exchanged their"
            " keys; unsorted numbers on the left, 0 to 15 on the right."
        ),
    )
