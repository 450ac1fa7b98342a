#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants small mistakes in stages, one at a time, and expects that `make run` with --check and
counters finds each.

    python3 -m tests.chapters.mutants.mutants [--seed S] [--sample N] [--at-most PERCENT] [STAGE…]

Without stages: all mutants of the stages of the sources' paths, and a tenth of the others, by the
seed. --sample draws N of these, of stages that are quick to check. Results are kept in
build/mutants/results.jsonl, so that a run that was interrupted goes on where it was. The last lines
are a table. Exit status 1 if more mutants pass than --at-most says, those of survivors.toml left
out: it lists the ones that change nothing which a run can show, with the reason, and those that
another test finds, with its name.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import random
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from common.tools.labs.building import build_libraries, command_of
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    Stage,
    ToolError,
    build_folder,
    find_stage,
    load_stages,
    run_tool,
)
from tests.chapters.mutants.edits import KINDS, Mutant, find_mutants

DATA = Path(__file__).with_name("survivors.toml")
TENTH = 10
OF_A_STAGE = 6  # mutants of a sample
COMPILE_S = 300
ENDLESS = 20  # times as long as the right program
FOUND, PASSED, SAME, BROKEN = "found", "passed", "same code", "does not compile"


@dataclass(frozen=True)
class Right:
    """A stage without mutants."""

    code: str
    seconds: float


def room_of(stage: Stage) -> Path:
    return (ROOT / stage.source).parent


def texts_of(stage: Stage) -> str:
    return "".join(
        read_text(path)
        for path in sorted(room_of(stage).iterdir())
        if path.suffix in (".cu", ".cuh")
    )


def compile_stage(stage: Stage, mutant: Mutant | None, folder: Path) -> Path | None:
    """A mutant header lies in a folder that comes before the chapter's own."""
    chapter = stage.chapter_folder
    source = folder / Path(stage.source).name
    source.write_text(read_text(ROOT / stage.source), encoding="utf-8")
    if mutant:
        original = chapter / mutant.file
        changed = source if original == ROOT / stage.source else folder / mutant.file
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(mutant.applied(read_text(original)), encoding="utf-8")
    program = folder / "program"
    command = command_of(stage, source, program)
    place = command.index("-I")
    command[place:place] = ["-I", str(folder), "-I", str(room_of(stage))]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, check=False, timeout=COMPILE_S
        )
    except subprocess.TimeoutExpired:
        return None
    return program if done.returncode == 0 else None


def code_of(program: Path) -> str:
    """A digest of the program without what only debuggers read."""
    stripped = program.with_name("stripped")
    subprocess.run(
        ["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", program, stripped],
        check=True,
    )
    return hashlib.sha256(stripped.read_bytes()).hexdigest()


