#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make sanitize [CHAPTER=…]: compute-sanitizer's four tools over every stage, at small sizes.

racecheck sees shared memory only: races in global memory are the CPU engine's to name.
"""

import re
import shutil
import subprocess

from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import (EXIT_FAILURE, EXIT_NO_DEVICE, ToolError, chosen_chapters, executable,
                    load_stages, print_table, run_tool)

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Less than a block, a block and one, and several blocks with a tail.
CHECKS = ("--n 33", "--n 257", "--n 1000")
FINDING = 9  # the sanitizer's exit status for a finding, apart from a stage's own
# What all tools but memcheck say of a program whose kernels launch kernels, and count as a finding.
# initcheck goes on and takes what launched kernels have written for uninitialised; the others stop.
# Such stages are checked by the CPU engine with counters, which follows launches inside kernels.
UNSUPPORTED = "CUDA Dynamic Parallelism is not supported by the selected tool"
CLEAN, FOUND, NOT_SUPPORTED = "clean", "found", "not supported"


def sanitize(tool: str, program: str, flags: str) -> tuple[str, str]:
    result = subprocess.run(["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FINDING),
                             program, "--check", *flags.split()],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    if result.returncode == EXIT_NO_DEVICE:
        raise ToolError("make sanitize: no usable device", EXIT_NO_DEVICE)
    no_more = tool == "initcheck" or re.search(r"SUMMARY: 1 (error|hazard)", result.stdout)
    if result.returncode == FINDING and UNSUPPORTED in result.stdout and no_more:
        return NOT_SUPPORTED, result.stdout
    return CLEAN if result.returncode == 0 else FOUND, result.stdout


def main() -> int:
    stages = load_stages()
    chapters = chosen_chapters(stages)
    if not has_gpu():
        raise ToolError("make sanitize: no usable device", EXIT_NO_DEVICE)
    if shutil.which("compute-sanitizer") is None:
        raise ToolError("make sanitize: compute-sanitizer is missing (it comes with the CUDA toolkit)",
                        EXIT_FAILURE)
    rows: list[list[str]] = []
    reports: list[str] = []
    for stage in stages:
        if stage.chapter not in chapters or "gpu" not in stage.executables:
            continue
        cells = []
        for tool in TOOLS:
            failed = []
            supported = True
            # The first of the chapter's own checks runs the kernels that the sizes alone do not.
            for flags in (*CHECKS, *stage.more_checks[:1]):
                verdict, output = sanitize(tool, str(executable(stage, "gpu")), flags)
                supported &= verdict != NOT_SUPPORTED
                if verdict == FOUND:
                    failed.append(flags)
                    reports.append(f"{stage.stage}, {tool}, {flags}:\n{output}")
            cells.append("; ".join(failed) if failed else CLEAN if supported else NOT_SUPPORTED)
        print(f"{stage.stage}: {', '.join(cells)}", flush=True)
        rows.append([stage.stage, *cells])
    if not rows:
        raise ToolError("make sanitize: nothing was built for a GPU", EXIT_FAILURE)
    for report in reports:
        print(f"\n{report}")
    print()
    print_table(["stage", *TOOLS], rows, left=1 + len(TOOLS))
    print(f"{len(reports)} runs with findings")
    return EXIT_FAILURE if reports else 0


if __name__ == "__main__":
    run_tool(main)
