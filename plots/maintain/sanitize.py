#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make sanitize [CHAPTER=… | STAGE=…]: runs compute-sanitizer's four tools on every stage, at small
sizes.

Each tool gets one process per stage, which runs all checks. racecheck sees races in shared memory
only. The CPU engine with counters finds those in global memory.
"""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from common.tools.lib.gpus import has_gpu
from common.tools.lib.imports import INCLUDE, include_places
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    Stage,
    ToolError,
    chosen_stages,
    executable,
    load_stages,
    print_table,
    run_tool,
)

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# A part of a block, one element more than a block, and several blocks with an incomplete one.
SIZES = "33,257,1000"
PROCESSES = 4  # at the same time: the start takes most of a short run
FINDING = 9  # the sanitizer's exit status for a finding; no stage has this status
# All tools except memcheck print this about a program whose kernels launch kernels, and count it as
# a finding. initcheck continues, and reports what the launched kernels wrote as uninitialised. The
# other tools stop. For such stages, use the CPU engine with counters, which supports such launches.
UNSUPPORTED = "CUDA Dynamic Parallelism is not supported by the selected tool"
# initcheck does not see what a bulk copy writes, and reports it as uninitialised to the kernel that
# reads it. The CPU engine with counters sees it.
BULK_COPY = "cp_async_bulk"  # of tensors, too
CLEAN, FOUND, NOT_SUPPORTED = "clean", "found", "not supported"


def checks_of(stage: Stage) -> list[str]:
    """Flags of one run with all sizes and the first of the stage's further checks.

    That check runs the kernels that no size alone reaches.
    """
    words = ["--check", "--n", SIZES]
    for check in stage.more_checks[:1]:
        words += ["--then", "--check", *check.split()]
    return words


def copies_in_bulk(stage: Stage) -> bool:
    """Whether the stage, or one of the headers that it includes, starts bulk copies."""
    seen, left = set(), [stage.source]
    while left:
        name = left.pop()
        if name in seen or not (ROOT / name).is_file():
            continue
        seen.add(name)
        source = (ROOT / name).read_text(encoding="utf-8")
        if BULK_COPY in source:
            return True
        for match in filter(None, map(INCLUDE.match, source.splitlines())):
            left += include_places(name, *match.groups())
    return False


def sanitize(tool: str, stage: Stage) -> tuple[str, str]:
    """The verdict and the output of the tool."""
    result = subprocess.run(
        [
            "compute-sanitizer",
            "--tool",
            tool,
            "--error-exitcode",
            str(FINDING),
            str(executable(stage, "gpu")),
            *checks_of(stage),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode == EXIT_NO_DEVICE:
        raise ToolError("make sanitize: no usable device", EXIT_NO_DEVICE)
    no_more = tool == "initcheck" or re.search(r"SUMMARY: 1 (error|hazard)", result.stdout)
    if result.returncode == FINDING and UNSUPPORTED in result.stdout and no_more:
        return NOT_SUPPORTED, result.stdout
    if result.returncode == FINDING and tool == "initcheck" and copies_in_bulk(stage):
        return NOT_SUPPORTED, result.stdout
    return CLEAN if result.returncode == 0 else FOUND, result.stdout


def main() -> int:
    stages = chosen_stages(load_stages())
    if not has_gpu():
        raise ToolError("make sanitize: no usable device", EXIT_NO_DEVICE)
    if shutil.which("compute-sanitizer") is None:
        raise ToolError(
            "make sanitize: compute-sanitizer is missing (it is part of the CUDA toolkit)",
            EXIT_FAILURE,
        )
    chosen = [stage for stage in stages if "gpu" in stage.executables]
    rows: list[list[str]] = []
    reports: list[str] = []
    with ThreadPoolExecutor(PROCESSES) as pool:
        runs = [[pool.submit(sanitize, tool, stage) for tool in TOOLS] for stage in chosen]
        for stage, made in zip(chosen, runs, strict=True):
            results = [run.result() for run in made]
            cells = [verdict for verdict, _ in results]
            reports += [
                f"{stage.stage}, {tool}:\n{output}"
                for tool, (verdict, output) in zip(TOOLS, results, strict=True)
                if verdict == FOUND
            ]
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
