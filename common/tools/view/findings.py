# SPDX-License-Identifier: MIT
"""What the checks found, at its lines: a race as two arrows, an access out of bounds beside the
object that it misses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

RACES = ("race_in_block", "race_between_blocks", "race_between_streams", "same_value_writes")
# "4 bytes past the end of s_tile (1024 bytes)", "8 bytes before allocation 2 (64 bytes)"
OUTSIDE = re.compile(r"(\d+) bytes? (past the end of|before) (.+) \((\d+) bytes?\)")
DYNAMIC = re.compile(
    r"(\d+) bytes? (past the end of|before) (the block's) (\d+) bytes? of dynamic shared memory"
)


@dataclass(frozen=True)
class Outside:
    """Where an access lies beside an object. `distance`: from the object's end, or to its begin."""

    name: str
    bytes: int
    distance: int
    before: bool


@dataclass(frozen=True)
class Finding:
    kind: str  # "race in block"
    kernel: str
    lines: list[tuple[str, int]]  # file and line of each actor; line 0: it has none
    text: str  # a sentence
    advice: str
    count: int
    warning: bool
    race: bool
    outside: Outside | None = None
    actors: list[str] = field(default_factory=list)


def outside_of(what: str) -> Outside | None:
    match = OUTSIDE.search(what)
    if match:
        return Outside(match[3], int(match[4]), int(match[1]), match[2] == "before")
    match = DYNAMIC.search(what)
    if match:
        return Outside("dynamic shared memory", int(match[4]), int(match[1]), match[2] == "before")
    return None


def actor_name(actor: dict[str, Any]) -> str:
    if actor["block"] < 0:
        return "the host"
    return f"block {actor['block']} thread {actor['thread']}"


def place_of(actor: dict[str, Any]) -> str:
    return f"{actor['file']}:{actor['line']}" if actor["line"] else "an unknown line"


def read_finding(record: dict[str, Any]) -> Finding:
    actors = record["actors"]
    first = actors[0]
    text = f"{actor_name(first)} {first['did']} at {place_of(first)}"
    if len(actors) > 1:
        second = actors[1]
        text += f"; {actor_name(second)} {second['did']} at {place_of(second)}"
    if record["what"]:
        text += f"; {record['what']}"
    return Finding(
        record["kind"].replace("_", " "),
        record["kernel"],
        [(actor["file"], actor["line"]) for actor in actors],
        text + ".",
        record["advice"],
        record["count"],
        record["warning"],
        record["kind"] in RACES and len(actors) > 1,
        outside_of(record["what"]) if record["kind"] == "out_of_bounds" else None,
        [actor_name(actor) for actor in actors],
    )


def read_findings(counters: dict[str, Any]) -> list[Finding]:
    return [read_finding(record) for record in counters["findings"]]
