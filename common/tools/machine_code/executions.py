# SPDX-License-Identifier: MIT
"""How often each block of a kernel's machine code runs, from what the CPU engine counted.

Two rules tie the unknown numbers together. As many lanes leave a block as enter it. And a line's
accesses, barriers, warp functions and basic blocks were counted by the engine, so that the
instructions of that line must add up to them. The second rule does not always fit, because nvcc
moves, merges and copies instructions. So the numbers are chosen that deviate least from all counts,
each relative to its size; among those, the ones with the fewest instructions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from common.tools.lib.counting import Kernel
from common.tools.machine_code.blocks import Block, split
from common.tools.machine_code.linear import minimise
from common.tools.machine_code.listing import Function, Instruction, Place
from common.tools.machine_code.loops import Loop, copies, dominators, find_loops, innermost

WARP = 32
# What an opcode does, as the engine names it, and where.
ACCESSES = {
    "LDG": ("load", "global"),
    "LDS": ("load", "shared"),
    "LDSM": ("load", "shared"),
    "STG": ("store", "global"),
    "STS": ("store", "shared"),
    "LDGSTS": ("async_copy", "global"),
}
ATOMICS = {
    "ATOMG": "global",
    "REDG": "global",
    "RED": "global",
    "ATOM": "global",
    "ATOMS": "shared",
}
MEETINGS = {"BAR": "barrier", "SHFL": "collective", "VOTE": "collective", "MATCH": "collective"}
OF_BLOCKS = 0.2  # the weight of counted basic blocks, which g++ and nvcc cut differently
OF_NEVER = 0.2  # and of lines that never ran
OF_ENTRIES = 0.1
ROUNDS = 4
LEAST = 1e-3  # the cost of an instruction, so small that it decides only what no count decides
WIDTHS = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}

Kind = tuple[str, str]  # operation and space


def width(one: Instruction) -> int:
    """The bytes of a lane's access."""
    parts = one.opcode.split(".")[1:]
    return next((WIDTHS[part] for part in parts if part in WIDTHS), 4)


def kind_of(one: Instruction) -> Kind | None:
    name = one.name
    if name in ACCESSES:
        return ACCESSES[name]
    if name in ATOMICS:
        return "atomic", ATOMICS[name]
    return (MEETINGS[name], "") if name in MEETINGS else None


@dataclass
class Events:
    """What the engine counted of one kind in one line."""

    requests: float = 0.0
    lanes: float = 0.0
    amount: float = 0.0  # bytes of loads and stores, lanes of all others
    instructions: int = 0


def events_of(kernel: Kernel) -> dict[Place, dict[Kind, Events]]:
    found: dict[Place, dict[Kind, Events]] = {}
    for line in kernel.lines:
        kind = (line["operation"], line["space"])
        own = found.setdefault((line["file"], line["line"]), {}).setdefault(kind, Events())
        own.requests += line["requests"]
        own.lanes += line["lanes"]
        own.amount += line["lanes"] * (line["bytes"] if kind[0] in ("load", "store") else 1)
        own.instructions += line["instructions"]
    return found


