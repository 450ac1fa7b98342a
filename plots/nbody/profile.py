# SPDX-License-Identifier: MIT
"""Runs Nsight Compute on the n-body stages before and after rsqrtf (figures 6.4 and 6.5).

    python3 -m plots.nbody.profile        writes plots/data/<device>/nbody_profile.csv
    python3 -m plots.nbody.profile --tables DIR --device "NVIDIA H200"
                                          the same from ncu's tables that an earlier run kept

It needs a GPU whose counters this user may read, and ncu on PATH or in the toolkit's usual folder.
It profiles one launch per stage. A metric that this ncu or this GPU lacks is named and left out.
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

from common.tools.lib.columns import PROFILE_COLUMNS
from common.tools.lib.ncu import (
    NOTHING_PROFILED,
    Launch,
    find_ncu,
    parse_launches,
    parse_number,
    run,
    unknown_metrics,
)
from common.tools.lib.stages import DataError, build_folder, executable, run_tool
from plots.nbody import metrics
from plots.records.folders import DATA
from plots.records.stages import Stages, stages_of

STAGES = stages_of("nbody")
_AFTER = STAGES.named("rsqrt")
PROFILED = (STAGES[_AFTER].compared_with, _AFTER)
KERNEL = "compute_accelerations_kernel"
# 132 multiprocessors x 4 blocks x 256 threads: every multiprocessor of an H200 has the same work,
# so that no idle tail lowers the share of the peak. The profiler's many passes still take only
# seconds.
BODIES = 135_168
OPCODE_METRIC = "sass__inst_executed_per_opcode"
METRICS = tuple(
    dict.fromkeys(
        [
            OPCODE_METRIC,
            "gpu__time_duration.sum",
            "smsp__inst_executed.sum",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
            "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
        ]
        + [name for _, names in metrics.UTILISATION for name in names]
        + [name for names in metrics.OPERATION_METRICS.values() for name in names]
        + list(metrics.SPECIAL_PIPE)
        + list(metrics.THREAD_INSTRUCTIONS)
    )
)
INSTANCE = re.compile(r"([A-Z][A-Z0-9_.]*)\s*:\s*([0-9][0-9,]*(?:\.[0-9]+)?)")


def parse_instances(text: str) -> dict[str, float]:
    """The opcodes of `123456 (FADD: 100; FFMA: 2,000)`."""
    _, _, inside = text.partition("(")
    return {
        name: float(value.rstrip(",").replace(",", "")) for name, value in INSTANCE.findall(inside)
    }


def read_table(path: Path) -> Launch:
    """The one launch that was profiled."""
    try:
        return parse_launches(path.read_text(encoding="utf-8"))[0]
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error


def profile_stage(ncu: str, executable: Path, n: int, keep: Path) -> str:
    """Profiles one launch and returns ncu's table, without the metrics that ncu does not know."""
    report = keep / f"{executable.name}.ncu-rep"
    asked = list(METRICS)
    while asked:
        report.unlink(missing_ok=True)
        result = run(
            [
                ncu,
                "--clock-control",
                "none",
                "--kernel-name",
                f"regex:{KERNEL}",
                "--launch-count",
                "1",
                "--metrics",
                ",".join(asked),
                "--force-overwrite",
                "--export",
                str(report),
                str(executable),
                "--profile",
                "--input",
                "plummer",
                "--n",
                str(n),
            ],
            timeout=300,
        )
        said = result.stdout + result.stderr
        if (
            report.exists()
            and result.returncode == 0
            and not any(text in said for text in NOTHING_PROFILED)
        ):
            break
        unknown = unknown_metrics(said, asked)
        if not unknown and OPCODE_METRIC in asked:
            unknown = [OPCODE_METRIC]  # counting opcodes patches the kernel, which may fail
        if not unknown:
            raise DataError(f"{executable.name}: ncu failed:\n{said.strip()[-2000:]}")
        print(f"{executable.name}: trying again without {', '.join(unknown)}", file=sys.stderr)
        asked = [name for name in asked if name not in unknown]
    else:
        raise DataError(f"{executable.name}: ncu knows none of the metrics")
    return run(
        [
            ncu,
            "--import",
            str(report),
            "--page",
            "raw",
            "--csv",
            "--print-units",
            "base",
            "--print-metric-instances",
            "details",
        ],
        timeout=120,
    ).stdout


