# SPDX-License-Identifier: MIT
"""make lab [LAB=nbody/03]: lists the labs, or begins one in my/nbody_03/."""

from __future__ import annotations

import os

from common.tools.lib.stages import print_table, run_tool, variable
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import find_lab, load_labs
from common.tools.labs.folders import TASK, lab_folder, start_lab
from common.tools.labs.lab import Lab
from common.tools.labs.progress import read_progress, state


def list_labs(labs: dict[str, Lab]) -> None:
    known = read_progress()
    rows = [
        [
            lab.name,
            lab.kind,
            lab.title,
            f"{lab.minutes} min",
            state(lab, known.get(lab.name), lab_folder(lab)),
        ]
        for lab in labs.values()
    ]
    print_table(["lab", "kind", "", "time", ""], rows, left=3)
    if labs:
        print(f"\nbegin one with `make lab LAB={next(iter(labs))}`")


def main() -> None:
    labs = load_labs()
    if not variable("LAB"):
        list_labs(labs)
        return
    lab = find_lab(labs, variable("LAB"))
    build_libraries([lab.chapter])
    folder = os.path.relpath(start_lab(lab))
    print(f"{folder}/{TASK}: what to do")
    print(f"{folder}/{lab.file_name}: the file to change")
    print(f"make check LAB={lab.name}: how far you are")


if __name__ == "__main__":
    run_tool(main)
