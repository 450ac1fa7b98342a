#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make record [CHAPTER=…] [ENGINE=gpu|cpu|opencl] [SWEEPS=name,name]: measures the sweeps.

It runs the sweeps of plots/<chapter>/sweep.toml and writes plots/data/<device>/<chapter>.csv.
SWEEPS, or the names on this program's command line, chooses some of them. A sweep that is named
also measures its stages that are marked not_recorded. Several recorders may run
at the same time: each appends whole runs under a lock, and claims a run before it starts it, so
that no run is made twice. On a GPU they take turns, because kernels of two programs slow each other
down. While one of them measures a run that wants the host alone, the others wait.

It continues where it stopped: it skips a run whose rows exist, and writes the rows of a finished
run to disk before the next run starts. So an interruption loses no finished run.
plots/records/sweeps.md has the rules.

Other uses:
    --list-stages       prints the stages of these sweeps, for make to build
    --needless-marks    which stages are marked not_recorded without need
"""

import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from common.tools.lib import gpu_state
from common.tools.lib.gpus import gpu_count, gpu_name, has_gpu
from common.tools.lib.columns import (
    LIMITS_COLUMNS,
    RANK_COLUMNS,
    REPORT_COLUMNS,
    ROW_COLUMNS,
)
from common.tools.lib.measuring import Measurement, Row, measure
from common.tools.lib.numbers import format_ms, rough_time
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    Stage,
    ToolError,
    choose,
    chosen_chapters,
    executable,
    load_stages,
    needs_newer_gpu,
    pick_engine,
    run_tool,
    variable,
)
from common.tools.lib.architectures import requirement
from plots.drawing.chapter import Chapter
from plots.maintain.watching import Watch, summary
from plots.page.chapters import all_chapters
from plots.records.conditions import COLUMNS as CONDITION_COLUMNS
from plots.records.folders import DATA, device_folder, folder_name
from plots.records.recorded_runs import (
    RECORDED_ENGINES,
    TOO_LARGE,
    TOO_LARGE_COLUMNS,
    TOO_LARGE_FILE,
    is_recorded,
    missing_runs,
    needless_mark_lines,
    same_but_size,
    seconds_of,
)
from plots.records.rows import read_profile
from plots.records.shared_table import Claims, Host, Table, TableError, locked
from plots.records.sweeps import Run, Sweep, chosen_sweeps, runs_of, sweeps_of

BUSY, BUSY_SHARE = 2.0, 0.2  # processes of the last minute: at most so many, or this share of cores


def seconds_at(n: int, took: dict[int, list[float]]) -> float:
    """The expected seconds of a run of n, from the seconds of other sizes. The time is assumed to
    grow with a power of n. The nearest size and another one, at least a factor of two away from it,
    give the exponent."""
    means = {size: max(1e-3, sum(times) / len(times)) for size, times in took.items()}
    nearest = sorted(means, key=lambda size: abs(math.log(size / n)))
    first, growth = nearest[0], 1.0
    if len(means) > 1:
        apart = [size for size in nearest if max(size / first, first / size) >= 2] or nearest[-1:]
        growth = math.log(means[apart[0]] / means[first]) / math.log(apart[0] / first)
    return means[first] * (n / first) ** min(3.0, max(0.0, growth))


class Progress:
    """Counts the finished runs and estimates the time of the others."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.left = {self.key(run): run for run in runs}
        self.count = len(self.left)
        self.took: dict[tuple[Any, ...], dict[int, list[float]]] = {}  # by n, of similar runs
        # Of all runs. A run that is similar to none is expected to take their mean time.
        self.seconds, self.timed = 0.0, 0

    @staticmethod
    def key(run: Run) -> tuple[Any, ...]:
        """Identifies a run: several sweeps may contain the same one."""
        return (
            run.sweep.chapter,
            run.sweep.engine,
            run.stage,
            run.n,
            run.seed,
            run.ranks,
            *run.arguments,
        )

    @staticmethod
    def likenesses(run: Run) -> Iterator[tuple[Any, ...]]:
        """The properties that similar runs share, the greatest similarity first."""
        alike = (run.sweep.chapter, run.sweep.engine)
        yield (*alike, run.stage, run.ranks, *run.arguments)
        yield (*alike, run.stage)
        yield alike

    def made(self, run: Run, seconds: float) -> None:
        self.left.pop(self.key(run), None)
        self.seconds, self.timed = self.seconds + seconds, self.timed + 1
        for alike in self.likenesses(run):
            self.took.setdefault(alike, {}).setdefault(run.n, []).append(seconds)

    def left_out(self, run: Run) -> None:
        self.left.pop(self.key(run), None)

    def expected(self, run: Run) -> float:
        found = next(
            (self.took[alike] for alike in self.likenesses(run) if alike in self.took), None
        )
        return self.seconds / self.timed if found is None else seconds_at(run.n, found)

    def __str__(self) -> str:
        words = f"run {self.count - len(self.left)} of {self.count}"
        if not self.left or not self.timed:
            return words
        seconds = sum(self.expected(run) for run in self.left.values())
        return f"{words}, about {rough_time(seconds)} left"


