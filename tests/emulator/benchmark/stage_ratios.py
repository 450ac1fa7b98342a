#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints each stage's time on the CPU engine against its chapter's serial stage, both on one core.

Usage: stage_ratios.py BUILD_FOLDER
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys

# Large enough that the engine's start does not count, small enough for a few seconds a chapter.
SIZES = {"nbody": 4096, "montecarlo": 4_000_000}
DEFAULT_SIZE = 20_000


def median_kernels_ms(program, size):
    result = subprocess.run(
        [program, "--n", str(size), "--repeats", "3", "--warmup", "1", "--csv", "-", "--quiet"],
        capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{program} failed: {result.stderr.strip()}")
    return statistics.median(float(row["kernels_ms"])
                             for row in csv.DictReader(result.stdout.splitlines()))


def main():
    build = pathlib.Path(sys.argv[1])
    stages = json.loads((build / "stages.json").read_text(encoding="utf-8"))
    serial = {stage["chapter"]: stage for stage in reversed(stages)
              if "cpu" in stage["executables"]}
    serial_ms = {}
    print(f"{'stage':40} {'n':>10} {'emulated ms':>12} {'serial ms':>12} {'ratio':>7}")
    for stage in stages:
        if "emu" not in stage["executables"]:
            continue
        chapter = stage["chapter"]
        size = SIZES.get(chapter, DEFAULT_SIZE)
        if chapter not in serial_ms:
            serial_ms[chapter] = median_kernels_ms(build / serial[chapter]["executables"]["cpu"],
                                                   size)
        emulated = median_kernels_ms(build / stage["executables"]["emu"], size)
        ratio = emulated / serial_ms[chapter]
        print(f"{stage['stage']:40} {size:>10} {emulated:>12.2f} {serial_ms[chapter]:>12.2f} "
              f"{ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
