# SPDX-License-Identifier: MIT
"""Figures 3.7 and 3.8: the sum over the lanes before each lane, from a warp's shuffles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RED, Scene
from plots.quicksort.stages import STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace

COLUMNS = ("shuffle", "distance", "lane", "source", "value")
LANES, COUNT = 32, 9000
SHOWN = 16  # lanes that a drawing has room for


def kept_rows(records: Iterable[Record]) -> Kept:
    """The shuffles of the first warp's first scan of the first of both sums: every second one."""
    rows: Kept = []
    shuffles: list[list[Record]] = []
    for one in records:
        if (one["grid"], one["block"], one["step"], one["warp"]) != ("1", "0", "0", "0"):
            continue
        if not shuffles or len(shuffles[-1]) == LANES:
            shuffles.append([])
        shuffles[-1].append(one)
    for number, own in enumerate(shuffles[::2]):
        rows += [
            (
                number,
                one["offset"],
                one["lane"],
                one["object"].removeprefix("lane"),
                one["value"],
            )
            for one in own
        ]
    return rows


TRACE = Trace(
    "scan",
    STAGES[STAGES.named("small_shuffle")].stage,
    ("--n", str(COUNT), "--no-races"),
    COLUMNS,
    kept_rows,
    {"EMULATOR_TRACE_SPACES": "warp"},
)


@dataclass(frozen=True)
class Level:
    """One shuffle: each lane's sum before it, and the lane that each lane takes a sum from."""

    distance: int
    sums: list[int]
    sources: list[int]


def read_scan(source: Source) -> list[Level]:
    """The levels, and a last one with the sums after the last shuffle. A lane adds what it takes
    from another lane."""
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)
    levels: list[Level] = []
    for number in dict.fromkeys(one["shuffle"] for one in records):
        own = [one for one in records if one["shuffle"] == number]
        if [int(one["lane"]) for one in own] != list(range(LANES)):
            raise DataError(f"{path}: shuffle {number} is not one of all lanes")
        level = Level(
            int(own[0]["distance"]),
            [int(one["value"]) for one in own],
            [int(one["source"]) for one in own],
        )
        if levels and after(levels[-1]) != level.sums:
            raise DataError(f"{path}: shuffle {number} does not give the sums of the one before")
        levels.append(level)
    if not levels:
        raise DataError(f"{path}: no shuffle")
    sums = after(levels[-1])
    if sums != [sum(levels[0].sums[: lane + 1]) for lane in range(LANES)]:
        raise DataError(f"{path}: the lanes do not end with the sums of all lanes before")
    return [*levels, Level(0, sums, list(range(LANES)))]


def after(level: Level) -> list[int]:
    return [
        own + (level.sums[source] if source != lane else 0)
        for lane, (own, source) in enumerate(zip(level.sums, level.sources))
    ]


def prepare_scan(source: Source) -> Drawing:
    """A row of lanes per shuffle; an arrow for each value that a lane takes and adds."""
    levels = read_scan(source)
    scene = Scene()
    left, top, width, height = 300.0, 165.0, 74.0, 46.0
    row = 622.0 / (len(levels) - 1)
    adds = 0
    for lane in range(SHOWN):
        scene.text(left + (lane + 0.5) * width, top - 22, lane, 17, GREY)
    scene.text(left - 20, top - 22, "lane", 17, GREY, "right")
    for number, level in enumerate(levels):
        y = top + number * row
        is_last = number == len(levels) - 1
        changed = [lane for lane in range(LANES) if level.sources[lane] != lane]
        adds += len(changed)
        before = levels[number - 1] if number else level
        for lane in range(SHOWN):
            added = number > 0 and before.sources[lane] != lane
            look = DARK if is_last else LIGHT if added else PLAIN
            x = left + lane * width
            scene.box(x + 3, y, x + width - 3, y + height, look, level.sums[lane], 18)
            if level.sources[lane] != lane:
                begin = left + (level.sources[lane] + 0.5) * width
                scene.arrow(begin, y + height, x + width / 2, y + row - 3, RED, width=2)
        if not is_last:
            scene.text(left - 20, y + height / 2 - 12, "__shfl_up_sync", 17, align="right")
            scene.text(
                left - 20, y + height / 2 + 14, f"distance {level.distance}", 17, GREY, "right"
            )
        else:
            scene.text(left - 20, y + height / 2, "sums", 18, align="right")
    total = levels[-1].sums[-1]
    scene.text(
        left,
        862,
        f"{SHOWN} of {LANES} lanes; a lane adds what the red arrow brings",
        18,
        RED,
        "left",
    )
    return scene.drawing(
        subtitle=(
            f"{TRACE.stage} sorts {COUNT} keys on the CPU engine: the first warp's scan of its keys"
            " less than the pivot, every shuffle traced."
        ),
        ours=(
            f"{len(levels) - 1} shuffles and {adds} additions. __shfl_up_sync(mask, value,"
            " distance) gives a lane the value of the lane that is `distance` before it; lanes"
            f" without such a lane get their own value back and add nothing. Lane {LANES - 1} ends"
            f" with the warp's {total} keys, each lane with its own and those of all lanes before"
            " it. The figure stands for the thesis' figures 3.7 and 3.8."
        ),
        alt=(
            f"{len(levels)} rows of {SHOWN} cells, one per lane. Arrows lead from each lane to the"
            f" lane {', '.join(str(one.distance) for one in levels[:-1])} places further on, which"
            " adds the value; the last row has the sums of all lanes up to each lane."
        ),
        traces=[TRACE],
    )
