# SPDX-License-Identifier: MIT
"""Small runs on the CPU engine whose accesses or results are kept: drawings show what the kernels
really did. A chapter declares its own; `python3 -m plots.traces` records and checks them."""

from __future__ import annotations

import csv
import io
import os
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    skip: str = ""  # lines that begin so are left out: there are millions of them

    engine = "count"

    def made(self, program: Path) -> str:
        """The table of a new run."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.csv"
            start(program, ["--trace", str(path), *self.arguments], self.environment)
            with path.open(encoding="utf-8", newline="") as file:
                lines = (line for line in file if not self.skip or not line.startswith(self.skip))
                return table_text(self.columns, self.keep(csv.DictReader(lines)))


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


Recorded = Trace | Result


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


def signed(text: str) -> int:
    """A key as the kernel had it: a trace writes 32 bits without a sign."""
    value = int(text)
    return value - 2**32 if value >= 2**31 else value


def single(text: str) -> str:
    """A float32 as the kernel had it: a trace writes its bits. Nine digits tell all of them
    apart."""
    return f"{struct.unpack('f', struct.pack('I', int(text)))[0]:.9g}"
