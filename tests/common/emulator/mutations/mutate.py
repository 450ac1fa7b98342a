#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Removes each barrier of a stage, moves each access to the next element, and expects findings.

    mutate.py [--sample N] [--seed S] STAGE…

for example nbody/03_shared_tiles; exit 1 if a mutation is not reported. --sample makes at most N
mutations of each stage, drawn by the seed.

The counting executable can do both (EMULATOR_SKIP, EMULATOR_SHIFT), so nothing is rebuilt. A moved
access changes only what is checked: the run itself does not change. mutations.toml lists the runs,
and the harmless mutations with their reasons. A line of a header is left out if the runs of the
stage before reach it, too, and its mutation is harmless in both stages or in none: it is that
stage's.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from plots.records.proof_data import read_proof_data
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    Stage,
    ToolError,
    executable,
    find_stage,
    load_stages,
    run_tool,
)

DATA = Path(__file__).with_name("mutations.toml")
VARIABLES = {"barrier": "EMULATOR_SKIP", "shift": "EMULATOR_SHIFT"}
# Two lanes that write the same value leave the program right.
WARNINGS = {"same_value_writes"}
BARRIER = re.compile(r"\b__sync(threads(_count|_and|_or)?|warp)\s*\(")
TIMEOUT_S = 120
ONLY = "ONLY="  # begins the word of a run that is for some lines only

RunTable = dict[str, str | list[str]]  # the runs of a chapter, or of stages that fit a pattern


@dataclass(frozen=True, order=True)
class Mutation:
    kind: str  # a key of VARIABLES
    file: str
    line: int
    code: str  # the text of the line

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Run:
    words: str
    only: tuple[str, ...]  # it is for lines with one of these texts; empty: for any
    reached: frozenset[Mutation]

    def concerns(self, mutation: Mutation) -> bool:
        """A mutation of a place that the run does not reach changes nothing in it."""
        wanted = not self.only or any(text in mutation.code for text in self.only)
        return wanted and mutation in self.reached


@dataclass(frozen=True)
class Harmless:
    stage: str
    mutation: str
    code: str
    reason: str
    file: str = ""  # "": any

    def covers(self, mutation: Mutation) -> bool:
        return (
            self.mutation == mutation.kind
            and self.code in mutation.code
            and self.file in ("", mutation.file)
        )


@dataclass(frozen=True)
class Outcome:
    status: int
    document: dict
    errors: str

    @property
    def findings(self) -> list[dict]:
        return [one for one in self.document["findings"] if one["kind"] not in WARNINGS]


