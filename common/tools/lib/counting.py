# SPDX-License-Identifier: MIT
"""One run of a stage's .count executable: its counters, one flat table per kernel.

The names in a table are paths in the engine's JSON: "global_load.requests", "barriers". Names that
begin with "loop." count only the innermost loop: the lines whose instructions run as often as the
kernel's most executed basic block.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_json, read_text
from common.tools.lib.rank_counters import count_ranks
from common.tools.lib.ranks import chosen_ranks
from common.tools.lib.stages import (
    EXIT_FAILURE,
    DataError,
    Stage,
    ToolError,
    executable,
    pick_engine,
)

SCHEMA = 1
GLOBAL = (
    "global_load",
    "global_store",
    "global_atomic",
    "global_async_copy",
    "global_bulk_load",
    "global_bulk_store",
)
SHARED = ("shared_load", "shared_store", "shared_atomic")
MEMORY = (*GLOBAL, *SHARED, "constant_load")
OWN = ("launches", "blocks", "threads", "warps")
COUNTED = ("requests", "lanes", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
MET = {"block": "basic_blocks", "barrier": "barriers", "collective": "collectives"}
TRANSFERS = ("host_to_device", "device_to_host", "device_to_device", "set")
BETWEEN_RANKS = ("sent", "received")  # only programs of several ranks have these

# So far may counted warp instructions be from the hardware's: the bar of `make prove`.
SAME_INSTRUCTIONS = 0.1

Line = dict[str, Any]  # one line of the JSON
Counters = dict[str, int]


@dataclass(frozen=True)
class Kernel:
    name: str
    counters: Counters  # a counter that is missing is 0
    lines: list[Line]

    def count(self, name: str) -> int:
        return self.counters.get(name, 0)

    @property
    def has_loop(self) -> bool:
        return self.count("loop.iterations") > 0

    def per_iteration(self, name: str) -> float:
        """A counter per iteration of the innermost loop, for example "shared_load.requests"."""
        return self.count(f"loop.{name}") / self.count("loop.iterations")

    def outside(self, name: str) -> int:
        """A counter outside of the innermost loop."""
        return self.count(name) - self.count(f"loop.{name}")


@dataclass(frozen=True)
class Counted:
    stage: Stage
    arguments: list[str]
    device: str  # the device whose rules were used
    transfers: Counters
    kernels: list[Kernel]
    findings: list[dict[str, Any]]  # warnings too
    failed: bool  # a finding is more than a warning
    sampled: bool = False  # only some blocks of a kernel were counted

    def kernel(self, name: str) -> Kernel | None:
        return next((kernel for kernel in self.kernels if kernel.name == name), None)


def bare(kernel: str) -> str:
    """A kernel's name without namespace and template arguments."""
    return kernel.partition("<")[0].rpartition("::")[2]


def kernel_key(name: str) -> str:
    """A kernel's name without the parts that g++ and nvcc write differently: return type,
    parameters, scopes, and the types of template arguments. `void a::scan<(int)256, unsigned
    int>(int *)` becomes `scan<256,unsigned>`."""
    name = re.sub(r"\((anonymous namespace|unnamed)\)::|<unnamed>::", "", name)
    name = re.sub(
        r"\((?:unsigned |signed )?\w[\w:]*\)(?=-?\w)", "", name
    )  # casts of template arguments
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            name = name[:i]
            break
    base, bracket, inside = name.partition("<")
    base = base.split(" ")[-1].rpartition("::")[2]
    inside = re.sub(r"\bunsigned (int|long|short|char)\b", r"unsigned_\1", inside)
    inside = re.sub(r"\bunsigned_int\b", "unsigned", inside)
    inside = re.sub(r"\b(\d+)(?:[uU]?[lL]{0,2})\b", r"\1", inside)
    inside = re.sub(r"\b(true|false)\b", lambda match: str(int(match[1] == "true")), inside)
    return base + bracket + re.sub(r"\s+", "", inside)


def executions(line: Line) -> float:
    """How often warps executed one instruction of the line."""
    return line["requests"] / max(1, line["instructions"])


def loop_counters(lines: Sequence[Line], warps: int) -> Counters:
    """Empty if no basic block runs more than once per warp."""
    hottest = max((executions(line) for line in lines if line["operation"] == "block"), default=0)
    if hottest <= warps or round(hottest) < 1:
        return {}
    counters = {"loop.iterations": round(hottest)}
    for line in lines:
        if executions(line) <= hottest / 2:
            continue
        parts = (
            {MET[line["operation"]]: line["requests"]}
            if line["operation"] in MET
            else {
                f"{line['space']}_{line['operation']}.{counted}": line[counted]
                for counted in COUNTED
            }
        )
        for name, value in parts.items():
            if value:
                counters[f"loop.{name}"] = counters.get(f"loop.{name}", 0) + value
    return counters


