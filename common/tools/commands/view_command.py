# SPDX-License-Identifier: MIT
"""cuda-view: a page that shows a CUDA program's lines, lanes, threads and findings."""

import contextlib
import sys
from pathlib import Path

from common.tools.commands.arguments import Parser, program_of
from common.tools.programs.stage_or_file import counted_program
from common.tools.pages.packages import page_packages
from common.tools.view.programs import page_name

DESCRIPTION = """\
Runs a CUDA program on the CPU engine and writes one HTML file that needs no network: the source with
what each line asks of the memory, the addresses of a warp's lanes, the threads between their barriers,
findings at their lines, and the occupancy."""
EPILOG = """\
exit status: 1 if a file cannot be read, if it does not compile, or if the page cannot be written; 2 for
a wrong command line; 0 if the page is written, with findings too.

  cuda-view my.cu
  cuda-view -o page.html --compare faster.cu my.cu -- --size 1000"""


def main() -> int:
    parser = Parser("cuda-view", DESCRIPTION, EPILOG)
    parser.add_argument("-o", "--output", metavar="PAGE", help="default: view-NAME.html, here")
    parser.add_argument(
        "--compare", metavar="FILE", help="a second program, of one file, shown beside the first"
    )
    options, arguments = parser.read(sys.argv[1:])
    page_packages()
    from common.tools.view.writing import write_view  # needs the packages

    programs = [options.files] + ([[options.compare]] if options.compare else [])
    with contextlib.ExitStack() as stack:
        stages = [
            counted_program(stack.enter_context(program_of(options, files))) for files in programs
        ]
        write_view(stages, arguments, Path(options.output or f"view-{page_name(stages)}"))
    return 0
