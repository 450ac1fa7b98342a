#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make prove [CHAPTER=… | STAGE=…] [ARGS=…]: compares the CPU engine's counters with a GPU's, read
by ncu.

Every stage and every example of tests/common/emulator/examples runs on both with the same flags
(hardware.toml). The options are those of frame.py.
"""

from __future__ import annotations

import fnmatch
import os
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from common.tools.lib.stages import (
    ROOT,
    DataError,
    Stage,
    build_folder,
    chosen_stages,
    executable,
    load_stages,
    run_tool,
)
from plots.maintain.prove.frame import Source
from plots.maintain.prove.kernels import (
    Counted,
    compare,
    join_families,
    measured_sum,
    read_emulated,
    read_families,
    read_measured,
)
from plots.page.proof_page import page_tables
from plots.records import ncu as nsight
from plots.records.proof_data import COMMON, read_proof_data
from plots.records.proof_rows import COUNTERS, METRICS, Reason, Row, is_example, read_reasons

RUNS = COMMON / "hardware.toml"
PAGE = ROOT / "common" / "emulator" / "how-true-are-the-counters.md"
EXAMPLES = ROOT / "tests" / "common" / "emulator" / "examples"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Run:
    """One program with its flags, on both engines."""

    program: str  # "nbody/01_float3", "examples/scan"
    arguments: str
    gpu: Path | None
    count: Path | None
    stage: Stage | None = None  # None: an example

    def __str__(self) -> str:
        return f"{self.program} {self.arguments}".strip()

    @property
    def file_name(self) -> str:
        return re.sub(r"[^A-Za-z0-9_]+", "-", str(self)).strip("-")

    def words(self) -> list[str]:
        """A stage runs once, without warm-up and verification. An example has no flags."""
        stage = [] if is_example(self.program) else ["--profile"]
        return stage + self.arguments.split()


def find_examples() -> list[Run]:
    folder = build_folder() / EXAMPLES.relative_to(ROOT)
    runs = []
    for name in sorted(source.stem for source in EXAMPLES.glob("*/*.cu")):
        paths = (folder / f"example_{name}", folder / f"example_{name}.count")
        gpu, count = (path if path.exists() else None for path in paths)
        if gpu or count:
            runs.append(Run(f"examples/{name}", "", gpu, count))
    return runs


def find_runs() -> list[Run]:
    flags = read_proof_data(RUNS)["runs"]
    runs = []
    for stage in chosen_stages(load_stages()):
        if not stage.has_kernels:
            continue
        gpu, count = (
            executable(stage, engine) if engine in stage.executables else None
            for engine in ("gpu", "count")
        )
        words = next(
            words for pattern, words in flags.items() if fnmatch.fnmatch(stage.stage, pattern)
        )
        runs += [Run(stage.stage, each, gpu, count, stage) for each in words]
    if not os.environ.get("CHAPTER") and not os.environ.get("STAGE"):
        runs += find_examples()
    return runs


def profile(run: Run, path: Path, metrics: Sequence[str], *more: str) -> None:
    """Profiles all launches of a run into ncu's table at `path`. `more`: further flags of ncu."""
    if run.gpu is None:
        raise DataError("was not built for a GPU")
    program = [run.gpu, *run.words()]
    # The table goes into a file, because the program writes to stdout. The caches need no control:
    # requests and sectors are counted before them.
    control = ["--clock-control", "none", "--cache-control", "none", "--log-file", path, *more]
    words = [nsight.find_ncu(), "--csv", "--page", "raw", "--print-units", "base", *control]
    nsight.profile(lambda asked: [*words, "--metrics", asked, *program], path, metrics, TIMEOUT_S)


class NcuSource(Source[Run, Mapping[str, Counted], Row, Reason]):
    """Rows of ncu's counters."""

    page = PAGE
    row = Row
    reason = Reason

    def runs(self) -> list[Run]:
        return find_runs()

    def check_tools(self) -> None:
        nsight.find_ncu()

    def count(self, run: Run, folder: Path) -> None:
        if run.count is None:
            raise DataError("was not built for the CPU engine with counters")
        path = str(folder / f"{run.file_name}.json")
        command = [run.count, *run.words()]
        ended = nsight.run(command, TIMEOUT_S, EMULATOR_COUNTERS=path, EMULATOR_RACES="off")
        if ended.returncode != 0:
            said = ended.stderr.strip()[-2000:]
            raise DataError(f"ended with {ended.returncode} on the CPU engine:\n{said}")

    @abstractmethod
    def values(self, run: Run, kernel: dict[str, Any], folder: Path) -> Mapping[str, int] | None:
        """What the rows of a kernel say, by counter. None: the kernel is not compared."""

    @abstractmethod
    def measured(self, launches: Sequence[nsight.Launch]) -> Mapping[str, int | None]:
        """What ncu says, by counter. None: it cannot tell."""

    def emulated(self, run: Run, folder: Path) -> Mapping[str, Counted]:
        kernels = read_emulated(folder / f"{run.file_name}.json")
        kernels = join_families(run.program, kernels, read_families(RUNS))
        return {
            name: Counted(
                kernel["launches"], self.values(run, kernel, folder), kernel.get("family")
            )
            for name, kernel in kernels.items()
        }

    def compare(
        self, run: Run, said: Mapping[str, Counted], folder: Path, date: str
    ) -> tuple[list[Row], list[str]]:
        measured = read_measured(folder / f"{run.file_name}.csv")
        base = Row(date, run.program, run.arguments, "", 0, "", 0, 0)
        return compare(base, said, measured, self.measured, read_reasons(RUNS, Reason))

    def renewed(self, row: Row, said: Mapping[str, Counted]) -> Row | None:
        values = said[row.kernel].values if row.kernel in said else None
        return replace(row, emulated=values[row.counter]) if values else None

    def off(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if not row.within_bar]

    def tables(
        self, tables: Mapping[Path, Sequence[Row]], reasons: Sequence[Reason]
    ) -> Mapping[str, list[str]]:
        return page_tables(tables, reasons, self.table)

    def words(self, rows: list[Row], off: int, unexplained: list[Row]) -> list[str]:
        counted = [row for row in rows if row.emulated or row.measured]
        return [
            *(
                f"{row.place}: {row.emulated} emulated, {row.measured} measured"
                for row in unexplained
            ),
            f"{len(counted)} counters: {sum(row.emulated == row.measured for row in counted)} "
            f"equal, {sum(row.within_bar for row in counted)} within the bar, "
            f"{len(unexplained)} off it without a reason",
        ]


class Counters(NcuSource):
    command = "make prove"
    table = "counters.csv"
    reasons = RUNS
    kept = ("proof/measured", "proof/emulated")

    def measure(self, run: Run, folder: Path) -> None:
        profile(run, folder / f"{run.file_name}.csv", METRICS)

    def values(self, run: Run, kernel: dict[str, Any], folder: Path) -> Mapping[str, int]:
        return {counter.name: counter.emulated(kernel["totals"]) for counter in COUNTERS}

    def measured(self, launches: Sequence[nsight.Launch]) -> Mapping[str, int | None]:
        return {counter.name: measured_sum(launches, counter) for counter in COUNTERS}


if __name__ == "__main__":
    run_tool(Counters().main)
