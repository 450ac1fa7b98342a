#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make figures [DATA=recorded|here|h100] [CHAPTER=nbody] [VIEWS=yes]: draws the figures and writes
the site into build/figures.

recorded: from the course's measurements in plots/data. A device: from those in its folder of
plots/data, whose name it is a part of. here: from a sweep on this machine, which runs first
and writes build/data. Chapters that were not measured here stay with the recorded data.
yes: the site has a view of each stage of the sources' paths. --list-viewed prints these stages, for
make to build.
"""

import shutil
import subprocess
import sys

from common.tools.lib.gpus import has_gpu
from plots.maintain.record import Recorder, finish
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    DataError,
    Stage,
    ToolError,
    build_folder,
    choose,
    chosen_chapters,
    load_stages,
    run_tool,
    variable,
)
from plots.drawing.gnuplot import why_no_figures
from plots.page.inside import viewed
from plots.records.folders import DATA, device_folder, device_folders
from plots.records.sweeps import sweeps_of


def measure_here(stages: list[Stage], chapters: list[str]) -> int:
    engines = {"cpu"}
    if has_gpu() and any("gpu" in stage.executables for stage in stages):
        engines.add("gpu")
    elif any("emu" in stage.executables for stage in stages):
        engines.add("emu")
    if any("opencl" in stage.executables for stage in stages):
        engines.add("opencl")
    folder = build_folder() / "data"
    # Rows of an earlier sweep may come from another build.
    shutil.rmtree(folder, ignore_errors=True)
    sweeps = sweeps_of(chapters, "here", engines)
    recorder = Recorder(stages, folder)
    recorder.record_all(sweeps)
    return finish(recorder)


def draw(
    data: str, chapter: str = "", told: bool = True, views: bool = False, device: str = ""
) -> int:
    """Draws the figures. With `told`, it prints the file and the title of each one."""
    if reason := why_no_figures():
        raise ToolError(f"no figures: {reason}", EXIT_FAILURE)
    build = build_folder()
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "plots.commands.figures",
            "--data",
            data,
            "--out",
            str(build / "figures"),
            "--here-data",
            str(build / "data"),
            *(["--chapter", chapter] if chapter else []),
            *(["--views"] if views else []),
            *(["--device", device] if device else []),
        ],
        check=False,
        cwd=ROOT,
        stdout=None if told else subprocess.DEVNULL,
    ).returncode


def chosen_data(asked: str) -> tuple[str, str]:
    """The kind of data, and the name of a device's folder if one was asked for."""
    kinds = ("recorded", "here")
    if asked in kinds:
        return asked, ""
    try:
        return "recorded", device_folder(DATA, asked).name
    except DataError:
        names = [one.name for one in device_folders(DATA)]
        return choose("DATA", asked, (*kinds, *names)), ""


def main() -> int:
    views = choose("VIEWS", variable("VIEWS") or "no", ("yes", "no")) == "yes"
    data, device = chosen_data(variable("DATA") or "recorded")
    stages = load_stages()
    chapters = chosen_chapters(stages)
    if "--list-viewed" in sys.argv:
        shown = viewed(stages, chapters) if views else []
        print("\n".join(one.stage for one in shown))
        return 0
    status = measure_here(stages, chapters) if data == "here" else 0
    chapter = "" if data == "here" else variable("CHAPTER")
    return draw(data, chapter, views=views, device=device) or status


if __name__ == "__main__":
    run_tool(main)
