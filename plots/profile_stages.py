#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the n-body stages before and after rsqrtf (figures 6.4 and 6.5).

    plots/profile_stages.py               writes plots/data/<device>/nbody_profile.csv
    plots/profile_stages.py --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

Needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder. One
profiled launch a stage; a metric that this ncu or GPU does not have is named and left out.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import re
import sys
from pathlib import Path

import nbody
from drawing import PLOTS
from measurements import PROFILE_COLUMNS, DataError
from ncu import (NOTHING_PROFILED, Launch, find_ncu, parse_launches, parse_number, run,
                 unknown_metrics)

ROOT = PLOTS.parent
STAGES = ("04_soa_accelerations", "05_rsqrt")
KERNEL = "compute_accelerations_kernel"
# 132 multiprocessors x 4 blocks x 256 threads: every multiprocessor of an H200 has the same work, so that the
# share of the peak is the kernel's and not its tail's, and the profiler's many passes still take seconds.
BODIES = 135_168
OPCODE_METRIC = "sass__inst_executed_per_opcode"
METRICS = tuple(dict.fromkeys(
    [OPCODE_METRIC, "gpu__time_duration.sum", "smsp__inst_executed.sum",
     "sm__warps_active.avg.pct_of_peak_sustained_active",
     "smsp__issue_active.avg.pct_of_peak_sustained_active",
     "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
     "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
     "smsp__sass_thread_inst_executed_op_misc_pred_on.sum"]
    + [name for _, names in nbody.UTILISATION for name in names]
    + [name for names in nbody.OPERATION_METRICS.values() for name in names]
    + list(nbody.SPECIAL_PIPE) + list(nbody.THREAD_INSTRUCTIONS)))
INSTANCE = re.compile(r"([A-Z][A-Z0-9_.]*)\s*:\s*([0-9][0-9,]*(?:\.[0-9]+)?)")


def parse_instances(text: str) -> dict[str, float]:
    """The opcodes of `123456 (FADD: 100; FFMA: 2,000)`."""
    _, _, inside = text.partition("(")
    return {name: float(value.rstrip(",").replace(",", "")) for name, value in INSTANCE.findall(inside)}


def read_table(path: Path) -> Launch:
    """The one launch that was profiled."""
    try:
        return parse_launches(path.read_text(encoding="utf-8"))[0]
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error


def profile_stage(ncu: str, executable: Path, n: int, keep: Path) -> str:
    """Profiles one launch and returns ncu's table; without the metrics that ncu does not know."""
    report = keep / f"{executable.name}.ncu-rep"
    asked = list(METRICS)
    while asked:
        report.unlink(missing_ok=True)
        result = run([ncu, "--clock-control", "none", "--kernel-name", f"regex:{KERNEL}",
                      "--launch-count", "1", "--metrics", ",".join(asked), "--force-overwrite",
                      "--export", str(report), str(executable), "--profile", "--input", "plummer",
                      "--n", str(n)], timeout=300)
        said = result.stdout + result.stderr
        if (report.exists() and result.returncode == 0
                and not any(text in said for text in NOTHING_PROFILED)):
            break
        unknown = unknown_metrics(said, asked)
        if not unknown and OPCODE_METRIC in asked:
            unknown = [OPCODE_METRIC]  # patching a kernel to count opcodes may fail of itself
        if not unknown:
            raise DataError(f"{executable.name}: ncu failed:\n{said.strip()[-2000:]}")
        print(f"{executable.name}: tried again without {', '.join(unknown)}", file=sys.stderr)
        asked = [name for name in asked if name not in unknown]
    else:
        raise DataError(f"{executable.name}: ncu knows none of the metrics")
    return run([ncu, "--import", str(report), "--page", "raw", "--csv", "--print-units", "base",
                "--print-metric-instances", "details"], timeout=120).stdout


