# SPDX-License-Identifier: MIT
"""Loops of machine code, and how many rounds of the source's loop one round of them does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from common.tools.machine_code.blocks import Block
from common.tools.machine_code.listing import Instruction, Place

MOST_COPIES = 128
SHARE_OF_COPIES = 0.65  # of some code's instructions: so many occur as often as the copies say


@dataclass(frozen=True)
class Loop:
    header: int
    blocks: frozenset[int]


def dominators(blocks: Sequence[Block]) -> list[int]:
    """Of each block, as a set of bits: the blocks that every way to it passes."""
    every = (1 << len(blocks)) - 1
    found = [every] * len(blocks)
    roots = {0, *(i for i, block in enumerate(blocks) if not block.predecessors)}
    changed = True
    while changed:
        changed = False
        for i, block in enumerate(blocks):
            own = 0 if i in roots else every
            if i not in roots:
                for one in block.predecessors:
                    own &= found[one]
            own |= 1 << i
            if own != found[i]:
                found[i], changed = own, True
    return found


def find_loops(blocks: Sequence[Block], above: Sequence[int]) -> list[Loop]:
    """The innermost first. `above`: the dominators."""
    bodies: dict[int, set[int]] = {}
    for i, block in enumerate(blocks):
        for header in block.successors:
            if not above[i] >> header & 1:
                continue
            body = bodies.setdefault(header, {header})
            open_blocks = [i]
            while open_blocks:
                one = open_blocks.pop()
                if one not in body:
                    body.add(one)
                    open_blocks += blocks[one].predecessors
    found = [Loop(header, frozenset(body)) for header, body in bodies.items()]
    return sorted(found, key=lambda loop: len(loop.blocks))


def innermost(loops: Sequence[Loop], count: int) -> list[Loop | None]:
    """Of each block."""
    found: list[Loop | None] = [None] * count
    for loop in reversed(loops):
        for block in loop.blocks:
            found[block] = loop
    return found


def every_round(
    loop: Loop | None, own: Sequence[int], blocks: Sequence[Block], above: Sequence[int]
) -> list[int]:
    """Which of a loop's own blocks each of its rounds runs; without a loop, which of these blocks
    each run of the kernel passes."""
    if loop:
        ends = [i for i in blocks[loop.header].predecessors if i in loop.blocks]
    else:
        ends = [i for i, block in enumerate(blocks) if block.may_leave and not block.successors]
    return [i for i in own if all(above[end] >> i & 1 for end in ends)]


def copies(
    instructions: Sequence[Instruction],
    place_of: Callable[[Instruction], Place | None],
) -> int:
    """How often nvcc has copied this code: the largest number that divides how often most
    instructions occur. An instruction is told by its line and its opcode."""
    counts = Counter(
        (place, one.opcode) for one in instructions if (place := place_of(one)) is not None
    )
    total = sum(counts.values())
    best = 1
    for number in range(2, MOST_COPIES + 1):
        fitting = sum(count for count in counts.values() if count % number == 0)
        if total and fitting >= SHARE_OF_COPIES * total:
            best = number
    return best
