# SPDX-License-Identifier: MIT
"""The lower bounds of each kernel of a run, and of its copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from common.tools.explain.bounds import (
    Bound,
    binding,
    on_multiprocessors,
    opcodes,
    transfers,
    work_of,
)
from common.tools.explain.causes import Run
from common.tools.explain.devices import Device
from common.tools.lib.numbers import short_time
from common.tools.lib.counting import SAME_INSTRUCTIONS
from common.tools.machine_code.compiled import NoMachineCode
from common.tools.machine_code.counts import Instructions

COPIES = "copies between host and device"


@dataclass(frozen=True)
class KernelBounds:
    kernel: str  # "": the copies
    bounds: list[Bound]

    @property
    def name(self) -> str:
        return self.kernel or COPIES

    @property
    def binding(self) -> Bound:
        return binding(self.bounds)

    @property
    def rows(self) -> list[tuple[str, str, str, bool]]:
        """Resource, amount, time, and whether it binds."""
        several = len(self.bounds) > 1
        return [
            (one.resource, one.amount, short_time(one.seconds), several and one is self.binding)
            for one in self.bounds
        ]


def bounds_of(
    one: Run, device: Device, instructions: Mapping[str, Instructions]
) -> list[KernelBounds]:
    """`instructions`: of the kernels whose machine code is known."""
    found = []
    for kernel in one.counted.kernels:
        own = one.samples.kernels.get(kernel.name)
        # A launch cannot use more multiprocessors than it has blocks.
        blocks = max((shape.blocks for shape in own.shapes), default=0) if own else 0
        used = blocks or device.multiprocessors
        bounds = on_multiprocessors(work_of([kernel]), device, used)
        if kernel.name in instructions:
            exact = [
                replace(one, seconds=one.seconds * (1 - SAME_INSTRUCTIONS))
                for one in opcodes(instructions[kernel.name].opcodes, device, used)
            ]
            bounds = exact + [one for one in bounds if one.resource != "issue"]
        bounds = [one for one in bounds if one.seconds] or bounds[:1]
        found.append(KernelBounds(kernel.name, bounds))
    if any(one.counted.transfers[f"{way}.bytes"] for way in ("host_to_device", "device_to_host")):
        found.append(KernelBounds("", [transfers(one.counted.transfers, device)]))
    return found


def how_counted(instructions: Mapping[str, Instructions] | NoMachineCode, device: Device) -> str:
    """Where the numbers of instructions come from, in a sentence."""
    if isinstance(instructions, NoMachineCode):
        return (
            "Instructions: estimated from accesses, barriers and warp functions alone, without "
            f"arithmetic ({instructions})."
        )
    return (
        f"Instructions: the machine code for {device.architecture} times the executions on the "
        "CPU engine. These numbers are not exact, so their times are "
        f"{100 * SAME_INSTRUCTIONS:.0f} % lower."
    )
