# SPDX-License-Identifier: MIT
"""Basic blocks of machine code, and the edges between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from common.tools.machine_code.listing import Function, Instruction

JUMPS = ("BRA", "JMP", "BRX", "JMX", "BRXU", "JMXU")
ENDS = ("EXIT", "RET", "KILL", "BPT")
# Arithmetic that leaves its usual path only for numbers such as denormal ones.
RARE_CALL = re.compile(r"\$__internal_\d+_\$.*slowpath")


@dataclass
class Block:
    function: int
    instructions: list[Instruction]
    successors: list[int] = field(default_factory=list)
    predecessors: list[int] = field(default_factory=list)
    calls: str = ""  # the function that its last instruction calls
    may_leave: bool = False  # it ends with a return, maybe of some lanes only
    is_rare: bool = False  # nothing that runs as usual comes here


def is_conditional(one: Instruction) -> bool:
    """Whether some lanes, or some warps, may go on behind it."""
    return one.is_guarded or one.operands.startswith(("!P", "P", "!UP", "UP", "UR", "~UR"))


def ends_block(one: Instruction) -> bool:
    return one.name in JUMPS or one.name in ENDS or one.name == "CALL"


def split(functions: Sequence[Function]) -> list[Block]:
    """The blocks of a kernel and of the functions that it calls. The first is the kernel's
    entry."""
    blocks: list[Block] = []
    for number, function in enumerate(functions):
        starts = {0, *function.labels.values()}
        starts |= {i + 1 for i, one in enumerate(function.instructions) if ends_block(one)}
        ordered = sorted(one for one in starts if one < len(function.instructions))
        first = len(blocks)
        at = {start: first + i for i, start in enumerate(ordered)}
        for start, end in zip(ordered, [*ordered[1:], len(function.instructions)]):
            blocks.append(Block(number, function.instructions[start:end]))
        labels = {name: at[i] for name, i in function.labels.items() if i in at}
        link(blocks, first, labels)
    mark_rare(blocks)
    return keep_reachable(blocks, functions)


def link(blocks: list[Block], first: int, labels: dict[str, int]) -> None:
    for index in range(first, len(blocks)):
        block = blocks[index]
        last = block.instructions[-1]
        following = [index + 1] if index + 1 < len(blocks) else []
        if last.name in JUMPS:
            names = [last.target] if last.target else last.targets
            block.successors = [labels[name] for name in names if name in labels]
            if last.opcode.startswith("BRA.DIV"):
                block.successors = []  # only for warps whose lanes have not met
            if is_conditional(last) or last.opcode.startswith("BRA.DIV"):
                block.successors += following
        elif last.name in ENDS:
            block.may_leave = True
            block.successors = following if is_conditional(last) else []
        else:
            block.calls = last.target if last.name == "CALL" else ""
            block.successors = following
        block.successors = list(dict.fromkeys(block.successors))


def mark_rare(blocks: list[Block]) -> None:
    """Blocks that call slow paths of arithmetic, and what only they lead to."""
    for block in blocks:
        block.is_rare = bool(RARE_CALL.match(block.calls))


def keep_reachable(blocks: list[Block], functions: Sequence[Function]) -> list[Block]:
    """Without rare blocks, and without what no other block leads to."""
    entries: dict[str, int] = {}
    for index, block in enumerate(blocks):
        entries.setdefault(functions[block.function].name, index)
    reached: set[int] = set()
    open_blocks = [0] if blocks else []
    while open_blocks:
        index = open_blocks.pop()
        if index in reached or blocks[index].is_rare:
            continue
        reached.add(index)
        open_blocks += blocks[index].successors
        if blocks[index].calls in entries:
            open_blocks.append(entries[blocks[index].calls])
    numbers = {old: new for new, old in enumerate(sorted(reached))}
    kept = [blocks[old] for old in sorted(reached)]
    for block in kept:
        block.successors = [numbers[one] for one in block.successors if one in numbers]
        block.predecessors = []
    for index, block in enumerate(kept):
        for successor in block.successors:
            kept[successor].predecessors.append(index)
    return kept