def unfinished(run: Run, rows: list[Row], made: Row) -> list[Row]:
    """The rows that an interrupted recorder has left of exactly this run: fewer than it repeats.
    The new rows replace them."""
    columns = ("chapter", "stage", "engine", "device", "n", "parameters", "grid", "input", "seed")
    alike = [row for row in rows if all(row[name] == made[name] for name in columns)]
    return alike if len(alike) < run.sweep.repeats else []


def surplus_fields(fields: list[Row], rows: list[Row], made: Row) -> list[Row]:
    """The report fields of runs like this one that have no rows, because a recorder was interrupted
    between the two tables. Runs of several inputs share a report's columns, so the runs are
    counted, and the last fields are those without rows."""
    columns = [name for name in REPORT_COLUMNS if name in made]
    alike = [row for row in fields if all(row[name] == made[name] for name in columns)]
    runs = sum(
        row["repeat"] == "1" and all(row[name] == made[name] for name in columns) for row in rows
    )
    found: dict[str, list[Row]] = {}
    for row in alike:
        found.setdefault(row["field"], []).append(row)
    return [row for same in found.values() for row in same[runs:]]


def warning_of_load(load: float, cores: int) -> str:
    """What to say of a host that already runs so many processes at a time; "" for a quiet one. A
    few may be other recorders."""
    if load <= max(BUSY, BUSY_SHARE * cores):
        return ""
    return (
        f"make record: this host is busy (load {load:.1f}): "
        "launches and serial runs are slower beside builds and tests"
    )


