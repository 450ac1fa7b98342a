#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints each stage's time on the CPU engine beside that of its chapter's serial stage, on one core.

Usage: stage_ratios.py BUILD_FOLDER
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys


def measure(program, *flags):
    """The n of a run and the median of its kernels' times."""
    result = subprocess.run(
        [program, "--repeats", "3", "--csv", "-", "--quiet", *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"{program} failed: {result.stderr.strip()}")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    return rows[0]["n"], statistics.median(float(row["kernels_ms"]) for row in rows)


def main():
    build = pathlib.Path(sys.argv[1])
    stages = json.loads((build / "stages.json").read_text(encoding="utf-8"))
    serial = {
        stage["chapter"]: build / stage["executables"]["cpu"]
        for stage in reversed(stages)
        if "cpu" in stage["executables"]
    }
    serial_ms = {}
    print(f"{'stage':40} {'n':>10} {'emulated ms':>12} {'serial ms':>12} {'ratio':>7}")
    for stage in stages:
        if "emu" not in stage["executables"] or stage.get("race_on_purpose"):
            continue
        # The stage's default size on the engine, and the same size for the serial stage.
        size, emulated = measure(build / stage["executables"]["emu"])
        key = stage["chapter"], size
        if key not in serial_ms:
            serial_ms[key] = measure(serial[stage["chapter"]], "--n", size)[1]
        ratio = emulated / serial_ms[key]
        print(
            f"{stage['stage']:40} {size:>10} {emulated:>12.2f} {serial_ms[key]:>12.2f} "
            f"{ratio:>7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
