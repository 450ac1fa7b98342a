# SPDX-License-Identifier: MIT
"""What streams may overlap: the tasks of stages 10 and 11 and their order, from timelines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.basics.stages import STAGES
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RULE, Look, Scene
from plots.records.source import Source
from plots.records.traces import Kept, Record, Timeline

COLUMNS = ("id", "name", "after")
SLICES = 6  # rows, and slices of stage 11


def kept_rows(records: Iterable[Record]) -> Kept:
    """The tasks, also those without a name, which others may be ordered after."""
    return [tuple(one[name] for name in COLUMNS) for one in records if one["kind"] == "task"]


def timeline_of(name: str, stage: str) -> Timeline:
    return Timeline(
        name, STAGES[STAGES.named(stage)].stage, ("--n", str(SLICES)), COLUMNS, kept_rows
    )


ONE_STREAM = timeline_of("streams_one", "pinned_memory")
TWO_STREAMS = timeline_of("streams_two", "streams")


@dataclass(frozen=True)
class Task:
    stream: int
    number: int  # in its stream
    name: str
    after: tuple[tuple[int, int], ...]  # streams with the numbers of their last tasks

    @property
    def kind(self) -> str:
        """copy in, copy out, set, or kernel."""
        for word, kind in (("host to", "copy in"), ("device to", "copy out"), ("set", "set")):
            if self.name.startswith(word):
                return kind
        return "kernel"


def read_tasks(source: Source, trace: Timeline) -> list[Task]:
    path = source.trace_path(trace.name)
    tasks = []
    try:
        for one in source.trace(trace.name, COLUMNS):
            stream, number = map(int, one["id"].split(":"))
            after = [tuple(map(int, other.split(":"))) for other in one["after"].split()]
            tasks.append(Task(stream, number, one["name"], tuple((a, b) for a, b in after)))
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error
    known = {(one.stream, one.number) for one in tasks}
    for task in tasks:
        own = (task.stream, task.number - 1)
        if task.number > 1 and own not in task.after or not set(task.after) <= known:
            raise DataError(f"{path}: task {task.number} of stream {task.stream} has no order")
    if not any(one.kind == "kernel" and one.name for one in tasks):
        raise DataError(f"{path}: no kernel")
    return tasks


def columns_of(tasks: list[Task]) -> dict[tuple[int, int], int]:
    """The first column in which each task may stand: after all that it is ordered after, and with
    one copy in each direction at a time, because the bus has no room for two. Of several copies
    that could be next the one with the lowest number in its stream is."""
    places = {(one.stream, one.number): one for one in tasks}
    column: dict[tuple[int, int], int] = {}

    def ready(task: Task, now: int) -> bool:
        return all(
            (stream, number) in column
            and column[stream, number] < now + (not places[stream, number].name)
            for stream, last in task.after
            for number in range(1, last + 1)
        )

    now = 0
    while len(column) < len(tasks):
        changed = True
        busy: set[str] = set()
        while changed:
            changed = False
            for key, task in sorted(places.items(), key=lambda item: (item[0][1], item[0][0])):
                if key in column or not ready(task, now):
                    continue
                if task.kind.startswith("copy"):
                    if task.kind in busy:
                        continue
                    busy.add(task.kind)
                column[key] = now
                changed = True
        now += 1
    return column


def draw_tasks(scene: Scene, tasks: list[Task], top: float, wide: float) -> int:
    """A lane per stream. Returns how many columns have a copy beside a kernel."""
    column = columns_of(tasks)
    shown = [one for one in tasks if one.name]
    # Columns without a task that does something are left out.
    used = sorted({column[one.stream, one.number] for one in shown})
    at = {number: i for i, number in enumerate(used)}
    streams = sorted({one.stream for one in shown})
    left, height, lane = 250.0, 66.0, 84.0
    looks: dict[str, Look] = {"copy in": DARK, "copy out": DARK, "kernel": LIGHT, "set": PLAIN}
    counts: dict[str, int] = {}
    by_slice = sorted(shown, key=lambda one: (one.number, one.stream))
    numbers = {}
    for one in by_slice:
        numbers[one.stream, one.number] = counts.get(one.kind, 0)
        counts[one.kind] = counts.get(one.kind, 0) + 1
    for i, stream in enumerate(streams):
        y = top + i * lane
        name = "default stream" if stream == 0 else f"stream {stream}"
        scene.text(left - 20, y + height / 2, name, 18, align="right")
        scene.line([(left, y + height + 9), (1570, y + height + 9)], RULE, width=0.8)
    for one in shown:
        x = left + at[column[one.stream, one.number]] * wide
        y = top + streams.index(one.stream) * lane
        words = {"copy in": "copy", "copy out": "copy back", "kernel": "add", "set": "set"}
        several = counts[one.kind] > 2 and one.kind in ("copy in", "kernel")
        number = f" {numbers[one.stream, one.number]}" if several else ""
        text = words[one.kind] + number
        parts = text.split(" ") if len(text) > 7 else [text]
        scene.box(x + 2, y, x + wide - 2, y + height, looks[one.kind])
        for k, part in enumerate(parts):
            middle = y + height / 2 + (k - (len(parts) - 1) / 2) * 26
            scene.text(x + wide / 2, middle, part, 17, looks[one.kind].ink)
    kinds: dict[int, set[str]] = {}
    for one in shown:
        kinds.setdefault(column[one.stream, one.number], set()).add(one.kind)
    return sum({"copy in", "kernel"} <= own for own in kinds.values())


def prepare_streams(source: Source) -> Drawing:
    """Two panels: one stream, and two streams with slices."""
    one, two = read_tasks(source, ONE_STREAM), read_tasks(source, TWO_STREAMS)
    scene = Scene()
    wide = 108.0
    names = [trace.stage.partition("/")[2] for trace in (ONE_STREAM, TWO_STREAMS)]
    scene.text(40, 150, f"(a) {names[0]}: one stream", 20, align="left")
    none = draw_tasks(scene, one, 190, wide)
    scene.text(40, 400, f"(b) {names[1]}: {SLICES} slices on two streams", 20, align="left")
    beside = draw_tasks(scene, two, 440, wide)
    y = 760
    scene.arrow(250, y, 1570, y, GREY)
    scene.text(
        250,
        y + 28,
        "order, not time: what stands in one column may run at the same time",
        18,
        GREY,
        "left",
    )
    scene.text(
        250,
        y + 62,
        "dark: copies, one at a time in each direction; light: kernels",
        18,
        GREY,
        "left",
    )
    return scene.drawing(
        subtitle=(
            f"Both stages with {SLICES} rows and columns on the CPU engine: their tasks, and which"
            " task is ordered after which, from timelines."
        ),
        ours=(
            f"In (a) each task waits for the one before; {none} columns have a copy beside a"
            f" kernel. In (b) a stream's tasks run in order, but nothing orders the two streams:"
            f" {beside} copies stand beside the kernel of another slice. Both streams wait for the"
            " default stream, which sets the sums to 0, and it waits for both."
        ),
        alt=(
            "Two charts with a lane per stream. In the first one copy, sets, kernel and copies back"
            f" follow one another. In the second one {SLICES} pairs of a copy and a kernel"
            " alternate between two streams, so that a copy and a kernel share a column."
        ),
        traces=[ONE_STREAM, TWO_STREAMS],
    )
