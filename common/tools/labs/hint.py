# SPDX-License-Identifier: MIT
"""make hint LAB=nbody/03: reveals the lab's next hint, and counts it."""

from __future__ import annotations

from common.tools.lib.stages import run_tool, variable
from common.tools.labs.catalogue import find_lab, load_labs
from common.tools.labs.folders import add_hint
from common.tools.labs.progress import note_hint


def main() -> None:
    lab = find_lab(load_labs(), variable("LAB"))
    before = note_hint(lab)
    number = min(before + 1, len(lab.hints))
    for one in range(1, number + 1):
        print(f"hint {one} of {len(lab.hints)}: {lab.hints[one - 1]}")
    if before == len(lab.hints):
        print("there are no more hints")
    add_hint(lab, number)


if __name__ == "__main__":
    run_tool(main)
