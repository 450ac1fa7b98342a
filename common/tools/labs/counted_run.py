# SPDX-License-Identifier: MIT
"""One run of a lab's program with counters, and what start and solution count, which is kept."""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from common.tools.lib.counting import Counted, read_counted
from common.tools.lib.files import parse_json, read_text, write_whole
from common.tools.lib.stages import EXIT_FAILURE, DataError, ToolError, build_folder
from common.tools.labs.building import build_program, libraries
from common.tools.labs.lab import Goal, Lab, Program, Unit
from common.tools.labs.metrics import BESIDE, CHAIN, GUARDS, measure
from common.tools.labs.overlap import bytes_beside_kernels, launches_in_a_row, read_tasks
from common.tools.labs.running import Finished, Limits, Runner, run_program

SECONDS = 120
SMALLER = 4  # a drawn size is smaller by less than this part
STEP = 32  # sizes whose rows begin at sectors stay such


@dataclass(frozen=True)
class Expected:
    """What a submission's counters are compared with."""

    values: list[float]  # of the solution, one per goal
    most: dict[str, float]  # of start and solution, for each of GUARDS
    least: dict[str, float]


def size_place(lab: Lab) -> int | None:
    """Where the size stands in the flags of the counted run."""
    return lab.run.index("--n") + 1 if "--n" in lab.run else None


def drawn_size(lab: Lab, seed: int | None) -> int | None:
    """The size of the counted run. A seed draws one near the lab's own, which no program knows."""
    if (place := size_place(lab)) is None:
        return None
    n = int(lab.run[place])
    step = STEP if n % STEP == 0 else 1
    drawn = 0 if seed is None else random.Random(seed).randrange(0, max(1, n // SMALLER), step)
    return n - drawn


def seeded(lab: Lab, seed: int | None) -> list[str]:
    """The flags of the counted run. Without a seed it is the stage's own input, always the same."""
    flags = list(lab.run)
    if seed is None:
        return flags
    if (place := size_place(lab)) is not None:
        flags[place] = str(drawn_size(lab, seed))
    return [*flags, "--seed", str(seed)]


def unit_of(lab: Lab, seed: int | None) -> Unit:
    """The work of the counted run."""
    if (place := size_place(lab)) is None:
        return lab.unit
    share = (drawn_size(lab, seed) or 1) / int(lab.run[place])
    return replace(lab.unit, count=lab.unit.count * share**lab.unit_power)


def count_run(
    lab: Lab,
    program: Path,
    folder: Path,
    seed: int | None,
    run: Runner = run_program,
    more: Sequence[str] = (),
) -> tuple[Counted | None, Finished]:
    """The counters of one run, or None if there are none. `more` are further flags. Without them
    the program verifies its result, and ends with status 0 only if it is right."""
    path = folder / "counters.json"
    path.unlink(missing_ok=True)
    arguments = seeded(lab, seed)
    command: list[str | Path] = [program, "--quiet", "--no-races", "--counters", path]
    timeline = folder / "timeline.csv"
    overlaps = any(goal.counter in (BESIDE, CHAIN) for goal in lab.goals)
    if overlaps:
        timeline.unlink(missing_ok=True)
        command = ["env", f"EMULATOR_TIMELINE={timeline}", *command]
    finished = run([*command, *arguments, *more], folder=folder, limits=Limits(SECONDS))
    try:
        document = parse_json(read_text(path), path)
        counted = read_counted(document, lab.start.stage, arguments)
        if overlaps:
            tasks = read_tasks(timeline)
            hidden = bytes_beside_kernels(tasks, counted.kernels)
            counted.transfers["beside_kernels.bytes"] = round(hidden)
            counted.transfers["in_a_row.launches"] = launches_in_a_row(tasks)
        return counted, finished
    except (OSError, ToolError, AttributeError, KeyError, TypeError, ValueError):
        return None, finished


def value_of(goal: Goal, lab: Lab, seed: int | None, counted: Counted) -> float:
    unit = unit_of(lab, seed)
    return measure(goal.counter, counted.kernels, counted.transfers, unit, goal.kernel)


def guards_of(lab: Lab, seed: int | None, counted: Counted) -> dict[str, float]:
    unit = unit_of(lab, seed)
    return {one: measure(one, counted.kernels, counted.transfers, unit) for one in GUARDS}


def count_own(lab: Lab, program: Program, name: str, seed: int | None, run: Runner) -> Counted:
    """What a program of the lab itself counts."""
    with tempfile.TemporaryDirectory(prefix="lab-") as scratch:
        folder = Path(scratch)
        built = build_program(program.stage, program.text(), folder, name, run)
        if built.program is None:
            raise ToolError(
                f"{lab.name}: {program.stage.stage} cannot be built: {built.messages[-1]}",
                EXIT_FAILURE,
            )
        counted, finished = count_run(lab, built.program, folder, seed, run)
    if counted is None:
        said = finished.stderr.strip().splitlines() or [f"exit status {finished.status}"]
        raise ToolError(f"{lab.name}: the {name} was not counted: {said[-1]}", EXIT_FAILURE)
    return counted


def fingerprint(lab: Lab, seed: int | None) -> str:
    """Changes with whatever the expected values depend on."""
    parts = [lab.solution.text(), lab.start.text(), repr(lab.unit), repr(lab.goals)]
    parts += seeded(lab, seed)
    for name in [*libraries(lab.solution.stage), "common/emulator/counting/libemulator_counting.a"]:
        parts.append(str((build_folder() / name).stat().st_mtime_ns))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def expected_of(lab: Lab, seed: int | None, run: Runner = run_program) -> Expected:
    """What the lab's solution counts, and its start where that is a right program. They run once
    per seed; the result is kept in the build folder."""
    if lab.expected is not None:
        if seed is not None:
            raise ToolError(
                f"SEED={seed}: this is a student's edition: without the solutions, it knows the goals "
                "of the course's own inputs only"
            )
        return Expected(**lab.expected)
    kept = build_folder() / "labs" / f"{lab.folder_name}.{'own' if seed is None else seed}.json"
    try:
        key = fingerprint(lab, seed)
    except FileNotFoundError as error:
        raise DataError(f"{error.filename} is missing: run `make lab` first") from None
    try:
        record = json.loads(kept.read_text(encoding="utf-8"))
        if record.pop("key") == key:
            return Expected(**record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    solution = count_own(lab, lab.solution, "solution", seed, run)
    guards = [guards_of(lab, seed, solution)]
    if lab.kind in ("pair", "goal"):
        guards.append(guards_of(lab, seed, count_own(lab, lab.start, "start", seed, run)))
    expected = Expected(
        [value_of(goal, lab, seed, solution) for goal in lab.goals],
        {one: max(found[one] for found in guards) for one in GUARDS},
        {one: min(found[one] for found in guards) for one in GUARDS},
    )
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps({"key": key} | asdict(expected)) + "\n")
    return expected


def solution_values(lab: Lab, seed: int | None, run: Runner = run_program) -> list[float]:
    """What the lab's solution counts, one value per goal."""
    return expected_of(lab, seed, run).values
