# SPDX-License-Identifier: MIT
"""The program that a view shows: a stage or files of one's own, run once on the counting engine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.counting import chosen_arguments
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    DataError,
    Stage,
    ToolError,
    executable,
    find_stage,
    load_stages,
    pick_engine,
    shown,
    variable,
)
from common.tools.programs.own_program import OwnProgram, chosen_files
from common.tools.programs.stage_or_file import counted_program, find_counted

# What the engine writes (EMULATOR_COUNTERS, EMULATOR_VIEW), with its version.
SCHEMAS = {"counters": 1, "view": 1}


@dataclass(frozen=True)
class Run:
    stage: Stage
    arguments: list[str]
    counters: dict[str, Any]
    view: dict[str, Any]
    status: int

    @property
    def name(self) -> str:
        return shown_name(self.stage)


def shown_name(stage: Stage) -> str:
    """As the page calls it: a stage with its chapter, a program by its file."""
    return stage.name if stage.is_own_program else stage.stage


def page_name(stages: Sequence[Stage]) -> str:
    """nbody-03_shared_tiles.html, my.html"""
    names = [re.sub(r"\.\w+$", "", shown_name(stage)) for stage in stages]
    plain = [re.sub(r"[^\w-]", "-", name)[:80] for name in names]
    return f"{'--'.join(plain)}.html"


def chosen_programs() -> list[Stage]:
    """What STAGE, FILE, or A and B name."""
    given = {name: variable(name) for name in ("STAGE", "FILE", "A", "B") if variable(name)}
    if set(given) not in ({"STAGE"}, {"FILE"}, {"A", "B"}):
        raise ToolError(
            "choose what to look at: STAGE=nbody/03_shared_tiles, or FILE=my.cu, or A=… and B=…"
        )
    if "FILE" in given:
        return [counted_program(OwnProgram(chosen_files(given["FILE"])))]
    stages = load_stages()
    if "STAGE" in given:
        found = [find_stage(stages, given["STAGE"])]
    else:
        found = [find_counted(stages, value, name) for name, value in given.items()]
    for stage in found:
        if not stage.has_kernels:
            why = "its kernels are in OpenCL" if stage.opencl else "it has no kernels"
            raise ToolError(f"{stage.stage}: nothing can be counted: {why}")
    return found


def read_output(path: Path, stage: Stage) -> dict[str, Any]:
    document = parse_json(read_text(path), path)
    schema = SCHEMAS[path.stem]
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise DataError(f"{stage.stage}: {path.name} has another schema than {schema}")
    return document


def run(stage: Stage, flags: list[str]) -> Run:
    """`flags`: the program's own. Findings are printed on stderr, as `make try` prints them. What
    the program prints on stdout is printed for one's own programs."""
    program = executable(stage, pick_engine(stage, "count"))
    given = chosen_arguments(stage, flags)
    own = stage.is_own_program
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.json" for name in SCHEMAS}
        result = subprocess.run(
            [str(program), *([] if own else ["--quiet"]), *given],
            env=os.environ
            | {f"EMULATOR_{name.upper()}": str(path) for name, path in paths.items()},
            stdout=None if own else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        try:
            counters, view = (read_output(path, stage) for path in paths.values())
        except FileNotFoundError:
            # It was ended by a signal, or could not begin: its last line says why.
            said = result.stderr.strip().splitlines()
            last = said[-1] if said else f"ended with status {result.returncode}"
            raise ToolError(last, EXIT_FAILURE) from None
    if result.returncode != 0 and not own and not counters["findings"]:
        # Its flags are wrong, or its result is.
        said = result.stderr.strip().splitlines()
        last = said[-1] if said else f"{shown(stage.stage)}: failed"
        raise ToolError(last, result.returncode if result.returncode > 0 else EXIT_FAILURE)
    sys.stderr.write(result.stderr)
    if not view["kernels"] and not stage.libraries:
        raise ToolError(f"{stage.stage}: ran no kernel: there is nothing to look at", EXIT_FAILURE)
    # A kernel that ended at its first access has no line that ran.
    source = ROOT / stage.source
    view["files"].setdefault(source.name, [str(source)])
    return Run(stage, given, counters, view, result.returncode)
