#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make try FILE="my.cu more.cpp" [ENGINE=gpu|emu|count] [ARGS=…]: builds and runs a CUDA program.

The program is one file or several, separated by blanks, with its own main. It runs on a GPU (gpu),
or on the CPU engine without (emu) or with (count) counters and checks. Without a GPU, count is the
default. The executable stays below build/try.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import arguments, chosen_engine, run_tool, variable
from common.tools.programs.own_program import build, chosen_files, program_of


def run_unchecked(program: Path) -> int:
    """Runs a program of the engine without checks. The last line says that nothing was checked."""
    status = subprocess.run([str(program), *arguments()], check=False).returncode
    print(
        f"emulator: ENGINE=emu checked nothing; `make try FILE={shlex.quote(variable('FILE'))}` checks every access, "
        "barrier and launch",
        file=sys.stderr,
    )
    return 128 - status if status < 0 else status  # ended by a signal: as a shell says it


def main() -> int:
    files = chosen_files(variable("FILE"))
    engine = chosen_engine()
    if not engine:
        engine = "gpu" if has_gpu() and shutil.which("nvcc") else "count"
    program = program_of(files, engine)
    build(files, program, engine)
    if engine == "emu":
        return run_unchecked(program)
    sys.stdout.flush()
    os.execv(program, [str(program), *arguments()])


if __name__ == "__main__":
    run_tool(main)
