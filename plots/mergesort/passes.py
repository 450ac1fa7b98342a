# SPDX-License-Identifier: MIT
"""Figures 4.1 and 4.3: the list after each pass over it, from the accesses of the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.tools.lib.numbers import short_count
from common.tools.lib.stages import DataError
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RULE, SERIES, Scene, look_of
from plots.mergesort.stages import STAGES, THREAD_MERGE
from plots.records.source import Source
from plots.records.traces import Kept, Record, Trace, signed, thread_of

COLUMNS = ("pass", "kernel", "run", "place", "value")
INPUT = "-1"
SMALL, LARGE = 16, 2048
SHOWN = 32  # of the large list's keys: every 32nd


def kept_rows(records: Iterable[Record], every: int) -> Kept:
    """The keys that the first kernel reads, and those that each pass stores last at a place. A pass
    is all launches that store to the same list; a run, what one block sorts, or one thread or one
    launch merges."""
    first: dict[int, str] = {}
    passes: list[tuple[str, dict[int, tuple[str, str]]]] = []
    target = ("", "")
    for one in records:
        place = int(one["offset"]) // 4
        if one["space"] != "global" or place % every != 0:
            continue
        if one["operation"] == "load":
            first.setdefault(place, one["value"])
            continue
        kernel = one["kernel"]
        if (kernel, one["object"]) != target:
            passes.append((kernel, {}))
            target = (kernel, one["object"])
        threads = kernel == "merge_runs_kernel" and every == 1
        run = thread_of(one) if threads else one["block" if len(passes) == 1 else "grid"]
        passes[-1][1][place] = (str(run), one["value"])
    rows: Kept = [(INPUT, "", "", place, first[place]) for place in sorted(first)]
    for number, (kernel, found) in enumerate(passes):
        rows += [(number, kernel, *_run_first(place, found[place])) for place in sorted(found)]
    return rows


def _run_first(place: int, found: tuple[str, str]) -> tuple[object, ...]:
    run, value = found
    return (run, place, value)


MERGES = Trace(
    "merges",
    STAGES[THREAD_MERGE].stage,
    ("--n", str(SMALL), "--size-i", "1", "--threads", "32"),
    COLUMNS,
    lambda records: kept_rows(records, 1),
)
PHASES = Trace(
    "merge_phases",
    STAGES[STAGES.named("padded_list")].stage,
    ("--n", str(LARGE), "--no-races"),
    COLUMNS,
    lambda records: kept_rows(records, SHOWN),
    {"EMULATOR_TRACE_SPACES": "global"},
)


@dataclass(frozen=True)
class Pass:
    """The list after a pass: its keys, and of each key the run that it belongs to."""

    kernel: str
    places: list[int]
    keys: list[int]
    runs: list[int]

    def by_run(self) -> list[list[int]]:
        """The keys of each run, in the order of the list."""
        order = list(dict.fromkeys(self.runs))
        return [
            [key for key, run in zip(self.keys, self.runs) if run == number] for number in order
        ]


def read_passes(source: Source, trace: Trace) -> list[Pass]:
    """The list before the first pass, whose runs are not known (-1), and after each pass."""
    path = source.trace_path(trace.name)
    records = source.trace(trace.name, COLUMNS)
    passes = []
    for number in dict.fromkeys(one["pass"] for one in records):
        own = [one for one in records if one["pass"] == number]
        passes.append(
            Pass(
                own[0]["kernel"],
                [int(one["place"]) for one in own],
                [signed(one["value"]) for one in own],
                [int(one["run"] or -1) for one in own],
            )
        )
    for earlier, one in zip(passes, passes[1:]):
        if one.places != earlier.places:
            raise DataError(f"{path}: a pass leaves keys out")
        if any(keys != sorted(keys) for keys in one.by_run()):
            raise DataError(f"{path}: a pass of {one.kernel} leaves a run that is not sorted")
    if len(passes) < 3 or len(passes[-1].by_run()) != 1:
        raise DataError(f"{path}: the last pass leaves no sorted list")
    return passes


def prepare_merges(source: Source) -> Drawing:
    """Figure 4.1: a row per pass. A cell's colour is the side from which the merge took its key."""
    passes = read_passes(source, MERGES)
    if any(sorted(one.keys) != sorted(passes[0].keys) for one in passes):
        raise DataError(f"{source.trace_path(MERGES.name)}: a pass has other keys")
    count = len(passes[0].keys)
    ranks = {key: rank for rank, key in enumerate(sorted(passes[0].keys))}
    rows = [passes[0], *(one for one in passes[1:] if one.kernel == "merge_runs_kernel")]
    scene = Scene()
    left, top, width, height = 200.0, 140.0, 66.0, 48.0
    gap = 610.0 / (len(rows) - 1)
    runs = [[[key] for key in rows[0].keys], *(one.by_run() for one in rows[1:])]
    spans: list[list[tuple[float, float]]] = []
    for number, own in enumerate(runs):
        y, place = top + number * gap, 0
        spans.append([])
        for i, keys in enumerate(own):
            # Runs of the lower rows are wider, so their gaps are shared out.
            begin = left + place * (width + 16) + (len(keys) - 1) * 8
            spans[-1].append((begin, begin + len(keys) * width))
            lefts = set(runs[number - 1][2 * i]) if number else set()
            looks = [PLAIN if not number else DARK if key in lefts else LIGHT for key in keys]
            scene.cells(begin, y, width, height, [ranks[key] for key in keys], looks, 19)
            place += len(keys)
            if not number:
                continue
            for side in (2 * i, 2 * i + 1):
                for before, here in zip(spans[number - 1][side], spans[number][i]):
                    scene.line([(before, y - gap + height), (here, y)], RULE, width=1.2)
            middle = sum(spans[number][i]) / 2
            scene.text(middle, y - 18, f"thread {i}", 17, GREY)
        said = "input" if not number else f"pass {number}"
        scene.text(left - 24, y + height / 2, said, 19, align="right")
    scene.text(
        left, 835, "dark: taken from the left run; light: from the right one", 18, GREY, "left"
    )
    merges = sum(len(own) for own in runs[1:])
    return scene.drawing(
        subtitle=(
            f"{MERGES.stage} sorts {count} keys on the CPU engine with --size-i 1: what its threads"
            " stored in each pass, traced; keys are numbered by size."
        ),
        ours=(
            f"{merges} merges in {len(rows) - 1} passes, one launch per pass and one thread per"
            " merge. The thesis' tree divides the list from the top first; that moves no key, and"
            " leads to the same merges. The last pass has a single thread, which takes all keys."
        ),
        alt=(
            f"A tree of numbered cells: {count} keys alone at the top, then runs of"
            f" {', '.join(str(len(own[0])) for own in runs[1:])} sorted keys, each merged from two"
            " runs of the row above by one thread."
        ),
        traces=[MERGES],
    )


