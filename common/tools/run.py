#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make run STAGE=nbody/03_shared_tiles [ENGINE=gpu|emu|count] [ARGS="--n 4096"]: runs one stage."""

import os
import sys

from common.tools.lib.stages import (
    arguments,
    chosen_engine,
    executable,
    find_stage,
    load_stages,
    pick_engine,
    run_tool,
    variable,
)


def main() -> None:
    stage = find_stage(load_stages(), variable("STAGE"))
    path = executable(stage, pick_engine(stage, chosen_engine()))
    sys.stdout.flush()
    os.execv(path, [str(path), *arguments()])


if __name__ == "__main__":
    run_tool(main)
