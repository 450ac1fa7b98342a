#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make diff A=nbody/02_float4 B=nbody/03_shared_tiles: what changed between two stages.

A plain unified diff of the two sources and of their own compiler flags: a stage may differ from
the one before in nothing but a flag.
"""

import difflib

from common.tools.lib.stages import ROOT, Stage, find_stage, load_stages, run_tool, variable


def source_lines(stage: Stage) -> list[str]:
    """Kernels first, as files of CUDA have them."""
    path = ROOT / stage.source
    files = [path.with_suffix(".cl"), path] if stage.opencl else [path]
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def source_diff(a: Stage, b: Stage) -> list[str]:
    return list(difflib.unified_diff(source_lines(a), source_lines(b), a.source, b.source, lineterm=""))


def flags_diff(a: Stage, b: Stage) -> list[str]:
    lines = []
    for compiler, before, after in (("nvcc", a.cuda_args, b.cuda_args),
                                    ("g++ for the CPU engine", a.emu_args, b.emu_args)):
        removed = [flag for flag in before if flag not in after]
        added = [flag for flag in after if flag not in before]
        if removed or added:
            lines.append(f"flags of {compiler}:")
            lines += [f"-{flag}" for flag in removed] + [f"+{flag}" for flag in added]
    return lines


def main() -> None:
    stages = load_stages()
    a = find_stage(stages, variable("A"), "A")
    b = find_stage(stages, variable("B"), "B")
    print("\n".join(source_diff(a, b) or [f"{a.source} and {b.source} are equal"]))
    print("\n".join(flags_diff(a, b) or ["the same compiler flags"]))


if __name__ == "__main__":
    run_tool(main)
