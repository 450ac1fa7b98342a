# SPDX-License-Identifier: MIT
"""Grades one file that nobody trusts, for one lab.

The submission's process runs the harness and the student's code together, so nothing that it says
about itself counts. It only leaves two files: its result, and the engine's counters. A second
process, an executable of the course's own sources, makes the same input from the secret seed, reads
the result and asks the oracle. Goals are computed here, from the counters.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from common.tools.labs import policy
from common.tools.grading.caged import ask
from common.tools.grading.sandbox import Cage, Ended, NotGraded, how_it_ended, run_caged
from common.tools.labs.answers import check_answer
from common.tools.labs.checking import award, build_allowed, student_text, unmet
from common.tools.labs.counted_run import count_run, seeded
from common.tools.labs.findings import mistakes, read_findings
from common.tools.labs.lab import Lab
from common.tools.labs.result import Finding, Result
from common.tools.labs.running import Limits
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import (
    ROOT,
    Stage,
    ToolError,
    build_folder,
    executable,
    pick_engine,
)

SECONDS = 60  # of the processor's time, for one run; the course's own stages need a second or two
FILE_BYTES = 64 << 20  # of a file that a submission writes
ATTEMPTS = 3
# What a compiler says that had no process or no memory left: this is not the submission's fault.
BUSY = ("Resource temporarily unavailable", "Killed signal", "Cannot fork")
FAR_BELOW = 0.5  # a counter below this share of the solution's is worth a look


def readable_by_compiler(chapter: str) -> tuple[Path, ...]:
    """The course's headers and libraries. Stages and tests are left out."""
    build = build_folder().resolve()
    return (
        ROOT / "common",
        ROOT / "chapters" / chapter / "problem",
        *sorted((ROOT / "chapters" / chapter).rglob("*.cuh")),
        build / "common",
        build / "emulator.json",
        *(build / "chapters" / f"lib{chapter}.a{part}" for part in ("", ".p")),  # a thin archive
    )


def caged_policy(folder: Path) -> Callable[[dict[str, Any]], list[str]]:
    """What policy.answer says, from a cage. `folder` is empty."""

    def refuse(request: dict[str, Any]) -> list[str]:
        found, why = ask(policy, request, folder, SECONDS)
        return [why] if found is None else list(found)

    return refuse


def caged(cage: Cage):  # type: ignore[no-untyped-def]
    """A runner for the parts that labs share with students' own checks."""

    def run(command: Sequence[str | Path], *, folder: Path, limits: Limits) -> Ended:
        return run_caged(
            command,
            folder=folder,
            seconds=limits.seconds,
            cage=cage,
            file_bytes=min(limits.file_bytes, cage.folder_bytes),
            output_bytes=limits.output_bytes,
        )

    return run


def judges(lab: Lab) -> list[Path]:
    """Executables of the course that know the oracle for this lab. Start and solution may differ in
    what their main() tells the oracle, and either is right; but a stage that races on purpose lets
    the race pass."""
    stages: dict[str, Stage] = {
        program.stage.stage: program.stage
        for program in (lab.solution, lab.start)
        if not program.stage.race_on_purpose
    }
    return [executable(one, pick_engine(one, "emu")).resolve() for one in stages.values()]


def judged_runs(lab: Lab, seed: int) -> list[list[str]]:
    """The flags of each run that the oracle verifies. Each has a seed of its own, if the lab names
    none."""
    runs = [["--n", str(n)] for n in lab.sizes]
    # A run over many seeds calls the stage again, which a judge cannot do.
    runs += [words.split() for words in lab.checks if "--seeds" not in words.split()]
    return [
        words if "--seed" in words else [*words, "--seed", str(seed + number)]
        for number, words in enumerate(runs)
    ]


def shown_run(words: Sequence[str]) -> str:
    """A run's flags for a student, without the seed."""
    place = words.index("--seed")
    return " ".join([*words[:place], *words[place + 2 :]])


