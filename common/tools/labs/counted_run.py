# SPDX-License-Identifier: MIT
"""One run of a lab's program with counters, and the solution's values, which are counted once."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.counting import Counted, read_counted
from common.tools.lib.files import parse_json, read_text, write_whole
from common.tools.lib.stages import EXIT_FAILURE, DataError, ToolError, build_folder
from common.tools.labs.building import build_program, libraries
from common.tools.labs.lab import Goal, Lab, Program
from common.tools.labs.metrics import measure
from common.tools.labs.running import Finished, Limits, Runner, run_program

SECONDS = 120


def seeded(lab: Lab, seed: int | None) -> list[str]:
    """The flags of the counted run. Without a seed it is the stage's own input, always the same."""
    return [*lab.run, *(["--seed", str(seed)] if seed is not None else [])]


def count_run(
    lab: Lab, program: Path, folder: Path, seed: int | None, run: Runner = run_program
) -> tuple[Counted | None, Finished]:
    """The counters of one run, or None if there are none."""
    path = folder / "counters.json"
    path.unlink(missing_ok=True)
    arguments = seeded(lab, seed)
    command = [program, "--quiet", "--no-races", "--counters", path, *arguments]
    finished = run(command, folder=folder, limits=Limits(SECONDS))
    try:
        document = parse_json(read_text(path), path)
        return read_counted(document, lab.start.stage, arguments), finished
    except (OSError, ToolError, AttributeError, KeyError, TypeError, ValueError):
        return None, finished


def value_of(goal: Goal, lab: Lab, counted: Counted) -> float:
    return measure(goal.counter, counted.kernels, counted.transfers, lab.unit, goal.kernel)


def build_or_fail(program: Program, folder: Path, lab: Lab, run: Runner) -> Path:
    built = build_program(program.stage, program.text(), folder, "solution", run)
    if built.program is None:
        raise ToolError(
            f"{lab.name}: {program.stage.stage} cannot be built: {built.messages[-1]}", EXIT_FAILURE
        )
    return built.program


def fingerprint(lab: Lab, seed: int | None, goals: Sequence[Goal]) -> str:
    """Changes with whatever the solution's values depend on."""
    parts = [lab.solution.text(), repr(lab.unit), repr(goals), *seeded(lab, seed)]
    for name in [*libraries(lab.solution.stage), "common/emulator/counting/libemulator_counting.a"]:
        parts.append(str((build_folder() / name).stat().st_mtime_ns))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def solution_values(lab: Lab, seed: int | None, run: Runner = run_program) -> list[float]:
    """What the lab's solution counts, one value per goal. It runs once per seed; the result is kept
    in the build folder."""
    kept = build_folder() / "labs" / f"{lab.folder_name}.{'own' if seed is None else seed}.json"
    try:
        key = fingerprint(lab, seed, lab.goals)
    except FileNotFoundError as error:
        raise DataError(f"{error.filename} is missing: run `make lab` first") from None
    try:
        record = json.loads(kept.read_text(encoding="utf-8"))
        if record["key"] == key:
            return [float(value) for value in record["values"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        folder = Path(name)
        program = build_or_fail(lab.solution, folder, lab, run)
        counted, finished = count_run(lab, program, folder, seed, run)
    if counted is None:
        said = finished.stderr.strip().splitlines() or [f"exit status {finished.status}"]
        raise ToolError(f"{lab.name}: the solution was not counted: {said[-1]}", EXIT_FAILURE)
    values = [value_of(goal, lab, counted) for goal in lab.goals]
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps({"key": key, "values": values}) + "\n")
    return values
