#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make record [CHAPTER=…] [ENGINE=gpu|cpu|opencl] [SWEEPS=name,name]: the sweeps of
plots/sweeps/*.toml into plots/data/<device>/<chapter>.csv. SWEEPS, or the names on this program's
command line, chooses some. Several may run at once, each with other sweeps, engines or
CUDA_VISIBLE_DEVICES: whole runs are appended, under a lock.

Resumable: a run whose rows are there already is skipped; the rows of a finished run are on disk
before the next one starts, so an interruption loses none. plots/sweeps/README has the rules.
"""

import csv
import fcntl
import io
import itertools
import math
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from common.tools.lib.gpus import has_gpu
from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.measuring import Measurement, Row, measure
from common.tools.lib.stages import (EXIT_FAILURE, EXIT_NO_DEVICE, ROOT, Stage, ToolError, build_folder, choose,
                    chosen_chapters, executable, format_ms, load_stages, pick_engine, run_tool,
                    variable)

RECORDED_ENGINES = ("gpu", "cpu", "opencl")
PROFILES = {"nbody": "plots/profile_stages.py"}  # for figures 6.4 and 6.5
# The columns of limits.csv: what the harness compares every time with (common/limits/device_limits.hpp).
LIMITS_HEADER = ("device,bytes_per_second,l2_bytes_per_second,l2_bytes,operations_per_second,"
                 "peak_bytes_per_second,peak_l2_bytes_per_second,peak_operations_per_second").split(",")


@dataclass(frozen=True)
class Sweep:
    chapter: str
    name: str
    engine: str
    stages: tuple[str, ...]
    sizes: tuple[int, ...]
    args: tuple[str, ...]
    match: tuple[tuple[str, Any], ...]
    vary: tuple[tuple[str, tuple[Any, ...]], ...]
    seeds: tuple[int, ...]
    repeats: int
    long_run_seconds: float
    optional: bool


@dataclass(frozen=True)
class Run:
    """One start of one executable."""

    sweep: Sweep
    stage: str
    n: int
    seed: int
    varied: tuple[tuple[str, Any], ...] = ()

    @property
    def arguments(self) -> list[str]:
        return [*self.sweep.args, *(word for name, value in self.varied for word in (f"--{name}", str(value)))]

    @property
    def match(self) -> tuple[tuple[str, Any], ...]:
        return (*self.sweep.match, *self.varied)

    def __str__(self) -> str:
        words = [f"{self.sweep.chapter}/{self.stage} {self.sweep.engine} n={self.n} seed={self.seed}",
                 *(f"{name}={value}" for name, value in self.varied)]
        return " ".join(words)


def read_sweeps(path: Path, scope: str, engines: set[str]) -> list[Sweep]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ToolError(f"{path} is missing", EXIT_FAILURE) from None
    except tomllib.TOMLDecodeError as error:
        raise ToolError(f"{path}: {error}", EXIT_FAILURE) from None
    sweeps = []
    for entry in document.get("sweep", []):
        try:
            if entry["scope"] != scope or entry["engine"] not in engines:
                continue
            sweeps.append(Sweep(
                document["chapter"], entry["name"], entry["engine"], tuple(entry["stages"]),
                tuple(entry["n"]), tuple(entry.get("args", [])),
                tuple(entry.get("match", {}).items()),
                tuple((name, tuple(values)) for name, values in entry.get("vary", {}).items()),
                tuple(entry.get("seeds", [1])),
                entry.get("repeats", 5), entry.get("long_run_seconds", 5),
                entry.get("optional", False)))
        except KeyError as error:
            raise ToolError(f"{path}: a sweep without {error}", EXIT_FAILURE) from None
    return sweeps


def runs_of(sweep: Sweep) -> Iterator[Run]:
    names = [name for name, _ in sweep.vary]
    for n in sweep.sizes:
        for values in itertools.product(*(values for _, values in sweep.vary)):
            for seed in sweep.seeds:
                for stage in sweep.stages:
                    yield Run(sweep, stage, n, seed, tuple(zip(names, values)))


def parameters_of(row: Row) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in row["parameters"].split(";") if "=" in pair)


def same_value(text: str, wanted: Any) -> bool:
    try:
        return float(text) == float(wanted)
    except ValueError:
        return text == str(wanted)


def same_but_size(row: Row, run: Run) -> bool:
    """Whether the row is of the run's stage, engine and parameters, at whatever n and seed."""
    if (row["chapter"], row["stage"], row["engine"]) != (run.sweep.chapter, run.stage,
                                                         run.sweep.engine):
        return False
    parameters = parameters_of(row)
    for key, wanted in run.match:
        text = row[key] if key in ("input", "device", "grid") else parameters.get(key, "0")
        if not same_value(text, wanted):
            return False
    return True


def seconds_of(row: Row) -> float:
    return float(row["total_ms"]) / 1000


def is_recorded(run: Run, rows: list[Row]) -> bool:
    found = [row for row in rows if same_but_size(row, run) and int(row["n"]) == run.n
             and int(row["seed"]) == run.seed]
    if len(found) >= run.sweep.repeats:
        return True
    limit = run.sweep.long_run_seconds
    return limit > 0 and any(seconds_of(row) >= limit for row in found)


def rough_time(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def seconds_at(n: int, took: dict[int, list[float]]) -> float:
    """What a run of n may take, from what others took: as from the nearest size to one at least twice
    as far, the time goes on with a power of n."""
    means = {size: max(1e-3, sum(times) / len(times)) for size, times in took.items()}
    nearest = sorted(means, key=lambda size: abs(math.log(size / n)))
    first, growth = nearest[0], 1.0
    if len(means) > 1:
        apart = [size for size in nearest if max(size / first, first / size) >= 2] or nearest[-1:]
        growth = math.log(means[apart[0]] / means[first]) / math.log(apart[0] / first)
    return means[first] * (n / first) ** min(3.0, max(0.0, growth))


class Progress:
    """Which of the runs to make is made, and about how long the others take."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.left = {self.key(run): run for run in runs}
        self.count = len(self.left)
        self.took: dict[tuple[Any, ...], dict[int, list[float]]] = {}  # by n, of runs like one another
        self.seconds, self.timed = 0.0, 0  # of all; runs that are like none take the mean

    @staticmethod
    def key(run: Run) -> tuple[Any, ...]:
        """Several sweeps may ask for the same run."""
        return (run.sweep.chapter, run.sweep.engine, run.stage, run.n, run.seed, *run.arguments)

    @staticmethod
    def likenesses(run: Run) -> Iterator[tuple[Any, ...]]:
        """What runs may have in common, most of it first."""
        alike = (run.sweep.chapter, run.sweep.engine)
        yield (*alike, run.stage, *run.arguments)
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
        found = next((self.took[alike] for alike in self.likenesses(run) if alike in self.took), None)
        return self.seconds / self.timed if found is None else seconds_at(run.n, found)

    def __str__(self) -> str:
        words = f"run {self.count - len(self.left)} of {self.count}"
        if not self.left or not self.timed:
            return words
        return f"{words}, about {rough_time(sum(self.expected(run) for run in self.left.values()))} left"


@contextmanager
def locked(path: Path) -> Iterator[BinaryIO]:
    """The file, opened to append, while no other recorder reads or writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # given back when the file is closed, however that comes
        yield file


class Table:
    """A CSV file that is only ever appended to, one whole run at a time, by any number of recorders."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self.header = tuple(header)
        self.rows: list[Row] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        with locked(self.path) as file:
            data = self.path.read_bytes()
            whole = data[:data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                file.truncate(len(whole))  # a line that a power cut left half-written
        reader = csv.DictReader(io.StringIO(whole.decode("utf-8")))
        if whole and tuple(reader.fieldnames or ()) != self.header:
            raise ToolError(f"{self.path}:1: not the header of these rows", EXIT_FAILURE)
        for row in reader:
            if None in row or None in row.values():
                raise ToolError(f"{self.path}:{reader.line_num}: not {len(self.header)} fields",
                                EXIT_FAILURE)
            self.rows.append(row)

    def append(self, rows: list[Row]) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, self.header, lineterminator="\n")
        with locked(self.path) as file:
            if os.fstat(file.fileno()).st_size == 0:  # now, not when another recorder had begun
                writer.writeheader()
            writer.writerows(rows)
            file.write(text.getvalue().encode("utf-8"))  # one write: all the rows of a run or none
            os.fsync(file.fileno())
        self.rows += rows


def device_folder(device: str) -> str:
    return re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")


class Recorder:
    """Makes the runs that the tables in `folder` lack, one table a chapter."""

    def __init__(self, stages: list[Stage], folder: Path) -> None:
        self.stages = {stage.stage: stage for stage in stages}
        self.folder = folder
        self.tables: dict[str, Table] = {}
        self.failures: list[str] = []
        self.made = 0
        self.progress = Progress(())

    def table(self, name: str, header: Sequence[str]) -> Table:
        if name not in self.tables:
            self.tables[name] = Table(self.folder / f"{name}.csv", header)
        return self.tables[name]

    def measure(self, run: Run, repeats: int, warmup: int) -> Measurement:
        """Without a warm-up a single run is verified and timed at once: a long one is made once, not thrice."""
        stage = self.stages[f"{run.sweep.chapter}/{run.stage}"]
        return measure(executable(stage, pick_engine(stage, run.sweep.engine)),
                       ["--n", str(run.n), "--seed", str(run.seed), "--repeats", str(repeats),
                        "--warmup", str(warmup), *run.arguments])

    def may_be_long(self, run: Run, rows: list[Row]) -> bool:
        """Whether one timed run is tried first: unless another size took so little time that this
        one cannot be long even where the time grows with the cube of n."""
        limit = run.sweep.long_run_seconds
        if limit <= 0 or run.sweep.repeats == 1:
            return False
        bounds = [seconds_of(row) * max(1.0, run.n / int(row["n"])) ** 3 for row in rows
                  if same_but_size(row, run)]
        return min(bounds, default=limit) >= limit

    def record(self, run: Run) -> None:
        table = self.table(run.sweep.chapter, ROW_COLUMNS)
        if is_recorded(run, table.rows):
            self.progress.left_out(run)
            return
        started = time.monotonic()
        made: Measurement | None = None
        if self.may_be_long(run, table.rows):
            made = self.measure(run, repeats=1, warmup=0)
        if made is None or not is_recorded(run, made.rows):
            made = self.measure(run, run.sweep.repeats, warmup=min(1, run.sweep.repeats - 1))
        rows = made.rows
        fields = [{**{key: rows[0][key] for key in REPORT_COLUMNS if key in rows[0]},
                   "field": name, "value": str(value)}
                  for name, value in made.document["report"].items()]
        if fields:
            self.table(f"{run.sweep.chapter}_report", REPORT_COLUMNS).append(fields)
        if run.sweep.engine != "opencl":  # of a GPU CUDA knows more
            self.keep_limits(rows[0]["device"], made.document.get("device_limits", {}))
        table.append(rows)
        self.made += 1
        seconds = time.monotonic() - started
        self.progress.made(run, seconds)
        print(f"{run}: {len(rows)} x {format_ms(made.median_ms('kernels_ms'))} ms ({seconds:.1f} s); {self.progress}", flush=True)

    def keep_limits(self, device: str, limits: dict[str, float]) -> None:
        """What the device can do at most, where the harness knows it: of each the largest of all
        lines counts. A line is added where this run knew of more than those before."""
        if not limits.get("bytes_per_second"):
            return
        table = self.table("limits", LIMITS_HEADER)
        known = [row for row in table.rows if row["device"] == device]
        if not known or any(limits[name] > max(float(row[name]) for row in known) for name in LIMITS_HEADER[1:]):
            table.append([{"device": device, **{name: repr(float(limits[name])) for name in LIMITS_HEADER[1:]}}])

    def record_all(self, sweeps: list[Sweep]) -> None:
        for chapter in dict.fromkeys(sweep.chapter for sweep in sweeps):
            self.table(chapter, ROW_COLUMNS)  # a broken table stops everything, before the first run
        self.progress = Progress(run for sweep in sweeps for run in runs_of(sweep)
                                 if not is_recorded(run, self.tables[sweep.chapter].rows))
        for sweep in sweeps:
            for run in runs_of(sweep):
                try:
                    self.record(run)
                except ToolError as error:
                    self.progress.left_out(run)
                    if error.status == EXIT_NO_DEVICE and sweep.engine == "opencl":
                        for other in runs_of(sweep):
                            self.progress.left_out(other)
                        print(f"left out: sweep {sweep.name}: {error}", flush=True)
                        break
                    if error.status == EXIT_NO_DEVICE and not sweep.optional:
                        raise
                    said = f"{run}: {error}"
                    print(f"{'left out' if sweep.optional else 'FAILED'}: {said}", flush=True)
                    if not sweep.optional:
                        self.failures.append(said)


def sweeps_of(chapters: list[str], scope: str, engines: set[str]) -> list[Sweep]:
    sweeps = []
    for chapter in chapters:
        path = ROOT / "plots" / "sweeps" / f"{chapter}.toml"
        if path.exists():
            sweeps += read_sweeps(path, scope, engines)
        else:
            print(f"plots/sweeps/{path.name} is missing: nothing of {chapter} is measured", flush=True)
    return sweeps


def chosen_sweeps(sweeps: list[Sweep], names: list[str]) -> list[Sweep]:
    """Those of these names, all without one."""
    known = list(dict.fromkeys(sweep.name for sweep in sweeps))
    for name in names:
        choose("SWEEPS", name, known)
    return [sweep for sweep in sweeps if not names or sweep.name in names]


def check_stages(sweeps: list[Sweep], stages: list[Stage]) -> None:
    known = {stage.stage for stage in stages}
    for sweep in sweeps:
        for name in sweep.stages:
            if f"{sweep.chapter}/{name}" not in known:
                raise ToolError(f"plots/sweeps/{sweep.chapter}.toml: sweep {sweep.name}: "
                                f"{sweep.chapter}/{name} is no stage", EXIT_FAILURE)


def gpu_name(stages: list[Stage]) -> str:
    """As the rows will have it: asked of a small run of the first stage with kernels."""
    stage = next(stage for stage in stages if stage.has_kernels)
    made = measure(executable(stage, pick_engine(stage, "gpu")),
                   ["--n", "1000", "--repeats", "1", "--warmup", "0"])
    return made.rows[0]["device"]


def record_profiles(chapters: list[str], folder: Path) -> None:
    """The profiler's metrics that figures draw, where they are missing. Many a shared GPU refuses
    its counters to users: that is told, and is no failure of the records."""
    for chapter in chapters:
        script = PROFILES.get(chapter)
        if script is None or (folder / f"{chapter}_profile.csv").exists():
            continue
        command = [sys.executable, str(ROOT / script), "--build", str(build_folder()),
                   "--data", str(folder.parent)]
        if subprocess.run(command, check=False).returncode != 0:
            print(f"left out: the profile of {chapter} ({script} says why)", flush=True)


def finish(recorder: Recorder) -> int:
    print(f"{recorder.made} runs recorded into {recorder.folder}"
          + (f", {len(recorder.failures)} failed" if recorder.failures else ""))
    return EXIT_FAILURE if recorder.failures else 0


def main() -> int:
    stages = load_stages()
    chapters = chosen_chapters(stages)
    if not has_gpu():
        raise ToolError("make record: no usable device: the records are a GPU's "
                        "(make figures DATA=here measures this machine)", EXIT_NO_DEVICE)
    engine = variable("ENGINE")
    engines = {choose("ENGINE", engine, RECORDED_ENGINES)} if engine else set(RECORDED_ENGINES)
    names = sys.argv[1:] or variable("SWEEPS").replace(",", " ").split()
    sweeps = chosen_sweeps(sweeps_of(chapters, "record", engines), names)
    check_stages(sweeps, stages)
    recorder = Recorder(stages, ROOT / "plots" / "data" / device_folder(gpu_name(stages)))
    recorder.record_all(sweeps)
    if "gpu" in engines and not names:
        record_profiles(chapters, recorder.folder)
    return finish(recorder)


if __name__ == "__main__":
    run_tool(main)