def take_file(path: Path, to: Path) -> bool:
    """Moves a file that a submission wrote out of its folder. Anything but a file is refused."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        shutil.move(path, to)
    except OSError:
        return False
    return True


def findings_of(ended: Ended, counters: Path) -> list[Finding] | None:
    """What the engine found, by its file. The text of its messages is read from stderr. None: there
    is no such file."""
    try:
        recorded = parse_json(read_text(counters), counters)["findings"]
        kinds = [(str(one["kind"]), str(one["kernel"]), str(one["what"])) for one in recorded]
    except (OSError, ToolError, KeyError, TypeError):
        return None
    printed = read_findings(ended.stderr)
    if len(kinds) > len(printed):
        printed += [
            Finding(kind, "", 0, f"{kind}: {kernel}: {what}", "") for kind, kernel, what in kinds
        ]
    return printed


def ask_oracle(lab: Lab, words: Sequence[str], saved: Path, folder: Path) -> str:
    """Empty if the result is right, else what is wrong with it."""
    said = ""
    for program in judges(lab):
        ended = run_caged(
            [program, *words, "--judge-result", saved.name],
            folder=folder,
            seconds=SECONDS,
            cage=Cage(readable=(program,)),
        )
        if ended.status == 0 and ended.stdout.startswith("OK "):
            return ""
        lines = ended.stderr.strip().splitlines() or [how_it_ended(ended, SECONDS)]
        reason = re.sub(r"^.*?(WRONG RESULT in )?result: ", "", lines[-1])
        said = said or f"{shown_run(words)}: {reason}"
    return said


def verify(lab: Lab, program: Path, folder: Path, result: Result) -> None:
    """Sets `right` and `findings`. The first wrong run ends it."""
    assert result.seed is not None
    trusted = folder / "judge"
    trusted.mkdir()
    own = program.parent
    for words in judged_runs(lab, result.seed):
        for name in ("result", "findings.json"):
            (own / name).unlink(missing_ok=True)
        ended = run_caged(
            [
                "env",
                "EMULATOR_COUNTERS=none",
                str(program),
                "--quiet",
                *words,
                "--save-result",
                "result",
            ]
            + ["--counters", "findings.json"],
            folder=own,
            seconds=SECONDS,
            file_bytes=FILE_BYTES,
        )
        run = shown_run(words)
        saved = take_file(own / "result", trusted / "result")
        written = take_file(own / "findings.json", trusted / "findings.json")
        found = findings_of(ended, trusted / "findings.json") if written else None
        seen = {one.text for one in result.findings}
        result.findings += [one for one in found or [] if one.text not in seen]
        # A finding makes the exit status 1, even if the result is right.
        broken = ended.status not in ((0, 1) if found else (0,))
        if ended.stopped_for or broken or not saved or found is None:
            result.messages.append(f"{run}: the program {how_it_ended(ended, SECONDS)}")
            return
        if reason := ask_oracle(lab, words, trusted / "result", trusted):
            result.messages.append(f"wrong result for {reason}")
            return
    result.right = True


def notes_on(lab: Lab, result: Result) -> list[str]:
    """What a teacher should look at: counters far below those of the course's own solution. A host
    that computes the result itself, beside a kernel that asks for little, looks like this."""
    notes = []
    for goal in result.goals:
        if goal.at_least or goal.yours is None or not goal.goal:
            continue
        if goal.yours < FAR_BELOW * goal.goal:
            notes.append(
                f"far below the solution: {goal.name} {goal.yours:.4g}, of {goal.goal:.4g}"
            )
    return notes if result.right and not lab.is_question else []


def grade(lab: Lab, source: Path, *, seed: int, folder: Path) -> Result:
    """Grades `source`, which is outside of `folder`. `folder` is empty, and holds what is made on
    the way. The result does not depend on the folder's name."""
    if lab.is_question:
        return check_answer(lab, source)
    folder = folder.resolve()
    result = grade_program(lab, source, seed, folder)
    result.messages = [text.replace(f"{folder}/own/", "") for text in result.messages]
    return result


def grade_program(lab: Lab, source: Path, seed: int, folder: Path) -> Result:
    result = Result(lab.name, of=lab.of, seed=seed)
    result.goals = unmet(lab, seed)
    text = student_text(source)
    if text is None:
        result.messages.append(f"{source.name}: cannot be read as a text in UTF-8")
        return result
    reading = folder / "policy"
    reading.mkdir()
    own = folder / "own"
    own.mkdir()
    compiler = Cage(readable=readable_by_compiler(lab.chapter), may_fork=True)
    for attempt in range(ATTEMPTS):
        time.sleep(attempt)
        result.messages = []
        program = build_allowed(
            lab, source.name, text, own, result, caged(compiler), caged_policy(reading)
        )
        if not (busy := [one for one in result.messages if any(sign in one for sign in BUSY)]):
            break
    else:
        raise NotGraded(busy[0])
    if program is None:
        return result
    result.compiles = True
    verify(lab, program, folder, result)
    counted = None
    if result.right:
        (own / "result").unlink(missing_ok=True)
        saving = ["--save-result", "result"]
        counted, ended = count_run(lab, program, own, seed, caged(Cage()), saving)
        trusted = folder / "judge"
        if counted is None or not take_file(own / "result", trusted / "result"):
            counted = None
            assert isinstance(ended, Ended)  # of the cage
            result.messages.append(f"no counters: the program {how_it_ended(ended, SECONDS)}")
        elif reason := ask_oracle(lab, seeded(lab, seed), trusted / "result", trusted):
            counted = None
            result.messages.append(f"wrong result of the counted run, {reason}")
    result.goals = []
    award(lab, seed, result, counted)
    return result


def clean(result: Result) -> bool:
    return result.right and not mistakes(result.findings)
