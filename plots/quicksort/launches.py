# SPDX-License-Identifier: MIT
"""Figure 2.3: kernels that launch kernels, from the timelines of two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RED, RULE, Scene
from plots.quicksort.stages import SMALL, STAGES
from plots.quicksort.tree import PARTITION
from plots.records.source import Source
from plots.records.traces import Kept, Record, Timeline

COLUMNS = ("grid", "kernel", "parent", "thread", "launched", "begin", "end")


def kept_rows(records: Iterable[Record]) -> Kept:
    """The grids, and the task that launched the first one (grid 0)."""
    rows: Kept = []
    for one in records:
        if one["kind"] == "grid":
            parent, _, thread = (one["parent"].split(":") + ["", ""])[:3]
            if not one["queued"]:
                parent, thread = "0", ""
            rows.append(
                (one["id"], one["name"], parent, thread, one["queued"], one["begin"], one["end"])
            )
        elif one["kind"] == "task" and one["name"] == PARTITION:
            rows.append(("0", "host", "", "", "", one["begin"], one["end"]))
    return sorted(rows, key=lambda row: int(str(row[5])))


def timeline_of(name: str, schedule: str) -> Timeline:
    return Timeline(
        name,
        STAGES[SMALL[0]].stage,
        ("--n", "5000"),
        COLUMNS,
        kept_rows,
        {"EMULATOR_SCHEDULE": schedule},
    )


AFTER = timeline_of("launches_after", "in-order")
DURING = timeline_of("launches_during", "reversed")


@dataclass(frozen=True)
class Span:
    """A grid, or the task on the host's stream (grid 0). Times are places in an order."""

    grid: int
    kernel: str
    parent: int
    launched: int  # 0: by the host
    begin: int
    end: int


def read_launches(source: Source, trace: Timeline) -> list[Span]:
    """The spans, with their times as places in the order of all of them."""
    path = source.trace_path(trace.name)
    records = source.trace(trace.name, COLUMNS)
    times = sorted(
        {int(one[name]) for one in records for name in ("launched", "begin", "end") if one[name]}
    )
    place = {time: i + 1 for i, time in enumerate(times)}
    spans = {}
    for one in records:
        span = Span(
            int(one["grid"]),
            one["kernel"],
            int(one["parent"] or -1),
            place[int(one["launched"])] if one["launched"] else 0,
            place[int(one["begin"])],
            place[int(one["end"])],
        )
        spans[span.grid] = span
    for span in spans.values():
        parent = spans.get(span.parent)
        if span.grid == 0:
            continue
        if parent is None or span.launched and not parent.begin < span.launched < parent.end:
            raise DataError(f"{path}: grid {span.grid} is not launched while its parent runs")
        if not span.launched < span.begin < span.end < spans[0].end:
            raise DataError(f"{path}: the host's task ends before grid {span.grid}")
    if len(spans) < 4 or 0 not in spans:
        raise DataError(f"{path}: no grids that launch grids")
    return list(spans.values())


def draw_launches(scene: Scene, spans: list[Span], top: float, lane: float) -> None:
    left, right = 330.0, 1560.0
    last = max(one.end for one in spans)

    def x(time: float) -> float:
        return left + time / (last + 1) * (right - left)

    lanes = {one.grid: top + i * lane for i, one in enumerate(spans)}
    height = lane - 12
    for one in spans:
        y = lanes[one.grid]
        name = "the host's stream" if one.grid == 0 else f"grid {one.grid}"
        what = "" if one.grid == 0 else ": partition" if one.kernel == PARTITION else ": sort"
        scene.text(left - 14, y + height / 2, name + what, 16, align="right")
        scene.line([(left, y + height + 6), (right, y + height + 6)], RULE, width=0.8)
        look = PLAIN if one.grid == 0 else DARK if one.kernel == PARTITION else LIGHT
        scene.bar(x(one.begin), y, x(one.end), y + height, look)
        if one.launched:
            parent = lanes[one.parent]
            scene.dot(x(one.launched), parent + height / 2, RED, 0.9)
            # Down from the launch, and then to the right: it waits.
            begin = (x(one.launched), parent + height / 2)
            scene.line([begin, (begin[0], y + height / 2)], RED, width=1.5)
            scene.arrow(begin[0], y + height / 2, x(one.begin) - 1, y + height / 2, RED)


def prepare_launches(source: Source) -> Drawing:
    """Two panels of lanes: children after their parents, and children at once."""
    after, during = read_launches(source, AFTER), read_launches(source, DURING)
    scene = Scene()
    lane = 38.0
    top = 172.0
    scene.text(30, top - 30, "(a) a child starts when its parent has ended", 20, align="left")
    draw_launches(scene, after, top, lane)
    second = top + len(after) * lane + 78
    scene.text(30, second - 30, "(b) a child starts when it is launched", 20, align="left")
    draw_launches(scene, during, second, lane)
    bottom = second + len(during) * lane + 22
    scene.text(330, bottom, "red: launched by a thread of the grid above", 18, RED, "left")
    scene.text(1560, bottom, "order of events, not time", 18, GREY, "right")
    grids = len(after) - 1
    waiting = [
        sum(other.end <= one.begin for other in spans if other.grid == one.parent)
        for spans in (after, during)
        for one in spans
        if one.launched
    ]
    waited = sum(waiting[: len(waiting) // 2]), sum(waiting[len(waiting) // 2 :])
    return scene.drawing(
        subtitle=(
            f"{AFTER.stage} sorts 5000 keys on the CPU engine, in two orders that CUDA allows: when"
            " each grid was launched, began and ended."
        ),
        ours=(
            f"{grids} grids, of which the host launches one. Thread 0 of a partition launches a"
            " grid for each of its two parts. CUDA leaves open when a child begins: in (a)"
            f" {waited[0]} of {grids - 1} children wait for the end of their parents, in (b)"
            f" {waited[1]}. In both the host's kernel is complete only when all grids are."
        ),
        alt=(
            f"Two Gantt charts with one lane for the host's stream and one for each of {grids}"
            " grids. Red arrows lead from the launch in a parent's lane to the begin of the child:"
            " after the parent in the first chart, inside the parent in the second one."
        ),
        traces=[AFTER, DURING],
    )
