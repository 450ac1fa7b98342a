# SPDX-License-Identifier: MIT
"""Builds and verifies a part of the course on the CPU engine, in minutes: basics, and of each other
chapter the last stage that is not counted late and calls no library."""

import os
import subprocess
import time

from common.tools.lib.stages import (
    BUILD,
    ROOT,
    Stage,
    ToolError,
    chapters_of,
    load_stages,
    run_tool,
)

ALL_OF = "basics"


def chosen(stages: list[Stage]) -> list[Stage]:
    found = []
    for chapter in chapters_of(stages):
        usual = [
            stage
            for stage in stages
            if stage.chapter == chapter
            and stage.has_kernels
            and not (stage.opencl or stage.libraries or stage.race_on_purpose)
        ]
        found += usual if chapter == ALL_OF else [one for one in usual if not one.counted_late][-1:]
    return found


def run(*command: str, **variables: str) -> None:
    begin = time.monotonic()
    words = [f"{name}={value}" for name, value in variables.items()]
    said = " ".join([*command, *words])
    status = subprocess.run([*command, *words], cwd=ROOT, check=False).returncode
    if status != 0:
        raise ToolError(f"{said}: exit status {status}", 1)
    print(f"{time.monotonic() - begin:6.1f} s  {said}", flush=True)


def main() -> None:
    run("make", "list")  # configures
    stages = chosen(load_stages())
    if len(chapters_of(stages)) < 2:
        raise ToolError("there is no stage to run", 1)
    os.environ["PYTHONPATH"] = str(ROOT)
    run(BUILD, "engine")
    run(BUILD, "--stages", "emu", *[stage.stage for stage in stages])
    for stage in stages:
        run("make", "run", STAGE=stage.stage, ENGINE="emu", ARGS="--check")


if __name__ == "__main__":
    run_tool(main)
