# SPDX-License-Identifier: MIT
"""Atomic operations that take turns."""

from __future__ import annotations

from common.tools.explain.context import Context, all_samples, counted, each
from common.tools.explain.finding import Finding
from common.tools.explain.samples import Sample

DEPTH = 2.0  # lanes that take turns, on average
WARPS = 8  # so many warps of a block that use the same word


def words_of(samples: list[Sample]) -> set[tuple[int, int]]:
    return {
        (owner, address) for one in samples for owner, address in zip(one.objects, one.addresses)
    }


def contention(context: Context) -> list[Finding]:
    found = []
    warps = context.kernel.count("warps")
    blocks = context.kernel.count("blocks")
    for line, instructions in context.accesses("global", "shared"):
        if line["operation"] != "atomic":
            continue
        samples = all_samples(instructions)
        words = words_of(samples)
        depth = line["depth"] / line["requests"]
        lanes = line["lanes"] / line["requests"]
        is_global = line["space"] == "global"
        add_up = (
            "add up the values of a warp first (__reduce_add_sync() or shuffles), then send one "
            "atomic operation per warp or block"
        )
        if depth >= DEPTH and len(words) == 1:
            cause = f"{each(lanes)} lanes of a warp send their atomic operations to the same word"
            found.append(
                context.finding("one_word", line, f"{cause} and take turns", add_up, 1 - 1 / depth)
            )
        elif depth >= DEPTH:
            cure = (
                "count in shared memory first, and add each block's counts to global memory at the "
                "end"
                if is_global
                else "give each warp counters of its own, and add them up at the end"
            )
            cause = (
                f"on average {each(depth)} of {each(lanes)} lanes send their atomic operations to "
                "the same word and take turns"
            )
            found.append(context.finding("few_words", line, cause, cure, 1 - 1 / depth))
        elif is_global and len(words) == 1 and blocks and line["requests"] >= WARPS * blocks:
            each_block = round(line["requests"] / blocks)
            cause = (
                f"each block sends {counted(each_block, 'atomic operation')} to the same word of "
                "global memory"
            )
            cure = "add up in shared memory first, then send one atomic operation per block"
            found.append(
                context.finding(
                    "one_word", line, cause, cure, min(1.0, line["requests"] / max(1, warps)) / 2
                )
            )
    return found
