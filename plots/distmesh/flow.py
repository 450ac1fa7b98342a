# SPDX-License-Identifier: MIT
"""Figures 6 and 7 of Gaudiani 2012, from runs of stage 01: what host and device do in turn, and
which kernel reads and writes which list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from common.tools.lib.stages import DataError
from plots.distmesh.stages import GLOBAL, STAGES
from plots.drawing.figure import Drawing
from plots.drawing.scene import BLUE, DARK, EMPTY, GREY, INK, LIGHT, PLAIN, RED, Look, Scene
from plots.records.source import Source
from plots.records.traces import Kept, Record, Timeline, Trace

TO_DEVICE, TO_HOST, CLEAR, KERNEL = "host to device", "device to host", "set", "_kernel"
RUN = ("--n", "100", "--max-iterations", "12")

# ---- what host and device do in turn ----

TASKS = ("name",)


def kept_tasks(records: Iterable[Record]) -> Kept:
    """The host's tasks that do something, in their order: those of the first triangulation, up to
    the next copy to the device."""
    names = [one["name"] for one in records if one["kind"] == "task" and one["name"]]
    ends = (
        i
        for i in range(1, len(names))
        if names[i].startswith(TO_DEVICE) and not names[i - 1].startswith(TO_DEVICE)
    )
    return [(name,) for name in names[: next(ends, len(names))]]


LOOP = Timeline("distmesh_loop", STAGES[GLOBAL].stage, RUN, TASKS, kept_tasks)


def read_tasks(source: Source) -> list[str]:
    """Copies to the device, iterations, and copies to the host."""
    path = source.trace_path(LOOP.name)
    tasks = [one["name"] for one in source.trace(LOOP.name, TASKS)]
    copies = [task.startswith(TO_DEVICE) for task in tasks]
    if not copies or not copies[0]:
        raise DataError(f"{path}: does not begin with a copy to the device")
    if f"move_points{KERNEL}" not in tasks or True in copies[copies.index(False) :]:
        raise DataError(f"{path}: is not one triangulation with iterations")
    return tasks


def look_of_task(task: str) -> Look:
    return DARK if task.endswith(KERNEL) else PLAIN


def short(task: str) -> str:
    """ "sum_lengths" of its kernel, "clear" of "set 16"."""
    return "clear" if task.startswith(CLEAR) else task.removesuffix(KERNEL)


def prepare_loop(source: Source) -> Drawing:
    """Two lanes, and time to the right: the tasks of the first triangulation."""
    tasks = read_tasks(source)
    scene = Scene()
    left, right = 215.0, 1480.0
    step = (right - left) / (len(tasks) + 1)
    host, device = (215.0, 345.0), (505.0, 745.0)
    for name, (top, bottom) in (("host", host), ("device", device)):
        scene.text(40, (top + bottom) / 2, name, 22, align="left")
        scene.line([(left - 90, bottom + 8), (1560, bottom + 8)], GREY)
    scene.box(left - 90, host[0], left + step - 8, host[1], LIGHT)
    for y, words in ((45, "triangulate,"), (78, "list bars")):
        scene.text(left - 49 + step / 2, host[0] + y, words, 16)
    begin = None  # of an iteration
    points = tasks[0].rpartition(" ")[2]  # bytes, of the first copy
    for i, task in enumerate(tasks):
        x = left + (i + 1) * step
        middle = x + step / 2
        size = task.rpartition(" ")[2]
        what = "points" if size == points else "bars" if task.startswith(TO_DEVICE) else "marks"
        if task.startswith(TO_DEVICE):
            scene.arrow(middle, host[1] + 12, middle, device[0] - 4, BLUE, width=3)
            scene.text(middle - 13, (host[1] + device[0]) / 2, f"{size} bytes", 15, BLUE, "upright")
            scene.text(middle, device[0] + 42, what, 15, BLUE, "upright")
        elif task.startswith(TO_HOST):
            colour = RED if begin is not None else BLUE
            scene.arrow(middle, device[0] - 4, middle, host[1] + 12, colour, width=3)
            scene.text(
                middle - 13, (host[1] + device[0]) / 2, f"{size} bytes", 15, colour, "upright"
            )
            if begin is None:
                scene.text(middle, device[0] + 42, what, 15, BLUE, "upright")
            else:
                scene.box(x + 2, host[0], x + step - 2, host[1], EMPTY)
                scene.text(middle, (host[0] + host[1]) / 2, "goes on?", 15, RED, "upright")
                scene.frame(begin, device[0] - 14, x + 4, device[1] + 30, RED, dashed=True)
                scene.text((begin + x) / 2, device[1] + 50, "one iteration", 17, RED)
                begin = None
        else:
            look = look_of_task(task)
            if task.startswith(CLEAR) and begin is None and tasks[i - 1].split()[0] != "host":
                begin = x - 3
            scene.box(x + 2, device[0], x + step - 2, device[1], look)
            scene.text(middle, (device[0] + device[1]) / 2, short(task), 16, look.ink, "upright")
    scene.box(right + 8, host[0], 1560, host[1], LIGHT)
    scene.text((right + 1568) / 2, (host[0] + host[1]) / 2, "triangulate", 15, align="upright")
    count = tasks.count(f"move_points{KERNEL}")
    copies = sum(task.startswith((TO_DEVICE, TO_HOST)) for task in tasks)
    words = (
        f"The first triangulation has {count} iterations, four kernels each."
        f" It takes {copies} copies: points and bars go to the device, points come back, and after"
        " each iteration 12 bytes say whether another one follows."
    )
    return scene.drawing(
        subtitle=(
            f"{LOOP.stage} with {RUN[1]} points on the CPU engine: the tasks of the first"
            " triangulation, from a timeline. Time goes to the right."
        ),
        ours=words,
        alt=(
            "Two lanes, host and device. The host triangulates and copies points and bars to the"
            " device; kernels and clearings of an iteration follow one another on the device, then"
            f" 12 bytes go to the host, which decides whether to go on. {words}"
        ),
        traces=[LOOP],
    )


# ---- which kernel reads and writes which list ----

ACCESSES = ("kernel", "operation", "object", "accesses", "bytes")
# In the order in which generate_mesh() takes their memory. A circle has no polygon.
LISTS = (
    "points",
    "triangulated",
    "forces",
    "pushes",
    "bars",
    "lengths",
    "wanted",
    "crowded",
    "sums",
    "status",
)
FIRST_GRIDS = range(1, 5)  # an iteration


def kept_accesses(records: Iterable[Record]) -> Kept:
    """Of the first iteration: how often lanes of a kernel touch each list, and how much of it."""
    found: Counter[tuple[str, str, str]] = Counter()
    ends: Counter[tuple[str, str, str]] = Counter()
    for one in records:
        if int(one["grid"]) in FIRST_GRIDS:
            key = (one["kernel"], one["operation"], one["object"])
            found[key] += 1
            ends[key] = max(ends[key], int(one["offset"]) + int(one["bytes"]))
    return [(*key, count, ends[key]) for key, count in found.items()]


LISTS_TRACE = Trace(
    "distmesh_lists",
    STAGES[GLOBAL].stage,
    RUN,
    ACCESSES,
    kept_accesses,
    {"EMULATOR_TRACE_SPACES": "global"},
)
# The bytes of an element, of the lists with one per bar or per point.
OF_BAR = {"bars": 8, "lengths": 8, "wanted": 8, "pushes": 16}
OF_POINT = {"points": 16, "triangulated": 16, "forces": 16}
VERBS = {"load": "reads", "store": "writes", "atomic": "atomic"}
COLOURS = {"load": "#56B4E9", "store": BLUE, "atomic": RED}


Accesses = dict[tuple[str, str], dict[str, int]]


def read_accesses(source: Source) -> Accesses:
    """By kernel and list: the accesses of each operation."""
    path = source.trace_path(LISTS_TRACE.name)
    found: Accesses = {}
    counts: dict[bool, set[float]] = {True: set(), False: set()}
    for one in source.trace(LISTS_TRACE.name, ACCESSES):
        name = LISTS[int(one["object"].removeprefix("a")) - 1]
        found.setdefault((one["kernel"], name), {})[one["operation"]] = int(one["accesses"])
        if size := OF_BAR.get(name, OF_POINT.get(name)):
            counts[name in OF_BAR].add(int(one["bytes"]) / size)
    if [len(one) for one in counts.values()] != [1, 1]:
        raise DataError(f"{path}: lists of bars or of points differ in length")
    return found


def count_of(source: Source, found: Accesses, kernel: str, name: str, operation: str) -> int:
    count = found.get((f"{kernel}{KERNEL}", name), {}).get(operation)
    if count is None:
        path = source.trace_path(LISTS_TRACE.name)
        raise DataError(f"{path}: {kernel} has no {operation} of {name}")
    return count


def prepare_lists(source: Source) -> Drawing:
    """A row per kernel, in their order, and a column per list."""
    found = read_accesses(source)
    kernels = list(dict.fromkeys(kernel for kernel, _ in found))
    used = {name for _, name in found}
    order = ("bars", "points", "lengths", "wanted", "sums", "pushes", "forces", "triangulated")
    lists = [name for name in (*order, "status") if name in used]
    if used - {*lists}:
        raise DataError(f"{source.trace_path(LISTS_TRACE.name)}: an unknown list is used")
    scene = Scene()
    left, top, wide, high = 330.0, 240.0, 136.0, 140.0
    for i, name in enumerate(lists):
        x = left + (i + 0.5) * wide
        scene.text(x, top - 62, name, 18)
        rows = [y for y, kernel in enumerate(kernels) if (kernel, name) in found]
        for before, after in zip(rows, rows[1:]):
            scene.arrow(x, top + (before + 0.3) * high + 32, x, top + (after + 0.3) * high - 32)
    for y, kernel in enumerate(kernels):
        middle = top + (y + 0.3) * high
        scene.box(40, middle - 34, left - 20, middle + 34, DARK, kernel.removesuffix(KERNEL), 18)
        for i, name in enumerate(lists):
            own = found.get((kernel, name), {})
            x = left + (i + 0.5) * wide
            for k, (operation, count) in enumerate(own.items()):
                off = 30 * (k - (len(own) - 1) / 2)
                look = Look(COLOURS[operation], "#ffffff" if operation != "load" else INK)
                scene.box(x - 62, middle + off - 15, x + 62, middle + off + 15, look)
                scene.text(x, middle + off, f"{VERBS[operation]} {count}", 14, look.ink)
    bars, sums, adds, points = (
        count_of(source, found, *place)
        for place in (
            ("sum_lengths", "bars", "load"),
            ("sum_lengths", "sums", "atomic"),
            ("add_forces", "forces", "atomic"),
            ("move_points", "points", "store"),
        )
    )
    words = (
        f"{bars} bars join {points} points. {sums} additions go to the two sums,"
        f" and {adds} to the forces: two numbers at each end of a bar. Nothing else is atomic but"
        " the marks of the status."
    )
    scene.text(
        40,
        top + len(kernels) * high + 6,
        "Numbers: accesses of threads. Blue: reads and writes; red: atomic additions and marks.",
        16,
        GREY,
        "left",
    )
    return scene.drawing(
        subtitle=(
            f"{LISTS_TRACE.stage} with {RUN[1]} points on the CPU engine: the first iteration, from"
            " top to bottom."
        ),
        ours=words,
        alt=(
            f"A table of {len(kernels)} kernels and {len(lists)} lists in device memory: "
            + "; ".join(
                f"{kernel} "
                + ", ".join(
                    f"{VERBS[operation]} {count} of {name}"
                    for name in lists
                    for operation, count in found.get((kernel, name), {}).items()
                )
                for kernel in kernels
            )
            + "."
        ),
        traces=[LISTS_TRACE],
    )


RECORDED = (LOOP, LISTS_TRACE)
