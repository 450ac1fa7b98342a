# SPDX-License-Identifier: MIT
"""What may overlap on a GPU, by the engine's timeline: bytes that are copied beside kernels, and
launches that wait for each other.

A copy and a kernel, or two kernels, may overlap if neither is ordered after the other: by a stream,
an event, or a wait of the host. A kernel hides at most as many bytes as it moves itself, on average
over its launches, so a kernel that does nothing hides nothing. Launches that wait for each other are
a chain: the longest one cannot be made shorter by further launches in other streams.
"""

from __future__ import annotations

import bisect
import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.labs.metrics import SECTOR, parts, total
from common.tools.lib.counting import GLOBAL, Kernel, bare

COPY = "host to device "


@dataclass(frozen=True)
class Task:
    """What a stream does. `after`: of each stream, the last task that this one is ordered after."""

    stream: str
    number: int
    name: str
    after: dict[str, int]
    grids: int = 0  # its launch, and all launches that kernels make in it

    def is_after(self, other: Task) -> bool:
        return self.after.get(other.stream, 0) >= other.number


def read_tasks(path: Path) -> list[Task]:
    """Errors: OSError, KeyError, ValueError."""
    tasks = []
    tasks_of_grids: dict[str, str] = {}
    grids: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "grid":  # its parent: a task "1:2", or a thread "7:0:3" of a grid
                grid, *thread = row["parent"].split(":")
                is_child = len(thread) > 1
                task = tasks_of_grids[grid] if is_child else row["parent"]
                tasks_of_grids[row["id"]] = task
                grids[task] += 1
            if row["kind"] == "task":
                stream, number = row["id"].split(":")
                words = [word.split(":") for word in row["after"].split()]
                after = {one: int(last) for one, last in words}
                tasks.append(Task(stream, int(number), row["name"], after, grids[row["id"]]))
    return tasks


def launches_in_a_row(tasks: Sequence[Task]) -> int:
    """The longest chain of launches, each of which is ordered after the one before. All launches of
    one task count: a timeline does not say how those that kernels make are ordered. Tasks stand in
    an order in which they may run."""
    numbers: dict[str, list[int]] = {}
    chains: dict[str, list[int]] = {}  # the longest one up to each task of a stream
    longest = 0
    for task in tasks:
        before = 0
        for stream, last in task.after.items():
            place = bisect.bisect_right(numbers.get(stream, []), last)
            if place:
                before = max(before, chains[stream][place - 1])
        chain = before + task.grids
        own = chains.setdefault(task.stream, [])
        own.append(max(chain, own[-1] if own else 0))
        numbers.setdefault(task.stream, []).append(task.number)
        longest = max(longest, chain)
    return longest


def bytes_per_launch(kernels: Iterable[Kernel]) -> dict[str, float]:
    """What a launch of each kernel moves."""
    launches: dict[str, int] = {}
    moved: dict[str, int] = {}
    for kernel in kernels:
        name = bare(kernel.name)
        launches[name] = launches.get(name, 0) + kernel.count("launches")
        moved[name] = moved.get(name, 0) + SECTOR * total([kernel], *parts(GLOBAL, "sectors"))
    return {name: moved[name] / max(1, launches[name]) for name in moved}


def bytes_beside_kernels(tasks: Sequence[Task], kernels: Iterable[Kernel]) -> float:
    moved = bytes_per_launch(kernels)
    running = [task for task in tasks if bare(task.name) in moved]
    room = [moved[bare(task.name)] for task in running]
    hidden = 0.0
    for copy in tasks:
        if not copy.name.startswith(COPY):
            continue
        left = float(copy.name.removeprefix(COPY))
        for i, kernel in enumerate(running):
            if left > 0 < room[i] and not kernel.is_after(copy) and not copy.is_after(kernel):
                part = min(left, room[i])
                left, room[i], hidden = left - part, room[i] - part, hidden + part
    return hidden
