#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make run STAGE=nbody/03_shared_tiles [ENGINE=gpu|emu|count] [RANKS=4] [ARGS="--n 4096"]: runs one
stage. RANKS is for the stages that use many GPUs: so many processes run it together.

--check alone runs the sizes and inputs that the stage's record names: together they reach each of
its kernels. With --check, the test that the record names as `checked_by` runs after it: it finds
mistakes that no output of the stage can show.
"""

import os
import subprocess
import sys
from pathlib import Path

from common.tools.lib.gpu_state import warn
from common.tools.lib.ranks import chosen_ranks, run_ranks
from common.tools.lib.stages import (
    EXIT_FAILURE,
    Stage,
    arguments,
    build_folder,
    chosen_engine,
    executable,
    find_stage,
    load_stages,
    pick_engine,
    run_tool,
    variable,
)


def run_test(stage: Stage) -> int:
    """The exit status of the stage's own test, which is built first. 0 if this build has no such
    test: it needs the CPU engine."""
    name, *flags = stage.checked_by.split()
    target = Path("tests", "chapters", stage.chapter, name)
    listed = subprocess.run(
        ["ninja", "-C", str(build_folder()), "-t", "query", str(target)],
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        return 0
    built = subprocess.run(
        ["ninja", "-C", str(build_folder()), "--quiet", str(target)], stdout=sys.stderr, check=False
    )
    if built.returncode != 0:
        return EXIT_FAILURE
    return subprocess.run([str(build_folder() / target), *flags], check=False).returncode


def main() -> None:
    stage = find_stage(load_stages(), variable("STAGE"))
    engine = pick_engine(stage, chosen_engine())
    path = executable(stage, engine)
    if engine == "gpu":
        warn("make run")
    flags = stage.check_flags if arguments() == ["--check"] else arguments()
    sys.stdout.flush()
    ranks = chosen_ranks(stage)
    if ranks > 1:
        raise SystemExit(run_ranks(path, flags, ranks)[0])
    if "--check" not in flags or not stage.checked_by:
        os.execv(path, [str(path), *flags])
    status = subprocess.run([str(path), *flags], check=False).returncode
    raise SystemExit(status or run_test(stage))


if __name__ == "__main__":
    run_tool(main)