def device_lock() -> str:
    """The file that a recorder locks while it measures on a GPU: one for each GPU. A stage takes
    the first GPU that it sees."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES") or "0"
    return ".device-" + re.sub("[^A-Za-z0-9-]+", "-", seen.split(",", maxsplit=1)[0])


class Recorder:
    """Makes the runs that are missing in the tables in `folder`. Each chapter has one table."""

    def __init__(self, stages: list[Stage], folder: Path) -> None:
        self.stages = {stage.stage: stage for stage in stages}
        self.folder = folder
        self.tables: dict[str, Table] = {}
        self.failures: list[str] = []
        self.made = 0
        self.claims = Claims(folder)
        self.host = Host(folder)
        self.left_to_others = self.too_large = 0
        self.version = ""  # of the sources that were measured
        self.progress = Progress(())

    def table(self, name: str, header: Sequence[str]) -> Table:
        if name not in self.tables:
            self.tables[name] = Table(self.folder / f"{name}.csv", header)
        return self.tables[name]

    def table_of(self, sweep: Sweep) -> Table:
        """Runs on several GPUs have a table of their own, so that no other figure compares them."""
        if sweep.ranks:
            return self.table(f"{sweep.chapter}_ranks", RANK_COLUMNS)
        return self.table(sweep.chapter, ROW_COLUMNS)

    def measure(self, run: Run, repeats: int, warmup: int) -> Measurement:
        """Runs a stage. A single repeat without a warm-up is verified and timed in one run, so a
        long run happens once and not three times."""
        stage = self.stages[f"{run.sweep.chapter}/{run.stage}"]
        on_cpu = run.sweep.engine == "cpu"
        with (
            self.host.measures(run.sweep.alone),
            nullcontext() if on_cpu else locked(self.folder / device_lock()),
        ):
            return measure(
                executable(stage, pick_engine(stage, run.sweep.engine)),
                [
                    "--n",
                    str(run.n),
                    "--seed",
                    str(run.seed),
                    "--repeats",
                    str(repeats),
                    "--warmup",
                    str(warmup),
                    "--force",
                    *run.arguments,
                ],
                max(1, run.ranks),
            )

    def may_be_long(self, run: Run, rows: list[Row]) -> bool:
        """Whether to try a single timed run first. That is not needed if another size was so fast
        that this one cannot be long, even if the time grows with the cube of n."""
        limit = run.sweep.long_run_seconds
        if limit <= 0 or run.sweep.repeats == 1:
            return False
        bounds = [
            seconds_of(row) * max(1.0, run.n / int(row["n"])) ** 3
            for row in rows
            if same_but_size(row, run)
        ]
        return min(bounds, default=limit) >= limit

    def record(self, run: Run) -> None:
        table = self.table_of(run.sweep)
        if is_recorded(run, table.rows):
            self.progress.left_out(run)
            return
        if run.sweep.engine == "gpu" and run.ranks > gpu_count():
            print(f"{run}: not measured, this machine has {gpu_count()} GPUs", flush=True)
            self.progress.left_out(run)
            return
        stage = self.stages[f"{run.sweep.chapter}/{run.stage}"]
        if run.sweep.engine == "gpu" and needs_newer_gpu(stage):
            print(f"{run}: not measured, it needs {requirement(stage.minimum_sm)}", flush=True)
            self.progress.left_out(run)
            return
        with self.claims.claimed(self.progress.key(run)) as claimed:
            if not claimed:
                self.left_to_others += 1
                self.progress.left_out(run)
                return
            table.refresh()
            if is_recorded(run, table.rows):  # by another recorder
                self.progress.left_out(run)
                return
            self.make(run, table)

    def make(self, run: Run, table: Table) -> None:
        started = time.monotonic()
        made: Measurement | None = None
        if self.may_be_long(run, table.rows):
            made = self.measure(run, repeats=1, warmup=0)
        if made is None or not is_recorded(run, made.rows):
            made = self.measure(run, run.sweep.repeats, warmup=min(1, run.sweep.repeats - 1))
        rows = [{**row, "ranks": str(run.ranks)} for row in made.rows] if run.ranks else made.rows
        fields = (
            []
            if run.ranks
            else [
                {
                    **{key: rows[0][key] for key in REPORT_COLUMNS if key in rows[0]},
                    "field": name,
                    "value": str(value),
                }
                for name, value in made.document["report"].items()
            ]
        )
        # CUDA knows more about a GPU than OpenCL. Several ranks say what all their GPUs can do.
        if run.sweep.engine != "opencl" and not run.ranks:
            self.keep_limits(rows[0]["device"], made.document.get("device_limits", {}))
        # Nobody sees the fields of a run without its rows, except after an interruption.
        with table.locked():
            parts = unfinished(run, table.rows, rows[0])
            if fields:
                report = self.table(f"{run.sweep.chapter}_report", REPORT_COLUMNS)
                with report.locked():
                    finished = [row for row in table.rows if row not in parts]
                    report.change(fields, surplus_fields(report.rows, finished, rows[0]))
            table.change(rows, parts)
        self.made += 1
        self.version = rows[0]["version"]
        seconds = time.monotonic() - started
        self.progress.made(run, seconds)
        what = f"{len(rows)} x {format_ms(made.median_ms('kernels_ms'))} ms"
        if run.sweep.engine == "emu":  # its time says nothing about a GPU
            what = f"{len(rows)} run{'s' * (len(rows) > 1)}"
        said = f"{run}: {what} ({seconds:.1f} s); {self.progress}"
        print(said, flush=True)

    def keep_limits(self, device: str, limits: dict[str, float]) -> None:
        """Records the limits of the device, if the harness knows them. The largest value of all
        lines counts, so a line is added only if this run found a larger value."""
        if not limits.get("bytes_per_second"):
            return
        table = self.table("limits", LIMITS_COLUMNS)
        known = [row for row in table.rows if row["device"] == device]
        if not known or any(
            limits[name] > max(float(row[name]) for row in known) for name in LIMITS_COLUMNS[1:]
        ):
            table.append(
                [
                    {
                        "device": device,
                        **{name: repr(float(limits[name])) for name in LIMITS_COLUMNS[1:]},
                    }
                ]
            )

    def leave_out(self, run: Run, why: str) -> None:
        """Notes a run that this machine cannot hold. The next recorder tries it again: another
        program may have had the memory."""
        print(f"left out: {run}: {why}", flush=True)
        self.too_large += 1
        table = self.table(TOO_LARGE_FILE.removesuffix(".csv"), TOO_LARGE_COLUMNS)
        with table.locked():
            known = [row for row in table.rows if row["run"] == str(run)]
            table.change([{"run": str(run), "why": why}], known)

    def keep_conditions(self, device: str, watch: Watch) -> None:
        """What the GPU did while it measured, as far as somebody saw it."""
        seen = summary(device, watch.driver, self.version, watch.states)
        if self.made and seen:
            self.table("conditions", CONDITION_COLUMNS).append([seen.record()])

    def record_all(self, sweeps: list[Sweep]) -> None:
        for chapter in dict.fromkeys(sweep.chapter for sweep in sweeps):
            # A broken table stops the recorder before the first run.
            self.table(chapter, ROW_COLUMNS)
        for sweep in sweeps:
            self.table_of(sweep)
        self.progress = Progress(
            run for sweep in sweeps for run in missing_runs(sweep, self.table_of(sweep).rows)
        )
        for sweep in sweeps:
            if sweep.left_out:
                names = ", ".join(sweep.left_out)
                print(
                    f"sweep {sweep.name} leaves out {names}: not_recorded (SWEEPS={sweep.name} measures them)",
                    flush=True,
                )
            for run in runs_of(sweep):
                try:
                    self.record(run)
                except TableError:
                    raise  # a full disk or a damaged table: no further run could be recorded
                except ToolError as error:
                    self.progress.left_out(run)
                    if error.status == EXIT_NO_DEVICE and sweep.engine == "opencl":
                        for other in runs_of(sweep):
                            self.progress.left_out(other)
                        print(f"left out: sweep {sweep.name}: {error}", flush=True)
                        break
                    if error.status == EXIT_NO_DEVICE and not sweep.optional:
                        raise
                    if TOO_LARGE.search(str(error)):
                        self.leave_out(run, str(error))
                        continue
                    said = f"{run}: {error}"
                    print(f"{'left out' if sweep.optional else 'FAILED'}: {said}", flush=True)
                    if not sweep.optional:
                        self.failures.append(said)


def lacks_stages(path: Path, stages: Iterable[str]) -> bool:
    """Whether a chapter's profile does not exist, or has no metric of one of its stages."""
    if not path.exists():
        return True
    wanted = set(stages)
    return bool(wanted) and not wanted <= {one.stage for one in read_profile(path)}


