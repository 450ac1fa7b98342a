# SPDX-License-Identifier: MIT
"""Lanes that wait while others of their warp work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.tools.explain.context import Context, each
from common.tools.explain.finding import Finding
from common.tools.explain.samples import WARP, Step, lanes_of

WAITING = 0.25  # of a line's lanes
PART_OF_KERNEL = 0.1  # of the lanes of all its basic blocks
BOTH_SIDES = 2  # basic blocks per warp: a branch with two sides
SHORT = 4
ALONE = 0.25  # of the kernel's lanes wait for one lane
PART_OF_PROGRAM = 0.02
REGULAR = 4  # so many lanes do not lie at equal distances by chance
FARTHER = 3  # different distances between the lanes that work
NEAR = 2  # lines of the same branch are at most so far apart


@dataclass
class Part:
    """Neighbouring lines that are executed with lanes missing."""

    file: str
    first: int
    last: int
    executions: int
    lanes: int

    def idle(self, lanes: float) -> float:
        """The lanes that take no part, of a warp's `lanes`."""
        return lanes * self.executions - self.lanes


def lanes_per_warp(context: Context) -> float:
    """Fewer than all where a block's last warp is not full."""
    x, y, z = context.block_shape
    threads = x * y * z
    return threads / -(-threads // WARP)


def parts_of(context: Context, lanes: float) -> list[Part]:
    lines: dict[tuple[str, int], Part] = {}
    for line in context.kernel.lines:
        if line["operation"] != "block" or line["file"] not in context.texts:
            continue
        place = (line["file"], line["line"])
        one = lines.setdefault(place, Part(*place, line["line"], 0, 0))
        one.executions += line["requests"]
        one.lanes += line["lanes"]
    parts: list[Part] = []
    for _, one in sorted(lines.items()):
        if one.idle(lanes) < WAITING * lanes * one.executions:
            continue
        before = parts[-1] if parts else None
        if before and before.file == one.file and one.first - before.last <= NEAR:
            before.last = one.last
            before.executions += one.executions
            before.lanes += one.lanes
        else:
            parts.append(one)
    return parts


def is_in(step: Step, part: Part) -> bool:
    return (
        step.operation == "block"
        and step.file == part.file
        and part.first <= step.line <= part.last
    )


def period(masks: Sequence[int]) -> int:
    """The least period, below a warp, of the lanes that take part; 0 if there is none."""
    for length in (2, 4, 8, 16):
        if all(mask == (mask >> length | mask << (WARP - length)) & 0xFFFFFFFF for mask in masks):
            return length
    return 0


def shrinks(warp: Sequence[Step], part: Part) -> bool:
    """Whether lanes leave a loop one after the other, so that of three different groups of lanes
    each is a part of the one before. Lanes that come back in between, for example to the loop's
    condition, have not left it."""
    left = working = 0  # how often lanes have left, and who is still there
    for step in warp:
        if step.lanes & ~working:
            left, working = 0, working | step.lanes
        if is_in(step, part):
            left += step.lanes != working
            working = step.lanes
        if left >= 3:
            return True
    return False


def distances(masks: Iterable[int]) -> set[int]:
    """The powers of 2 that are the distances between neighbours of those that work. Empty if
    several lanes work otherwise: then these distances are chance."""
    found = set()
    for mask in masks:
        lanes = lanes_of(mask)
        if len(lanes) < REGULAR:
            continue
        steps = {after - before for before, after in zip(lanes, lanes[1:])}
        if len(steps) > 1 or any(step & (step - 1) for step in steps):
            return set()
        found |= steps
    return found


def describe(warps: Sequence[Sequence[Step]], part: Part) -> tuple[str, str, str]:
    masks = [step.lanes for warp in warps for step in warp if is_in(step, part)]
    partial = [mask for mask in masks if mask.bit_count() < WARP]
    if any(shrinks(warp, part) for warp in warps):
        return (
            "loop_lengths",
            "the lanes of a warp pass the loop differently often, and a warp takes as long as its "
            "last lane",
            "sort or divide the work so that the lanes of a warp have loops of the same length",
        )
    if partial and all(mask.bit_count() == 1 for mask in partial):
        return (
            "one_lane",
            "one lane works alone",
            "let all lanes of the warp share this work: shuffles, or one element per lane",
        )
    apart = distances(partial)
    if len(apart) >= FARTHER and max(apart) > 1:
        return (
            "ever_fewer",
            f"the lanes that work lie {min(apart)} to {max(apart)} apart, so that every warp stays "
            "busy with few of them",
            "let the first threads of the block work, and half as many in each round: then whole "
            "warps have ended",
        )
    length = period(partial) if partial else 0
    if length:
        return (
            "branch",
            f"the branch depends on the lane's number modulo {length}",
            "let whole warps take the same side: decide by threadIdx.x / 32, or renumber the "
            "elements",
        )
    if partial and all(mask & (mask + 1) == 0 for mask in partial):
        return (
            "few_lanes",
            f"only the first {max(len(lanes_of(mask)) for mask in partial)} lanes work",
            "use fewer threads, or give each lane a share of this work",
        )
    return (
        "branch",
        "the condition differs between the lanes of a warp, so it runs both sides one after the "
        "other",
        "sort the work so that the lanes of a warp decide alike, or compute without a branch",
    )


def divergence(context: Context) -> list[Finding]:
    lanes = lanes_per_warp(context)
    warps = context.kernel.count("warps")
    total = WARP * context.kernel.count("basic_blocks")
    program = WARP * sum(kernel.count("basic_blocks") for kernel in context.all_kernels)
    found = []
    for part in parts_of(context, lanes):
        weight = part.idle(lanes) / total if total else 0
        steps = context.own.warps if context.own else ()
        seen = any(is_in(step, part) for warp in steps for step in warp)
        if weight < PART_OF_KERNEL or not seen:
            continue
        kind, why, cure = describe(steps, part)
        # One lane stores the result of a warp: a few instructions at the end are no waste.
        ends = kind in ("one_lane", "few_lanes")
        if part.executions < (SHORT if ends else BOTH_SIDES) * warps or ends and weight < ALONE:
            continue
        if part.idle(lanes) < PART_OF_PROGRAM * program:
            continue
        idle = part.idle(lanes) / part.executions
        cause = f"{each(idle)} of {each(lanes)} lanes wait here: {why}"
        line = {"file": part.file, "line": part.first}
        found.append(context.finding(kind, line, cause, cure, weight))
    return found
