# SPDX-License-Identifier: MIT
"""On a GPU, the time of the student's kernels beside those of the start and the solution. They cost
no points: another GPU has other times."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from common.tools.lib.gpus import gpu_architectures, has_gpu
from common.tools.lib.measuring import measure
from common.tools.lib.stages import BUILD, ROOT, Stage, ToolError, build_folder, executable
from common.tools.labs.lab import Lab
from common.tools.labs.running import Limits, run_program
from common.tools.lib.architectures import number_of, nvcc_flags

SECONDS = 300
YOURS = "yours"
Measure = Callable[[Path], float]


def compile_command(stage: Stage, source: Path, program: Path) -> list[str]:
    """As Meson compiles the stage for the GPU of this machine."""
    build = build_folder()
    libraries = (
        f"chapters/lib{stage.chapter}.a",
        "common/libcommon_host.a",
        "common/libbackend_cuda.a",
        "common/libbandwidth_probe.a",
    )
    return [
        "nvcc",
        "-std=c++20",
        "-O2",
        "-lineinfo",
        "-U_GLIBCXX_ASSERTIONS",
        "-UCCCL_ENABLE_ASSERTIONS",
        "-arch=native",
        *nvcc_flags(map(number_of, gpu_architectures())),
        *stage.cuda_args,
        *(["-rdc=true"] if stage.device_launches else []),
        f'-DSTAGE_NAME="{stage.stage}"',
        "-I",
        str(ROOT),
        "-I",
        str(ROOT / "chapters" / stage.chapter),
        "-o",
        str(program),
        str(source),
        *(f"-Xlinker={build / name}" for name in libraries),
        "-Xcompiler=-pthread",
    ]


def kernel_ms(program: Path) -> float:
    return measure(program, []).median_ms("kernels_ms")


def compared_stages(lab: Lab) -> list[Stage]:
    """Start and solution, as far as they are stages."""
    programs = (lab.start, lab.solution)
    return [one.stage for one in programs if not one.edits]


def times(
    lab: Lab, source: Path, folder: Path, measured: Measure = kernel_ms
) -> list[tuple[str, float]]:
    """Names and milliseconds. Empty without a GPU, and for a program that does not run on it."""
    stages = compared_stages(lab)
    if lab.is_question or not has_gpu() or shutil.which("nvcc") is None:
        return []
    if not all("gpu" in stage.executables for stage in stages):
        return []
    build = [BUILD, "--stages", "gpu"]
    # What it says goes to stderr: a JSON may go to stdout.
    built = subprocess.run([*build, *(one.stage for one in stages)], stdout=sys.stderr, check=False)
    if built.returncode != 0:
        return []
    program = folder / "on_gpu"
    command = compile_command(lab.start.stage, source.resolve(), program)
    if run_program(command, folder=folder, limits=Limits(SECONDS)).status != 0:
        return []
    programs = [(one.stage, executable(one, "gpu")) for one in stages]
    try:
        return [(name, measured(path)) for name, path in [*programs, (YOURS, program)]]
    except ToolError:
        return []
