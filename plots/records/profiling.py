# SPDX-License-Identifier: MIT
"""Profiles stages with Nsight Compute, and writes the metrics as rows of <chapter>_profile.csv."""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import PROFILE_COLUMNS
from plots.records.ncu import Launch, find_ncu, parse_launches, parse_number, profile, run
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.measuring import device_of
from common.tools.lib.stages import DataError, Stage, build_folder, executable

# A metric's name, its unit and its value.
Value = tuple[str, str, float]


# How often each opcode was executed, by warps. Counting them patches the kernel, which may fail.
OPCODE_METRIC = "sass__inst_executed_per_opcode"
INSTANCE = re.compile(r"([A-Z][A-Z0-9_.]*)\s*:\s*([0-9][0-9,]*(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Profile:
    """The launches of one stage that ncu measures: `launches` of these kernels, after `skipped`
    ones."""

    stage: Stage
    kernels: str  # a regular expression
    launches: int
    arguments: tuple[str, ...]  # of the stage, without --profile and --n
    metrics: tuple[str, ...]
    sections: tuple[str, ...] = ()  # whole sections of ncu, beside the metrics
    may_fail: str = ""  # a metric that is left out first if ncu fails without naming one
    skipped: int = 0


def measure(ncu: str, one: Profile, n: int, keep: Path) -> str:
    """Returns ncu's table of the launches, without the metrics that ncu does not know."""
    if "gpu" not in one.stage.executables:
        raise DataError(f"{one.stage.name} has no executable for a GPU")
    program = executable(one.stage, "gpu")
    report = keep / f"{program.name}.ncu-rep"
    chosen = [word for section in one.sections for word in ("--section", section)]
    chosen += ["--kernel-name", f"regex:{one.kernels}", "--launch-count", str(one.launches)]
    chosen += ["--launch-skip", str(one.skipped), "--force-overwrite", "--export", str(report)]
    chosen += ["--metrics"]
    stage = [str(program), "--profile", *one.arguments, "--n", str(n)]
    try:
        profile(
            lambda asked: [ncu, "--clock-control", "none", *chosen, asked, *stage],
            report,
            one.metrics,
            timeout=300,
            may_fail=one.may_fail,
        )
    except DataError as error:
        raise DataError(f"{program.name}: {error}") from None
    words = ["--page", "raw", "--csv", "--print-units", "base"]
    words += ["--print-metric-instances", "details"]
    return run([ncu, "--import", str(report), *words], timeout=120).stdout


def device_name(program: Path) -> str:
    """The GPU's name as rows hold it."""
    words = ["--n", "1024", "--repeats", "1", "--warmup", "0", "--quiet", "--json", "-"]
    result = run([str(program), *words], timeout=120)
    if result.returncode != 0:
        raise DataError(f"{program.name}: {result.stderr.strip()}")
    return device_of(result.stdout, program.name)


def kernel_of(launch: Launch) -> str:
    """The kernel's name without its namespaces and parameters."""
    name = launch.get("Kernel Name", ("", ""))[1].removeprefix("void ").partition("(")[0]
    return re.sub(r"^(\w+::)+", "", name)


def values_of(stage: str, launch: Launch, names: Sequence[str]) -> list[Value]:
    """These metrics of a launch. One that is missing is named, and is no failure."""
    found = []
    for name in names:
        unit, text = launch.get(name, ("", ""))
        value = parse_number(text)
        if value is None:
            print(f"{stage}: no value of {name}", file=sys.stderr)
        else:
            found.append((name, unit, value))
    return found


def parse_instances(text: str) -> dict[str, float]:
    """The opcodes of `123456 (FADD: 100; FFMA: 2,000)`."""
    _, _, inside = text.partition("(")
    return {
        name: float(value.rstrip(",").replace(",", "")) for name, value in INSTANCE.findall(inside)
    }


def values_and_opcodes(stage: str, launch: Launch, names: Sequence[str]) -> list[Value]:
    """These metrics of a launch, and in place of OPCODE_METRIC one value per opcode, whose name is
    `opcode:FADD`."""
    found = values_of(stage, launch, names)
    opcodes = parse_instances(launch.get(OPCODE_METRIC, ("", ""))[1])
    if not opcodes and any(name == OPCODE_METRIC for name, _, _ in found):
        print(
            (
                f"{stage}: {OPCODE_METRIC} has no opcodes: the classes come from "
                "smsp__sass_thread_inst_executed_op_*"
            ),
            file=sys.stderr,
        )
    return [(f"opcode:{name}", "inst", count) for name, count in sorted(opcodes.items())] + [
        one for one in found if one[0] != OPCODE_METRIC
    ]


def record(
    description: str,
    chapter: str,
    profiles: Sequence[Profile],
    default_n: int,
    data: Path,
    values: Callable[[str, Launch], list[Value]],
) -> int:
    """The main program of a chapter's profile: measures, or reads the tables that an earlier run
    kept, and writes `data`/<device>/<chapter>_profile.csv. `values`: what is kept of a launch."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--n", type=int, default=default_n, help=f"size (default: {default_n})")
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--tables", type=Path, help="folder of ncu's tables (default: profile now)")
    parser.add_argument("--device", help="with --tables: the device that they are of")
    arguments = parser.parse_args()
    if (arguments.tables is None) != (arguments.device is None):
        parser.error("--tables and --device go together")
    device, folder = arguments.device, arguments.tables
    if folder is None:
        ncu, folder = find_ncu(), build_folder() / "profile"
        folder.mkdir(parents=True, exist_ok=True)
        for one in profiles:
            table = measure(ncu, one, arguments.n, folder)
            write_whole(folder / f"{one.stage.name}.csv", table)
        device = device_name(executable(profiles[0].stage, "gpu"))
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows: list[list[object]] = []
    for one in profiles:
        path = folder / f"{one.stage.name}.csv"
        try:
            text = read_text(path)
        except OSError as error:
            raise DataError(f"{path}: {error.strerror}") from error
        found = [
            [date, chapter, one.stage.name, device, arguments.n, kernel_of(launch), *each]
            for launch in parse_launches(text)
            for each in values(one.stage.name, launch)
        ]
        if not found:
            raise DataError(f"{one.stage.name}: ncu gave none of the metrics")
        rows += found
    place = re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")
    path = arguments.data / place / f"{chapter}_profile.csv"
    write_rows(path, rows)
    print(f"{path}: {len(rows)} metrics of {len(profiles)} stages")
    return 0


def write_rows(path: Path, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PROFILE_COLUMNS)
    writer.writerows(rows)
    write_whole(path, text.getvalue())
