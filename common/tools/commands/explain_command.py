# SPDX-License-Identifier: MIT
"""cuda-explain: why lines of a CUDA program waste, the cure, and lower bounds of the time."""

import sys

from common.tools.commands.arguments import Parser, program_of
from common.tools.explain.devices import DEFAULT, chosen_device, read_devices
from common.tools.explain.report import explain
from common.tools.programs.stage_or_file import counted_program

DESCRIPTION = """\
Runs a CUDA program on the CPU engine and names each line that wastes, with the cause and the cure. Then
it says the least time that the counted work takes on a device: a lower bound, which no run can beat, and
no time. Where nvcc and nvdisasm are installed, instructions come from the kernels' machine code."""
EPILOG = """\
exit status: 1 if the engine has a finding, such as a race, if a file cannot be read, or if it does not
compile; 2 for a wrong command line; else 0.

  cuda-explain my.cu
  cuda-explain --device a100 --json waste.json main.cu kernels.cu -- --size 1000"""


def main() -> int:
    parser = Parser("cuda-explain", DESCRIPTION, EPILOG)
    parser.add_argument(
        "--device",
        default=DEFAULT,
        help=f"whose bounds: {', '.join(read_devices())}. Default: {DEFAULT}",
    )
    parser.add_argument(
        "--json", default="", metavar="FILE", help="write this file; -: JSON in place of the text"
    )
    options, arguments = parser.read(sys.argv[1:])
    device = chosen_device(options.device, "--device")
    with program_of(options, options.files) as program:
        return explain(counted_program(program), arguments, device, options.json, "--json")
