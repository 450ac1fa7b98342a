#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make instructions [CHAPTER=… | STAGE=…] [ARGS=…]: compares instruction counts with a GPU's, read
by ncu.

`make explain` multiplies a kernel's machine code by what the CPU engine counted. Here the same is
done for every stage's run of make prove. The options are those of frame.py. --count-into keeps
the machine code, too, and --emulated compiles what is not there: what `make prove` kept will do.
"""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common.tools.explain.bounds import INTEGER, SPECIAL
from common.tools.explain.devices import DEFAULT, read_devices
from common.tools.lib.counting import read_kernel
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import DataError, Stage, run_tool
from common.tools.machine_code.compiled import NoMachineCode, functions_of, stage_listings
from common.tools.machine_code.counts import count_instructions
from common.tools.machine_code.listing import Function
from plots.maintain.prove.frame import attempt
from plots.maintain.prove.counters import NcuSource, Run, find_runs, profile
from plots.records import ncu as nsight
from plots.records.profiling import OPCODE_METRIC, parse_instances
from plots.records.proof_data import COMMON
from plots.records.proof_rows import (
    INSTRUCTIONS,
    INTEGER_INSTRUCTIONS,
    SPECIAL_INSTRUCTIONS,
)

# Where ncu cannot count by opcode, it still counts all.
TOTAL = "smsp__inst_executed.sum"
COMPILERS = 4  # at the same time


def by_class(opcodes: Mapping[str, float]) -> dict[str, int]:
    """What bounds are made of."""

    def of(names: Sequence[str]) -> int:
        return round(sum(n for opcode, n in opcodes.items() if opcode.partition(".")[0] in names))

    return {
        INSTRUCTIONS: round(sum(opcodes.values())),
        INTEGER_INSTRUCTIONS: of(INTEGER),
        SPECIAL_INSTRUCTIONS: of(SPECIAL),
    }


def measured_classes(launches: Sequence[nsight.Launch]) -> dict[str, int | None]:
    """Only the sum of all if ncu did not count by opcode."""
    opcodes: dict[str, float] = {}
    for launch in launches:
        instances = parse_instances(launch.get(OPCODE_METRIC, ("", ""))[1])
        if not instances:
            totals = [nsight.parse_number(one.get(TOTAL, ("", ""))[1]) for one in launches]
            known = [one for one in totals if one is not None]
            return {INSTRUCTIONS: round(sum(known)) if len(known) == len(totals) else None}
        for name, value in instances.items():
            opcodes[name] = opcodes.get(name, 0.0) + value
    return dict(by_class(opcodes))


def code_path(stage: Stage, folder: Path) -> Path:
    return folder / f"{stage.chapter}-{stage.name}.sass"


def keep_code(stage: Stage, path: Path) -> None:
    try:
        text = "".join(stage_listings(stage, read_devices()[DEFAULT].architecture))
    except NoMachineCode as error:
        raise DataError(f"no machine code: {error}") from None
    write_whole(path, text)


@functools.cache
def code_in(path: Path) -> dict[str, list[Function]]:
    return functions_of([read_text(path)])


class Instructions(NcuSource):
    command = "make instructions"
    table = "instructions.csv"
    reasons = COMMON / "instructions.toml"
    kept = ("proof/instructions", "proof/emulated")

    def runs(self) -> list[Run]:
        return [run for run in find_runs() if run.stage is not None]

    def measure(self, run: Run, folder: Path) -> None:
        path = folder / f"{run.file_name}.csv"
        try:
            profile(run, path, (OPCODE_METRIC,), "--print-metric-instances", "details")
        except DataError:
            profile(run, path, (TOTAL,))

    def prepare(self, runs: list[Run], folder: Path, afresh: bool) -> tuple[list[Run], list[str]]:
        """Keeps the machine code of each program."""
        paths = {
            run.program: (run.stage, code_path(run.stage, folder)) for run in runs if run.stage
        }
        wanted = [name for name, (_, path) in paths.items() if afresh or not path.exists()]
        compiled, troubles = attempt(lambda name: keep_code(*paths[name]), wanted, COMPILERS)
        missing = set(wanted) - {name for name, _ in compiled}
        return [run for run in runs if run.program not in missing], troubles

    def values(self, run: Run, kernel: dict[str, Any], folder: Path) -> Mapping[str, int] | None:
        """Kernels that launch one another are left out: ncu adds up their work."""
        if "family" in kernel or run.stage is None:
            return None
        counted = count_instructions(read_kernel(kernel), code_in(code_path(run.stage, folder)))
        return None if counted is None else by_class(counted.opcodes)

    def measured(self, launches: Sequence[nsight.Launch]) -> Mapping[str, int | None]:
        return measured_classes(launches)


if __name__ == "__main__":
    run_tool(Instructions().main)
