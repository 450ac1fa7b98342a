# SPDX-License-Identifier: MIT
"""Bank conflicts of shared memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from common.tools.explain.context import Context, all_samples, each
from common.tools.explain.finding import Finding
from common.tools.explain.global_memory import most_common
from common.tools.explain.samples import BANKS, WORD, Sample
from common.tools.lib.counting import Kernel, Line

CONFLICTS = 1.25  # wavefronts by the fewest possible
PART_OF_KERNEL = 0.1
PART_OF_PROGRAM = 0.02
ROUNDS = 3  # different distances of neighbouring lanes
SHORTEST_ROW = 8  # words: a smaller distance is that of structs, or of every second element


def banks(sample: Sample) -> Counter[int]:
    """How many different words of each bank the lanes use."""
    words = {(sample.base + address) // WORD for address in sample.addresses}
    return Counter(word % BANKS for word in words)


def strides_of(samples: list[Sample]) -> list[int]:
    """The distances of neighbouring lanes, in words."""
    found = {abs(one.stride_of_present or 0) for one in samples}
    return sorted(stride // WORD for stride in found if stride and stride % WORD == 0)


def doubles(strides: list[int]) -> bool:
    """Whether the distance grows from round to round."""
    return len(strides) >= ROUNDS and all(two % one == 0 for one, two in zip(strides, strides[1:]))


def describe(samples: list[Sample], line: Line, text: str) -> tuple[str, str]:
    worst = max(samples, key=lambda one: one.units - one.ideal)
    used = banks(worst)
    lanes = len(worst.lanes)
    stride = most_common(one.stride_of_present for one in samples)
    if len(used) == 1:
        cause = f"all {lanes} lanes meet in bank {next(iter(used))}"
    else:
        cause = (
            f"{max(used.values())} lanes meet in one bank, for the lanes share {len(used)} banks"
        )
    strides = strides_of(samples)
    if doubles(strides):
        return (
            f"{cause}: neighbouring lanes are {strides[0]} words apart, later up to {strides[-1]}",
            "let neighbouring threads use neighbouring words in every round: the thread's number "
            "alone is the index",
        )
    if stride and stride % WORD == 0:
        row = abs(stride) // WORD
        cause += f": neighbouring lanes are {row} words apart"
        if row > 1 and row % 2 == 0 and (row >= SHORTEST_ROW or "][" in text):
            return cause, f"pad the row from {row} to {row + 1} words"
    if line["bytes"] > WORD:
        return cause, (
            "let neighbouring lanes use neighbouring elements, or keep the members in arrays of "
            "their own"
        )
    return cause, "let the lanes of a warp use words in different banks: neighbouring words"


def wavefronts_of(kernels: Sequence[Kernel]) -> int:
    return sum(
        line["wavefronts"]
        for kernel in kernels
        for line in kernel.lines
        if line["space"] == "shared"
    )


def bank_conflicts(context: Context) -> list[Finding]:
    found = []
    total = wavefronts_of([context.kernel])
    program = wavefronts_of(context.all_kernels)
    for line, instructions in context.accesses("shared"):
        conflicts = line["wavefronts"] - line["ideal_wavefronts"]
        if (
            line["operation"] == "atomic"  # contention.py
            or line["wavefronts"] < CONFLICTS * line["ideal_wavefronts"]
            or conflicts < PART_OF_KERNEL * total
            or conflicts < PART_OF_PROGRAM * program
        ):
            continue
        samples = [one for one in all_samples(instructions) if one.units > one.ideal]
        if not samples:
            continue
        cause, cure = describe(samples, line, context.text(line))
        requests = line["requests"]
        cause += (
            f"; a request needs {each(line['wavefronts'] / requests)} wavefronts instead of "
            f"{each(line['ideal_wavefronts'] / requests)}"
        )
        found.append(context.finding("bank_conflict", line, cause, cure, conflicts / total))
    return found
