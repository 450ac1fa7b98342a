# SPDX-License-Identifier: MIT
"""The plan that is used where none is named: everything that this GPU has not measured yet, and
every check. A session skips the checks that succeeded with the same sources."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.gpus import gpu_count
from plots.records.ncu import find_ncu
from common.tools.lib.stages import DataError, Stage
from plots.maintain.record import lacks_stages
from plots.maintain.session.plan import BUILD, Step, new_step
from plots.page.chapters import all_chapters
from plots.records.recorded_runs import RECORDED_ENGINES, missing_runs, recorded_rows
from plots.records.sweeps import sweeps_of

# Times first, because only they need the machine alone. Then what the profiler and the sanitizers
# say.
FIRST, TIMES, PROFILES, SANITIZERS, PROOFS = 40, 30, 20, 10, 0


def missing_records(chapters: Sequence[str], folder: Path) -> list[Step]:
    """A step for each sweep of which rows are missing. Sweeps that only lack runs on more GPUs than
    this machine has are complete."""
    steps = []
    for sweep in sweeps_of(chapters, "record", RECORDED_ENGINES, marked=True):
        gpus = max(1, gpu_count())
        missing = missing_runs(sweep, recorded_rows(sweep, folder))
        if any(run.ranks <= gpus for run in missing):
            steps.append(
                new_step(
                    f"record-{sweep.chapter}-{sweep.name}",
                    "record",
                    chapter=sweep.chapter,
                    sweeps=[sweep.name],
                    priority=TIMES,
                )
            )
    return steps


def missing_profiles(chapters: Sequence[str], folder: Path) -> list[Step]:
    return [
        new_step(f"profile-{one.name}", "profile", chapter=one.name, priority=PROFILES)
        for one in all_chapters()
        if one.name in chapters
        and one.profile == f"plots.{one.name}.profile"
        and lacks_stages(folder / f"{one.name}_profile.csv", one.profiled)
    ]


def missing_steps(
    stages: Sequence[Stage], chapters: Sequence[str], folder: Path
) -> tuple[list[Step], list[str]]:
    """The steps, and what is left out because this machine lacks a program. `folder`: the tables of
    this GPU."""
    checks = {"sanitize": SANITIZERS, "prove": PROOFS, "instructions": PROOFS}
    lacks: list[str] = []
    if shutil.which("compute-sanitizer") is None:
        del checks["sanitize"]
        lacks.append("left out: sanitize: compute-sanitizer is not installed")
    profiles = missing_profiles(chapters, folder)
    try:
        find_ncu()
    except DataError as error:
        del checks["prove"], checks["instructions"]
        profiles = []
        lacks.append(f"left out: profile, prove and instructions: {error}")
    with_kernels = {one.chapter for one in stages if one.has_kernels}
    measured = missing_records(chapters, folder) + profiles
    steps = measured + [
        new_step(f"{kind}-{chapter}", kind, chapter=chapter, priority=priority)
        for kind, priority in checks.items()
        for chapter in chapters
        if chapter in with_kernels
    ]
    names = list(dict.fromkeys(one.chapter for one in steps))
    if names:
        line = f"{BUILD} --stages gpu {' '.join(names)}"
        build = new_step(
            "build",
            "command",
            command=line,
            quiet=True,
            may_be_cut=True,
            limit=900,
            priority=FIRST,
        )
        steps.insert(0, build)
    return steps, lacks
