#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints each stage's time on the CPU engine beside that of its chapter's serial stage, on one
core.

The goal is 1.5 times the serial time for stages whose threads never wait for each other, and 20
times for the others. A stage with another algorithm than the serial one may have to do more: the
selection sort of mergesort 01 to 06 waits at 5000 barriers per segment of 512 keys.

Usage: stage_ratios.py BUILD_FOLDER [STAGE]...
"""
import csv
import json
import pathlib
import re
import subprocess
import sys


ROOT = pathlib.Path(__file__).resolve().parents[4]
WAITS = re.compile(r"__sync|_sync\(|\.sync\(|_over_block\(|sum_block|cooperative_groups")


def goal(stage):
    """The ratio that the engine should reach."""
    source = ROOT / stage["source"]
    files = [source, *source.parent.glob("*.cuh")]
    waits = any(WAITS.search(path.read_text(encoding="utf-8")) for path in files)
    return 20.0 if waits else 1.5


def measure(program, *flags):
    """The n of a run and the least of its kernels' times: the noise of a shared machine only
    adds."""
    result = subprocess.run(
        [program, "--repeats", "3", "--csv", "-", "--quiet", *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"{program} failed: {result.stderr.strip()}")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    return rows[0]["n"], min(float(row["kernels_ms"]) for row in rows)


def main():
    build = pathlib.Path(sys.argv[1])
    wanted = sys.argv[2:]
    stages = json.loads((build / "stages.json").read_text(encoding="utf-8"))
    serial = {
        stage["chapter"]: build / stage["executables"]["cpu"]
        for stage in reversed(stages)
        if "cpu" in stage["executables"]
    }
    serial_ms = {}
    print(f"{'stage':40} {'n':>10} {'emulated ms':>12} {'serial ms':>12} {'ratio':>7} {'goal':>5}")
    for stage in stages:
        if "emu" not in stage["executables"] or stage.get("race_on_purpose"):
            continue
        if wanted and stage["stage"] not in wanted:
            continue
        # The stage's default size on the engine, and the same size for the serial stage.
        size, emulated = measure(build / stage["executables"]["emu"])
        key = stage["chapter"], size
        if key not in serial_ms:
            serial_ms[key] = measure(serial[stage["chapter"]], "--n", size)[1]
        ratio = emulated / serial_ms[key]
        print(
            f"{stage['stage']:40} {size:>10} {emulated:>12.2f} {serial_ms[key]:>12.2f} "
            f"{ratio:>7.2f} {goal(stage):>5g}{'  missed' if ratio > goal(stage) else ''}",
            flush=True,
        )


if __name__ == "__main__":
    main()
