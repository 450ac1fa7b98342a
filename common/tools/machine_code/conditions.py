# SPDX-License-Identifier: MIT
"""What the CPU engine's counters say about the executions of blocks of machine code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from common.tools.lib.counting import Kernel
from common.tools.machine_code.blocks import Block
from common.tools.machine_code.listing import Instruction, Place
from common.tools.machine_code.loops import (
    Loop,
    copies,
    dominators,
    every_round,
    find_loops,
    innermost,
)

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
MEETINGS = {"BAR": "barrier"} | dict.fromkeys(("SHFL", "VOTE", "MATCH", "REDUX"), "collective")
OF_BLOCKS = 0.2  # the weight of counted basic blocks, which g++ and nvcc cut differently
OF_COUNTED_LOOPS = 0.02  # of these in a loop whose accesses were counted
OF_NEVER = 0.2  # and of lines that never ran
FEWEST_COPIES = 8  # in a block outside of loops; fewer may be the instructions of one copy
CLOSE_LINES = 3  # so far may an access move from its line
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
class Conditions:
    """The conditions of a kernel's blocks."""

    blocks: Sequence[Block]
    kernel: Kernel
    events: dict[Place, dict[Kind, Events]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    above: list[int] = field(default_factory=list)  # the dominators of each block
    loops: list[Loop] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.events = events_of(self.kernel)
        self.files = {file for file, _ in self.events}
        self.above = dominators(self.blocks)
        self.loops = find_loops(self.blocks, self.above)

    def place_of(self, one: Instruction) -> Place | None:
        """The line of the program: the engine counts a library's code where it is called."""
        return next((place for place in one.places if place[0] in self.files), None)

    def access_conditions(self) -> Iterator[Condition]:
        groups: dict[tuple[Place, Kind], list[tuple[int, Instruction]]] = {}
        for index, block in enumerate(self.blocks):
            for one in block.instructions:
                kind, place = kind_of(one), self.place_of(one)
                if kind and place:
                    groups.setdefault((place, kind), []).append((index, one))
        for kind in dict.fromkeys(kind for _, kind in groups):
            here = {place: members for (place, one), members in groups.items() if one == kind}
            for places in self.clusters(kind, set(here)):
                yield from self.condition_of(
                    kind, [one for p in places for one in here.get(p, [])], places
                )

    def clusters(self, kind: Kind, here: set[Place]) -> list[list[Place]]:
        """The lines with such accesses, each for itself. Lines that lie close together are taken
        as one where nvcc has put an access into another line than g++; atomic operations always,
        because nvcc moves them together."""
        counted = {place for place, kinds in self.events.items() if kind in kinds}
        found: list[list[Place]] = []
        for place in sorted(here | counted):
            last = found[-1][-1] if found else None
            if last and last[0] == place[0] and place[1] - last[1] <= CLOSE_LINES:
                found[-1].append(place)
            else:
                found.append([place])
        parted: list[list[Place]] = []
        for places in found:
            fits = all(place in counted for place in places)
            parted += [[place] for place in places] if fits and kind[0] != "atomic" else [places]
        return parted

    def condition_of(
        self, kind: Kind, members: Sequence[tuple[int, Instruction]], places: Sequence[Place]
    ) -> Iterator[Condition]:
        if not members:
            return
        factors: dict[int, float] = {}
        for index, one in members:
            size = width(one) if kind[0] in ("load", "store") else 1
            factors[index] = factors.get(index, 0.0) + size
        amount = sum(
            self.events[place][kind].amount
            for place in places
            if kind in self.events.get(place, {})
        )
        is_least = any(one.is_guarded for _, one in members) or kind[0] == "atomic"
        if amount:
            yield Condition(factors, amount, 1.0, is_least)
        elif not is_least and not any(place in self.events for place in places):
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

    def code_in(self, blocks: Sequence[int], place: Place | None = None) -> list[Instruction]:
        """The instructions of these blocks, or those of one line."""
        return [
            one
            for i in blocks
            for one in self.blocks[i].instructions
            if place is None or self.place_of(one) == place
        ]

    def copies_in(self, index: int, place: Place, kinds: Mapping[Kind, Events]) -> float:
        """How often a block has a line: by the accesses that only some lanes do, because the others
        run these instructions all the same, and by equal instructions, as an unrolled network has
        them."""
        code = self.code_in([index], place)
        found = Counter(kind for one in code if one.is_guarded and (kind := kind_of(one)))
        ratios = [n / kinds[kind].instructions for kind, n in found.items() if kind in kinds]
        unrolled = copies(code, self.place_of)
        return max([1.0, unrolled if unrolled >= FEWEST_COPIES else 1.0, *ratios])

    def block_conditions(self) -> Iterator[Condition]:
        """A line whose basic block the engine counted runs at least as often in the machine code.
        If a loop's every round runs the line, the loop has as many copies of it as it does rounds
        of the source's loop at once. Otherwise each of the line's blocks is a copy."""
        loops = innermost(self.loops, len(self.blocks))
        where: dict[Place, list[int]] = {}
        for index in range(len(self.blocks)):
            for place in {self.place_of(one) for one in self.blocks[index].instructions} - {None}:
                where.setdefault(place, []).append(index)  # type: ignore[arg-type]
        members: dict[Loop | None, list[int]] = {}
        for index, loop in enumerate(loops):
            members.setdefault(loop, []).append(index)
        always = {
            loop: every_round(loop, own, self.blocks, self.above) for loop, own in members.items()
        }
        by_accesses = {loop: self.copies_by_accesses(own) for loop, own in members.items()}
        unrolled = {
            loop: by_accesses[loop] or copies(self.code_in(own), self.place_of) if loop else 1
            for loop, own in members.items()
        }
        for place, kinds in self.events.items():
            counted = kinds.get(("block", ""))
            if not counted or counted.instructions != 1 or place not in where:
                continue
            factors: dict[int, float] = {}
            weight = OF_BLOCKS
            for loop in {loops[i] for i in where[place]}:
                own = [i for i in where[place] if loops[i] == loop]
                if straight := [i for i in own if i in always[loop]]:
                    code = self.code_in(straight, place)
                    line = copies(code, self.place_of)
                    factors[straight[0]] = max(unrolled[loop], line)
                else:
                    factors |= {i: self.copies_in(i, place, kinds) for i in own}
                # Accesses tell more exactly how often a loop runs.
                if loop and by_accesses[loop]:
                    weight = OF_COUNTED_LOOPS
            yield Condition(factors, counted.lanes, weight, True)
