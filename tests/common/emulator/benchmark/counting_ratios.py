#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the cost of counting and checking, compared with the plain engine, both on one core.

The exit status is 1 above either limit: 30 times the time, 64 bytes per word touched.

Usage: counting_ratios.py PLAIN_PROGRAM COUNTING_PROGRAM
"""
import os
import subprocess
import sys
import time

CASES = ("nbody-1024", "bitonic-2048", "kmeans-65536x16", "floyd-128", "floyd-512")
PLAIN_REPEATS, COUNTED_REPEATS = 5, 1
LARGEST_RATIO = 30.0
# The engine's tables cost the same at every size: only large arrays show the cost per word.
LARGEST_BYTES_PER_WORD, FEW_WORDS = 64.0, 150_000


def run(program, case, repeats, **variables):
    """Best time in seconds, words touched, the process's memory in bytes, and seconds in total."""
    environment = os.environ | {"EMULATOR_WORKERS": "1", "EMULATOR_COUNTERS": "none"} | variables
    environment.pop("MALLOC_PERTURB_", None)
    start = time.monotonic()
    result = subprocess.run(
        [program, case, str(repeats)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        check=False,
    )
    if result.returncode != 0:
        raise SystemExit(f"{program} {case}: exit status {result.returncode}")
    seconds, words, kilobytes = result.stdout.split()
    return float(seconds), int(words), 1024 * int(kilobytes), time.monotonic() - start


def main():
    plain, counting = sys.argv[1:]
    failed = []
    print(
        f"{'case':18} {'plain ms':>9} {'counted ms':>11} {'ratio':>6} {'without races':>14} "
        f"{'total s':>11} {'bytes per word':>14}"
    )
    for case in CASES:
        fast, words, plain_memory, _ = run(plain, case, PLAIN_REPEATS)
        slow, _, memory, total = run(counting, case, COUNTED_REPEATS)
        no_races = run(counting, case, COUNTED_REPEATS, EMULATOR_RACES="off")[0]
        ratio = slow / fast
        bytes_per_word = (memory - plain_memory) / words
        large = words >= FEW_WORDS
        print(
            f"{case:18} {1000 * fast:9.2f} {1000 * slow:11.2f} {ratio:6.1f} "
            f"{no_races / fast:14.1f} {total:11.2f} "
            f"{f'{bytes_per_word:14.0f}' if large else '':14}",
            flush=True,
        )
        if ratio > LARGEST_RATIO:
            failed.append(f"{case}: {ratio:.1f} times the plain engine's time")
        if large and bytes_per_word > LARGEST_BYTES_PER_WORD:
            failed.append(f"{case}: {bytes_per_word:.0f} bytes per word")
    for line in failed:
        print(f"too much: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
