#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Animated GIFs from stages' --output: the collision of two galaxies (n-body), and a mesh on its way from the lattice
to rest (distmesh).

    plots/animate.py                            runs stages and writes build/figures/galaxies.gif and meshing.gif
    plots/animate.py --input run.csv            draws a trajectory of bodies that is there already
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import meshes
from drawing import PLOTS, SERIAL, run_gnuplot, write_table, write_variables
from measurements import DataError


@dataclass(frozen=True)
class Animation:
    chapter: str
    path: Path
    title: str
    caption: str
    alt: str


def draw_frames(script: str, target: Path, variables: dict[str, object], data: Path) -> None:
    """Calls a gnuplot script with variables; it writes the target."""
    settings = data / f"{target.stem}.gp"
    write_variables(settings, variables)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    run_gnuplot(PLOTS / script, {"plots": str(PLOTS), "variables": str(settings), "format": "gif", "output_file": str(target)})
    if not target.exists() or target.stat().st_size == 0:
        raise DataError(f"{target}: gnuplot wrote nothing")


def hold_last_picture(path: Path, seconds: float) -> None:
    """gnuplot has one delay for all. Before each picture a GIF has a graphic control extension: 21 F9, its size, flags, the
    delay in hundredths, a colour, 0; then 2C begins the picture."""
    data = bytearray(path.read_bytes())
    place = max((one.start() for one in re.finditer(rb"\x21\xf9\x04....\x00\x2c", data, re.DOTALL)), default=None)
    if place is None:
        raise DataError(f"{path}: no picture in it")
    data[place + 4:place + 6] = round(100 * seconds).to_bytes(2, "little")
    path.write_bytes(data)


def built_stages(build: Path) -> list[dict]:
    listing = build / "stages.json"
    try:
        return json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise DataError(f"{listing}: {error}: build the course first") from None


# ---- two galaxies ------------------------------------------------------------------------------------------------

COLLISION = "nbody"  # the chapter
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
    table = data / "galaxies.dat"
    sections = []
    for _, frame in sorted(frames.items()):
        sections.append("\n".join(f"{px:.6g} {py:.6g} {group.get(body, 0)}"
                                  for body, (px, py) in sorted(frame.items())))
    table.write_text("\n\n\n".join(sections) + "\n", encoding="utf-8")
    draw_frames("nbody_animation.gp", target, {
        "frames_file": str(table), "frame_count": len(frames), "steps": " ".join(str(step) for step in sorted(frames)),
        "x_centre": x, "y_centre": y, "half": half}, data)
    return len(frames)


def candidates(build: Path) -> list[tuple[str, str, Path]]:
    """Engine, stage and executable to try, a GPU first."""
    stages = built_stages(build)
    found = []
    for engine, name in (("gpu", STAGE), ("emu", STAGE), ("cpu", SERIAL)):
        for stage in stages:
            if stage["chapter"] == COLLISION and stage["name"] == name and engine in stage["executables"]:
                found.append((engine, name, build / stage["executables"][engine]))
    if not found:
        raise DataError(f"{build}: no executable of {COLLISION}/{STAGE} or {COLLISION}/{SERIAL}")
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
            return f"{COLLISION}/{stage} on {where}"
        if result.returncode != NO_USABLE_DEVICE:
            raise DataError(f"{executable} failed: {result.stderr.strip()}")
        problems.append(f"{executable}: no usable device")
    raise DataError("no stage could run the collision: " + "; ".join(problems))


def make_collision(build: Path, output: Path) -> Animation:
    """Runs the collision and draws it to output/galaxies.gif."""
    target = output / "galaxies.gif"
    with tempfile.TemporaryDirectory() as folder:
        trajectory = Path(folder) / "galaxies.csv"
        origin = run_collision(build, trajectory)
        frames = draw_trajectory(trajectory, target, output / "data")
    return Animation(
        COLLISION, target, "Two galaxies collide",
        f"{frames} frames of a trajectory that {origin} ({BODIES} bodies, {STEPS} steps) wrote with --output. Colours tell "
        "which galaxy a body began in.",
        f"Animation of {frames} frames: two discs of bodies, one blue and one orange, pass through each "
        "other, throw out tails and mix.")


# ---- a mesh comes to rest ----------------------------------------------------------------------------------------

MESHING = "distmesh"  # the chapter
DOMAIN = ("--domain", "square-hole", "--n", "400")
EVERY_ITERATION = 10  # so many of the first are shown each
GROWTH = 1.2  # of the iterations from one frame to the next after them
MOST_ITERATIONS = 10_000
LAST_SECONDS = 3  # the mesh at rest stands still for so long


@dataclass(frozen=True)
class MeshFrame:
    iteration: int
    triangles: list[meshes.Triangle]


