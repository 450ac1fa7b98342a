# SPDX-License-Identifier: MIT
"""The differences of two stages: in their sources and in their own compiler flags."""

import difflib

from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, Stage


def source_lines(stage: Stage) -> list[str]:
    """The lines of a stage's source. OpenCL kernels come first, as kernels do in CUDA files."""
    path = ROOT / stage.source
    files = [path.with_suffix(".cl"), path] if stage.opencl else [path]
    return [line for file in files for line in read_text(file).splitlines()]


def source_diff(a: Stage, b: Stage) -> list[str]:
    return list(
        difflib.unified_diff(source_lines(a), source_lines(b), a.source, b.source, lineterm="")
    )


def flags_diff(a: Stage, b: Stage) -> list[str]:
    lines = []
    for compiler, before, after in (
        ("nvcc", a.cuda_args, b.cuda_args),
        ("g++ for the CPU engine", a.emu_args, b.emu_args),
    ):
        removed = [flag for flag in before if flag not in after]
        added = [flag for flag in after if flag not in before]
        if removed or added:
            lines.append(f"flags of {compiler}:")
            lines += [f"-{flag}" for flag in removed] + [f"+{flag}" for flag in added]
    return lines
