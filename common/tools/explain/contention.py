# SPDX-License-Identifier: MIT
"""Atomic operations that take turns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from common.tools.explain.context import Context, all_samples, counted, each
from common.tools.explain.finding import Finding
from common.tools.explain.samples import Sample

NAME = re.compile(r"\b(?:atomic|fetch_)([A-Za-z]+?)(?:_block|_system)?\s*\(")
READS = re.compile(r"\batomic(?:Add|Or)\s*\([^;]*,\s*0[uUlL]*\s*\)")


@dataclass(frozen=True)
class Atomic:
    """`cure`: for lanes that meet on one word; `collect`: what a warp or a block does first, ""
    if the cure is always the same."""

    name: str
    cure: str
    collect: str

    def among_many(self, is_global: bool) -> str:
        """The cure for several words that lanes meet on."""
        if not self.collect:
            return self.cure
        if not is_global:
            return f"{self.collect} for each warp on its own, and combine the warps at the end"
        return f"{self.collect} in shared memory first, and combine the blocks at the end"

    @property
    def per_block(self) -> str:
        """The cure for warps that go one by one to a word of global memory."""
        if not self.collect:
            return self.cure
        return f"{self.collect} in shared memory first, then send one atomic operation per block"


def by_warp(first: str) -> str:
    return f"{first}, then send one atomic operation per warp or block"


SUMS = "add sub inc dec"
# By the names that follow `atomic` or `fetch_`, in small letters.
OPERATIONS = {
    SUMS: Atomic(
        "atomic additions",
        by_warp("add up the values of a warp first (__reduce_add_sync() or shuffles)"),
        "add up",
    ),
    "min": Atomic(
        "atomic minima",
        by_warp("find the minimum of a warp first (__reduce_min_sync() or shuffles)"),
        "keep minima",
    ),
    "max": Atomic(
        "atomic maxima",
        by_warp("find the maximum of a warp first (__reduce_max_sync() or shuffles)"),
        "keep maxima",
    ),
    "and or xor": Atomic(
        "atomic bit operations",
        by_warp("combine the bits of a warp first (__reduce_or_sync() and its like)"),
        "combine the bits",
    ),
    "cas": Atomic(
        "compare-and-swap operations",
        "all but one of them fail and try again: combine the values of a warp first (their "
        "minimum, maximum or sum by shuffles), and let one lane compare and swap",
        "combine the values",
    ),
    "exch": Atomic(
        "atomic exchanges",
        "only the last value stays: let one lane of the warp exchange",
        "keep the last value",
    ),
}
DEPTH = 2.0  # lanes that take turns, on average
WARPS = 8  # so many warps of a block that use the same word


def words_of(samples: list[Sample]) -> set[tuple[int, int]]:
    return {
        (owner, address) for one in samples for owner, address in zip(one.objects, one.addresses)
    }


def operation_of(text: str) -> Atomic:
    """By the name that the source's line calls; a sum if it calls none that is known."""
    if READS.search(text):
        return Atomic(
            "atomicAdd(..., 0)",
            "this only reads the word: let one lane read it and hand it to the others "
            "(__shfl_sync())",
            "",
        )
    name = NAME.search(text)
    found = name[1].lower() if name else "add"
    for names, atomic in OPERATIONS.items():
        if found in names.split():
            return atomic
    return OPERATIONS[SUMS]


def contention(context: Context) -> list[Finding]:
    found = []
    warps = context.kernel.count("warps")
    blocks = context.kernel.count("blocks")
    for line, instructions in context.accesses("global", "shared"):
        if line["operation"] != "atomic":
            continue
        atomic = operation_of(context.text(line))
        samples = all_samples(instructions)
        words = words_of(samples)
        depth = line["depth"] / line["requests"]
        lanes = line["lanes"] / line["requests"]
        is_global = line["space"] == "global"
        if depth >= DEPTH and len(words) == 1:
            cause = f"{each(lanes)} lanes of a warp send their {atomic.name} to the same word"
            found.append(
                context.finding(
                    "one_word", line, f"{cause} and take turns", atomic.cure, 1 - 1 / depth
                )
            )
        elif depth >= DEPTH:
            cure = atomic.among_many(is_global)
            cause = (
                f"on average {each(depth)} of {each(lanes)} lanes send their {atomic.name} to the "
                "same word and take turns"
            )
            found.append(context.finding("few_words", line, cause, cure, 1 - 1 / depth))
        elif is_global and len(words) == 1 and blocks and line["requests"] >= WARPS * blocks:
            each_block = round(line["requests"] / blocks)
            cause = (
                f"each block sends {counted(each_block, 'atomic operation')} to the same word of "
                "global memory"
            )
            found.append(
                context.finding(
                    "one_word",
                    line,
                    cause,
                    atomic.per_block,
                    min(1.0, line["requests"] / max(1, warps)) / 2,
                )
            )
    return found
