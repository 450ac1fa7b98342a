#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make try FILE="my.cu more.cpp" [ENGINE=gpu|emu|count] [ARGS=…]: builds and runs a CUDA program.

The program is one file or several, separated by blanks, with its own main. It runs on a GPU (gpu),
or on the CPU engine without (emu) or with (count) counters and checks. Without a GPU, count is the
default. The executable stays below build/try.
"""

import os
import shlex
import sys

from common.tools.lib.stages import arguments, chosen_engine, run_tool, variable
from common.tools.programs.own_program import OwnProgram, build, chosen_files
from common.tools.programs.trying import best_engine, run_unchecked


def main() -> int:
    program = OwnProgram(chosen_files(variable("FILE")))
    engine = chosen_engine() or best_engine()
    path = build(program, engine)
    if engine == "emu":
        return run_unchecked(path, arguments(), f"make try FILE={shlex.quote(variable('FILE'))}")
    sys.stdout.flush()
    os.execv(path, [str(path), *arguments()])


if __name__ == "__main__":
    run_tool(main)
