# SPDX-License-Identifier: MIT
"""A chapter's executables on one engine, and a run of one: what the chapters' tests in Python
share."""

import json
import os
import subprocess
import tempfile
import unittest
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def is_tested(record: dict[str, Any], engine: str) -> bool:
    """Whether this run of a test takes a stage of stages.json on this engine. The quick tests leave
    out the stages that are counted late (COUNTED_STAGES=early); nothing has built those programs
    then. The long tests take those (late), and need not repeat the others."""
    wanted = os.environ.get("COUNTED_STAGES", "all")
    if wanted not in ("early", "late", "all"):
        raise ValueError(f"COUNTED_STAGES={wanted}: early, late or all")
    return wanted == "all" or engine != "count" or record["counted_late"] == (wanted == "late")


def load_programs(stages_json: Path, engine: str, chapter: str) -> dict[str, Path]:
    """By the stages' names without the chapter; on "emu" with the serial stage, and without those
    that are wrong on purpose. A test of a chapter that was not built is skipped."""
    programs = {}
    records = json.loads(stages_json.read_text(encoding="utf-8"))
    own = [record for record in records if record["chapter"] == chapter]
    if own and not any(record["executables"] for record in own):
        raise unittest.SkipTest(next(iter(own[0]["skipped"].values())))
    for record in own:
        executables = record["executables"]
        found = "cpu" if engine == "emu" and "cpu" in executables else engine
        if found in executables and not record["race_on_purpose"] and is_tested(record, found):
            programs[record["name"]] = stages_json.parent / executables[found]
    return programs


def execute(program: Path, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """With these settings of the CPU engine and none of the caller's."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    return subprocess.run(
        [str(program), *map(str, arguments)],
        env=environment | settings,
        text=True,
        capture_output=True,
        check=False,
        timeout=300,
    )


def with_the_same_host_code(stages: Sequence[T], engine: str) -> Sequence[T]:
    """For what the host does in the same way in all of these stages: on a GPU, where a start takes
    long, the first and the last one are enough."""
    return [*stages[:1], *stages[1:][-1:]] if engine in ("gpu", "opencl") else stages


def sharing_a_process(runs: Iterable[Sequence[object]]) -> list[object]:
    """The flags of runs with --check, one after the other in one process: on a GPU a short run is
    nearly all start-up."""
    words: list[object] = []
    for run in runs:
        words += ["--then", *run] if words else run
    return words


def declared_and_moved(program: Path, *arguments: object) -> tuple[float, int]:
    """Of a run on the engine with counters: the bytes that its row declares, and those that its
    kernels' lanes loaded from global memory and stored there."""
    with tempfile.TemporaryDirectory() as folder:
        counters, rows = Path(folder) / "counters.json", Path(folder) / "rows.csv"
        result = execute(program, "--quiet", "--counters", counters, "--csv", rows, *arguments)
        if (result.returncode, result.stderr) != (0, ""):
            raise AssertionError(
                f"{program.name} {arguments}: {result.returncode}: {result.stderr}"
            )
        header, row = rows.read_text(encoding="utf-8").splitlines()
        kernels = json.loads(counters.read_text(encoding="utf-8"))["kernels"]
    moved = sum(
        line["lanes"] * line["bytes"]
        for kernel in kernels
        for line in kernel["lines"]
        if line["space"] == "global"
    )
    return float(row.split(",")[header.split(",").index("bytes")]), moved
