# SPDX-License-Identifier: MIT
"""Finds and runs the command line of Nsight Compute (ncu), and reads its tables."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.stages import DataError

# One launch of a kernel: each column's name with its unit and value.
Launch = dict[str, tuple[str, str]]

NOTHING_PROFILED = ("No kernels were profiled", "Failed to profile")
# Characters. With --print-metric-instances, a field has a value for each instruction of a kernel.
LONGEST_FIELD = 1 << 26
# Lines in which ncu names metrics that it does not have.
UNKNOWN_METRIC = re.compile(
    r"(find|access|unknown|invalid|unsupported).*metric"
    r"|metric.*(not found|not supported|not available|unknown|invalid)",
    re.IGNORECASE,
)


def find_ncu() -> str:
    for candidate in (shutil.which("ncu"), "/usr/local/cuda/bin/ncu"):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"))
    if found:
        return str(found[-1])
    raise DataError("ncu (Nsight Compute) is not installed")


def run(
    command: Sequence[object], timeout: float, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs ncu, or a program that it profiles. environment: more variables."""
    try:
        return subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout,
            env=os.environ | {"LC_ALL": "C"} | environment,
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"{command[0]} took longer than {timeout:g} s") from None


def profile(
    words: Callable[[str], Sequence[object]],
    output: Path,
    metrics: Sequence[str],
    timeout: float,
    may_fail: str = "",
) -> None:
    """Lets ncu write `output` without the metrics that it does not know. words: the command, for
    the metrics. may_fail: a metric that is left out first if ncu fails without naming one."""
    asked = list(metrics)
    while asked:
        output.unlink(missing_ok=True)
        result = run(words(",".join(asked)), timeout)
        said = result.stdout + result.stderr
        if output.suffix == ".csv" and output.exists():
            said = read_text(output) + said  # a table, or a message
        failed = result.returncode != 0 or any(text in said for text in NOTHING_PROFILED)
        if output.exists() and not failed:
            return
        unknown = unknown_metrics(said, asked)
        if not unknown and may_fail in asked:
            unknown = [may_fail]
        if not unknown:
            raise DataError(f"ncu failed:\n{said.strip()[-2000:]}")
        print(f"{output.stem}: trying again without {', '.join(unknown)}", file=sys.stderr)
        asked = [name for name in asked if name not in unknown]
    raise DataError("ncu knows none of the metrics")


def parse_number(text: str) -> float | None:
    """The number of a text such as `1,234.5`. None if ncu has no value (n/a)."""
    match = re.match(r"\s*([0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)", text)
    return float(match[1].replace(",", "")) if match else None


def parse_launches(text: str) -> list[Launch]:
    """The launches in the output of `--page raw --csv`: one line of names, one of units, and one
    per launch. Lines of ncu itself and of the program come before them."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None or len(lines) < start + 3:
        raise DataError("ncu wrote no table:\n" + "\n".join(lines[-15:]))
    csv.field_size_limit(LONGEST_FIELD)
    try:
        names, units, *launches = csv.reader(io.StringIO("\n".join(lines[start:])))
    except (csv.Error, ValueError) as error:  # a longer field; too few lines
        raise DataError(f"ncu's table cannot be read: {error}") from None
    found = [
        {name: (unit, value) for name, unit, value in zip(names, units, values)}
        for values in launches
        if len(values) == len(names)
    ]
    if not found:
        raise DataError("ncu's table has no launch:\n" + "\n".join(lines[-15:]))
    return found


def unknown_metrics(text: str, asked: Sequence[str]) -> list[str]:
    """The metrics that an error message of ncu names."""
    blamed = [line for line in text.splitlines() if UNKNOWN_METRIC.search(line)]
    return [
        name
        for name in asked
        if any(
            re.search(re.escape(name) + r"(?![\w.])", line)
            or re.search(r"(?<![\w.])" + re.escape(name.partition(".")[0]) + r"(?![\w.])", line)
            for line in blamed
        )
    ]
