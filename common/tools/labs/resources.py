# SPDX-License-Identifier: MIT
"""The registers, the shared memory and the occupancy of a program's kernels. nvcc knows the first
two, so there are none without it. They cost no points: another nvcc gives other numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import ToolError
from common.tools.labs.lab import Lab
from common.tools.labs.nvcc import SAID
from common.tools.labs.result import KernelResources
from common.tools.labs.running import Limits, Runner, run_program

SECONDS = 60
WARP = 32


def read_resources(view: dict[str, Any]) -> list[KernelResources]:
    """Of each kernel that nvcc names, its most frequent launch."""
    found = []
    for kernel in view["kernels"]:
        shape = max(kernel["shapes"], key=lambda one: one["launches"], default=None)
        if shape is None or not shape["registers"]:
            continue
        x, y, z = shape["block"]
        warps = -(-x * y * z // WARP)
        found.append(
            KernelResources(
                kernel["name"],
                shape["registers"],
                shape["static_shared"] + shape["dynamic_shared"],
                shape["resident"] * warps * WARP / view["device"]["threads"],
            )
        )
    return found


def measure_resources(
    lab: Lab, program: Path, folder: Path, run: Runner = run_program
) -> list[KernelResources]:
    """`program` is the student's, as check() has built it in `folder`. Empty without nvcc, and for
    a file that nvcc does not compile."""
    registers, view = folder / SAID, folder / "view.json"
    if lab.is_question or not program.is_file() or not registers.is_file():
        return []
    command = ["env", f"EMULATOR_REGISTERS={registers}", f"EMULATOR_VIEW={view}", str(program)]
    run([*command, "--quiet", "--no-races", *lab.run], folder=folder, limits=Limits(SECONDS))
    try:
        return read_resources(parse_json(read_text(view), view))
    except (OSError, ToolError, KeyError, TypeError, ValueError):
        return []