def record_profiles(chapters: Iterable[Chapter], folder: Path) -> None:
    """Runs the modules that profile stages if metrics of a stage are missing, and no other recorder
    does. Many shared GPUs do not let users read their counters. Then one line says so, and the
    records are complete without them."""
    for chapter in chapters:
        with Claims(folder).claimed(("profile", chapter.name)) as claimed:
            path = folder / f"{chapter.name}_profile.csv"
            if not claimed or not lacks_stages(path, chapter.profiled):
                continue
            command = [sys.executable, "-m", chapter.profile, "--data", str(folder.parent)]
            if subprocess.run(command, check=False, cwd=ROOT).returncode != 0:
                said = f"left out: the profile of {chapter.name} ({chapter.profile} says why)"
                print(said, flush=True)


def finish(recorder: Recorder) -> int:
    print(
        f"{recorder.made} runs recorded into {recorder.folder}"
        + (f", {len(recorder.failures)} failed" if recorder.failures else "")
        + (f", {recorder.too_large} too large for this machine" * bool(recorder.too_large))
        + (f", {recorder.left_to_others} left to another recorder" * bool(recorder.left_to_others))
    )
    for line in needless_mark_lines(list(recorder.stages.values()), recorder.folder):
        print(line)
    return EXIT_FAILURE if recorder.failures else 0


def main() -> int:
    stages = load_stages()
    if "--needless-marks" in sys.argv:
        lines = needless_mark_lines(stages, device_folder(DATA, None))
        for line in lines:
            print(line)
        return EXIT_FAILURE if lines else 0
    chapters = chosen_chapters(stages)
    engine = variable("ENGINE")
    engines = {choose("ENGINE", engine, RECORDED_ENGINES)} if engine else set(RECORDED_ENGINES)
    words = [word for word in sys.argv[1:] if word != "--list-stages"]
    names = words or variable("SWEEPS").replace(",", " ").split()
    # Who names a sweep also wants its stages that are not recorded yet.
    with redirect_stdout(sys.stderr) if "--list-stages" in sys.argv else nullcontext():
        known = sweeps_of(chapters, "record", engines, marked=bool(names))
    sweeps = chosen_sweeps(known, names)
    if "--list-stages" in sys.argv:
        found = {f"{sweep.chapter}/{stage}": None for sweep in sweeps for stage in sweep.stages}
        print("\n".join(found))
        return 0
    if not has_gpu():
        raise ToolError(
            "make record: no usable device: it needs a GPU "
            "(make figures DATA=here measures this machine)",
            EXIT_NO_DEVICE,
        )
    if warning := warning_of_load(os.getloadavg()[0], os.cpu_count() or 1):
        print(warning, file=sys.stderr, flush=True)
    gpu_state.warn("make record")
    recorder = Recorder(stages, DATA / folder_name(gpu_name()))
    watch = Watch()
    try:
        with watch:
            recorder.record_all(sweeps)
    finally:  # an interrupted recorder has recorded its finished runs
        recorder.keep_conditions(gpu_name(), watch)
    if "gpu" in engines and not names:
        profiled = [one for one in all_chapters() if one.name in chapters and one.profile]
        record_profiles(profiled, recorder.folder)
    status = finish(recorder)
    print(f"to draw them: make figures DATA={recorder.folder.name}")
    print(f"to judge them: make check-record DIR=plots/data/{recorder.folder.name}")
    return status


if __name__ == "__main__":
    run_tool(main)
