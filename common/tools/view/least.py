# SPDX-License-Identifier: MIT
"""The least time of a program's kernels, and the instructions of its lines, for the view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from common.tools.explain.causes import Run
from common.tools.explain.devices import Device
from common.tools.explain.kernel_bounds import KernelBounds, bounds_of, how_counted
from common.tools.machine_code.compiled import NoMachineCode
from common.tools.machine_code.counts import Compiling


@dataclass(frozen=True)
class Least:
    device: str = ""
    how: str = ""  # where the numbers of instructions come from
    kernels: Sequence[KernelBounds] = ()
    # Warp instructions of each line, by all kernels; empty: they are not known.
    instructions: dict[tuple[str, int], int] = field(default_factory=dict)


def least_of(one: Run, compiling: Compiling, device: Device) -> Least:
    """Counters of some blocks have no bound: the others did work, too."""
    if one.counted.sampled:
        return Least()
    found = compiling.count(one.counted.kernels)
    known = {} if isinstance(found, NoMachineCode) else found
    lines: dict[tuple[str, int], float] = {}
    for kernel in known.values():
        for place, count in kernel.lines.items():
            lines[place] = lines.get(place, 0.0) + count
    return Least(
        device.name,
        how_counted(found, device),
        bounds_of(one, device, known),
        {place: round(count) for place, count in lines.items() if round(count)},
    )
