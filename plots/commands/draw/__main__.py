#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make draw FILE=points.csv [CHAPTER=kmeans] [PATH_BETWEEN=0,5]: draws what a stage wrote into
build/draw, as PNG and SVG: points and their clusters, the ways of bodies (and an animation), a mesh,
or a shortest path on a map."""

from pathlib import Path

from common.tools.lib.differences import named
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ToolError,
    build_folder,
    chosen_chapters,
    load_stages,
    run_tool,
    variable,
)
from plots.commands.draw.pictures import kind_of
from plots.drawing.figure import Figure
from plots.drawing.gnuplot import draw, why_no_figures
from plots.nbody.animation import draw_trajectory


def main() -> int:
    if reason := why_no_figures():
        raise ToolError(f"no picture: {reason}", EXIT_FAILURE)
    if not variable("FILE"):
        raise ToolError("FILE is missing: name a file that a stage wrote, as FILE=points.csv")
    chapter = chosen_chapters(load_stages())[0] if variable("CHAPTER") else ""
    path = Path(variable("FILE"))
    kind = kind_of(path, chapter)
    drawing = kind.drawing(path, variable("PATH_BETWEEN"))
    output = build_folder() / "draw"
    figure = Figure(
        path.stem,
        "",
        kind.chapter,
        kind.title,
        "",
        lambda _: drawing,
        script=kind.script,
        folder="commands/draw",
    )
    for made in draw(figure, drawing, output):
        print(named(made))
    if kind.chapter == "nbody":
        target = output / f"{path.stem}.gif"
        draw_trajectory(path, target, output / "data")
        print(named(target))
    return 0


if __name__ == "__main__":
    run_tool(main)
