# SPDX-License-Identifier: MIT
"""The registers, the shared memory and the occupancy of a program's kernels. nvcc knows the first
two, so there are none without it. They cost no points: another nvcc gives other numbers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import ROOT, ToolError
from common.tools.labs.lab import Lab
from common.tools.labs.result import KernelResources
from common.tools.labs.running import Limits, Runner, run_program

SECONDS = 60
ARCHITECTURE = "sm_90"  # the engine's device
WARP = 32


def compile_command(lab: Lab, source: Path) -> list[str]:
    stage = lab.start.stage
    return [
        "nvcc",
        "-std=c++20",
        f"-arch={ARCHITECTURE}",
        f'-DSTAGE_NAME="{stage.stage}"',
        "-I",
        str(ROOT),
        "-I",
        str(ROOT / "chapters" / stage.chapter),
        *stage.cuda_args,
        *(["-rdc=true"] if stage.device_launches else []),
        "-Xptxas",
        "-v",
        "-cubin",
        "-o",
        "kernels.cubin",
        str(source),
    ]


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
    lab: Lab, source: Path, program: Path, folder: Path, run: Runner = run_program
) -> list[KernelResources]:
    """`program` is the student's, as check() has built it in `folder`. Empty without nvcc, and for
    a file that nvcc does not compile."""
    if lab.is_question or not program.is_file() or shutil.which("nvcc") is None:
        return []
    compiled = run(compile_command(lab, source.resolve()), folder=folder, limits=Limits(SECONDS))
    if compiled.status != 0:
        return []
    registers, view = folder / "registers.txt", folder / "view.json"
    registers.write_text(compiled.stderr, encoding="utf-8")
    command = ["env", f"EMULATOR_REGISTERS={registers}", f"EMULATOR_VIEW={view}", str(program)]
    run([*command, "--quiet", "--no-races", *lab.run], folder=folder, limits=Limits(SECONDS))
    try:
        return read_resources(parse_json(read_text(view), view))
    except (OSError, ToolError, KeyError, TypeError, ValueError):
        return []
