# SPDX-License-Identifier: MIT
"""Submissions that cheat or break something: a right program of a lab, with some lines before its
main() or in its stage function."""

from __future__ import annotations

import sys

from common.tools.grading import sandbox
from common.tools.labs.lab import Lab
from common.tools.lib.stages import ToolError

RIGHT = "basics/02"  # the lab that the tests use
INSIDE = "timer.begin(Phase::kSetup);\n"  # the first line of its stage function
MAIN = "int main("


def with_code(lab: Lab, inside: str = "", before: str = "", headers: str = "") -> str:
    """The solution, with code where the stage begins, before main(), or at the top of the file."""
    text = lab.solution.text()
    assert text.count(INSIDE) == 1 and text.count(MAIN) == 1
    text = text.replace(INSIDE, INSIDE + inside + "\n").replace(MAIN, before + "\n" + MAIN)
    return headers + "\n" + text


def need_cage() -> None:
    """Ends a test as skipped where nothing can confine a submission."""
    try:
        sandbox.best_way()
    except ToolError as error:
        print(error)
        sys.exit(77)
