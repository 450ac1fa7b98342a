# SPDX-License-Identifier: MIT
"""Reads the machine code of kernels as nvdisasm lists it (`nvdisasm -gi -c`): instructions with the
source lines that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Place = tuple[str, int]  # a file's name without folders, and a line

SECTION = re.compile(r"\s*\.section\s+\.text\.([\w$.]+),")
FUNCTION = re.compile(r"\s*\.type\s+([\w$.]+),@function")
LABEL = re.compile(r"([\w$.]+):\s*$")
LINE = re.compile(r'\s*//## File "([^"]*)", line (\d+)(.*)')
INSTRUCTION = re.compile(
    r"\s*/\*([0-9a-f]+)\*/\s+(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;"
)
TARGET = re.compile(r"`\(([\w$.]+)\)")
TABLE = re.compile(r'\(\*"BRANCH_TARGETS ([^"]*)"\*\)')


@dataclass(frozen=True)
class Instruction:
    address: int
    opcode: str  # with its modifiers: FADD.FTZ
    operands: str
    is_guarded: bool  # lanes whose predicate is false do nothing
    target: str  # a label or function; empty if there is none
    places: tuple[Place, ...]  # the source lines, inlined calls innermost first

    @property
    def name(self) -> str:
        return self.opcode.partition(".")[0]

    @property
    def targets(self) -> list[str]:
        """Of a jump through a table."""
        table = TABLE.search(self.operands)
        return [one.strip() for one in table[1].split(",")] if table else []


@dataclass
class Function:
    name: str
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # the index of the instruction after it


def bare_file(path: str) -> str:
    return path.rpartition("/")[2]


def is_alignment(one: Instruction) -> bool:
    """Whether it only fills the section after the last function: an endless loop, and nothing."""
    return one.name == "NOP" and not one.places


@dataclass
class _Reader:
    kernels: dict[str, list[Function]] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)
    are_complete: bool = True  # whether the next line's comment begins new places

    def read(self, text: str) -> None:
        if match := INSTRUCTION.match(text):
            self.instruction(match)
        elif match := LINE.match(text):
            if self.are_complete:
                self.places = []
            self.places.append((bare_file(match[1]), int(match[2])))
            self.are_complete = "inlined at" not in match[3]
        elif match := SECTION.match(text):
            self.functions = self.kernels.setdefault(match[1], [])
            self.names, self.places = {match[1]}, []
        elif match := FUNCTION.match(text):
            self.names.add(match[1])
        elif match := LABEL.match(text):
            self.label(match[1])

    def label(self, name: str) -> None:
        if name in self.names:
            self.functions.append(Function(name))
        elif self.functions:
            own = self.functions[-1]
            own.labels[name] = len(own.instructions)

    def instruction(self, match: re.Match[str]) -> None:
        if not self.functions:
            return
        target = TARGET.search(match[4])
        self.functions[-1].instructions.append(
            Instruction(
                int(match[1], 16),
                match[3],
                match[4],
                bool(match[2]),
                target[1] if target else "",
                tuple(self.places),
            )
        )


def read_listing(lines: Iterable[str]) -> dict[str, list[Function]]:
    """The functions of each section by the kernel's mangled name: the kernel itself is the first
    one. Others are those that it calls."""
    reader = _Reader()
    for text in lines:
        reader.read(text)
    return {name: functions for name, functions in reader.kernels.items() if functions}


def all_instructions(functions: Iterable[Function]) -> Iterator[Instruction]:
    for function in functions:
        yield from function.instructions
