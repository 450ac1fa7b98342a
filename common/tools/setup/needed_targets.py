#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: needed_targets.py ENGINE NAME…

Prints the executables that these stages need, as ninja knows them, one per line. A NAME is a stage
or a chapter, which stands for all its stages, or a path of a chapter, or several of them with
commas between, or a student's own file, which needs the CPU engine. ENGINE may be empty: then it is the one that this
machine prefers. build.sh builds them. A name that does not exist is not reported here: the command
that needs the stage does that.
"""

import sys
from pathlib import Path

from common.tools.lib.stages import (
    Stage,
    ToolError,
    build_folder,
    load_stages,
    names_file,
    pick_engine,
    stages_of_paths,
)


def target_of(path: str) -> str:
    """Each chapter has links to its executables."""
    link = build_folder() / path
    target = link.readlink() if link.is_symlink() else Path(link.name)
    return str(Path("chapters") / target.name)


def targets_of(stage: Stage, engine: str) -> list[str]:
    try:
        return [target_of(stage.executables[pick_engine(stage, engine)])]
    except ToolError:  # it has no such executable
        return []


def main() -> None:
    engine, *names = sys.argv[1:]
    if any(names_file(name) for name in names):
        print("engine")
    names += [one for name in names for one in name.split(",")]
    stages = load_stages()
    paths = stages_of_paths(stages)
    of_paths = [stage for name in names if "/" in name for stage in paths.get(name, [])]
    for stage in stages:
        if stage.stage in names or stage.chapter in names or stage in of_paths:
            print("\n".join(targets_of(stage, engine)))


if __name__ == "__main__":
    main()
