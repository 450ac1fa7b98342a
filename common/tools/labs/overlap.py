# SPDX-License-Identifier: MIT
"""How many bytes are copied to the device beside kernels, by the engine's timeline.

A copy and a kernel may overlap on a GPU if neither is ordered after the other: by a stream, an
event, or a wait of the host. A kernel hides at most as many bytes as it moves itself, on average
over its launches, so a kernel that does nothing hides nothing.
"""

from __future__ import annotations

import csv
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

    def is_after(self, other: Task) -> bool:
        return self.after.get(other.stream, 0) >= other.number


def read_tasks(path: Path) -> list[Task]:
    """Errors: OSError, KeyError, ValueError."""
    tasks = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "task":
                stream, number = row["id"].split(":")
                words = [word.split(":") for word in row["after"].split()]
                after = {one: int(last) for one, last in words}
                tasks.append(Task(stream, int(number), row["name"], after))
    return tasks


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
