#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make session [PLAN=plan.toml] [BUDGET=seconds] [DIR=folder] [CHAPTER=…]: the work of a maintainer
who has a GPU machine for some time. README.md explains plans.

Without PLAN, it does what is missing on this GPU (missing.py). `ARGS=--print` prints the plan, and
runs nothing. It needs no GPU then, and reads the records of the H200.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.gpus import gpu_name, has_gpu
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ToolError,
    arguments,
    build_folder,
    chosen_chapters,
    load_stages,
    print_table,
    run_tool,
    shown,
    variable,
)
from plots.maintain.session.missing import missing_steps
from plots.maintain.session.plan import KINDS, Step, plan_text, read_plan
from plots.maintain.session.running import BAD, Result, Session, in_order
from plots.maintain.session.sources import source_of
from plots.records.folders import DATA, device_folder, folder_name

# The variables of make. A step has its own.
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "MAKE_TERMOUT", "MAKE_TERMERR")
OF_COURSE = (
    *("STAGE", "CHAPTER", "ENGINE", "ARGS", "FILE", "A", "B", "DATA", "JSON", "SWEEPS", "FROM"),
    *("NAME", "LAB", "LABS", "SEED", "DIR", "DEVICE", "RANKS", "PLAN", "BUDGET"),
)


LONGEST = 160  # characters of a line that a step said


def seconds_of_budget() -> float:
    text = variable("BUDGET")
    try:
        seconds = float(text or 0)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf or (text and seconds == 0):
        raise ToolError(f"BUDGET={shown(text)}: it must be a number of seconds above 0")
    return seconds


def last_line(log: Path) -> str:
    """What a step said last."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            lines = file.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    said = [
        line.strip() for line in lines if line.strip() and not line.startswith(("# ", "make: "))
    ]
    printable = "".join(c if c.isprintable() else "?" for c in said[-1]) if said else ""
    return printable if len(printable) <= LONGEST else f"{printable[:LONGEST]}..."


def print_results(session: Session, results: Sequence[Result], skipped: Sequence[Step]) -> None:
    rows = [
        [one.step.name, one.outcome, f"{one.seconds:.1f}", f"{one.step.limit:g}"] for one in results
    ]
    rows += [[one.name, "done before", "", f"{one.limit:g}"] for one in skipped]
    print()
    if rows:
        print_table(["step", "outcome", "seconds", "limit"], rows, left=2)
    for one in results:
        if one.outcome in BAD:
            said = last_line(session.log_of(one.step))
            print(f"{one.step.name}: {one.outcome}: {said or f'exit status {one.status}'}")
    counts = Counter(row[1] for row in rows)
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(
        f"{said or 'nothing to do'}; {session.seconds:.0f} s; logs and status.csv: {session.folder}"
    )


def main() -> int:
    stages = load_stages()
    only_print = arguments() == ["--print"]
    if arguments() and not only_print:
        raise ToolError(f"ARGS={shown(variable('ARGS'))}: make session knows --print only")
    budget = seconds_of_budget()
    if variable("PLAN"):
        if variable("CHAPTER"):
            raise ToolError("PLAN and CHAPTER cannot be combined: the plan names chapters")
        steps = read_plan(Path(variable("PLAN")), stages)
        lacks: list[str] = []
    elif not has_gpu() and not only_print:
        raise ToolError(
            "make session: no usable device: without PLAN it needs a GPU", EXIT_NO_DEVICE
        )
    else:
        folder = DATA / folder_name(gpu_name()) if has_gpu() else device_folder(DATA, None)
        steps, lacks = missing_steps(stages, chosen_chapters(stages), folder)
    for line in lacks:
        print(f"# {line}" if only_print else line, flush=True)
    if only_print:
        print(plan_text(in_order(steps)), end="")
        return 0
    needing = [one.name for one in steps if KINDS[one.kind].needs_gpu]
    if needing and not has_gpu():
        more = f", and {len(needing) - 1} more" if len(needing) > 1 else ""
        said = f"make session: no usable device: step {needing[0]} needs a GPU{more}"
        raise ToolError(said, EXIT_NO_DEVICE)
    environment = {
        name: value for name, value in os.environ.items() if name not in (*OF_MAKE, *OF_COURSE)
    }
    session = Session(
        Path(variable("DIR") or build_folder() / "session"),
        {one.name: source_of(one, stages) for one in steps},
        gpu_name(),
        budget,
        say=lambda line: print(line, flush=True),
        environment=environment,
    )
    skipped = [one for one in steps if session.has_succeeded(one)]
    results = session.run([one for one in steps if one not in skipped])
    print_results(session, results, skipped)
    session.raise_signal()
    return EXIT_FAILURE if any(one.outcome in BAD for one in results) else 0


if __name__ == "__main__":
    run_tool(main)
