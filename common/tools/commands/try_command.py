# SPDX-License-Identifier: MIT
"""cuda-try: builds and runs a CUDA program, without a GPU checked on the CPU engine."""

import sys

from common.tools.commands.arguments import Parser, command_line, program_of
from common.tools.lib.stages import ENGINES
from common.tools.programs.own_program import build
from common.tools.programs.trying import best_engine, run_program, run_unchecked

DESCRIPTION = """\
Builds a CUDA program and runs it: on a GPU, or on the CPU engine, which needs none. The engine checks
every access, barrier and launch, and counts what the kernels ask of the memory. Each race, access out
of bounds, missing barrier and missing synchronisation is one line with its place and its cure."""
EPILOG = """\
exit status: the program's own; 1 if it ends with 0 and the engine has a finding, if a file cannot be
read, or if it does not compile; 2 for a wrong command line; 77 if there is no GPU for --engine gpu.
EMULATOR_COUNTERS=none leaves the table of counters out, EMULATOR_FINDINGS=first ends the program after
the first block with a finding. To check the programs of a Makefile or of CMake: emucc --help.

  cuda-try my.cu
  cuda-try -I include main.cu kernels.cu host.cpp -- --size 1000"""


def main() -> int:
    parser = Parser("cuda-try", DESCRIPTION, EPILOG)
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="gpu: nvcc and a GPU; count: the CPU engine with counters and checks; emu: without. "
        "Default: gpu if there is one, else count",
    )
    options, arguments = parser.read(sys.argv[1:])
    engine = options.engine or best_engine()
    with program_of(options, options.files) as program:
        path = build(program, engine)
        if engine == "emu":
            return run_unchecked(
                path, arguments, command_line(options, "cuda-try", "--engine", "count")
            )
        return run_program(path, arguments)
