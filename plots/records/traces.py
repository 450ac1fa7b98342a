# SPDX-License-Identifier: MIT
"""Small runs on the CPU engine whose accesses or results are kept: drawings show what the kernels
really did. A chapter declares its own; `python3 -m plots.maintain.traces` records and checks them."""

from __future__ import annotations

import csv
import io
import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.lib.stages import DataError, Stage, executable

Record = dict[str, str]
Kept = list[tuple[object, ...]]


@dataclass(frozen=True)
class Trace:
    """A run with --trace on the counting engine, and what is kept of its accesses."""

    name: str
    stage: str
    arguments: tuple[str, ...]
    columns: tuple[str, ...]
    keep: Callable[[Iterable[Record]], Kept]
    environment: Mapping[str, str] = field(default_factory=dict)
    only: str = ""  # a pattern; lines without it are left out: there are too many

    engine = "count"

    def made(self, program: Path) -> str:
        """The table of a new run."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.csv"
            start(program, ["--trace", str(path), *self.arguments], self.environment)
            with path.open(encoding="utf-8", newline="") as file:
                return table_text(self.columns, self.keep(csv.DictReader(self.wanted(file))))

    @property
    def command(self) -> str:
        """What a reader types to make the same trace."""
        return make_run(self.stage, self.environment, (*self.arguments, "--trace", "trace.csv"))

    def wanted(self, lines: Iterable[str]) -> Iterator[str]:
        """The first line, which names the columns, and those that are not left out."""
        pattern = re.compile(self.only)
        for number, line in enumerate(lines):
            if number == 0 or pattern.search(line):
                yield line


@dataclass(frozen=True)
class Timeline:
    """A run on the counting engine, which has one worker, and what is kept of the order of its
    tasks, grids and blocks."""

    name: str
    stage: str
    arguments: tuple[str, ...]
    columns: tuple[str, ...]
    keep: Callable[[Iterable[Record]], Kept]
    environment: Mapping[str, str] = field(default_factory=dict)

    engine = "count"

    def made(self, program: Path) -> str:
        """The table of a new run."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timeline.csv"
            where = {"EMULATOR_TIMELINE": str(path), "EMULATOR_COUNTERS": "none"}
            start(program, ["--no-races", *self.arguments], dict(self.environment) | where)
            with path.open(encoding="utf-8", newline="") as file:
                return table_text(self.columns, self.keep(csv.DictReader(file)))

    @property
    def command(self) -> str:
        """What a reader types to make the same timeline."""
        environment = dict(self.environment) | {"EMULATOR_TIMELINE": "timeline.csv"}
        return make_run(self.stage, environment, self.arguments)


@dataclass(frozen=True)
class Result:
    """A run on the CPU engine whose output files are kept. `flags`: each of them names one file."""

    name: str
    title: str
    stage: str
    arguments: tuple[str, ...]
    columns: tuple[str, ...]
    flags: tuple[str, ...]
    keep: Callable[..., Kept]

    engine = "emu"

    def made(self, program: Path) -> str:
        """The table of a new run."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"{flag.strip('-')}.csv" for flag in self.flags]
            named = [word for flag, path in zip(self.flags, paths) for word in (flag, str(path))]
            start(program, [*self.arguments, *named], {})
            records = []
            for path in paths:
                with path.open(encoding="utf-8", newline="") as file:
                    records.append(list(csv.DictReader(file)))
            return table_text(self.columns, self.keep(*records))


Recorded = Trace | Timeline | Result


def make_run(stage: str, environment: Mapping[str, str], arguments: Iterable[str]) -> str:
    words = [f"{name}={value}" for name, value in environment.items()]
    words += ["make", "run", f"STAGE={stage}", "ENGINE=count", f'ARGS="{" ".join(arguments)}"']
    return " ".join(words)


def start(program: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    result = subprocess.run(
        [str(program), "--check", "--quiet", *arguments],
        env=os.environ | dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise DataError(f"{program}: {result.stderr.strip()}")


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def program_of(one: Recorded, stage: Stage) -> Path:
    """The executable that makes a record."""
    target = "build-counters" if one.engine == "count" else "build"
    if one.engine not in stage.executables:
        raise DataError(f"{stage.stage} has no executable for the engine '{one.engine}'")
    program = executable(stage, one.engine)
    if not program.exists():
        raise DataError(f"{program} is not built yet: run `make {target}`")
    return program


def thread_of(record: Record) -> int:
    """The number of a thread in its block."""
    return 32 * int(record["warp"]) + int(record["lane"])


def details_of(record: Record) -> dict[str, str]:
    """The last column of a timeline: "grid=2x1x1;shared=0"."""
    return dict(part.split("=") for part in record["detail"].split(";") if part)


def requests_of(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The accesses that a warp made together. In a trace their lanes follow one another."""
    names = ("grid", "block", "step", "warp", "line", "operation", "object", "bytes")
    own: list[Record] = []
    for one in records:
        same = own and all(one[name] == own[-1][name] for name in names)
        if own and (not same or int(one["lane"]) <= int(own[-1]["lane"])):
            yield own
            own = []
        own.append(one)
    if own:
        yield own


def signed(text: str) -> int:
    """A key as the kernel had it: a trace writes 32 bits without a sign."""
    value = int(text)
    return value - 2**32 if value >= 2**31 else value


def single(text: str) -> str:
    """A float32 as the kernel had it: a trace writes its bits. Nine digits tell all of them
    apart."""
    return f"{struct.unpack('f', struct.pack('I', int(text)))[0]:.9g}"
