#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make sanitize [CHAPTER=…]: compute-sanitizer's four tools over every stage, at small sizes.

Each tool gets one process per stage, which runs all checks. racecheck sees shared memory only: the CPU engine with
counters names races in global memory.
"""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import (EXIT_FAILURE, EXIT_NO_DEVICE, Stage, ToolError, chosen_chapters, executable,
                    load_stages, print_table, run_tool)

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Less than a block, one thread more than a block, and several blocks with an incomplete one.
SIZES = "33,257,1000"
PROCESSES = 4  # at a time: most of a short run is its start
FINDING = 9  # the sanitizer's exit status for a finding, apart from a stage's own
# What all tools but memcheck say of a program whose kernels launch kernels, and count as a finding.
# initcheck goes on and takes what launched kernels have written for uninitialised; the others stop.
# Such stages are checked by the CPU engine with counters, which follows launches inside kernels.
UNSUPPORTED = "CUDA Dynamic Parallelism is not supported by the selected tool"
CLEAN, FOUND, NOT_SUPPORTED = "clean", "found", "not supported"


def checks_of(stage: Stage) -> list[str]:
    """The first of the stage's own checks runs the kernels that the sizes alone do not."""
    words = ["--check", "--n", SIZES]
    for check in stage.more_checks[:1]:
        words += ["--then", "--check", *check.split()]
    return words


def sanitize(tool: str, stage: Stage) -> tuple[str, str]:
    """The verdict, and what the tool printed."""
    result = subprocess.run(["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FINDING),
                             str(executable(stage, "gpu")), *checks_of(stage)],
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
    chosen = [stage for stage in stages if stage.chapter in chapters and "gpu" in stage.executables]
    rows: list[list[str]] = []
    reports: list[str] = []
    with ThreadPoolExecutor(PROCESSES) as pool:
        runs = [[pool.submit(sanitize, tool, stage) for tool in TOOLS] for stage in chosen]
        for stage, made in zip(chosen, runs, strict=True):
            results = [run.result() for run in made]
            cells = [verdict for verdict, _ in results]
            reports += [f"{stage.stage}, {tool}:\n{output}"
                        for tool, (verdict, output) in zip(TOOLS, results, strict=True) if verdict == FOUND]
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
