# SPDX-License-Identifier: MIT
"""Copies between host and device inside loops."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from common.tools.explain.finding import Finding
from common.tools.explain.loops import call_at, loop_around
from common.tools.lib.csv_tables import read_records

COPY = re.compile(r"(host to device|device to host) (\d+)")
TIMES = 4  # so many equal copies are a loop
DEFAULT_STREAM = "0"
CALL_S = 5e-6
SMALL = 64 << 10  # bytes: a call costs as much as the copy itself
CALL = re.compile(r"\bcudaMemcpy(?:Async|2D|ToSymbol|FromSymbol)?(?:Async)?\s*\(")
KINDS = {"host to device": "HostToDevice", "device to host": "DeviceToHost"}
COLUMNS = "kind,id,name,stream,parent,after,worker,queued,begin,end,detail".split(",")


def tasks(path: Path) -> list[str]:
    """What the host queued in the default stream, in its order. Copies in other streams may overlap
    with kernels: who chose them has thought about it."""
    return [
        row["name"]
        for row in read_records(path, COLUMNS)
        if row["kind"] == "task" and row["stream"] == DEFAULT_STREAM
    ]


def lines_of_copies(texts: dict[str, list[str]], way: str) -> list[tuple[str, int]]:
    """The copies in the sources. A call may go on on the next lines."""
    found = []
    for file, lines in texts.items():
        for number in range(1, len(lines) + 1):
            if KINDS[way] in call_at(lines, number, CALL):
                found.append((file, number))
    return found


def copies_in_loops(names: list[str], texts: dict[str, list[str]]) -> list[Finding]:
    places: dict[tuple[str, int], list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        copy = COPY.match(name)
        if copy:
            places[copy[1], int(copy[2])].append(i)
    kernels = [i for i, name in enumerate(names) if not COPY.match(name) and " " not in name]
    found = []
    for (way, size), at in places.items():
        if len(at) < TIMES:
            continue
        between = sum(any(a < i < b for i in kernels) for a, b in zip(at, at[1:]))
        lines = lines_of_copies(texts, way)
        looped = [place for place in lines if loop_around(texts[place[0]], place[1])]
        file, line = (looped or [(next(iter(texts), ""), 0)])[0]
        if between >= (len(at) - 1) / 2:
            cause = f"{size} bytes are copied from {way} {len(at)} times, between the kernels"
            cure = (
                "keep the data on the device during all steps: copy once before the loop, and once "
                "after it"
            )
        elif size < SMALL and looped:
            cause = f"{len(at)} calls copy {size} bytes each from {way}"
            cure = "copy all of it with one call: each call costs some microseconds"
        else:
            continue
        found.append(
            Finding("copies", file, line, "", cause, cure, between / len(at) / 2, CALL_S * len(at))
        )
    return found
