# SPDX-License-Identifier: MIT
"""How often each block of a kernel's machine code runs, from what the CPU engine counted.

Two rules tie the unknown numbers together. As many lanes leave a block as enter it. And a line's
accesses, barriers, warp functions and basic blocks were counted by the engine, so that the
instructions of that line must add up to them. The second rule does not always fit, because nvcc
moves, merges and copies instructions. So the numbers are chosen that deviate least from all counts,
each relative to its size; among those, the ones with the fewest instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from common.tools.lib.counting import Kernel
from common.tools.machine_code.blocks import Block, split
from common.tools.machine_code.conditions import Condition, Conditions, Events, kind_of
from common.tools.machine_code.linear import minimise
from common.tools.machine_code.listing import Function, Instruction, Place

OF_ENTRIES = 0.1  # the weight of the rule that a loop that runs is entered
ROUNDS = 4
ALIKE = 0.01  # numbers of lanes that differ by no more are those of the same lanes
LEAST = 1e-3  # the cost of an instruction, so small that it decides only what no count decides
LinearRow = tuple[dict[int, float], float]


@dataclass
class Solved:
    blocks: list[Block]
    lanes: list[float]  # of each block
    warps: list[float]
    files: set[str]  # of the program

    def place_of(self, one: Instruction) -> Place | None:
        """The line of the program: the engine counts a library's code where it is called."""
        return next((place for place in one.places if place[0] in self.files), None)

    def instructions(self) -> Iterator[tuple[Instruction, float]]:
        """Each instruction with its executions by warps."""
        for block, count in zip(self.blocks, self.warps):
            for one in block.instructions:
                yield one, count


@dataclass
class Flow:
    """As many lanes leave a block as enter it. The variables are the lanes of each block, and
    behind them those of the ways between blocks that are not those of one block alone."""

    count: int = 0
    rows: list[LinearRow] = field(default_factory=list)
    # Of each block: the blocks that lead to it, and the variables of these ways.
    incoming: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, index: int, others: Sequence[int], more: float = 0.0) -> None:
        """A block's lanes are the sum of others, and of `more`."""
        row = {index: 1.0}
        for one in others:
            row[one] = row.get(one, 0.0) - 1.0
        self.rows.append((row, more))


def flow_of(blocks: Sequence[Block], functions: Sequence[Function], threads: float) -> Flow:
    flow = Flow(len(blocks))
    entry_of: dict[str, int] = {}
    for index, block in enumerate(blocks):
        entry_of.setdefault(functions[block.function].name, index)
    entries = set(entry_of.values())
    for index, block in enumerate(blocks):
        leaving = []
        for successor in block.successors:
            alone = len(blocks[successor].predecessors) == 1 and successor not in entries
            if len(block.successors) == 1 and not block.may_leave:
                variable = index
            elif alone:
                variable = successor
            else:
                variable, flow.count = flow.count, flow.count + 1
            leaving.append(variable)
            flow.incoming.setdefault(successor, []).append((index, variable))
        if block.may_leave and block.successors:
            leaving, flow.count = [*leaving, flow.count], flow.count + 1
        if leaving and leaving != [index]:
            flow.add(index, leaving)
    for index in range(len(blocks)):
        own = [variable for _, variable in flow.incoming.get(index, [])]
        if index in entries:
            name = functions[blocks[index].function].name
            callers = [i for i, block in enumerate(blocks) if block.calls == name]
            flow.add(index, [*own, *callers], 0.0 if index else threads)
        elif own != [index]:
            flow.add(index, own)
    return flow


def solve(functions: Sequence[Function], kernel: Kernel) -> Solved:
    blocks = split(functions)
    told = Conditions(blocks, kernel)
    conditions = [*told.access_conditions(), *told.block_conditions()]
    threads = float(max(1, kernel.count("threads")))
    flow = flow_of(blocks, functions, threads)
    entered: dict[int, Condition] = {}
    for _ in range(ROUNDS):
        lanes = best_fit(blocks, [*conditions, *entered.values()], flow, threads)
        found = entry_conditions(told, flow, lanes)
        if found == entered:
            break
        entered = found
    names = [function.name for function in functions]
    return Solved(blocks, lanes[: len(blocks)], warps_of(told, lanes, names), told.files)