def run(
    program: Path, words: str, mutation: Mutation | None = None, findings: str = "all"
) -> Outcome:
    """One run; `words` are flags, and settings such as EMULATOR_DEVICE=gtx980."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    settings = [word for word in words.split() if word.startswith("EMULATOR_")]
    flags = [word for word in words.split() if word not in settings and not word.startswith(ONLY)]
    environment |= dict(word.split("=", 1) for word in settings)
    environment["EMULATOR_FINDINGS"] = findings
    if mutation:
        environment[VARIABLES[mutation.kind]] = mutation.place
    with tempfile.TemporaryDirectory() as folder:
        counters = Path(folder) / "counters.json"
        environment["EMULATOR_COUNTERS"] = str(counters)
        try:
            result = subprocess.run(
                [str(program), "--check", "--quiet", *flags],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )
            document = json.loads(counters.read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired:
            return Outcome(-1, {"kernels": [], "findings": []}, f"longer than {TIMEOUT_S} s")
        except FileNotFoundError:
            said = f"wrote no counters: {result.stderr}" if program.exists() else "is not built"
            raise ToolError(f"{program.name}: {said}", EXIT_FAILURE) from None
    return Outcome(result.returncode, document, result.stderr.strip())


def lines_of(words: str) -> tuple[str, ...]:
    """What the lines of a run have, if it is for some only."""
    only = [word.removeprefix(ONLY) for word in words.split() if word.startswith(ONLY)]
    return tuple(only[0].split(",")) if only else ()


def find_sources(stage: Stage) -> dict[str, list[str]]:
    """The lines of all files that may contain the stage's kernels, by the file's name."""
    source = ROOT / stage.source
    files = [source, *stage.chapter_folder.rglob("*.cuh")]
    return {path.name: path.read_text(encoding="utf-8").splitlines() for path in files}


def find_mutations(documents: list[dict], sources: dict[str, list[str]]) -> list[Mutation]:
    """Every barrier and every access that the runs have executed."""
    found = set()
    for kernel in (kernel for document in documents for kernel in document["kernels"]):
        for entry in kernel["lines"]:
            name = Path(entry["file"]).name
            if name not in sources or not 0 < entry["line"] <= len(sources[name]):
                continue  # a line of the engine, such as cuRAND
            code = sources[name][entry["line"] - 1].strip()
            if entry["operation"] in ("barrier", "collective") and BARRIER.search(code):
                found.add(Mutation("barrier", name, entry["line"], code))
            elif entry["operation"] in ("load", "store", "atomic"):
                found.add(Mutation("shift", name, entry["line"], code))
    return sorted(found)


def proven_before(
    stage: Stage, stages: list[Stage], runs: RunTable, harmless: list[Harmless]
) -> dict[Mutation, bool]:
    """The mutations in headers that the test of the stage before makes: whether it expects them to
    be harmless."""
    if not stage.compared_with:
        return {}
    before = find_stage(stages, f"{stage.chapter}/{stage.compared_with}")
    if "count" not in before.executables or before.race_on_purpose or before.libraries:
        return {}  # it has no mutations of its own
    sources = find_sources(before)
    del sources[Path(before.source).name]
    program = executable(before, "count")
    documents = [run(program, words).document for words in runs_of(before, runs)]
    own = of_stage(harmless, before)
    return {
        mutation: any(one.covers(mutation) for one in own)
        for mutation in find_mutations(documents, sources)
    }


def of_stage(harmless: list[Harmless], stage: Stage) -> list[Harmless]:
    return [
        one
        for one in harmless
        if any(fnmatch.fnmatchcase(stage.stage, pattern) for pattern in one.stage.split())
    ]


def never_reached(
    stage: Stage, sources: dict[str, list[str]], mutations: list[Mutation]
) -> list[str]:
    """The barriers in the stage's file that no run reached."""
    name = Path(stage.source).name
    seen = {mutation.line for mutation in mutations if mutation.kind == "barrier"}
    return [
        f"{name}:{number}: this barrier was never reached"
        for number, text in enumerate(sources[name], 1)
        if BARRIER.search(text.partition("//")[0]) and number not in seen
    ]


def judge(mutation: Mutation, outcome: Outcome, harmless: list[Harmless]) -> tuple[str, str]:
    """The verdict on a mutation, `reported`, `harmless` or `missed`, with an explanation."""
    # A missing barrier shows at the accesses around it, and a moved access at its own line. A moved
    # store also shows where the value that it no longer writes is read.
    findings = [
        one
        for one in outcome.findings
        if mutation.kind == "barrier"
        or one["kind"].startswith("uninitialised_")
        or any(
            actor["line"] == mutation.line and Path(actor["file"]).name == mutation.file
            for actor in one["actors"]
        )
    ]
    reasons = [one for one in harmless if one.covers(mutation)]
    if findings:
        said = ", ".join(sorted({one["kind"] for one in findings}))
        if outcome.status == 0:
            return "missed", f"{said}, but exit status 0"
        return ("missed", f"{said}, though listed as harmless") if reasons else ("reported", said)
    if outcome.status != 0:
        return "missed", f"no finding, exit status {outcome.status}: {outcome.errors[-200:]}"
    return ("harmless", reasons[0].reason) if reasons else ("missed", "no finding")


