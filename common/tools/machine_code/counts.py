# SPDX-License-Identifier: MIT
"""Warp instructions of kernels: their machine code times what the CPU engine counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from common.tools.lib.counting import Kernel, kernel_key
from common.tools.lib.stages import Stage
from common.tools.machine_code.compiled import NoMachineCode, machine_code
from common.tools.machine_code.executions import solve
from common.tools.machine_code.linear import NoSolution
from common.tools.machine_code.listing import Function, Place


@dataclass(frozen=True)
class Instructions:
    """Of one kernel, by warps."""

    opcodes: dict[str, float]  # with their modifiers
    lines: dict[Place, float]  # of the program's own files

    @property
    def total(self) -> float:
        return sum(self.opcodes.values())


def code_of(kernel: Kernel, code: Mapping[str, Sequence[Function]]) -> Sequence[Function] | None:
    """The kernel's code. Template arguments may be written differently: a name that occurs once is
    enough."""
    key = kernel_key(kernel.name)
    if key in code:
        return code[key]
    alike = [one for one in code if one.partition("<")[0] == key.partition("<")[0]]
    return code[alike[0]] if len(alike) == 1 else None


def count_instructions(
    kernel: Kernel, code: Mapping[str, Sequence[Function]]
) -> Instructions | None:
    """None if the machine code has no such kernel, or its counts fit no flow of it."""
    functions = code_of(kernel, code)
    if functions is None:
        return None
    try:
        solved = solve(functions, kernel)
    except NoSolution:
        return None
    opcodes: dict[str, float] = {}
    lines: dict[Place, float] = {}
    for one, count in solved.instructions():
        opcodes[one.opcode] = opcodes.get(one.opcode, 0.0) + count
        place = solved.place_of(one)
        if place:
            lines[place] = lines.get(place, 0.0) + count
    return Instructions(opcodes, lines)


class Compiling:
    """Compiles a program while the CPU engine runs it."""

    def __init__(self, stage: Stage, architecture: str) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.code = self.pool.submit(machine_code, stage, architecture)
        self.pool.shutdown(wait=False)

    def count(self, kernels: Sequence[Kernel]) -> dict[str, Instructions] | NoMachineCode:
        """The instructions of each kernel that has machine code, or why none has."""
        try:
            code = self.code.result()
        except NoMachineCode as error:
            return error
        counted = {kernel.name: count_instructions(kernel, code) for kernel in kernels}
        return {name: one for name, one in counted.items() if one is not None}
