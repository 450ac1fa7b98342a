# SPDX-License-Identifier: MIT
"""Figures 3.3 to 3.5: bitonic lists, from the accesses of the network of figure 3.6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, RED, Look, Scene
from plots.quicksort.network import TRACE, Comparison, read_network
from plots.records.source import Source


def turns(keys: Sequence[int]) -> int:
    """How often the keys change between rising and falling, round the list."""
    signs = [later > earlier for earlier, later in zip(keys, [*keys[1:], keys[0]])]
    return sum(a != b for a, b in zip(signs, [*signs[1:], signs[0]]))


def is_bitonic(keys: Sequence[int]) -> bool:
    """Whether the different keys rise and then fall, or can be rotated so that they do."""
    return len(keys) < 3 or turns(keys) <= 2


@dataclass(frozen=True)
class Moment:
    """The keys by size at one moment, and the parts in which the next step works."""

    keys: list[int]
    part: int
    step: list[Comparison]  # the next one


def read_moments(source: Source) -> list[Moment]:
    """The keys before the last merge and after each of its steps."""
    network = read_network(source)
    ranks = {key: rank for rank, key in enumerate(sorted(network.keys))}
    keys = [ranks[key] for key in network.keys]
    count = len(keys)
    steps = network.steps()
    last = count.bit_length() - 1  # so many steps has the last merge
    moments = [Moment(list(keys), count, [])]
    after_last: list[Comparison] = []
    for number, step in enumerate([*steps, after_last]):
        if number == len(steps) - last:
            moments.append(Moment(list(keys), count // 2, step))
        elif number > len(steps) - last:
            moments.append(Moment(list(keys), count >> (number - len(steps) + last), step))
        for one in step:
            if one.exchanged:
                keys[one.low], keys[one.high] = keys[one.high], keys[one.low]
    return moments


def parts_of(moment: Moment) -> list[list[int]]:
    return [
        moment.keys[begin : begin + moment.part]
        for begin in range(0, len(moment.keys), moment.part)
    ]


def said_of(moment: Moment, first: bool, second: bool) -> tuple[str, str]:
    """What a panel shows: its title, and what the next step does."""
    parts = parts_of(moment)
    if moment.keys == sorted(moment.keys):
        return "sorted", ""
    if first:
        what = "bitonic" if is_bitonic(moment.keys) else "not bitonic"
        return f"the input: {what}", f"it turns {turns(moment.keys)} times"
    if second:
        return f"{len(parts)} sorted lists of {moment.part}", "next: each key and its mirror image"
    bitonic = all(map(is_bitonic, parts))
    apart = all(max(a) < min(b) for a, b in zip(parts, parts[1:]))
    title = f"{len(parts)} {'bitonic ' if bitonic else ''}lists of {moment.part}"
    stride = moment.step[0].high - moment.step[0].low
    return title + (", in order" if apart else ""), f"next: keys {stride} apart"


def draw_moment(
    scene: Scene, moment: Moment, left: float, top: float, width: float, height: float
) -> None:
    """A bar per key, as high as its number, in the colours of the parts; and the comparisons of
    the first part's next step."""
    count = len(moment.keys)
    bar = width / count
    bottom = top + height
    looks: tuple[Look, ...] = (DARK, LIGHT)
    for place, key in enumerate(moment.keys):
        own = PLAIN if moment.part == count else looks[place // moment.part % 2]
        upper = bottom - (key + 0.6) / count * height
        scene.box(left + place * bar + 2, upper, left + (place + 1) * bar - 2, bottom, own)
        scene.text(left + (place + 0.5) * bar, bottom + 16, key, 14)
    for i, one in enumerate(moment.step[:8] if moment.part > 2 else moment.step):
        ends = [left + (place + 0.5) * bar for place in (one.low, one.high)]
        y = bottom + 38 + 7 * (i % 8 if moment.part >= 8 else i % max(1, moment.part // 2))
        colour = RED if one.exchanged else "#b0b0b0"
        scene.line([(ends[0], y), (ends[1], y)], colour, width=2.5)
        for end in ends:
            scene.dot(end, y, colour, 0.6)


def prepare_bitonic_merge(source: Source) -> Drawing:
    """Six panels: the input, and the last merge before and after each of its steps."""
    moments = read_moments(source)
    scene = Scene()
    width, height = 450.0, 205.0
    titles = []
    for i, moment in enumerate(moments):
        left, top = 60 + i % 3 * 515, 160 + i // 3 * 385
        title, following = said_of(moment, i == 0, i == 1)
        titles.append(title)
        scene.text(left, top - 28, f"({'abcdef'[i]}) {title}", 20, align="left")
        draw_moment(scene, moment, left, top, width, height)
        if following:
            scene.text(left, top + height + 110, following, 17, GREY, "left")
    exchanged = [sum(one.exchanged for one in moment.step) for moment in moments[1:-1]]
    count = len(moments[0].keys)
    return scene.drawing(
        subtitle=(
            f"{TRACE.stage} sorts {count} keys on the CPU engine: its last merge, traced."
            " A bar per key, numbered by size; red: the step exchanges both keys."
        ),
        ours=(
            "A list is bitonic if it rises and then falls, or can be rotated so that it does."
            f" Panels: {'; '.join(titles)}. The mirror step makes two bitonic lists of which the"
            " first has the smaller keys. Each further step does this to halves of half the"
            f" length, until a list has one key. The steps exchange"
            f" {', '.join(map(str, exchanged))} pairs. The figure stands for the thesis' figures 3.3"
            " to 3.5."
        ),
        alt=(
            f"Six bar charts of {count} keys: {'; '.join(titles)}. Lines under the bars join the"
            " keys that the next step compares; red lines are exchanges."
        ),
        traces=[TRACE],
    )