def profile_rows(stage: str, n: int, table: Launch, date: str, device: str) -> list[list[object]]:
    """The table as rows of nbody_profile.csv. A missing metric is named, and is no failure."""
    kernel = table.get("Kernel Name", ("", KERNEL))[1].partition("(")[0]
    rows: list[list[object]] = []

    def add(metric: str, unit: str, value: float) -> None:
        rows.append([date, STAGES.chapter, stage, device, n, kernel, metric, unit, value])

    for name in METRICS:
        unit, text = table.get(name, ("", ""))
        value = parse_number(text)
        if value is None:
            print(f"{stage}: no value of {name}", file=sys.stderr)
            continue
        if name == OPCODE_METRIC:
            opcodes = parse_instances(text)
            if not opcodes:
                print(
                    (
                        f"{stage}: {name} has no opcodes: the classes come from "
                        "smsp__sass_thread_inst_executed_op_*"
                    ),
                    file=sys.stderr,
                )
            for opcode, count in sorted(opcodes.items()):
                add(f"opcode:{opcode}", "inst", count)
        else:
            add(name, unit, value)
    if not rows:
        raise DataError(f"{stage}: ncu gave none of the metrics")
    return rows


def device_name(executable: Path) -> str:
    """The GPU's name as rows hold it."""
    result = run(
        [
            str(executable),
            "--n",
            "1024",
            "--repeats",
            "1",
            "--warmup",
            "0",
            "--quiet",
            "--json",
            "-",
        ],
        timeout=120,
    )
    if result.returncode != 0:
        raise DataError(f"{executable.name}: {result.stderr.strip()}")
    return json.loads(result.stdout)["rows"][0]["device"]


def executables(stages: Stages) -> dict[str, Path]:
    missing = [name for name in PROFILED if "gpu" not in stages[name].executables]
    if missing:
        raise DataError(f"{', '.join(missing)} has no executable for a GPU")
    return {name: executable(stages[name], "gpu") for name in PROFILED}


def measure_tables(stages: Stages, keep: Path, n: int) -> tuple[str, Path]:
    """Profiles both stages. Returns the device and the folder that keeps ncu's tables."""
    ncu = find_ncu()
    programs = executables(stages)
    keep.mkdir(parents=True, exist_ok=True)
    for stage, program in programs.items():
        table = profile_stage(ncu, program, n, keep)
        (keep / f"{stage}.csv").write_text(table, encoding="utf-8")
    return device_name(programs[PROFILED[0]]), keep


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Profiles the n-body stages before and after rsqrtf."
    )
    parser.add_argument("--n", type=int, default=BODIES, help=f"bodies (default: {BODIES})")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--tables", type=Path, help="folder of ncu's tables (default: profile now)")
    parser.add_argument("--device", help="with --tables: the device that they are of")
    arguments = parser.parse_args()
    if (arguments.tables is None) != (arguments.device is None):
        parser.error("--tables and --device go together")
    device, folder = arguments.device, arguments.tables
    if folder is None:
        device, folder = measure_tables(STAGES, build_folder() / "profile", arguments.n)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows: list[list[object]] = []
    for stage in PROFILED:
        rows += profile_rows(stage, arguments.n, read_table(folder / f"{stage}.csv"), date, device)
    path = (
        arguments.data
        / re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")
        / f"{STAGES.chapter}_profile.csv"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PROFILE_COLUMNS)
    writer.writerows(rows)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text.getvalue(), encoding="utf-8")
    temporary.replace(path)
    print(f"{path}: {len(rows)} metrics of {len(PROFILED)} stages")
    return 0


if __name__ == "__main__":
    run_tool(main)