def run_mesh(program: Path, iterations: int, folder: Path) -> tuple[MeshFrame, bool]:
    """The mesh after so many iterations, or fewer where it is at rest before: whether it is."""
    mesh, report = folder / "mesh.csv", folder / "mesh.json"
    result = subprocess.run([str(program), *DOMAIN, "--max-iterations", str(iterations), "--repeats", "1", "--warmup", "0",
                             "--quiet", "--output", str(mesh), "--json", str(report)],
                            capture_output=True, text=True, check=False, timeout=120)
    if result.returncode != 0:
        raise DataError(f"{program} failed: {result.stderr.strip()}")
    said = json.loads(report.read_text(encoding="utf-8"))["report"]
    with mesh.open(encoding="utf-8", newline="") as file:
        triangles = meshes.triangles_of(csv.DictReader(file), mesh)
    return MeshFrame(int(said["iterations"]), triangles), said["converged"] == "yes"


def mesh_frames(program: Path) -> list[MeshFrame]:
    """From the lattice until nothing moves. Every frame is a run of its own: an end by --max-iterations."""
    found: list[MeshFrame] = []
    with tempfile.TemporaryDirectory() as folder:
        iterations, at_rest = 0, False
        while not at_rest:
            if iterations > MOST_ITERATIONS:
                raise DataError(f"{program}: not at rest after {MOST_ITERATIONS} iterations")
            frame, at_rest = run_mesh(program, iterations, Path(folder))
            found.append(frame)
            iterations = max(iterations + 1, round(iterations * GROWTH) if iterations >= EVERY_ITERATION else 0)
    return found


def draw_mesh_frames(frames: Sequence[MeshFrame], target: Path, data: Path) -> None:
    """Draws one picture a frame, and shows the last one for longer."""
    data.mkdir(parents=True, exist_ok=True)
    variables: dict[str, object] = {"frame_count": len(frames), "classes": meshes.CLASSES,
                                    "least_class": meshes.LEAST_CLASS,
                                    "half": 1.02 * max(abs(value) for one in frames[0].triangles for corner in one.corners
                                                       for value in corner)}
    for i, frame in enumerate(frames):
        least, mean = meshes.least_and_mean(frame.triangles)
        for name, blocks in (("triangles", meshes.quality_blocks(frame.triangles)),
                             ("edges", meshes.edge_blocks(frame.triangles))):
            path = data / f"{target.stem}_{name}_{i}.dat"
            write_table(path, blocks)
            variables[f"{name}_{i}"] = str(path)
        variables |= {f"numbers_{i}": meshes.class_numbers(frame.triangles),
                      f"title_{i}": (f"iteration {frame.iteration}" + ", at rest" * (frame is frames[-1]) if frame.iteration
                                      else "the lattice, triangulated"),
                      f"quality_{i}": f"quality: least {least:.2f}, mean {mean:.2f}"}
    draw_frames("distmesh_animation.gp", target, variables, data)
    hold_last_picture(target, LAST_SECONDS)


def make_meshing(build: Path, output: Path) -> Animation:
    """Runs the mesh and draws it to output/meshing.gif. The serial stage: so small a mesh takes less time than a GPU
    takes to begin, and its result is the other stages'."""
    target = output / "meshing.gif"
    program = next((build / one["executables"]["cpu"] for one in built_stages(build)
                    if (one["chapter"], one["name"]) == (MESHING, SERIAL) and "cpu" in one["executables"]), None)
    if program is None:
        raise DataError(f"{build}: no executable of {MESHING}/{SERIAL}")
    frames = mesh_frames(program)
    draw_mesh_frames(frames, target, output / "data")
    first, last = (meshes.least_and_mean(frame.triangles)[1] for frame in (frames[0], frames[-1]))
    return Animation(
        MESHING, target, "From lattice to mesh",
        f"{len(frames)} runs of {MESHING}/{SERIAL}, {' '.join(DOMAIN)}, that --max-iterations ended, the last one at rest after "
        f"{frames[-1].iteration} iterations; the first {EVERY_ITERATION} each, then ever fewer. Colours tell the triangles' "
        "quality.",
        f"Animation of {len(frames)} frames: triangles of a square with a round hole, irregular and many of them flat to "
        "begin with; bars push their ends apart and to the boundary, and nearly all triangles turn blue, which is nearly "
        f"equilateral. Their mean quality grows from {first:.2f} to {last:.2f}.")


# ---- the command -------------------------------------------------------------------------------------------------

# Of each chapter that has one: from the build tree's stages, into the folder of the figures.
MAKERS: dict[str, Callable[[Path, Path], Animation]] = {COLLISION: make_collision, MESHING: make_meshing}


def main(words: list[str] | None = None) -> int:
    root = PLOTS.parent
    parser = argparse.ArgumentParser(description="Animate what stages wrote.")
    parser.add_argument("--input", type=Path, help="a trajectory of bodies (CSV of --output) instead of runs")
    parser.add_argument("--build", type=Path, default=root / "build")
    parser.add_argument("--out", type=Path, default=root / "build" / "figures")
    arguments = parser.parse_args(words)
    try:
        if arguments.input is not None:
            paths = [arguments.out / "galaxies.gif"]
            draw_trajectory(arguments.input, paths[0], arguments.out / "data")
        else:
            paths = [make(arguments.build, arguments.out).path for make in MAKERS.values()]
    except DataError as error:
        print(f"animate.py: {error}", file=sys.stderr)
        return 1
    for path in paths:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
