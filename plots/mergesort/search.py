# SPDX-License-Identifier: MIT
"""Figure 4.4: keys of the right run search their places in the left run, from the accesses of the
merge kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import BLUE, DARK, GREY, LIGHT, RED, RULE, Scene
from plots.mergesort.stages import STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed, thread_of

COLUMNS = ("thread", "operation", "place", "value")
LEFT, RIGHT = 512, 8  # keys: a whole segment, and what is left of the list
BLOCK = 256


def kept_rows(records: Iterable[Record]) -> Kept:
    """The accesses of the threads whose keys lie in the right run, thread by thread. Places count
    keys."""
    found: dict[int, Kept] = {}
    for one in records:
        thread = BLOCK * int(one["block"]) + thread_of(one)
        if one["kernel"] == "merge_runs_kernel" and thread >= LEFT:
            place = int(one["offset"]) // 4
            found.setdefault(thread, []).append((thread, one["operation"], place, one["value"]))
    return [row for thread in sorted(found) for row in found[thread]]


TRACE = Trace(
    "merge_search",
    STAGES[STAGES.named("shared_list")].stage,  # its merges are those of the stage before
    ("--n", str(LEFT + RIGHT), "--no-races"),
    COLUMNS,
    kept_rows,
    {"EMULATOR_TRACE_SPACES": "global"},
)


@dataclass(frozen=True)
class Search:
    """One key's search. `probes`: the places of the left run that it compared, and whether that key
    was greater; `stored`: its place in the merged list."""

    number: int
    key: int
    probes: list[tuple[int, bool]]
    stored: int

    def intervals(self) -> list[tuple[int, int]]:
        """Where the place may still lie, before each comparison and at the end."""
        low, high = 0, LEFT
        found = [(low, high)]
        for place, greater in self.probes:
            low, high = (low, place) if greater else (place + 1, high)
            found.append((low, high))
        return found


def read_searches(source: Source) -> list[Search]:
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)
    searches = []
    for thread in dict.fromkeys(int(one["thread"]) for one in records):
        own = [one for one in records if int(one["thread"]) == thread]
        loads = [(int(one["place"]), signed(one["value"])) for one in own[:-1]]
        (first, key), *probes = loads
        store = own[-1]
        search = Search(
            thread - LEFT,
            key,
            [(place, value > key) for place, value in probes],
            int(store["place"]),
        )
        low, high = search.intervals()[-1]
        if (
            first != thread
            or store["operation"] != "store"
            or low != high
            or search.stored != low + search.number
        ):
            raise DataError(f"{path}: thread {thread} does not store its key where it belongs")
        searches.append(search)
    if [one.number for one in searches] != list(range(RIGHT)):
        raise DataError(f"{path}: no search for every key of the right run")
    return searches


def prepare_search(source: Source) -> Drawing:
    """A lane per key: the part of the left run that is still in question becomes shorter."""
    searches = read_searches(source)
    scene = Scene()
    left, right, top, lane = 250.0, 1440.0, 200.0, 66.0

    def x(place: float, length: int = LEFT) -> float:
        return left + place / length * (right - left)

    scene.box(left, top - 50, right, top - 16, LIGHT, f"left run: {LEFT} sorted keys", 18)
    scene.text(left - 24, top - 33, "right run", 18, align="right")
    scene.text(right + 20, top - 33, "rank", 18, RED, "left")
    bottom = top + len(searches) * lane + 62
    for i, one in enumerate(searches):
        y = top + i * lane
        scene.box(left - 210, y + 8, left - 24, y + lane - 10, DARK, f"key {i}", 18)
        for step, ((low, high), probe) in enumerate(zip(one.intervals(), one.probes)):
            height = y + 4 + step * 5.5
            scene.line([(x(low), height), (x(high), height)], BLUE, width=1.5)
            scene.dot(x(probe[0] + 0.5), height, RED, 0.6)
        rank = one.intervals()[-1][0]
        scene.text(right + 20, y + lane / 2, rank, 18, RED, "left")
        scene.line([(x(rank), y + 56), (x(rank), bottom - 26)], RULE, dashed=True, width=1)
    count = LEFT + RIGHT
    begin = 0
    for i, one in enumerate(searches):
        scene.box(x(begin, count), bottom, x(one.stored, count), bottom + 34, LIGHT)
        rank = one.intervals()[-1][0]
        mark = x(one.stored + 0.5, count)
        scene.box(mark - 4, bottom, mark + 4, bottom + 34, DARK)
        scene.arrow(x(rank), bottom - 26, mark, bottom - 1, GREY)
        begin = one.stored + 1
    scene.box(x(begin, count), bottom, x(count, count), bottom + 34, LIGHT)
    scene.text(left - 24, bottom + 17, "merged list", 18, align="right")
    said = "place = rank in the other run + place in its own run: "
    scene.text(
        left,
        bottom + 62,
        said + ", ".join(str(one.stored) for one in searches),
        18,
        GREY,
        "left",
    )
    probes = sorted({len(one.probes) for one in searches})
    most = " to ".join(map(str, dict.fromkeys((probes[0], probes[-1]))))
    return scene.drawing(
        subtitle=(
            f"{TRACE.stage} merges {LEFT} and {RIGHT} keys on the CPU engine: the accesses of the"
            f" {RIGHT} threads of the right run, traced. Red dot: a key that is compared."
        ),
        ours=(
            f"{RIGHT} binary searches with {most} comparisons each, all"
            " independent of one another. A key's rank in the other run, plus its place in its own"
            f" run, is its place: {', '.join(str(one.stored) for one in searches)}. The"
            f" {LEFT} other threads search in the same way among the {RIGHT} keys."
        ),
        alt=(
            f"{RIGHT} lanes, one per key of the right run. In each lane the part of the left run"
            " where the key may belong becomes half as long with each comparison. Arrows lead the"
            " ranks to places in the merged list at the bottom."
        ),
        traces=[TRACE],
    )
