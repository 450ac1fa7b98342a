# SPDX-License-Identifier: MIT
"""Figure 3.2: one list partitioned by several blocks, from the accesses of a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.numbers import short_count
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.quicksort.stages import BIG, STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace

COLUMNS = ("block", "operation", "object", "offset", "bytes", "count", "value")


def kept_rows(records: Iterable[Record]) -> Kept:
    """The accesses of the first kernel to global memory, in the order in which blocks ran. Loads or
    stores of a block that lie side by side are one row. A single access keeps its value."""
    rows: Kept = []
    runs: dict[tuple[str, str, str, str], dict[int, str]] = {}
    block = ""

    def close() -> None:
        for (operation, name, size, _), found in runs.items():
            step, begin = int(size), None
            for offset in sorted(found):
                if begin is None:
                    begin = offset
                if offset + step not in found:
                    count = (offset - begin) // step + 1
                    rows.append(
                        (
                            block,
                            operation,
                            name,
                            begin,
                            size,
                            count,
                            found[begin] if count == 1 else "",
                        )
                    )
                    begin = None
        runs.clear()

    for one in records:
        if one["grid"] != "1" or one["space"] != "global":
            continue
        if one["block"] != block:
            close()
            block = one["block"]
        # Atomics of different source lines stay apart: their order matters.
        line = one["line"] if one["operation"] == "atomic" else ""
        key = (one["operation"], one["object"], one["bytes"], line)
        runs.setdefault(key, {})[int(one["offset"])] = one["value"]
    close()
    return rows


# A GTX 980's segment is short enough to look at. The blocks run in a shuffled order, so that the
# places come from the atomics alone.
TRACE = Trace(
    "partition",
    STAGES[BIG[0]].stage,
    ("--n", "8105"),
    COLUMNS,
    kept_rows,
    {
        "EMULATOR_DEVICE": "gtx980",
        "EMULATOR_SCHEDULE": "shuffled:2",
        "EMULATOR_TRACE_SPACES": "global",
    },
)


@dataclass(frozen=True)
class Share:
    """What one block did in a partition. Places count keys; an end is not included."""

    block: int
    tile: tuple[int, int]
    left_before: int  # keys that other blocks had already put to the left when this one asked
    right_before: int
    left: tuple[int, int]
    right: tuple[int, int]


@dataclass(frozen=True)
class PartitionStep:
    count: int
    pivot: int  # its place
    shares: list[Share]  # in the order in which the blocks asked


def read_partition(source: Source) -> PartitionStep:
    """One partition. A block must write where the atomics gave it room."""
    path = source.trace_path(TRACE.name)
    records = source.trace(TRACE.name, COLUMNS)
    blocks = list(dict.fromkeys(one["block"] for one in records))
    atomics = [one for one in records if one["operation"] == "atomic"]
    if not atomics:
        raise DataError(f"{path}: no atomic")
    # All blocks load the list and store to its copy, both in keys of 4 bytes.
    loads = [one for one in records if one["operation"] == "load" and one["bytes"] == "4"]
    source_list = loads[0]["object"]
    count = max(int(one["offset"]) // 4 + int(one["count"]) for one in loads)
    before = {"0": 0, "8": 0}  # the two counters, by their offset
    shares = []
    for block in blocks:
        own = [one for one in records if one["block"] == block]
        tile = max(
            ((int(one["offset"]) // 4, int(one["count"])) for one in own if one in loads),
            key=lambda run: run[1],
        )
        begin = max(1, tile[0])  # every block loads key 0, the pivot
        found = {}
        for offset in before:
            value = next(
                (
                    int(one["value"])
                    for one in own
                    if one["operation"] == "atomic" and one["offset"] == offset
                ),
                None,
            )
            if value is None:
                raise DataError(f"{path}: block {block} asks for no room")
            found[offset] = (before[offset], value)
            before[offset] = value
        left, right = found["0"], (count - found["8"][1], count - found["8"][0])
        written = sorted(
            (int(one["offset"]) // 4, int(one["offset"]) // 4 + int(one["count"]))
            for one in own
            if one["operation"] == "store"
            and one["object"] != source_list
            and one["bytes"] == "4"
            and one["object"] != atomics[0]["object"]
        )
        if written != sorted(run for run in (left, right) if run[0] < run[1]):
            raise DataError(f"{path}: block {block} does not write where it was given room")
        shares.append(
            Share(int(block), (begin, tile[0] + tile[1]), found["0"][0], found["8"][0], left, right)
        )
    pivots = [
        one for one in records if one["operation"] == "store" and one["object"] == source_list
    ]
    if len(pivots) != 1:
        raise DataError(f"{path}: the pivot is stored {len(pivots)} times")
    return PartitionStep(count, int(pivots[0]["offset"]) // 4, shares)


def prepare_partition(source: Source) -> Drawing:
    """Figure 3.2: the list as tiles, both parts of each tile, and their places after the
    partition."""
    step = read_partition(source)
    top, middle, bottom, height = 3.0, 1.9, 0.0, 0.42
    boxes: list[tuple[float, float, float, float, int]] = []
    texts: list[tuple[float, float, str]] = [(0.0, top + height + 0.1, "pivot")]
    bands: list[Block] = []
    asked: list[str] = []
    for share in step.shares:
        colour = (1, 3, 4, 5)[share.block % 4]
        begin, end = share.tile
        lefts = share.left[1] - share.left[0]
        cut = begin + lefts
        boxes += [
            (begin, end, top, top + height, colour),
            (begin, cut, middle, middle + height, colour),
            (cut, end, middle, middle + height, colour),
            (*share.left, bottom, bottom + height, colour),
            (*share.right, bottom, bottom + height, colour),
        ]
        for (low, high), place in (((begin, cut), share.left), ((cut, end), share.right)):
            bands.append(
                Block(
                    str(colour),
                    [
                        (low, middle),
                        (high, middle),
                        (place[1], bottom + height),
                        (place[0], bottom + height),
                        (low, middle),
                    ],
                )
            )
        texts += [
            ((begin + end) / 2, top + height / 2, f"block {share.block}"),
            ((begin + cut) / 2, middle + height / 2, f"{lefts} <"),
            ((cut + end) / 2, middle + height / 2, f"{end - cut} ≥"),
        ]
        asked.append(
            f"block {share.block}: left {share.left_before} + {lefts}, "
            f"right {share.right_before} + {end - cut}"
        )
    width = step.count / 300
    boxes += [
        (0, width, top, top + height, 7),
        (step.pivot, step.pivot + width, bottom, bottom + height, 7),
    ]
    texts.append((step.pivot, bottom - 0.18, f"gap for the pivot: {step.pivot}"))
    order = ", ".join(str(share.block) for share in step.shares)
    return Drawing(
        tables={
            "boxes": [Block("boxes", boxes)],
            "bands": bands,
            "texts": [Block("texts", texts)],
            "asked": [
                Block(
                    "asked",
                    [
                        (4.45 - 0.2 * i, text)
                        for i, text in enumerate(
                            ["room that the atomic counters gave, in the order of asking:", *asked]
                        )
                    ],
                )
            ],
        },
        variables={
            "count": step.count,
            "top_row": top + height / 2,
            "middle_row": middle + height / 2,
            "bottom_row": bottom + height / 2,
            "band_colours": " ".join(block.title for block in bands),
        },
        subtitle=(
            f"{TRACE.stage} on the CPU engine as a GTX 980: {short_count(step.count)} keys, "
            f"{len(step.shares)} blocks that run in the order {order}; its accesses, traced."
        ),
        ours="The atomics' counters give each block its room when it asks: "
        + "; ".join(asked)
        + ".",
        alt=(
            f"Three rows of boxes: a list of {step.count} keys cut into tiles of"
            f" {len(step.shares)} blocks, each tile put in order of less than the pivot and not"
            " less, and the list after the partition, where bands lead each block's two parts to"
            f" the room it was given in the order {order}; the pivot stands between at"
            f" {step.pivot}."
        ),
    )