def profile_rows(stage: str, n: int, table: Launch, date: str, device: str) -> list[list[object]]:
    """The table as rows of nbody_profile.csv; what is missing is said, not fatal."""
    kernel = table.get("Kernel Name", ("", KERNEL))[1].partition("(")[0]
    rows: list[list[object]] = []

    def add(metric: str, unit: str, value: float) -> None:
        rows.append([date, nbody.CHAPTER, stage, device, n, kernel, metric, unit, value])

    for name in METRICS:
        unit, text = table.get(name, ("", ""))
        value = parse_number(text)
        if value is None:
            print(f"{stage}: no value of {name}", file=sys.stderr)
            continue
        if name == OPCODE_METRIC:
            opcodes = parse_instances(text)
            if not opcodes:
                print(f"{stage}: {name} without its opcodes: the classes come from "
                      "smsp__sass_thread_inst_executed_op_* then", file=sys.stderr)
            for opcode, count in sorted(opcodes.items()):
                add(f"opcode:{opcode}", "inst", count)
        else:
            add(name, unit, value)
    if not rows:
        raise DataError(f"{stage}: ncu gave none of the metrics")
    return rows


def device_name(executable: Path) -> str:
    """The GPU's name as the stage's rows have it."""
    result = run([str(executable), "--n", "1024", "--repeats", "1", "--warmup", "0", "--quiet", "--json",
                  "-"], timeout=120)
    if result.returncode != 0:
        raise DataError(f"{executable.name}: {result.stderr.strip()}")
    return json.loads(result.stdout)["rows"][0]["device"]


def executables(build: Path) -> dict[str, Path]:
    listing = build / "stages.json"
    try:
        stages = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise DataError(f"{listing}: {error}: build the course first") from None
    found = {stage["name"]: build / stage["executables"]["gpu"] for stage in stages
             if stage["chapter"] == nbody.CHAPTER and "gpu" in stage["executables"]}
    missing = [stage for stage in STAGES if stage not in found]
    if missing:
        raise DataError(f"{listing}: no GPU executable of {', '.join(missing)}")
    return {stage: found[stage] for stage in STAGES}


def measure_tables(build: Path, n: int) -> tuple[str, Path]:
    """Profiles all stages; returns the device and the folder that keeps ncu's tables."""
    ncu = find_ncu()
    programs = executables(build)
    keep = build / "profile"
    keep.mkdir(parents=True, exist_ok=True)
    for stage, executable in programs.items():
        table = profile_stage(ncu, executable, n, keep)
        (keep / f"{stage}.csv").write_text(table, encoding="utf-8")
    return device_name(programs[STAGES[0]]), keep


def main() -> int:
    parser = argparse.ArgumentParser(description="Profile the n-body stages before and after rsqrtf.")
    parser.add_argument("--n", type=int, default=BODIES, help=f"bodies (default: {BODIES})")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--data", type=Path, default=PLOTS / "data")
    parser.add_argument("--tables", type=Path, help="folder of ncu's tables (default: profile now)")
    parser.add_argument("--device", help="with --tables: the device that they are of")
    arguments = parser.parse_args()
    if (arguments.tables is None) != (arguments.device is None):
        parser.error("--tables and --device go together")
    try:
        device, folder = arguments.device, arguments.tables
        if folder is None:
            device, folder = measure_tables(arguments.build, arguments.n)
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        rows: list[list[object]] = []
        for stage in STAGES:
            rows += profile_rows(stage, arguments.n, read_table(folder / f"{stage}.csv"), date, device)
        path = (arguments.data / re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")
                / f"{nbody.CHAPTER}_profile.csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(PROFILE_COLUMNS)
        writer.writerows(rows)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(text.getvalue(), encoding="utf-8")
        temporary.replace(path)
    except DataError as error:
        print(f"profile_stages.py: {error}", file=sys.stderr)
        return 1
    print(f"{path}: {len(rows)} metrics of {len(STAGES)} stages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
