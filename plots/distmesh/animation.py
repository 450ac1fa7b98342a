# SPDX-License-Identifier: MIT
"""A mesh comes to rest: an animation of one run per frame, each ended by --max-iterations."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.csv_tables import integer, read_records
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import DataError
from plots.distmesh import meshes
from plots.drawing.animation import Animation, draw_frames, hold_last_picture, run_stage
from plots.drawing.gnuplot import write_table
from plots.records.folders import PLOTS
from plots.records.stages import Stages

SCRIPT = PLOTS / "distmesh" / "distmesh_animation.gp"
DOMAIN = ("--domain", "square-hole", "--n", "400")
EVERY_ITERATION = 10  # so many iterations at the start have a frame each
GROWTH = 1.2  # then each frame has this many times the iterations of the one before
MOST_ITERATIONS = 10_000
LAST_SECONDS = 3  # how long the last frame, the mesh at rest, is shown


@dataclass(frozen=True)
class MeshFrame:
    iteration: int
    triangles: list[meshes.Triangle]


def read_report(path: Path) -> tuple[int, bool]:
    """The iterations of a run, and whether the mesh is at rest, from the run's JSON."""
    try:
        said = parse_json(read_text(path), path)["report"]
        return integer(said["iterations"], "iterations", str(path)), said["converged"] == "yes"
    except (KeyError, TypeError):
        raise DataError(f"{path}: is no report with 'iterations' and 'converged'") from None


def run_mesh(program: Path, iterations: int, folder: Path) -> tuple[MeshFrame, bool]:
    """The mesh after at most this many iterations, and whether it is at rest."""
    mesh, report = folder / "mesh.csv", folder / "mesh.json"
    result = run_stage(
        [
            str(program),
            *DOMAIN,
            "--max-iterations",
            str(iterations),
            "--repeats",
            "1",
            "--warmup",
            "0",
            "--quiet",
            "--output",
            str(mesh),
            "--json",
            str(report),
        ]
    )
    if result.returncode != 0:
        raise DataError(f"{program} failed: {result.stderr.strip()}")
    done, at_rest = read_report(report)
    return MeshFrame(done, meshes.triangles_of(read_records(mesh, meshes.COLUMNS), mesh)), at_rest


def mesh_frames(program: Path) -> list[MeshFrame]:
    """From the lattice until nothing moves. Each frame is a run of its own that --max-iterations
    ends."""
    found: list[MeshFrame] = []
    with tempfile.TemporaryDirectory() as folder:
        iterations, at_rest = 0, False
        while not at_rest:
            if iterations > MOST_ITERATIONS:
                raise DataError(f"{program}: not at rest after {MOST_ITERATIONS} iterations")
            frame, at_rest = run_mesh(program, iterations, Path(folder))
            found.append(frame)
            iterations = max(
                iterations + 1, round(iterations * GROWTH) if iterations >= EVERY_ITERATION else 0
            )
    return found


def draw_mesh_frames(frames: Sequence[MeshFrame], target: Path, data: Path) -> None:
    """Draws one picture per frame, and shows the last one for longer."""
    data.mkdir(parents=True, exist_ok=True)
    variables: dict[str, object] = {
        "frame_count": len(frames),
        "classes": meshes.CLASSES,
        "least_class": meshes.LEAST_CLASS,
        "half": 1.02
        * max(
            abs(value) for one in frames[0].triangles for corner in one.corners for value in corner
        ),
    }
    for i, frame in enumerate(frames):
        least, mean = meshes.least_and_mean(frame.triangles)
        for name, blocks in (
            ("triangles", meshes.quality_blocks(frame.triangles)),
            ("edges", meshes.edge_blocks(frame.triangles)),
        ):
            path = data / f"{target.stem}_{name}_{i}.dat"
            write_table(path, blocks)
            variables[f"{name}_{i}"] = str(path)
        variables |= {
            f"numbers_{i}": meshes.class_numbers(frame.triangles),
            f"title_{i}": (
                f"iteration {frame.iteration}" + ", at rest" * (frame is frames[-1])
                if frame.iteration
                else "the lattice, triangulated"
            ),
            f"quality_{i}": f"quality: least {least:.2f}, mean {mean:.2f}",
        }
    draw_frames(SCRIPT, target, variables, data)
    hold_last_picture(target, LAST_SECONDS)


def make_meshing(stages: Stages, build: Path, output: Path) -> Animation:
    """Runs the mesh and draws it to output/meshing.gif. The serial stage runs: so small a mesh
    takes less time than a GPU needs to start, and all stages give the same result."""
    target = output / "meshing.gif"
    serial = stages[stages.serial]
    if "cpu" not in serial.executables:
        raise DataError(f"no executable of {serial.stage}")
    frames = mesh_frames(build / serial.executables["cpu"])
    draw_mesh_frames(frames, target, output / "data")
    first, last = (meshes.least_and_mean(frame.triangles)[1] for frame in (frames[0], frames[-1]))
    return Animation(
        stages.chapter,
        target,
        "From lattice to mesh",
        (
            f"{len(frames)} runs of {serial.stage} with {' '.join(DOMAIN)}, each ended by"
            f" --max-iterations. The mesh is at rest after {frames[-1].iteration} iterations. The"
            f" first {EVERY_ITERATION} iterations have a frame each, later frames lie further"
            " apart. Colours show the triangles' quality."
        ),
        (
            f"Animation of {len(frames)} frames: triangles of a square with a round hole. At first"
            " they are irregular and many are flat. Bars push their ends apart and to the"
            " boundary, until nearly all triangles turn blue, which means nearly equilateral."
            f" Their mean quality grows from {first:.2f} to {last:.2f}."
        ),
    )