def best_fit(
    blocks: Sequence[Block], conditions: Sequence[Condition], flow: Flow, unit: float
) -> list[float]:
    """The lanes of each variable. `unit`: so many are counted as one."""
    rows = [(row, right / unit) for row, right in flow.rows]
    costs = [0.0] * flow.count
    small = LEAST / sum(len(block.instructions) for block in blocks)
    for index, block in enumerate(blocks):
        costs[index] = small * len(block.instructions)
    for one in conditions:
        row = dict(one.factors)
        size = sum(one.factors.values()) / len(one.factors)
        for sign in (1.0, -1.0):  # what is missing, and what is too much
            row[len(costs)] = sign
            costs.append(0.0 if one.is_least and sign < 0 else one.weight / size)
        rows.append((row, one.amount / unit))
    return [value * unit for value in minimise(costs, rows)[: flow.count]]


def entry_conditions(told: Conditions, flow: Flow, lanes: Sequence[float]) -> dict[int, Condition]:
    """A loop that runs is entered, though the flow alone would let lanes run in circles: by all
    lanes that come to it, if it runs that often."""
    found = {}
    for loop in told.loops:
        ways = flow.incoming.get(loop.header, [])
        outside = [variable for block, variable in ways if block not in loop.blocks]
        before = [
            i
            for i in range(len(told.blocks))
            if told.above[loop.header] >> i & 1 and i not in loop.blocks and lanes[i] > 0
        ]
        if not outside or not before:
            continue
        # The last block that runs and that all ways to the loop pass.
        nearest = max(before, key=lambda i: told.above[i].bit_count())
        most = round(min(lanes[loop.header], lanes[nearest]))
        if most > 0:
            found[loop.header] = Condition(dict.fromkeys(outside, 1.0), most, OF_ENTRIES, True)
    return found


def warps_of(told: Conditions, lanes: Sequence[float], names: Sequence[str]) -> list[float]:
    """Lanes by the lanes of a warp that run a block together: as the engine counted them for the
    accesses of the block, or for its lines, or for a block that the same lanes come to, or, where
    it counted none of these, as in the block that leads to it. `names`: those of the functions."""
    whole = told.kernel.count("threads") / max(1, told.kernel.count("warps"))
    together: list[float] = []
    functions: set[int] = set()
    for index, block in enumerate(told.blocks):
        before = [i for i in block.predecessors if i < len(together)]
        if block.function not in functions:  # an entry
            functions.add(block.function)
            name = names[block.function]
            before += [i for i in range(index) if told.blocks[i].calls == name]
        inherited = max((together[i] for i in before), default=whole)
        share = share_of(accesses_of(told, block))
        if not share and len(before) == len(block.predecessors) == 1 and lanes[before[0]] > 0:
            # Only where a branch parts lanes. The block has at most all warps that came to it.
            of_lanes = lanes[index] / lanes[before[0]]
            if of_lanes < 1 and (own := share_of_alike(told, index, lanes)):
                share = min(inherited, max(own, inherited * of_lanes))
        together.append(share or inherited)
    return [count / max(1.0, share) for count, share in zip(lanes, together)]


def share_of_alike(told: Conditions, index: int, lanes: Sequence[float]) -> float:
    """The lanes of a warp that are together behind a branch: by the block's lines that as many
    lanes ran, or by such lines, or accesses to memory, of a block that all these lanes come to.
    Otherwise by all lines of the block, though they may have parts elsewhere. Warp functions do not
    tell: the engine counts one for each group of lanes."""

    def is_alike(other: float) -> bool:
        return abs(other - lanes[index]) <= ALIKE * lanes[index]

    behind = [
        i
        for i in range(index, len(told.blocks))
        if told.above[i] >> index & 1 and is_alike(lanes[i])
    ]
    for i in sorted(behind, key=lambda i: told.above[i].bit_count()):
        block = told.blocks[i]
        alike = (one for one in lines_of(told, block) if is_alike(one.lanes))
        if share := share_of(alike) or share_of(accesses_of(told, block, of_memory=True)):
            return share
    return share_of(lines_of(told, told.blocks[index]))


def accesses_of(told: Conditions, block: Block, of_memory: bool = False) -> Iterator[Events]:
    """`of_memory`: without barriers and warp functions."""
    for one in block.instructions:
        kind, place = kind_of(one), told.place_of(one)
        if not kind or not place or one.is_guarded or kind[0] == "atomic":
            continue
        if of_memory and not kind[1]:
            continue
        if counted := told.events.get(place, {}).get(kind):
            yield counted


def lines_of(told: Conditions, block: Block) -> Iterator[Events]:
    for one in block.instructions:
        place = told.place_of(one)
        if place and (counted := told.events.get(place, {}).get(("block", ""))):
            yield counted


def share_of(events: Iterator[Events]) -> float:
    """The lanes of a warp that were together, on average; 0 if nothing was counted."""
    requests = lanes = 0.0
    for one in events:
        requests += one.requests
        lanes += one.lanes
    return lanes / requests if requests else 0.0