def check(stage: Stage, program: Path, seconds: float) -> tuple[bool, float]:
    """Whether the checks pass, and how long they took."""
    begin = time.monotonic()
    settings = os.environ | {"EMULATOR_COUNTERS": "none", "EMULATOR_FINDINGS": "first"}
    try:
        done = subprocess.run(
            [program, *stage.check_flags],
            cwd=program.parent,
            env=settings,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return False, seconds
    return done.returncode == 0, time.monotonic() - begin


def build_right(stage: Stage) -> Right:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        program = compile_stage(stage, None, Path(folder))
        if program is None:
            raise ToolError(f"{stage.stage} cannot be built", EXIT_FAILURE)
        passed, seconds = check(stage, program, COMPILE_S)
        if not passed:
            raise ToolError(f"{stage.stage}: wrong without a mutant", EXIT_FAILURE)
        return Right(code_of(program), seconds)


def judge(stage: Stage, mutant: Mutant, right: Right) -> str:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        program = compile_stage(stage, mutant, Path(folder))
        if program is None:
            return BROKEN
        if code_of(program) == right.code:
            return SAME
        passed, _ = check(stage, program, 60 + ENDLESS * right.seconds)
        return PASSED if passed else FOUND


def chosen(
    stages: list[Stage], names: list[str], seed: int, sample: int
) -> list[tuple[Stage, Mutant]]:
    # A race on purpose fails without a mutant; one process does not reach what several ranks do.
    own = [
        stage
        for stage in ([find_stage(stages, name) for name in names] or stages)
        if "count" in stage.executables and not stage.race_on_purpose and not stage.needs_ranks
    ]
    drawing = random.Random(seed)
    pairs = []
    for stage in own:
        found = find_mutants(stage.chapter_folder, room_of(stage))
        if not names and stage.path:
            found = sorted(drawing.sample(found, -(-len(found) // TENTH)))
        pairs += [(stage, mutant) for mutant in found]
    return draw_few(pairs, sample, drawing) if 0 < sample < len(pairs) else pairs


def draw_few(
    pairs: list[tuple[Stage, Mutant]], sample: int, drawing: random.Random
) -> list[tuple[Stage, Mutant]]:
    """From few stages, since each is built without a mutant, too; and from those whose checks are
    quick with counters."""
    quick = [pair for pair in pairs if not pair[0].counted_late]
    names = list(dict.fromkeys(stage.stage for stage, _ in quick))
    drawn: list[tuple[Stage, Mutant]] = []
    for name in drawing.sample(names, len(names)):
        own = [pair for pair in quick if pair[0].stage == name]
        drawn += drawing.sample(own, min(len(own), OF_A_STAGE, sample - len(drawn)))
    return drawn


def is_listed(stage: Stage, mutant: Mutant) -> bool:
    return any(
        fnmatch.fnmatchcase(stage.stage, one["stage"])
        and one["kind"] == mutant.kind
        and one["code"]
        in read_text(stage.chapter_folder / mutant.file).splitlines()[mutant.line - 1]
        for one in parse_toml(read_text(DATA), DATA).get("survivor", [])
    )


def run_all(pairs: list[tuple[Stage, Mutant]], kept: Path) -> list[tuple[Stage, Mutant, str]]:
    """The verdicts, in order. Each new one is kept at once."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    known = {one["key"]: one["verdict"] for one in map(json.loads, lines)}
    texts = {stage.stage: texts_of(stage) for stage, _ in pairs}
    keys = [mutant.key(stage.stage, texts[stage.stage]) for stage, mutant in pairs]
    left = [pair for pair, key in zip(pairs, keys, strict=True) if key not in known]
    build_libraries(list(dict.fromkeys(stage.chapter for stage, _ in left)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        own = {stage.stage: stage for stage, _ in left}
        rights = dict(zip(own, pool.map(build_right, own.values()), strict=True))
        waiting = {
            pool.submit(judge, stage, mutant, rights[stage.stage]): (stage, mutant)
            for stage, mutant in left
        }
        for done in concurrent.futures.as_completed(waiting):
            stage, mutant = waiting[done]
            key = mutant.key(stage.stage, texts[stage.stage])
            known[key] = done.result()
            record = {"key": key, "stage": stage.stage, "place": mutant.place}
            record |= {"kind": mutant.kind, "old": mutant.old, "new": mutant.new}
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record | {"verdict": known[key]}) + "\n")
            if known[key] == PASSED:
                change = f"`{mutant.old}` to `{mutant.new}`"
                print(f"{stage.stage} {mutant.place}: {mutant.kind}: {change} passed", flush=True)
    return [(*pair, known[key]) for pair, key in zip(pairs, keys, strict=True)]


def print_table(judged: list[tuple[Stage, Mutant, str]]) -> None:
    print("| stages | kind | mutants | found | passed | same code | do not compile |")
    print("|---|---|---|---|---|---|---|")
    for title, of_sources in (("sources' paths", True), ("others", False)):
        for kind in KINDS:
            counts = Counter(
                verdict
                for stage, mutant, verdict in judged
                if mutant.kind == kind and of_sources == (not stage.path)
            )
            row = [counts[one] for one in (FOUND, PASSED, SAME, BROKEN)]
            print(f"| {title} | {kind} | {sum(row)} | {' | '.join(map(str, row))} |")


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Plants mistakes and expects that --check finds them."
    )
    parser.add_argument("stage", nargs="*")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10_000))
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--at-most", type=float, default=0, help="percent that may pass")
    options = parser.parse_args()
    pairs = chosen(load_stages(), options.stage, options.seed, options.sample)
    print(f"{len(pairs)} mutants, by --seed {options.seed}", flush=True)
    judged = run_all(pairs, build_folder() / "mutants" / "results.jsonl")
    print_table(judged)
    run = [one for one in judged if one[2] in (FOUND, PASSED)]
    passed = [one for one in run if one[2] == PASSED and not is_listed(*one[:2])]
    print(f"{len(passed)} of {len(run)} mutants that change the program pass and are not listed")
    return EXIT_FAILURE if 100 * len(passed) > options.at_most * len(run) else 0


if __name__ == "__main__":
    run_tool(main)
