# SPDX-License-Identifier: MIT
"""Figure 3.1: a list, its parts, and the parts of these, from the accesses of all kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import BLUE, GREY, LIGHT, MARK, PLAIN, RED, RULE, Scene
from plots.quicksort.stages import SMALL, STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed

COLUMNS = ("grid", "kernel", "begin", "count", "pivot_place", "pivot")
PARTITION = "quicksort_segment_kernel"  # the other kernel sorts a part to the end


def kept_rows(records: Iterable[Record]) -> Kept:
    """Of each grid the keys that it reads, and where a partition stores its pivot: the only store
    of its line to that list. Grids in the order in which they ran; places count keys."""
    reads: dict[str, tuple[str, dict[str, set[int]]]] = {}
    stores: dict[str, dict[tuple[str, str], list[tuple[int, str]]]] = {}
    for one in records:
        place, grid = int(one["offset"]) // 4, one["grid"]
        kernel, lists = reads.setdefault(grid, (one["kernel"], {}))
        if one["operation"] == "load":
            lists.setdefault(one["object"], set()).add(place)
        else:
            found = stores.setdefault(grid, {}).setdefault((one["line"], one["object"]), [])
            found.append((place, one["value"]))
    rows: Kept = []
    for grid, (kernel, lists) in reads.items():
        keys = max(lists.values(), key=len)  # the list itself: of the buffer all but the pivot
        single = [found[0] for found in stores[grid].values() if len(found) == 1]
        pivot: tuple[object, object] = single[0] if kernel == PARTITION and single else ("", "")
        rows.append((grid, kernel, min(keys), len(keys), *pivot))
    return rows


# So many keys need partitions of partitions, and fit into one block's list.
TRACE = Trace(
    "quicksort_tree",
    STAGES[SMALL[0]].stage,
    ("--n", "9000", "--no-races"),
    COLUMNS,
    kept_rows,
    {"EMULATOR_TRACE_SPACES": "global"},
)


@dataclass(frozen=True)
class Segment:
    """One grid: a part of the list that it partitions, or sorts to the end. Places count keys."""

    grid: int
    begin: int
    count: int
    pivot_place: int | None  # None: the block sorts it by the bitonic network
    pivot: int | None
    depth: int
    parent: int | None  # index of the segment

    @property
    def end(self) -> int:
        return self.begin + self.count


def read_tree(source: Source) -> list[Segment]:
    """The segments. A part lies on one side of the pivot of the smallest segment that has it."""
    path = source.trace_path(TRACE.name)
    segments: list[Segment] = []
    for one in source.trace(TRACE.name, COLUMNS):
        begin, count = int(one["begin"]), int(one["count"])
        parent = None
        for i, other in enumerate(segments):
            if other.begin <= begin and begin + count <= other.end:
                if other.pivot_place is None or begin <= other.pivot_place < begin + count:
                    raise DataError(f"{path}: grid {one['grid']} sorts the pivot of another one")
                if parent is None or other.count < segments[parent].count:
                    parent = i
        depth = 0 if parent is None else segments[parent].depth + 1
        is_leaf = one["kernel"] != PARTITION
        place = None if is_leaf else int(one["pivot_place"])
        pivot = None if is_leaf else signed(one["pivot"])
        if place is not None and not begin <= place < begin + count:
            raise DataError(f"{path}: grid {one['grid']} stores its pivot elsewhere")
        segments.append(Segment(int(one["grid"]), begin, count, place, pivot, depth, parent))
    if not segments or sum(one.parent is None for one in segments) != 1:
        raise DataError(f"{path}: no tree of segments")
    covered = sum(one.count for one in segments if one.pivot_place is None)
    pivots = sum(one.pivot_place is not None for one in segments)
    if covered + pivots > segments[0].count:
        raise DataError(f"{path}: the parts have more keys than the list")
    return segments


def prepare_tree(source: Source) -> Drawing:
    """A row of boxes per depth, each as wide as its segment; at the bottom the sorted list."""
    segments = read_tree(source)
    count = segments[0].count
    depths = max(one.depth for one in segments) + 1
    left, right, top = 60.0, 1540.0, 140.0
    row = 610.0 / depths
    height = min(52.0, row * 0.5)
    scene = Scene()

    def x(place: float) -> float:
        return left + place / count * (right - left)

    for one in segments:
        y = top + one.depth * row
        is_leaf = one.pivot_place is None
        scene.box(x(one.begin), y, x(one.end), y + height, LIGHT if is_leaf else PLAIN)
        wide = one.count > count / 8
        name = f"grid {one.grid}: {one.count} keys" if wide else str(one.count)
        # Not where the pivot's mark is.
        middle = (one.begin + one.end) / 2
        if one.pivot_place is not None:
            sides = [(one.begin, one.pivot_place), (one.pivot_place, one.end)]
            begin, end = max(sides, key=lambda side: side[1] - side[0])
            middle = (begin + end) / 2
        scene.text(x(middle), y + height / 2, name, 17)
        if one.parent is not None:
            above = top + segments[one.parent].depth * row + height
            for place in (one.begin, one.end):
                scene.line([(x(place), above), (x(place), y)], RULE, width=1.2)
        if one.pivot_place is not None:
            mark = x(one.pivot_place)
            scene.box(mark - 2.5, y, mark + 2.5, y + height, MARK)
            scene.line([(mark, y + height), (mark, 800)], RED, dashed=True, width=1)
    scene.box(left, 800, right, 832, LIGHT)
    scene.text(left, 856, "sorted list: pivots never move again (red)", 17, GREY, "left")
    scene.text(right, 856, "blue: a part that one block sorts by the network", 17, BLUE, "right")
    leaves = [one for one in segments if one.pivot_place is None]
    parts = len(segments) - len(leaves)
    worst = max(
        (one for one in segments if one.pivot_place is not None),
        key=lambda one: abs(2 * ((one.pivot_place or 0) - one.begin) - one.count) / one.count,
    )
    uneven = (worst.pivot_place or 0) - worst.begin
    return scene.drawing(
        subtitle=(
            f"{TRACE.stage} sorts {count} keys on the CPU engine: the keys that each of"
            f" its {len(segments)} grids read, and where it stored its pivot, traced."
        ),
        ours=(
            f"{parts} partitions in {depths - 1} depths and {len(leaves)} leaves of"
            f" {min(one.count for one in leaves)} to {max(one.count for one in leaves)} keys."
            " A partition puts its first key, the pivot, at its final place; each part is"
            f" another grid, which the kernel itself launches. The pivot {worst.pivot} is a bad"
            f" one: of {worst.count} keys it has {uneven} on its left."
        ),
        alt=(
            f"A tree of boxes: a list of {count} keys at the top, below it at each depth the parts"
            f" left and right of each pivot, down to {len(leaves)} parts that one block sorts."
            " Dashed lines lead each pivot to its place in the sorted list at the bottom."
        ),
        traces=[TRACE],
    )