def best_outcome(
    program: Path, runs: list[Run], mutation: Mutation, harmless: list[Harmless]
) -> tuple[str, str]:
    """The verdict of the first run with a finding or a failure."""
    judged = ("missed", "no run")
    for one in runs:
        if not one.concerns(mutation):
            continue
        # Most mutations are reported early. What the first block with findings does not show, a
        # later one may.
        outcome = run(program, one.words, mutation, "first")
        judged = judge(mutation, outcome, harmless)
        if outcome.findings and judged[0] != "reported":
            outcome = run(program, one.words, mutation)
            judged = judge(mutation, outcome, harmless)
        if outcome.findings or outcome.status != 0:
            break
    return judged


def drawn(mutations: list[Mutation], sample: int, seed: int) -> list[Mutation]:
    """At most `sample` of a stage's mutations. 0: all."""
    if not 0 < sample < len(mutations):
        return mutations
    print(f"{sample} of {len(mutations)} mutations, by seed {seed}")
    return sorted(random.Random(seed).sample(mutations, sample))


def mutate(
    stage: Stage,
    runs: list[str],
    harmless: list[Harmless],
    before: dict[Mutation, bool],
    sample: int,
    seed: int,
) -> tuple[int, int]:
    """The number of mutations, and of errors. Those are left out of which `before` expects the
    same."""
    program = executable(stage, "count")
    sources = find_sources(stage)
    made = []
    for words in runs:
        whole = run(program, words)
        if whole.status != 0 or whole.findings:
            raise ToolError(
                f"{stage.stage} {words}: wrong without a mutation: {whole.errors}", EXIT_FAILURE
            )
        made.append(
            Run(words, lines_of(words), frozenset(find_mutations([whole.document], sources)))
        )
    found = sorted(set().union(*(one.reached for one in made)))
    wrong = never_reached(stage, sources, found)
    if not found:
        wrong.append("no barrier and no access was reached")
    covered = {one: any(entry.covers(one) for entry in harmless) for one in found}
    left_out = [one for one in found if before.get(one) == covered[one]]
    mutations = [one for one in found if one not in left_out]
    if left_out:
        print(f"{stage.stage}: {len(left_out)} mutations of headers are those of the stage before")
    mutations = drawn(mutations, sample, seed)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(
            pool.map(lambda mutation: best_outcome(program, made, mutation, harmless), mutations)
        )
    used = {one for one in harmless for mutation in found if one.covers(mutation)}
    for mutation, (result, said) in zip(mutations, judged, strict=True):
        print(
            f"{stage.stage} {mutation.kind:7} {mutation.place}: {result}: {said}\n"
            f"        {mutation.code}",
            flush=True,
        )
        if result == "missed":
            wrong.append(f"{mutation.place}: {mutation.kind}: {said}")
    wrong += [
        f"{DATA.name}: no {one.mutation} at `{one.code}`" for one in harmless if one not in used
    ]
    for line in wrong:
        print(f"{stage.stage}: WRONG: {line}")
    return len(mutations), len(wrong)


def runs_of(stage: Stage, runs: RunTable) -> list[str]:
    """The runs of the first key that fits the stage or names its chapter, else the default."""
    for key, words in runs.items():
        if key == stage.chapter or fnmatch.fnmatchcase(stage.stage, key):
            return [words] if isinstance(words, str) else words
    return runs_of(stage, {stage.chapter: runs["default"]})


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutates stages and expects findings.")
    parser.add_argument("stage", nargs="+")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10_000))
    options = parser.parse_args()
    data = read_proof_data(
        options.data, Path(__file__).resolve().parent, ROOT / "tests" / "chapters"
    )
    stages = load_stages()
    mutations = wrong = 0
    for name in options.stage:
        stage = find_stage(stages, name)
        if "count" not in stage.executables:
            raise ToolError(f"{name}: was not built with counters", EXIT_FAILURE)
        entries = [Harmless(**entry) for entry in data["harmless"]]
        made, failed = mutate(
            stage,
            runs_of(stage, data["runs"]),
            of_stage(entries, stage),
            proven_before(stage, stages, data["runs"], entries),
            options.sample,
            options.seed,
        )
        mutations += made
        wrong += failed
    print(f"{mutations} mutations, {wrong} wrong")
    return EXIT_FAILURE if wrong else 0


if __name__ == "__main__":
    run_tool(main)