def read_kernel(record: dict[str, Any]) -> Kernel:
    counters = {name: record[name] for name in OWN}
    for name, value in record["totals"].items():
        if isinstance(value, dict):
            counters |= {f"{name}.{part}": count for part, count in value.items()}
        else:
            counters[name] = value
    counters |= loop_counters(record["lines"], record["warps"])
    return Kernel(
        record["name"], {name: value for name, value in counters.items() if value}, record["lines"]
    )


def read_counted(
    document: dict[str, Any],
    stage: Stage,
    arguments: list[str],
    failed: bool = False,
    some_blocks: bool = False,
) -> Counted:
    """`some_blocks`: whether counters of some blocks only serve as well."""
    if document.get("schema") != SCHEMA:
        raise ToolError(
            f"{stage.stage}: counters of schema {document.get('schema')}, not {SCHEMA}",
            EXIT_FAILURE,
        )
    sampled = any("sampled" in record for record in document["kernels"])
    if sampled and not some_blocks:
        raise ToolError(
            f"{stage.stage}: only some blocks were counted: EMULATOR_BUDGET=0 counts all",
            EXIT_FAILURE,
        )
    transfers = {
        f"{way}.{part}": document["transfers"][way][part]
        for way in (*TRANSFERS, *(one for one in BETWEEN_RANKS if one in document["transfers"]))
        for part in ("calls", "bytes")
    }
    return Counted(
        stage,
        arguments,
        document["device"],
        transfers,
        [read_kernel(record) for record in document["kernels"]],
        document["findings"],
        failed,
        sampled,
    )


def chosen_arguments(stage: Stage, given: list[str]) -> list[str]:
    """The given flags, and those of the chapter's own run that were not given."""
    named = {word.partition("=")[0] for word in given}
    own = stage.counter_args
    kept = [
        word
        for flag, value in zip(own[::2], own[1::2], strict=True)
        if flag not in named
        for word in (flag, value)
    ]
    return [*kept, *given]


def count_one(
    program: Path, flags: list[str], path: Path, environment: dict[str, str] | None
) -> tuple[subprocess.CompletedProcess[str], Any]:
    """A run of one process, and what it has counted; None if it has written nothing."""
    result = subprocess.run(
        [str(program), *flags],
        env=os.environ | (environment or {}) | {"EMULATOR_COUNTERS": str(path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    try:
        return result, parse_json(read_text(path), path)
    except (OSError, DataError):
        return result, None


def count(
    stage: Stage,
    given: list[str],
    environment: dict[str, str] | None = None,
    some_blocks: bool = False,
) -> Counted:
    """Runs a stage once with counters. The engine's findings are printed to stderr. `environment`:
    further variables for the engine."""
    if not stage.has_kernels:
        raise ToolError(
            f"{stage.stage}: kernels in OpenCL are not counted"
            if stage.opencl
            else f"{stage.stage} has no kernels to count"
        )
    program = executable(stage, pick_engine(stage, "count"))
    arguments = chosen_arguments(stage, given)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counters.json"
        own_flags = [] if stage.is_own_program else ["--quiet", "--counters", str(path)]
        ranks = chosen_ranks(stage) if "nccl" in stage.libraries else 1
        if ranks > 1:
            flags = [*own_flags, *arguments]
            status, said, document = count_ranks(program, flags, ranks, path)
            result = subprocess.CompletedProcess(flags, status, stderr=said)
        else:
            result, document = count_one(program, [*own_flags, *arguments], path, environment)
    # A program of one's own may end with any status of its own after kernels that were counted.
    counted = isinstance(document, dict) and (
        result.returncode == 0 or document.get("findings") or stage.is_own_program
    )
    if not isinstance(document, dict) or not counted:
        lines = result.stderr.strip().splitlines()
        said = lines[-1] if lines else f"{program.name}: exit status {result.returncode}"
        raise ToolError(said, result.returncode if result.returncode > 0 else EXIT_FAILURE)
    if ranks == 1:  # those of several ranks are printed when they are written
        sys.stderr.write(result.stderr)
    if result.returncode != 0 and not document.get("findings"):
        print(f"{stage.stage}: ended with exit status {result.returncode}", file=sys.stderr)
    try:
        return read_counted(document, stage, arguments, result.returncode != 0, some_blocks)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise DataError(f"{stage.stage}: {program.name} wrote damaged counters") from None


def source_text(stage: Stage, line: Line) -> str:
    """The text of a line of the stage's file, or of a header."""
    try:
        return read_text(stage.path_of(line["file"])).splitlines()[line["line"] - 1].strip()
    except (OSError, DataError, IndexError):
        return ""
