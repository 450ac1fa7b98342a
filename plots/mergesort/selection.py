# SPDX-License-Identifier: MIT
"""Figures 4.2, 4.6, 4.7 and 4.8: the selection sort of a segment, from the accesses of a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import (
    BLUE,
    EMPTY,
    GREY,
    LIGHT,
    MARK,
    PALE_MARK,
    PLAIN,
    RED,
    RULE,
    Scene,
)
from plots.mergesort.stages import FIRST, STAGES
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed, thread_of

COLUMNS = ("sweep", "step", "thread", "operation", "object", "place", "value")
COUNT = 8  # keys: so many fit into a drawing
SHORT_SWEEP = 3  # of the drawing whose unsorted part is no power of two
LARGEST_KEY = 2**31 - 1


def kept_rows(records: Iterable[Record], sweeps: Sequence[int]) -> Kept:
    """The accesses to the list and to the list of places in some sweeps, as far as a drawing of
    eight keys has room for them. A sweep begins when s_places[0] is set to 0. The first steps of a
    reduction, whose partners all lie beyond the drawing, are left out."""
    every = [one for one in records if one["kernel"] == "sort_segments_kernel"]
    starts = {
        int(one["step"])
        for one in every
        if one["object"] == "s_places"
        and (one["operation"], one["offset"], one["value"]) == ("store", "0", "0")
    }
    far = {
        int(one["step"])
        for one in every
        if one["object"] == "s_places"
        and one["operation"] == "load"
        and int(one["offset"]) // 4 >= COUNT
    }
    rows: Kept = []
    for one in every:
        step, place, thread = int(one["step"]), int(one["offset"]) // 4, thread_of(one)
        sweep = sum(start <= step for start in starts) - 1
        # The exchange at a sweep's end comes after its last barrier, where the next one begins.
        if step in starts and (one["object"] != "s_places" or one["operation"] == "load"):
            sweep -= 1
        name = "places" if one["object"] == "s_places" else "keys"
        room = COUNT if name == "places" else 2 * COUNT
        # The places are set to 0, 1, 2, … before a search; what the exchange reads was compared.
        exchanges = step in starts or step == int(every[-1]["step"])
        known = exchanges and (one["operation"] == "load" or name == "places")
        if thread < COUNT and place < room and step not in far and sweep in sweeps and not known:
            rows.append((sweep, step, thread, one["operation"], name, place, one["value"]))
    return rows


def trace_of(name: str, stage: str, sweeps: Sequence[int]) -> Trace:
    return Trace(
        name,
        STAGES[stage].stage,
        ("--n", str(COUNT), "--no-races"),
        COLUMNS,
        lambda records: kept_rows(records, sweeps),
    )


SELECTION = trace_of("selection", FIRST, range(COUNT))
TESTED = trace_of("selection_tested", STAGES.named("shared_list"), [SHORT_SWEEP])
PADDED = trace_of("selection_padded", STAGES.named("padded_list"), [SHORT_SWEEP])


# ---- what the block did


@dataclass(frozen=True)
class Pair:
    """One thread's comparison of two keys, by their places in the unsorted part. `took`: the second
    one is smaller and remains."""

    thread: int
    partner: int  # the other element of s_places
    places: tuple[int, int]  # what both elements held
    took: bool


@dataclass(frozen=True)
class Sweep:
    """The search for the smallest key of an unsorted part, and the exchange that follows."""

    begin: int  # of the unsorted part: so many keys are sorted
    keys: dict[int, int]  # by their places in the list: those that were read
    steps: list[list[Pair]]  # of a reduction
    smallest: int  # its place in the list


def read_sweep(source: Source, trace: Trace, number: int) -> Sweep:
    path = source.trace_path(trace.name)
    try:
        return decoded_sweep(
            [one for one in source.trace(trace.name, COLUMNS) if one["sweep"] == str(number)],
            number,
        )
    except (KeyError, IndexError, ValueError) as error:
        raise DataError(
            f"{path}: sweep {number} is no search with an exchange: {error!r}"
        ) from error


def decoded_sweep(records: Sequence[Record], number: int) -> Sweep:
    """Raises ValueError, KeyError or IndexError where an access is missing."""
    by_step: dict[int, list[Record]] = {}
    for one in records:
        by_step.setdefault(int(one["step"]), []).append(one)
    keys: dict[int, int] = {}
    steps: list[list[Pair]] = []
    exchange: list[int] = []
    for own in by_step.values():
        threads: dict[int, dict[str, list[Record]]] = {}
        for one in own:
            kind = f"{one['object']} {one['operation']}"
            threads.setdefault(int(one["thread"]), {}).setdefault(kind, []).append(one)
        exchange += [int(one["place"]) for one in threads.get(0, {}).get("keys store", [])]
        pairs = []
        for thread, found in threads.items():
            loads = {int(one["place"]): int(one["value"]) for one in found.get("places load", [])}
            read = {int(one["place"]): signed(one["value"]) for one in found.get("keys load", [])}
            partners = [place for place in loads if place != thread]
            if not loads and not read and "places store" not in found:
                continue  # the exchange
            if len(partners) != 1 or thread not in loads or len(read) != 2:
                raise ValueError(f"thread {thread} compares no two keys")
            if any(keys.get(place, key) != key for place, key in read.items()):
                raise ValueError("a key changes during the search")
            keys |= read
            pairs.append(
                Pair(
                    thread,
                    partners[0],
                    (loads[thread], loads[partners[0]]),
                    "places store" in found,
                )
            )
        if pairs:
            steps.append(sorted(pairs, key=lambda pair: pair.thread))
    if not steps or len(exchange) != 2 or min(exchange) != number:
        raise ValueError("no exchange")
    sweep = Sweep(number, keys, steps, max(exchange) if exchange[0] != exchange[1] else number)
    last = steps[-1][0]
    if number + last.places[last.took] != exchange[0] or any(
        (keys[number + pair.places[1]] < keys[number + pair.places[0]]) != pair.took
        for step in steps
        for pair in step
    ):
        raise ValueError("it does not find the smallest key")
    return sweep


def read_selection(source: Source) -> list[tuple[list[int], int]]:
    """The list before each sweep, with the place of the key that the sweep moves, and at last the
    sorted list (with its last place)."""
    path = source.trace_path(SELECTION.name)
    first = read_sweep(source, SELECTION, 0)
    if sorted(first.keys) != list(range(COUNT)):
        raise DataError(f"{path}: the first sweep does not read all keys")
    keys = [first.keys[place] for place in range(COUNT)]
    rows = []
    for number in range(COUNT - 1):
        sweep = read_sweep(source, SELECTION, number)
        if any(keys[place] != key for place, key in sweep.keys.items()):
            raise DataError(f"{path}: sweep {number} reads other keys than the list has")
        rows.append((list(keys), sweep.smallest))
        keys[number], keys[sweep.smallest] = keys[sweep.smallest], keys[number]
    return [*rows, (keys, COUNT - 1)]


def ranks_of(keys: Iterable[int]) -> dict[int, str]:
    """Keys by their size; padding is not a key of the list."""
    own = sorted({key for key in keys if key != LARGEST_KEY})
    return {key: str(rank) for rank, key in enumerate(own)} | {LARGEST_KEY: "max"}


# ---- figure 4.2


def prepare_selection(source: Source) -> Drawing:
    """Figure 4.2: the list before each sweep; an arrow moves the smallest key to the front."""
    rows = read_selection(source)
    ranks = ranks_of(rows[0][0])
    scene = Scene()
    width, height, left, top, row = 110.0, 54.0, 420.0, 120.0, 93.0
    for number, (keys, smallest) in enumerate(rows):
        y = top + number * row
        is_last = number == len(rows) - 1
        looks = [
            LIGHT if place < number or is_last else MARK if place == smallest else PLAIN
            for place in range(COUNT)
        ]
        scene.cells(left, y, width, height, [ranks[key] for key in keys], looks, 22)
        said = "the list" if number == 0 else f"{number} sorted" if not is_last else "sorted"
        scene.text(left - 24, y + height / 2, said, 18, align="right")
        if is_last:
            continue
        begin, end = (left + (place + 0.5) * width for place in (smallest, number))
        scene.arrow(begin, y + height, end, y + row - 2, RED, width=2)
        if smallest != number:
            scene.arrow(end, y + height, begin, y + row - 2, GREY, dashed=True)
    scene.text(left + COUNT * width + 30, top + 27, "red: the smallest", 18, RED, "left")
    scene.text(left + COUNT * width + 30, top + 52, "unsorted key", 18, RED, "left")
    scene.text(left + COUNT * width + 30, top + row + 27, "blue: sorted", 18, BLUE, "left")
    moved = sum(smallest != number for number, (_, smallest) in enumerate(rows[:-1]))
    return scene.drawing(
        subtitle=(
            f"{SELECTION.stage} sorts {COUNT} keys on the CPU engine: what a block exchanged after"
            " each search, traced; keys are numbered by size."
        ),
        ours=(
            f"{COUNT - 1} searches. Each finds the smallest of the unsorted keys and exchanges it"
            f" with the first of them; {moved} exchanges move a key. A list of n keys needs n - 1"
            " searches, one after the other, so only short segments are sorted in this way."
        ),
        alt=(
            f"{len(rows)} rows of {COUNT} numbered cells: the list before each search and at the"
            " end. An arrow leads the smallest unsorted key to the front of the unsorted part,"
            " which grows shorter by one in each row."
        ),
        traces=[SELECTION],
    )


# ---- figures 4.6 to 4.8


def draw_reduction(
    scene: Scene, sweep: Sweep, expected: Sweep, left: float, top: float, width: float, gap: float
) -> tuple[int, int]:
    """The unsorted part and below it the list of places after each step. A comparison that only
    `expected` makes is dashed. Returns how many comparisons are made and how many are dashed."""
    length = COUNT - sweep.begin
    known = {key for one in (sweep, expected) for key in one.keys.values()}
    ranks = ranks_of(known)
    height = 46.0
    made = dashed = 0

    def x(place: int) -> float:
        return left + (place + 0.5) * width

    for place in range(COUNT):
        key = sweep.keys.get(sweep.begin + place)
        look = EMPTY if key is None else PALE_MARK if place >= length else PLAIN
        text = "" if key is None else ranks[key]
        scene.box(x(place) - width / 2, top, x(place) + width / 2, top + height, look, text, 21)
        scene.text(x(place), top - 16, place, 17, GREY)
    held = {place: place for place in range(COUNT)}
    for number, wanted in enumerate(expected.steps):
        y = top + (number + 1) * gap
        own = {pair.thread: pair for pair in sweep.steps[number]}
        for pair in wanted:
            found = own.get(pair.thread)
            made += found is not None
            dashed += found is None
            for begin, wins in ((pair.thread, not pair.took), (pair.partner, pair.took)):
                colour = RULE if found is None else RED if wins else "#8a8a8a"
                scene.arrow(
                    x(begin),
                    y - gap + height,
                    x(pair.thread),
                    y - 2,
                    colour,
                    dashed=found is None,
                    width=3.5 if wins and found is not None else 1.5,
                )
            if found is not None:
                held[pair.thread] = found.places[found.took]
            place = held[pair.thread]
            key = sweep.keys.get(sweep.begin + place)
            text = f"{place}" + ("" if key is None else f": {ranks[key]}")
            is_last = number == len(expected.steps) - 1
            look = MARK if is_last else LIGHT if found is not None else EMPTY
            edge = x(pair.thread) - width / 2 + 3
            scene.box(edge, y, edge + width - 6, y + height, look, text, 18)
    return made, dashed


def prepare_reduction(source: Source) -> Drawing:
    """Figure 4.6: the first search."""
    sweep = read_sweep(source, SELECTION, 0)
    scene = Scene()
    left, top, width, gap = 300.0, 170.0, 150.0, 170.0
    made, _ = draw_reduction(scene, sweep, sweep, left, top, width, gap)
    scene.text(left - 30, top - 16, "place", 18, GREY, "right")
    scene.text(left - 30, top + 23, "keys", 18, align="right")
    for number, step in enumerate(sweep.steps):
        y = top + (number + 1) * gap
        scene.text(left - 30, y + 10, f"s_places, stride {step[0].partner}", 18, align="right")
        scene.text(left - 30, y + 36, "place: its key", 17, GREY, "right")
    scene.text(left, 850, "red, thick: the place with the smaller key remains", 18, RED, "left")
    return scene.drawing(
        subtitle=(
            f"{SELECTION.stage} sorts {COUNT} keys on the CPU engine: a block's first search for"
            " the smallest key, traced; keys are numbered by size."
        ),
        ours=(
            f"{made} comparisons in {len(sweep.steps)} steps, with a barrier after each. The"
            " threads halve a list of places, not of keys: the place is what the exchange needs."
            f" Key 0 was found at place {sweep.smallest}."
        ),
        alt=(
            f"A tree of cells: {COUNT} keys at the top, below it after each of {len(sweep.steps)}"
            " steps the places that remain, half as many each time, down to the place of the"
            " smallest key. Two arrows lead to each place; the one from the smaller key is red."
        ),
        traces=[SELECTION],
    )


def prepare_padding(source: Source) -> Drawing:
    """Figures 4.7 and 4.8: the same search with a test for the end, and with padding."""
    tested = read_sweep(source, TESTED, SHORT_SWEEP)
    padded = read_sweep(source, PADDED, SHORT_SWEEP)
    if len(tested.steps) != len(padded.steps):
        names = (source.trace_path(one.name) for one in (TESTED, PADDED))
        raise DataError(f"{' and '.join(map(str, names))}: not the same number of steps")
    scene = Scene()
    counts = []
    width, top, gap = 88.0, 210.0, 170.0
    for sweep, left, title in (
        (tested, 50.0, f"(a) {TESTED.stage.partition('/')[2]}: a test for the end"),
        (padded, 846.0, f"(b) {PADDED.stage.partition('/')[2]}: no test"),
    ):
        scene.text(left, top - 62, title, 21, align="left")
        counts.append(draw_reduction(scene, sweep, padded, left, top, width, gap))
    length = COUNT - SHORT_SWEEP
    scene.text(50, 840, "dashed: no partner, the test fails", 18, GREY, "left")
    scene.text(430, 780, "cells: place: its key", 18, GREY, "left")
    scene.text(846, 840, "max: the padding, the largest key there is", 18, RED, "left")
    (made, dashed), (all_made, _) = counts
    return scene.drawing(
        subtitle=(
            f"Both stages sort {COUNT} keys on the CPU engine: the search after {SHORT_SWEEP} keys"
            f" are sorted and {length} are left, traced; keys are numbered by size."
        ),
        ours=(
            f"(a) makes {made} comparisons: {dashed} threads have no partner, which each thread has"
            f" to test. (b) makes all {all_made}: the padding is never less than a key, so both"
            " find the same place. (Each cell below the keys has a place and its key.) The figure"
            " stands for the thesis' figures 4.7 and 4.8."
        ),
        alt=(
            f"Two trees of cells for a search among {length} keys in {COUNT} places. In the first"
            f" one {dashed} comparisons are dashed, because their partner is beyond the list. In"
            " the second one padding follows the list, and all comparisons are made. Both end with"
            " the same place."
        ),
        traces=[TESTED, PADDED],
    )
