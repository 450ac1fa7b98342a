#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make view STAGE=nbody/03_shared_tiles | FILE=my.cu | A=… B=… [ARGS=…]

Runs a program on the counting engine and writes one HTML file into build/view: the source with what
each line asks of the memory, the addresses of a warp's lanes, its threads in the order of their
steps, findings at their lines, and occupancy. A and B are two programs, each a stage or a file.
"""

from common.tools.lib.stages import arguments, build_folder, run_tool
from common.tools.pages.packages import page_packages
from common.tools.view.programs import chosen_programs, page_name


def main() -> int:
    page_packages()
    from common.tools.view.writing import write_view  # needs the packages

    stages = chosen_programs()
    path = build_folder() / "view" / page_name(stages)
    write_view(stages, arguments(), path)
    return 0


if __name__ == "__main__":
    run_tool(main)