def said_of(runs: Sequence[Sequence[int]], count: int) -> str:
    return f"{len(runs)} sorted run{'s' * (len(runs) > 1)} of {count // len(runs)} keys"


def prepare_phases(source: Source) -> Drawing:
    """Figure 4.3: four panels of keys against places."""
    passes = read_passes(source, PHASES)
    low, high = min(passes[0].keys), max(passes[0].keys)
    scene = Scene()
    width, height = 640.0, 250.0
    titles = []
    for number, one in enumerate(passes):
        left, top = 110.0 + number % 2 * 770, 175.0 + number // 2 * 365
        runs = one.by_run()
        title = "the input" if not number else said_of(runs, LARGE)
        phase = (
            ""
            if not number
            else "phase 1, selection sort: "
            if number == 1
            else f"phase 2, merges {number - 1}: "
        )
        titles.append(phase + title)
        scene.text(left, top - 26, f"({'abcd'[number]}) {titles[-1]}", 20, align="left")
        scene.line([(left, top), (left, top + height), (left + width, top + height)], GREY)
        order = list(dict.fromkeys(one.runs))
        for place, key, run in zip(one.places, one.keys, one.runs):
            look = SERIES[0] if run < 0 else look_of(order.index(run) % 2)
            scene.dot(
                left + (place + SHOWN / 2) / LARGE * width,
                top + height - 6 - (key - low) / (high - low) * (height - 12),
                look.fill,
                0.9,
            )
        length = LARGE // len(runs)
        for i in range(1, len(runs)):
            x = left + i * length / LARGE * width
            scene.line([(x, top), (x, top + height)], RULE, dashed=True)
        scene.text(left + width, top + height + 20, "place in the list", 17, GREY, "right")
        scene.text(left - 22, top + height / 2, "key", 17, GREY, "upright")
    return scene.drawing(
        subtitle=(
            f"{PHASES.stage} sorts {short_count(LARGE)} keys on the CPU engine: what its kernels"
            f" stored in each pass, traced; every {SHOWN}nd key is drawn."
        ),
        ours=(
            f"{'; '.join(titles)}. The first phase is one launch, in which each block sorts its own"
            " segment. In the second phase each pass merges pairs of runs, and the runs become"
            " twice as long until one is left."
        ),
        alt=f"{len(passes)} scatter plots of keys against their places: {'; '.join(titles)}.",
        traces=[PHASES],
    )
