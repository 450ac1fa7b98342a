# SPDX-License-Identifier: MIT
"""make check LAB=nbody/03 [FILE=my.cu] [SEED=7] [JSON=FILE|-]: checks a student's file against the
goals of a lab. Exit status 0 when all goals are met."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from common.tools.lib.files import write_whole
from common.tools.lib.stages import EXIT_FAILURE, ToolError, run_tool, variable
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import find_lab, load_labs
from common.tools.labs.checking import PROGRAM, check
from common.tools.labs.folders import student_file
from common.tools.labs.gpu_times import times
from common.tools.labs.lab import Lab
from common.tools.labs.progress import note_check
from common.tools.labs.report import print_result
from common.tools.labs.resources import measure_resources

LARGEST_SEED = 2**63 - 1000  # further runs add a little


def chosen_seed() -> int | None:
    text = variable("SEED")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) > LARGEST_SEED:
        raise ToolError(f"SEED={text[:40]}: expected a whole number from 0 to {LARGEST_SEED}")
    return int(text)


def chosen_file(lab: Lab) -> Path:
    if variable("FILE"):
        path = Path(variable("FILE"))
        if not path.is_file():
            raise ToolError(f"FILE={variable('FILE')[:200]}: there is no such file", EXIT_FAILURE)
        return path
    path = student_file(lab)
    if not path.is_file():
        raise ToolError(f"{path} is missing: begin with `make lab LAB={lab.name}`", EXIT_FAILURE)
    return path


def main() -> int:
    lab = find_lab(load_labs(), variable("LAB"))
    source, seed = chosen_file(lab), chosen_seed()
    build_libraries([lab.chapter])
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        result = check(lab, source, seed=seed, folder=Path(folder))
        program = Path(folder) / PROGRAM
        result.resources = measure_resources(lab, program, Path(folder))
        if result.right:
            result.gpu_ms = times(lab, source, Path(folder))
    note_check(lab, result.points)  # wherever the file lies
    as_json = variable("JSON") or ("-" if "--json" in sys.argv[1:] else "")
    if as_json != "-":
        print_result(lab, result)
    if as_json:
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False) + "\n"
        if as_json == "-":
            print(text, end="")
        else:
            write_whole(Path(as_json), text, f"JSON={as_json}")
    return 0 if result.all_met else EXIT_FAILURE


if __name__ == "__main__":
    run_tool(main)
