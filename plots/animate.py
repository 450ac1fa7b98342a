#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The collision of two galaxies as an animated GIF, from the n-body stage's --output.

    plots/animate.py                            runs a stage and writes build/figures/galaxies.gif
    plots/animate.py --input run.csv            draws a trajectory that is there already
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from drawing import PLOTS, SERIAL, run_gnuplot
from measurements import DataError

CHAPTER = "nbody"
STAGE = "06_flush_denormals"

COLUMNS = ["step", "body", "x", "y", "z", "vx", "vy", "vz"]
# Some seconds on two cores without a GPU.
BODIES = 1024
STEPS = 800
STEPS_A_FRAME = 12
STEP_LENGTH = "0.01"  # the first passage is near step 300
NO_USABLE_DEVICE = 77
# This share of all positions sets the frame; bodies that are flung out may leave it.
SHOWN_SHARE = 0.95


@dataclass(frozen=True)
class Animation:
    path: Path
    title: str
    caption: str
    alt: str


def read_trajectory(path: Path) -> dict[int, dict[int, tuple[float, float]]]:
    """Position in the plane of each body at each step written."""
    frames: dict[int, dict[int, tuple[float, float]]] = {}
    try:
        file = path.open(encoding="utf-8", newline="")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    with file:
        reader = csv.reader(file)
        if next(reader, None) != COLUMNS:
            raise DataError(f"{path}:1: the header is not {','.join(COLUMNS)}")
        for record in reader:
            place = f"{path}:{reader.line_num}"
            try:
                step, body, x, y = int(record[0]), int(record[1]), float(record[2]), float(record[3])
            except (ValueError, IndexError):
                raise DataError(f"{place}: not a line of {','.join(COLUMNS)}") from None
            if not (math.isfinite(x) and math.isfinite(y)):
                raise DataError(f"{place}: a position that is not finite")
            frames.setdefault(step, {})[body] = (x, y)
    if not frames:
        raise DataError(f"{path}: no positions")
    return frames


def split_galaxies(first: dict[int, tuple[float, float]]) -> dict[int, int]:
    """Two groups by the first frame: cut at the middle of the axis along which it extends farthest."""
    spans = []
    for axis in (0, 1):
        values = [position[axis] for position in first.values()]
        spans.append((max(values) - min(values), (max(values) + min(values)) / 2, axis))
    _, middle, axis = max(spans)
    return {body: int(position[axis] > middle) for body, position in first.items()}


def frame_edges(frames: dict[int, dict[int, tuple[float, float]]]) -> tuple[float, float, float]:
    """Centre and half side of a square that holds most positions of all frames."""
    centre, halves = [], []
    for axis in (0, 1):
        values = sorted(position[axis] for frame in frames.values() for position in frame.values())
        low = values[int((1 - SHOWN_SHARE) / 2 * (len(values) - 1))]
        high = values[int((1 + SHOWN_SHARE) / 2 * (len(values) - 1))]
        centre.append((low + high) / 2)
        halves.append((high - low) / 2)
    return centre[0], centre[1], max(*halves, 1e-9) * 1.15


def draw_trajectory(path: Path, target: Path, data: Path) -> int:
    """Draws a trajectory's frames; returns how many."""
    frames = read_trajectory(path)
    group = split_galaxies(frames[min(frames)])
    x, y, half = frame_edges(frames)
    data.mkdir(parents=True, exist_ok=True)
    table, variables = data / "galaxies.dat", data / "galaxies.gp"
    sections = []
    for _, frame in sorted(frames.items()):
        sections.append("\n".join(f"{px:.6g} {py:.6g} {group.get(body, 0)}"
                                  for body, (px, py) in sorted(frame.items())))
    table.write_text("\n\n\n".join(sections) + "\n", encoding="utf-8")
    steps = " ".join(str(step) for step in sorted(frames))
    variables.write_text(f"frame_count = {len(frames)}\nsteps = '{steps}'\n"
                         f"x_centre = {x!r}\ny_centre = {y!r}\nhalf = {half!r}\n", encoding="utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    run_gnuplot(PLOTS / "animation.gp", {
        "plots": str(PLOTS), "variables": str(variables), "format": "gif",
        "output_file": str(target), "frames_file": str(table)})
    if not target.exists() or target.stat().st_size == 0:
        raise DataError(f"{target}: gnuplot wrote nothing")
    return len(frames)


def candidates(build: Path) -> list[tuple[str, str, Path]]:
    """Engine, stage and executable to try, a GPU first."""
    listing = build / "stages.json"
    try:
        stages = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise DataError(f"{listing}: {error}: build the course first") from None
    found = []
    for engine, name in (("gpu", STAGE), ("emu", STAGE), ("cpu", SERIAL)):
        for stage in stages:
            if stage["chapter"] == CHAPTER and stage["name"] == name and engine in stage["executables"]:
                found.append((engine, name, build / stage["executables"][engine]))
    if not found:
        raise DataError(f"{listing}: no executable of {CHAPTER}/{STAGE} or {CHAPTER}/{SERIAL}")
    return found


def run_collision(build: Path, trajectory: Path) -> str:
    """Runs the collision on what this machine has; returns engine and stage in words."""
    problems = []
    for engine, stage, executable in candidates(build):
        command = [str(executable), "--input", "galaxies", "--n", str(BODIES), "--steps", str(STEPS),
                   "--dt", STEP_LENGTH, "--output-every", str(STEPS_A_FRAME), "--repeats", "1",
                   "--warmup", "0", "--quiet", "--output", str(trajectory)]
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            problems.append(f"{executable}: {error}")
            continue
        if result.returncode == 0:
            where = {"gpu": "a GPU", "emu": "the CPU engine", "cpu": "the CPU"}[engine]
            return f"{CHAPTER}/{stage} on {where}"
        if result.returncode != NO_USABLE_DEVICE:
            raise DataError(f"{executable} failed: {result.stderr.strip()}")
        problems.append(f"{executable}: no usable device")
    raise DataError("no stage could run the collision: " + "; ".join(problems))


def describe(target: Path, origin: str, frames: int) -> Animation:
    return Animation(
        target, "Two galaxies collide",
        f"{frames} frames of a trajectory that {origin} wrote with --output. Colours tell which galaxy a "
        "body began in.",
        f"Animation of {frames} frames: two discs of bodies, one blue and one orange, pass through each "
        "other, throw out tails and mix.")


def make_animation(build: Path, output: Path) -> Animation:
    """Runs the collision and draws it to output/galaxies.gif."""
    target = output / "galaxies.gif"
    with tempfile.TemporaryDirectory() as folder:
        trajectory = Path(folder) / "galaxies.csv"
        origin = run_collision(build, trajectory)
        frames = draw_trajectory(trajectory, target, output / "data")
    return describe(target, f"{origin} ({BODIES} bodies, {STEPS} steps)", frames)


def main(words: list[str] | None = None) -> int:
    root = PLOTS.parent
    parser = argparse.ArgumentParser(description="Animate the collision of two galaxies.")
    parser.add_argument("--input", type=Path, help="a trajectory (CSV of --output) instead of a run")
    parser.add_argument("--build", type=Path, default=root / "build")
    parser.add_argument("--output", type=Path, default=root / "build" / "figures" / "galaxies.gif")
    arguments = parser.parse_args(words)
    try:
        if arguments.input is not None:
            draw_trajectory(arguments.input, arguments.output, arguments.output.parent / "data")
        else:
            make_animation(arguments.build, arguments.output.parent)
    except DataError as error:
        print(f"animate.py: {error}", file=sys.stderr)
        return 1
    print(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
