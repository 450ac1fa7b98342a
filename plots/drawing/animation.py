# SPDX-License-Identifier: MIT
"""Animated GIFs, drawn by a gnuplot script from frames."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.stages import DataError
from plots.drawing.gnuplot import run_gnuplot, write_variables

LIMIT_S = 600  # of one run. It takes some seconds, but make runs all stages meanwhile


@dataclass(frozen=True)
class Animation:
    """A GIF, and what the site says about it."""

    chapter: str
    path: Path
    title: str
    caption: str
    alt: str


def run_stage(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs a stage for what it writes. A DataError if it cannot be started or does not end."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except OSError as error:
        raise DataError(f"{command[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise DataError(f"{command[0]}: did not end within {LIMIT_S} seconds") from None


def draw_frames(script: Path, target: Path, variables: dict[str, object], data: Path) -> None:
    """Calls a gnuplot script with variables. The script writes the target."""
    settings = data / f"{target.stem}.gp"
    write_variables(settings, variables)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    run_gnuplot(script, {"variables": str(settings), "format": "gif", "output_file": str(target)})
    if not target.exists() or target.stat().st_size == 0:
        raise DataError(f"{target}: gnuplot wrote nothing")


def hold_last_picture(path: Path, seconds: float) -> None:
    """Gives the last picture of a GIF a delay of its own: gnuplot has one delay for all pictures.

    Before each picture a GIF has a graphic control extension: 21 F9, its size, flags, the delay in
    hundredths of a second, a colour, 0. Then 2C begins the picture."""
    data = bytearray(path.read_bytes())
    place = max(
        (one.start() for one in re.finditer(rb"\x21\xf9\x04....\x00\x2c", data, re.DOTALL)),
        default=None,
    )
    if place is None:
        raise DataError(f"{path} holds no picture")
    data[place + 4 : place + 6] = round(100 * seconds).to_bytes(2, "little")
    path.write_bytes(data)
