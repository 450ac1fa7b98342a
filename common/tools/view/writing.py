# SPDX-License-Identifier: MIT
"""Runs programs and writes the page that shows them. Needs the packages of the page."""

import sys
from pathlib import Path

from common.tools.explain.causes import findings, run_of
from common.tools.explain.costs import with_shares
from common.tools.explain.devices import DEFAULT, read_devices
from common.tools.lib.files import write_whole
from common.tools.lib.stages import ROOT, Stage
from common.tools.machine_code.counts import Compiling
from common.tools.view.least import least_of
from common.tools.view.page import Explained, render, side_of
from common.tools.view.programs import run


def write_view(stages: list[Stage], flags: list[str], path: Path) -> None:
    """One program, or two that are compared. `flags`: of the programs."""
    sides = []
    device = read_devices()[DEFAULT]
    for stage in stages:
        compiling = Compiling(stage, device.architecture)
        one = run(stage, flags)
        counted = run_of(stage, one.arguments, one.counters, one.view)
        least = least_of(counted, compiling, device)
        costly = with_shares(
            findings(counted), counted.counted.kernels, least.kernels, bool(least.instructions)
        )
        explained = [Explained(each.file, each.line, each.cause, each.cure) for each, _ in costly]
        sides.append(side_of(one, explained, least))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, render(sides))
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    found = sum(not one.warning for side in sides for one in side.findings)
    sys.stderr.flush()
    print(f"{shown}: {found} {'finding' if found == 1 else 'findings'}; open it in a browser")