@dataclass
class Condition:
    """The numbers of these blocks, with factors, add up to what was counted."""

    factors: dict[int, float]
    amount: float
    weight: float
    is_least: bool = False  # they may add up to more


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
class _Problem:
    functions: Sequence[Function]
    kernel: Kernel
    blocks: list[Block] = field(default_factory=list)
    events: dict[Place, dict[Kind, Events]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    # Of each block: the blocks that lead to it, and the variables of these ways.
    incoming: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.blocks = split(self.functions)
        self.events = events_of(self.kernel)
        self.files = {file for file, _ in self.events}

    def place_of(self, one: Instruction) -> Place | None:
        """The line of the program: the engine counts a library's code where it is called."""
        return next((place for place in one.places if place[0] in self.files), None)

    # ---- Conditions

    def access_conditions(self) -> Iterator[Condition]:
        groups: dict[tuple[Place, Kind], list[tuple[int, Instruction]]] = {}
        for index, block in enumerate(self.blocks):
            for one in block.instructions:
                kind, place = kind_of(one), self.place_of(one)
                if kind and place:
                    groups.setdefault((place, kind), []).append((index, one))
        for (place, kind), members in groups.items():
            counted = self.events.get(place, {}).get(kind)
            factors: dict[int, float] = {}
            for index, one in members:
                size = width(one) if kind[0] in ("load", "store") else 1
                factors[index] = factors.get(index, 0.0) + size
            is_least = any(one.is_guarded for _, one in members) or kind[0] == "atomic"
            if counted and counted.amount:
                yield Condition(factors, counted.amount, 1.0, is_least)
            elif place not in self.events and not is_least:
                yield Condition(factors, 0.0, OF_NEVER)

    def copies_by_accesses(self, own: Sequence[int]) -> int:
        """How many rounds of the source's loop one round of these blocks does: their accesses by
        those that the engine saw in the same lines. 0 if they have none."""
        here: dict[tuple[Place, Kind], float] = {}
        for index in own:
            for one in self.blocks[index].instructions:
                kind, place = kind_of(one), self.place_of(one)
                if kind and place and not one.is_guarded:
                    size = width(one) if kind[0] in ("load", "store") else 1
                    here[place, kind] = here.get((place, kind), 0.0) + size
        ratios = sorted(
            amount / (counted.amount / counted.lanes * counted.instructions)
            for (place, kind), amount in here.items()
            if (counted := self.events.get(place, {}).get(kind)) and counted.amount
        )
        return max(1, round(ratios[len(ratios) // 2])) if ratios else 0

    def block_conditions(self) -> Iterator[Condition]:
        loops = innermost(find_loops(self.blocks), len(self.blocks))
        headers = [loop.header if loop else -1 for loop in loops]
        unrolled = {-1: 1}
        for header in set(headers) - {-1}:
            own = [i for i, one in enumerate(headers) if one == header]
            code = [one for i in own for one in self.blocks[i].instructions]
            unrolled[header] = self.copies_by_accesses(own) or copies(code, self.place_of)
        where: dict[Place, set[int]] = {}
        for index, block in enumerate(self.blocks):
            for one in block.instructions:
                if place := self.place_of(one):
                    where.setdefault(place, set()).add(index)
        for place, kinds in self.events.items():
            counted = kinds.get(("block", ""))
            if not counted or counted.instructions != 1 or place not in where:
                continue
            times = Counter(headers[i] for i in where[place])
            factors = {i: unrolled[headers[i]] / times[headers[i]] for i in where[place]}
            yield Condition(factors, counted.lanes, OF_BLOCKS, True)

    # ---- Flow

    def flow(self) -> tuple[int, list[tuple[dict[int, float], float]]]:
        """The number of variables (those of the blocks first), and the rows that say that what
        enters a block leaves it."""
        count = len(self.blocks)
        rows: list[tuple[dict[int, float], float]] = []
        entry_of = {}
        for index, block in enumerate(self.blocks):
            entry_of.setdefault(self.functions[block.function].name, index)
        entries = set(entry_of.values())
        incoming: dict[int, list[int]] = {}
        self.incoming = {}
        for index, block in enumerate(self.blocks):
            leaving = []
            for successor in block.successors:
                alone = len(self.blocks[successor].predecessors) == 1 and successor not in entries
                if len(block.successors) == 1 and not block.may_leave:
                    variable = index
                elif alone:
                    variable = successor
                else:
                    variable, count = count, count + 1
                leaving.append(variable)
                incoming.setdefault(successor, []).append(variable)
                self.incoming.setdefault(successor, []).append((index, variable))
            if block.may_leave and block.successors:
                leaving, count = [*leaving, count], count + 1
            if leaving and leaving != [index]:
                rows.append((self.row(index, leaving), 0.0))
        for name, entry in entry_of.items():
            own = incoming.get(entry, [])
            if entry == 0:
                rows.append((self.row(entry, own), float(self.kernel.count("threads"))))
                continue
            callers = [i for i, block in enumerate(self.blocks) if block.calls == name]
            rows.append((self.row(entry, [*own, *callers]), 0.0))
        for index, own in incoming.items():
            if index not in entries and own != [index]:
                rows.append((self.row(index, own), 0.0))
        return count, rows

    @staticmethod
    def row(index: int, others: Sequence[int]) -> dict[int, float]:
        found = {index: 1.0}
        for one in others:
            found[one] = found.get(one, 0.0) - 1.0
        return found


def solve(functions: Sequence[Function], kernel: Kernel) -> Solved:
    problem = _Problem(functions, kernel)
    conditions = [*problem.access_conditions(), *problem.block_conditions()]
    count, rows = problem.flow()
    loops = find_loops(problem.blocks)
    above = dominators(problem.blocks)
    entered: dict[int, Condition] = {}
    for _ in range(ROUNDS):
        lanes = best_fit(problem, [*conditions, *entered.values()], count, rows)
        found = entry_conditions(problem, loops, above, lanes)
        if found == entered:
            break
        entered = found
    return Solved(problem.blocks, lanes, warps_of(problem, lanes), problem.files)


def best_fit(
    problem: _Problem,
    conditions: Sequence[Condition],
    count: int,
    rows: Sequence[tuple[dict[int, float], float]],
) -> list[float]:
    """The lanes of each block."""
    blocks = problem.blocks
    unit = float(max(1, problem.kernel.count("threads")))
    rows = [(row, right / unit) for row, right in rows]
    small = LEAST / sum(len(block.instructions) for block in blocks)
    costs = [0.0] * count
    for index, block in enumerate(blocks):
        costs[index] = small * len(block.instructions)
    for one in conditions:
        row = dict(one.factors)
        size = sum(one.factors.values()) / len(one.factors)
        for sign in (1.0, -1.0):
            row[len(costs)] = sign
            costs.append(0.0 if one.is_least and sign < 0 else one.weight / size)
        rows.append((row, one.amount / unit))
    return [value * unit for value in minimise(costs, rows)[:count]]


def entry_conditions(
    problem: _Problem, loops: Sequence[Loop], above: Sequence[int], lanes: Sequence[float]
) -> dict[int, Condition]:
    """A loop that runs is entered, though the flow alone would let lanes run in circles: by all
    lanes that come to it, if it runs that often."""
    found = {}
    for loop in loops:
        outside = [
            variable
            for block, variable in problem.incoming.get(loop.header, [])
            if block not in loop.blocks
        ]
        before = [
            i
            for i in range(len(problem.blocks))
            if above[loop.header] >> i & 1 and i not in loop.blocks and lanes[i] > 0
        ]
        if not outside or not before:
            continue
        # The last block that runs and that all ways to the loop pass.
        nearest = max(before, key=lambda i: above[i].bit_count())
        most = min(lanes[loop.header], lanes[nearest])
        if round(most) > 0:
            found[loop.header] = Condition(
                dict.fromkeys(outside, 1.0), round(most), OF_ENTRIES, True
            )
    return found


def warps_of(problem: _Problem, lanes: Sequence[float]) -> list[float]:
    """Lanes by the lanes of a warp that run a block together: as the engine counted them in its
    lines, or, where it counted none, as in the block that leads to it."""
    whole = problem.kernel.count("threads") / max(1, problem.kernel.count("warps"))
    together: list[float] = []
    for block in problem.blocks:
        requests = own_lanes = 0.0
        for one in block.instructions:
            kind, place = kind_of(one), problem.place_of(one)
            counted = problem.events.get(place, {}).get(kind) if place and kind else None
            if counted and not one.is_guarded and kind[0] != "atomic":  # type: ignore[index]
                requests += counted.requests
                own_lanes += counted.lanes
        before = [together[i] for i in block.predecessors if i < len(together)]
        inherited = max(before, default=whole)
        together.append(own_lanes / requests if requests else inherited)
    return [count / max(1.0, share) for count, share in zip(lanes, together)]
