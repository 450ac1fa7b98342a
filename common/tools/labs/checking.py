# SPDX-License-Identifier: MIT
"""Checks a student's file: does it compile, is it right, is it free of mistakes, are the goals met?

The points are given in this order. A program that is wrong gets none for its counters, because a
kernel that does nothing has the best ones.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from common.tools.labs.policy import answer
from common.tools.labs.rules import rules_of
from common.tools.lib.counting import Counted
from common.tools.lib.files import read_text
from common.tools.lib.stages import ToolError
from common.tools.labs.answers import check_answer
from common.tools.labs.building import build_program
from common.tools.labs.counted_run import (
    count_run,
    expected_of,
    guards_of,
    solution_values,
    unit_of,
    value_of,
)
from common.tools.labs.findings import mistakes, read_findings
from common.tools.labs.lab import Goal, Lab
from common.tools.labs.metrics import BYTES, TO_DEVICE, TO_HOST, is_whole, label
from common.tools.labs.nvcc import refused_by_nvcc
from common.tools.labs.result import GoalResult, Result
from common.tools.labs.symbols import foreign_symbols, needless_names, used_names
from common.tools.labs.running import Finished, Limits, Runner, run_program

SECONDS = 120
KERNEL_SECONDS = 5  # of processor time, after which a block counts as endless
PROGRAM = "program"  # the executable in the folder
MOST_MESSAGES = 12
MORE = 1.25  # times what start and solution have: as much of a total that is no goal is allowed
LESS = 0.9  # a share of what start and solution copy: a device that does the work needs as much
READ = 0.9  # a share of what is copied to the device: its kernels read it
WRONG = re.compile(r".*WRONG RESULT.*")


def check(
    lab: Lab, source: Path, *, seed: int | None, folder: Path, run: Runner = run_program
) -> Result:
    """Checks `source`. `folder` is empty, and holds what is made on the way. Without a seed, the
    oracle's inputs are new each time. The program, and the compiler that reads it, are only run by
    `run`."""
    if lab.is_question:
        return check_answer(lab, source)
    result = Result(lab.name, of=lab.of, seed=secrets.randbelow(10**6) if seed is None else seed)
    text = student_text(source)
    if text is None:
        result.messages.append(f"{source.name}: cannot be read as a text in UTF-8")
        result.goals = unmet(lab, seed)
        return result
    program = build_allowed(lab, source.name, text, folder, result, run)
    if program is None:
        result.goals = unmet(lab, seed)
        return result
    result.compiles = True
    verify(lab, program, folder, result, run)
    counted = None
    if result.right:
        counted, finished = count_run(lab, program, folder, seed, run)
        if counted is None:
            result.messages.append(f"no counters: {ending(finished, program.name)}")
        elif finished.status != 0 and not read_findings(finished.stderr):
            counted = None
            result.messages.append(f"the run that is counted: {ending(finished, program.name)}")
    award(lab, seed, result, counted)
    return result


def build_allowed(
    lab: Lab,
    name: str,
    text: str,
    folder: Path,
    result: Result,
    run: Runner,
    refuse: Callable[[dict[str, Any]], list[str]] = answer,
) -> Path | None:
    """Builds a student's file, if the policy allows it. `name` is that of the file. None, with a
    message, if it is refused or does not compile."""
    if refused := refuse(rules_of(lab) | {"text": text}):
        result.messages += [f"refused: {name}, {one}" for one in refused[:MOST_MESSAGES]]
        return None
    built = build_program(lab.start.stage, text, folder, PROGRAM, run)
    result.messages += built.messages
    if built.program is None:
        return None
    for symbol in foreign_symbols(built.program, folder, lab.chapter, run):
        result.messages.append(f"refused: {name} defines {symbol}, a name of the C library")
        return None
    used = used_names(read_text(built.names), Path(lab.file_name).stem)
    for symbol in needless_names(used, rules_of(lab), lab.chapter):
        result.messages.append(f"refused: {name} uses {symbol}, which no lab needs")
        return None
    # The text that was built, not the student's file: nothing changes in between.
    if found := refused_by_nvcc(lab, folder / lab.file_name, folder, run):
        result.messages += [f"refused by nvcc: {name}, {one}" for one in found]
        return None
    return built.program


def student_text(source: Path) -> str | None:
    try:
        return read_text(source)
    except (OSError, ToolError):
        return None


def verify_flags(lab: Lab, seed: int) -> list[str]:
    """The runs that the oracle verifies, each with its own seed, in one process."""
    runs = [["--n", ",".join(map(str, lab.sizes))], *(words.split() for words in lab.checks)]
    flags: list[str] = []
    for number, words in enumerate(runs):
        own = [] if "--seed" in words else ["--seed", str(seed + number)]
        flags += [*(["--then"] if flags else []), "--check", *words, *own]
    return flags


def verify(lab: Lab, program: Path, folder: Path, result: Result, run: Runner) -> None:
    """Sets `right` and `findings`."""
    assert result.seed is not None
    settings = ["EMULATOR_COUNTERS=none", f"EMULATOR_TIME_LIMIT={KERNEL_SECONDS}"]
    command = ["env", *settings, program, *verify_flags(lab, result.seed)]
    finished = run(command, folder=folder, limits=Limits(SECONDS))
    result.findings = read_findings(finished.stderr)
    passed = sum(line.startswith("OK ") for line in finished.stdout.splitlines())
    wrong = [line for line in finished.stderr.splitlines() if WRONG.match(line)]
    result.messages += [
        line.removeprefix(f"{program.name} --check ") for line in wrong[:MOST_MESSAGES]
    ]
    result.right = not wrong and passed == len(lab.sizes) + len(lab.checks)
    # A finding makes the exit status 1 even if the result is right.
    if finished.status not in ((0, 1) if result.right and result.findings else (0,)):
        result.right = False
        if not wrong:
            result.messages.append(ending(finished, program.name))


def ending(finished: Finished, program: str) -> str:
    """Why a program ended before its time, in one line."""
    if finished.timed_out:
        return f"the program did not end within {SECONDS} seconds"
    if finished.status < 0:
        return f"the program was ended by signal {-finished.status}"
    lines = finished.stderr.strip().splitlines()
    said = lines[-1].removeprefix(f"{program}: ") if lines else "it said nothing"
    return f"the program ended with status {finished.status}: {said}"


def is_met(goal: Goal, yours: float, limit: float) -> bool:
    """A sum of quotients may differ in its last digit."""
    slack = 1e-9 * max(1.0, abs(limit))
    return yours >= limit - slack if goal.at_least else yours <= limit + slack


def limits_of(lab: Lab, seed: int | None) -> list[float]:
    """Each goal's limit: the solution's value, and what the tolerance adds to it. The limit of a
    whole number is a whole number, too."""
    limits = []
    for goal, value in zip(lab.goals, solution_values(lab, seed), strict=True):
        limit = value * (1 - goal.tolerance if goal.at_least else 1 + goal.tolerance)
        if is_whole(goal.counter):
            limit = float(math.ceil(limit) if goal.at_least else math.floor(limit))
        limits.append(limit)
    return limits


def unmet(lab: Lab, seed: int | None) -> list[GoalResult]:
    return [
        GoalResult(goal_name(goal, lab), None, limit, goal.at_least, False, 0, goal.points)
        for goal, limit in zip(lab.goals, limits_of(lab, seed), strict=True)
    ]


def goal_name(goal: Goal, lab: Lab) -> str:
    name = label(goal.counter, lab.unit)
    return f"{name}, in {goal.kernel}" if goal.kernel else name


def award(lab: Lab, seed: int | None, result: Result, counted: Counted | None) -> None:
    """Gives the points. Goals count only for a program without mistakes."""
    clean = result.right and not mistakes(result.findings)
    result.right_points = lab.right_points if result.right else 0
    result.clean_points = lab.clean_points if clean else 0
    if counted is None:
        result.goals = unmet(lab, seed)
    else:
        for goal, limit in zip(lab.goals, limits_of(lab, seed), strict=True):
            yours = value_of(goal, lab, seed, counted)
            met = is_met(goal, yours, limit)
            points = goal.points if met and clean else 0
            result.goals.append(
                GoalResult(
                    goal_name(goal, lab), yours, limit, goal.at_least, met, points, goal.points
                )
            )
        refuse_goals(lab, seed, result, counted)
    result.points = (
        result.right_points + result.clean_points + sum(goal.points for goal in result.goals)
    )


def refuse_goals(lab: Lab, seed: int | None, result: Result, counted: Counted) -> None:
    """No goal is met by a program that moves the work elsewhere: to more bytes of another memory,
    or to the host."""
    expected = expected_of(lab, seed)
    yours = guards_of(lab, seed, counted)
    why = [
        f"{label(name, lab.unit)}: {yours[name]:.4g}, far more than the {most:.4g} of start and "
        "solution"
        for name, most in expected.most.items()
        if most and yours[name] > MORE * most
    ]
    for name in (TO_DEVICE, TO_HOST):
        if yours[name] < LESS * expected.least[name]:
            why.append(f"{name}: {yours[name]:.0f}, of {expected.least[name]:.0f}")
    moved = yours[BYTES] * unit_of(lab, seed).count
    # The solution may copy nothing: the kernels read as much all the same.
    if moved < READ * expected.most[TO_DEVICE]:
        why.append(f"kernels move {moved:.0f} bytes, of {expected.most[TO_DEVICE]:.0f} copied")
    if why:
        result.messages += [f"{one}: so no goal counts" for one in why]
        result.goals = [replace(goal, met=False, points=0) for goal in result.goals]
