# SPDX-License-Identifier: MIT
"""Two galaxies collide: an animation from what a stage writes with --output.

    python3 -m plots.nbody.animation --input run.csv    draws a trajectory that exists already
"""

from __future__ import annotations

import argparse
import tempfile

from pathlib import Path

from common.tools.lib.csv_tables import integer, read_table, real
from common.tools.lib.files import write_whole
from common.tools.lib.stages import EXIT_NO_DEVICE, DataError, Stage, build_folder, run_tool
from plots.drawing.animation import Animation, draw_frames, run_stage
from plots.records.folders import PLOTS
from plots.records.stages import Stages, stages_of

SCRIPT = PLOTS / "nbody" / "nbody_animation.gp"
COLUMNS = ["step", "body", "x", "y", "z", "vx", "vy", "vz"]
# A run takes some seconds on two cores without a GPU.
BODIES = 1024
STEPS = 800
STEPS_PER_FRAME = 12
STEP_LENGTH = "0.01"  # the first passage is near step 300
# The frame shows this share of all positions. Bodies that are flung out may leave it.
SHOWN_SHARE = 0.95


def read_trajectory(path: Path) -> dict[int, dict[int, tuple[float, float]]]:
    """The position in the plane of each body at each step that was written."""
    frames: dict[int, dict[int, tuple[float, float]]] = {}
    for line, record in read_table(path, COLUMNS):
        place = f"{path}:{line}"
        step, body = (integer(record[name], name, place) for name in ("step", "body"))
        frames.setdefault(step, {})[body] = (
            real(record["x"], "x", place),
            real(record["y"], "y", place),
        )
    if not frames:
        raise DataError(f"{path}: no positions")
    return frames


def split_galaxies(first: dict[int, tuple[float, float]]) -> dict[int, int]:
    """Two groups by the first frame. It is cut at the middle of its longer axis."""
    spans = []
    for axis in (0, 1):
        values = [position[axis] for position in first.values()]
        spans.append((max(values) - min(values), (max(values) + min(values)) / 2, axis))
    _, middle, axis = max(spans)
    return {body: int(position[axis] > middle) for body, position in first.items()}


def frame_edges(frames: dict[int, dict[int, tuple[float, float]]]) -> tuple[float, float, float]:
    """The centre and half the side of a square that holds most positions of all frames."""
    centre, halves = [], []
    for axis in (0, 1):
        values = sorted(position[axis] for frame in frames.values() for position in frame.values())
        low = values[int((1 - SHOWN_SHARE) / 2 * (len(values) - 1))]
        high = values[int((1 + SHOWN_SHARE) / 2 * (len(values) - 1))]
        centre.append((low + high) / 2)
        halves.append((high - low) / 2)
    return centre[0], centre[1], max(*halves, 1e-9) * 1.15


def draw_trajectory(path: Path, target: Path, data: Path) -> int:
    """Draws a trajectory's frames and returns their number."""
    frames = read_trajectory(path)
    group = split_galaxies(frames[min(frames)])
    x, y, half = frame_edges(frames)
    data.mkdir(parents=True, exist_ok=True)
    table = data / "galaxies.dat"
    sections = []
    for _, frame in sorted(frames.items()):
        sections.append(
            "\n".join(
                f"{px:.6g} {py:.6g} {group.get(body, 0)}"
                for body, (px, py) in sorted(frame.items())
            )
        )
    write_whole(table, "\n\n\n".join(sections) + "\n")
    draw_frames(
        SCRIPT,
        target,
        {
            "frames_file": str(table),
            "frame_count": len(frames),
            "steps": " ".join(str(step) for step in sorted(frames)),
            "x_centre": x,
            "y_centre": y,
            "half": half,
        },
        data,
    )
    return len(frames)


def candidates(stages: Stages) -> list[tuple[str, Stage]]:
    """Engines and stages to try: the best stage on a GPU, then the serial stage. The CPU engine
    would take three times as long."""
    best = stages[stages.kernels[-1]]
    tried = (("gpu", best), ("cpu", stages[stages.serial]))
    found = [(engine, stage) for engine, stage in tried if engine in stage.executables]
    if not found:
        raise DataError(f"no executable of {best.stage} or {stages[stages.serial].stage}")
    return found


def run_collision(stages: Stages, build: Path, trajectory: Path) -> str:
    """Runs the collision on what this machine has. Returns the engine and the stage in words."""
    problems = []
    for engine, stage in candidates(stages):
        program = build / stage.executables[engine]
        command = [
            str(program),
            "--input",
            "galaxies",
            "--n",
            str(BODIES),
            "--steps",
            str(STEPS),
            "--dt",
            STEP_LENGTH,
            "--output-every",
            str(STEPS_PER_FRAME),
            "--repeats",
            "1",
            "--warmup",
            "0",
            "--quiet",
            "--output",
            str(trajectory),
        ]
        try:
            result = run_stage(command)
        except DataError as error:
            problems.append(str(error))
            continue
        if result.returncode == 0:
            where = {"gpu": "a GPU", "cpu": "the CPU"}[engine]
            return f"{stage.stage} on {where}"
        if result.returncode != EXIT_NO_DEVICE:
            raise DataError(f"{program} failed: {result.stderr.strip()}")
        problems.append(f"{program}: no usable device")
    raise DataError("no stage could run the collision: " + "; ".join(problems))


def make_collision(stages: Stages, build: Path, output: Path) -> Animation:
    """Runs the collision and draws it to output/galaxies.gif."""
    target = output / "galaxies.gif"
    with tempfile.TemporaryDirectory() as folder:
        trajectory = Path(folder) / "galaxies.csv"
        origin = run_collision(stages, build, trajectory)
        frames = draw_trajectory(trajectory, target, output / "data")
    return Animation(
        stages.chapter,
        target,
        "Two galaxies collide",
        (
            f"{frames} frames of a trajectory. {origin} wrote it with --output ({BODIES} bodies,"
            f" {STEPS} steps). A body's colour shows the galaxy in which it began."
        ),
        (
            f"Animation of {frames} frames: two discs of bodies, one blue and one orange, pass"
            " through each other, throw out tails and mix."
        ),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws a trajectory of bodies as an animation.")
    parser.add_argument(
        "--input", type=Path, help="a trajectory (CSV of --output); without it a stage runs"
    )
    parser.add_argument(
        "--out", type=Path, default=build_folder() / "figures", help="folder of galaxies.gif"
    )
    arguments = parser.parse_args()
    target = arguments.out / "galaxies.gif"
    if arguments.input is not None:
        draw_trajectory(arguments.input, target, arguments.out / "data")
    else:
        make_collision(stages_of("nbody"), build_folder(), arguments.out)
    print(target)
    return 0


if __name__ == "__main__":
    run_tool(main)
