#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make view STAGE=nbody/03_shared_tiles | FILE=my.cu | A=… B=… [ARGS=…]

Runs a program on the counting engine and writes one HTML file into build/view: the source with what
each line asks of the memory, the addresses of a warp's lanes, its threads in the order of their
steps, findings at their lines, and occupancy. A and B are two programs, each a stage or a file.
"""

import re
import sys
from pathlib import Path

from common.tools.explain.causes import findings, run_of
from common.tools.explain.devices import DEFAULT, read_devices
from common.tools.lib.files import write_whole
from common.tools.machine_code.counts import Compiling
from common.tools.lib.stages import EXIT_FAILURE, ROOT, ToolError, build_folder, run_tool
from common.tools.view.programs import chosen_programs, run
from plots.page.libraries import missing_packages


def page_path(names: list[str]) -> Path:
    """nbody-03_shared_tiles.html, my.html"""
    plain = [re.sub(r"[^\w-]", "-", re.sub(r"\.\w+$", "", name))[:80] for name in names]
    return build_folder() / "view" / f"{'--'.join(plain)}.html"


def main() -> int:
    if missing := missing_packages():
        raise ToolError(f"{' and '.join(missing)} is missing: no view is written", EXIT_FAILURE)
    from common.tools.view.page import Explained, render, side_of  # needs the packages
    from common.tools.view.least import least_of

    sides = []
    device = read_devices()[DEFAULT]
    for stage in chosen_programs():
        compiling = Compiling(stage, device.architecture)
        one = run(stage)
        counted = run_of(stage, one.arguments, one.counters, one.view)
        explained = [
            Explained(each.file, each.line, each.cause, each.cure) for each in findings(counted)
        ]
        sides.append(side_of(one, explained, least_of(counted, compiling, device)))
    path = page_path([side.name for side in sides])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, render(sides))
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    found = sum(not one.warning for side in sides for one in side.findings)
    sys.stderr.flush()
    print(f"{shown}: {found} {'finding' if found == 1 else 'findings'}; open it in a browser")
    return 0


if __name__ == "__main__":
    run_tool(main)
