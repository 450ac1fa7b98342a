# SPDX-License-Identifier: MIT
"""Calls gnuplot: tidy .dat files, one file of variables, one script per figure."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.tools.lib.files import write_whole
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.small_svg import small_svg
from plots.records.folders import PLOTS

SHARED = PLOTS / "drawing"  # the style, and scripts that several chapters use
FORMATS = ("png", "svg")
OLDEST = (5, 4)  # of gnuplot; the set-up says the same


def why_no_figures() -> str:
    """What this machine lacks to draw figures, or ""."""
    program = shutil.which("gnuplot")
    if program is None:
        return "gnuplot is missing (package gnuplot-nox)"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"gnuplot (\d+)\.(\d+)", said.stdout)
    if version is None:
        return f"{program} does not run"
    if (int(version[1]), int(version[2])) < OLDEST:
        return f"gnuplot is version {version[1]}.{version[2]}, but the course needs 5.4 or newer"
    return ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', "'") + '"'
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def write_table(path: Path, blocks: Sequence[Block]) -> None:
    """One gnuplot data set a block, two blank lines between, its title as the first line."""
    if any(not block.rows for block in blocks) or not blocks:
        raise DataError(f"{path}: a series without a point")
    sections = []
    for block in blocks:
        lines = [_text(block.title)]
        lines += [" ".join(_text(value) for value in row) for row in block.rows]
        sections.append("\n".join(lines))
    write_whole(path, "\n\n\n".join(sections) + "\n")


def _assignment(name: str, value: object) -> str:
    if isinstance(value, str):
        return f"{name} = '" + value.replace("'", "''") + "'"
    return f"{name} = {value!r}"


def write_variables(path: Path, variables: Mapping[str, object]) -> None:
    """The file that a script loads as `variables`."""
    write_whole(path, "".join(_assignment(name, value) + "\n" for name, value in variables.items()))


def run_gnuplot(script: Path, assignments: dict[str, object]) -> None:
    """Runs one script with variables, and the folders that it may load scripts from: `shared` and
    its `own`. Anything that gnuplot says is an error."""
    program = shutil.which("gnuplot")
    if program is None:
        raise DataError("gnuplot is not installed")
    assignments = {"shared": str(SHARED), "own": str(script.parent)} | assignments
    command = "; ".join(_assignment(name, value) for name, value in assignments.items())
    result = subprocess.run(
        [program, "-e", command, str(script)], capture_output=True, text=True, check=False
    )
    if result.returncode != 0 or "warning" in result.stderr.lower():
        raise DataError(f"{script}: gnuplot says: {result.stderr.strip()}")


def draw(figure: Figure, drawing: Drawing, output: Path) -> list[Path]:
    """Writes the figure's data into output/data and draws it as PNG and SVG."""
    data = output / "data"
    data.mkdir(parents=True, exist_ok=True)
    title = figure.title_of(drawing)
    variables: dict[str, object] = {
        "title_text": title,
        "subtitle_text": drawing.subtitle,
        # Long words, such as a device's name, must not run out of the picture.
        "title_size": 26.0 * min(1.0, 95 / max(1, len(title))),
        "subtitle_size": 15.0 * min(1.0, 145 / max(1, len(drawing.subtitle))),
    }
    for suffix, blocks in drawing.tables.items():
        path = data / f"{figure.name}_{suffix}.dat"
        write_table(path, blocks)
        variables[f"{suffix}_file"] = str(path)
        variables[f"{suffix}_count"] = len(blocks)
    variables.update(drawing.variables)
    settings = data / f"{figure.name}.gp"
    write_variables(settings, variables)
    files = []
    for kind in FORMATS:
        target = output / f"{figure.name}.{kind}"
        target.unlink(missing_ok=True)
        run_gnuplot(
            figure.script_path,
            {"variables": str(settings), "format": kind, "output_file": str(target)},
        )
        if not target.exists() or target.stat().st_size == 0:
            raise DataError(f"{target}: gnuplot wrote nothing")
        if kind == "svg":
            write_whole(target, small_svg(target.read_text(encoding="utf-8")))
        files.append(target)
    return files
