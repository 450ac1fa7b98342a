# SPDX-License-Identifier: MIT
"""Figure 4.5: the merge matrix and its path, from the accesses of a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.mergesort.stages import STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed

COLUMNS = ("thread", "operation", "object", "place", "value")
THREADS = 20  # a drawing has room for so many diagonals


def kept_rows(records: Iterable[Record]) -> Kept:
    """Each access of the first threads of the first merge, thread by thread. Places count keys."""
    found: dict[int, Kept] = {thread: [] for thread in range(THREADS)}
    for one in records:
        thread = 32 * int(one["warp"]) + int(one["lane"])
        if (one["grid"], one["block"]) == ("2", "0") and thread in found:
            found[thread].append(
                (thread, one["operation"], one["object"], int(one["offset"]) // 4, one["value"])
            )
    return [row for rows in found.values() for row in rows]


TRACE = Trace(
    "mergepath",
    STAGES[STAGES.named("merge_path")].stage,
    ("--n", "1024", "--no-races"),
    COLUMNS,
    kept_rows,
    {"EMULATOR_TRACE_SPACES": "global"},
)


@dataclass(frozen=True)
class Diagonal:
    """What one thread did: the probes of its search, (i, j) and whether left[i] > right[j]; the
    place where the path crosses its diagonal; and the key that it stored."""

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


def read_merge_path(source: Source) -> MergePath:
    """The first diagonals of a merge of two runs of 512. A search reads right[j] and left[i] with
    i + j = diagonal - 1. The first read with i + j = diagonal is the crossing."""
    run = 512
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)
    sides: tuple[dict[int, int], dict[int, int]] = ({}, {})
    diagonals = []
    for number in sorted({int(one["thread"]) for one in records}):
        own = [one for one in records if int(one["thread"]) == number]
        loads = [
            (int(one["place"]), signed(one["value"])) for one in own if one["operation"] == "load"
        ]
        stores = [
            (int(one["place"]), signed(one["value"])) for one in own if one["operation"] == "store"
        ]
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
    """Figure 4.5: one column per key of the right run, one row per key of the left run."""
    path = read_merge_path(source)
    rows, columns = path.rows, path.columns
    ranks = {
        key: rank for rank, key in enumerate(sorted({*path.left[:rows], *path.right[:columns]}))
    }
    ones = [
        (j + 0.5, i + 0.5, str(int(path.left[i] > path.right[j])))
        for i in range(rows)
        for j in range(columns)
    ]
    steps = [(j, i) for i, j in (one.crossing for one in path.diagonals)]
    probes = [(j + 0.5, i + 0.5) for one in path.diagonals for i, j, _ in one.probes]
    lines = []
    for one in path.diagonals:
        # From the upper right to the lower left, cut where the drawing ends.
        begin, end = max(0, one.number - rows), min(one.number, columns)
        if begin < end:
            lines.append(
                Block(str(one.number), [(end, one.number - end), (begin, one.number - begin)])
            )
    searched = sum(len(one.probes) for one in path.diagonals)
    count = len(path.diagonals)
    most = max(len(one.probes) for one in path.diagonals)
    return Drawing(
        tables={
            "entries": [Block("entries", ones)],
            "path": [Block("merge path", steps)],
            "probes": [Block("compared by a search", probes)],
            "diagonals": lines,
            "left": [
                Block("left", [(-0.35, i + 0.5, str(ranks[path.left[i]])) for i in range(rows)])
            ],
            "right": [
                Block("right", [(j + 0.5, -0.4, str(ranks[path.right[j]])) for j in range(columns)])
            ],
        },
        variables={"rows": rows, "columns": columns},
        emulated=False,
        subtitle=(
            f"{TRACE.stage} merges two runs of 512 keys on the CPU engine: its first"
            f" {count} threads, traced; keys are numbered by size."
        ),
        ours=(
            f"{count} diagonals. Their searches make {searched} comparisons, at most {most} per"
            " diagonal. Each thread stores the key that the path takes from its crossing: right"
            " where the entry is 1, down where it is 0."
        ),
        alt=(
            f"Two grids of {rows} rows and {columns} columns, one row per key of the left run, one"
            " column per key of the right run. In the first grid an entry is 1 where the left key"
            " is greater, else 0, and the merge path runs between them. The second grid shows the"
            f" path with {count} diagonals, the comparisons of each thread's search, and the points"
            " where the path crosses the diagonals."
        ),
    )
