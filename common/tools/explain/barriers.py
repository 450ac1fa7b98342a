# SPDX-License-Identifier: MIT
"""Barriers that order nothing, and barriers at which warps wait for one of them."""

from __future__ import annotations

from collections import defaultdict

from common.tools.explain.context import Context, counted
from common.tools.explain.finding import Finding
from common.tools.explain.samples import KernelSamples

ROUNDS = 2  # a barrier that a block passes less often is not worth a word
STEPS = 16  # basic blocks of the slowest warp
WRITES = ("store", "atomic", "async_copy", "bulk_load", "bulk_store")


def barrier_lines(own: KernelSamples) -> list[tuple[str, int]]:
    """Of each barrier that the sampled block passed: its line, as the first warp saw it."""
    if not own.warps:
        return []
    return [
        (step.file, step.line)
        for step in own.warps[0]
        if step.operation == "barrier"
        for _ in range(step.count)
    ]


def writing_intervals(own: KernelSamples) -> set[int]:
    """The parts between two barriers in which a warp writes to memory."""
    return {step.interval for warp in own.warps for step in warp if step.operation in WRITES}


def needless_barriers(context: Context) -> list[Finding]:
    """A barrier orders nothing if no warp writes between it and the barriers before and after
    it."""
    own = context.own
    if own is None or not own.whole:
        return []
    writes = writing_intervals(own)
    passes: dict[tuple[str, int], list[bool]] = defaultdict(list)
    lines = barrier_lines(own)
    for i, place in enumerate(lines):
        passes[place].append(i in writes or i + 1 in writes)
    found = []
    for (file, line), orders in passes.items():
        # After a loop the block writes its results: that does not concern the barriers before.
        if file not in context.texts or any(orders[:-1]) or len(orders) <= ROUNDS:
            continue
        found.append(
            context.finding(
                "needless_barrier",
                {"file": file, "line": line},
                f"the threads of a block meet here {counted(len(orders), 'time')}, and nobody "
                "writes to memory between one barrier and the next",
                "take the barrier out of the loop: it is needed only between a write and another "
                "thread's access",
                min(1.0, len(orders) / max(1, len(lines))) / 2,
            )
        )
    return found


def waiting_warps(context: Context) -> list[Finding]:
    own = context.own
    if own is None or not own.whole or len(own.warps) < 2:
        return []
    work: dict[int, list[int]] = {}
    for number, warp in enumerate(own.warps):
        for step in warp:
            if step.operation == "block":
                per_warp = work.setdefault(step.interval, [0] * len(own.warps))
                per_warp[number] += step.count
    slow: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for i, place in enumerate(barrier_lines(own)):
        steps = work.get(i, [0])
        slow[place].append((max(steps), sum(2 * one < max(steps) for one in steps)))
    total = sum(max(steps) for steps in work.values()) or 1
    found = []
    for (file, line), meetings in slow.items():
        waited = [(steps, waiting) for steps, waiting in meetings if steps >= STEPS]
        waiting = max((waiting for _, waiting in waited), default=0)
        if file not in context.texts or 2 * waiting < len(own.warps):
            continue
        found.append(
            context.finding(
                "waiting_warps",
                {"file": file, "line": line},
                f"{waiting} of the block's {len(own.warps)} warps wait here for the others, which "
                "have more than twice as much to do",
                "divide the work before the barrier among all warps of the block",
                sum(steps for steps, _ in waited) / total * waiting / len(own.warps),
            )
        )
    return found
