#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the course's figures into build/figures: PNG, SVG, animations, and the page that shows all.

    plots/figures.py                      from recorded data (plots/data/<device>)
    plots/figures.py --data here          from this machine's (build/data)
    plots/figures.py --publish            and copies what the READMEs show to chapters/<chapter>/figures
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import animate
import measurements
from drawing import PLOTS, PUBLISHED, Drawing, Figure, Source, draw
from measurements import DataError, MissingFile

ROOT = PLOTS.parent
PREFERRED_DEVICE = "nvidia-h200"
NO_DEVICES = ("counters", "traces")  # folders of plots/data that hold no machine's measurements
README_BYTES = 200_000  # of a figure


def chapter_module(chapter: str) -> ModuleType | None:
    """The module here that is named as a chapter: its FIGURES, and what tables.py must know of it."""
    if not (PLOTS / f"{chapter}.py").is_file():
        return None
    return importlib.import_module(chapter)


@functools.cache
def all_figures() -> tuple[Figure, ...]:
    """Those of every chapter that the build knows, in its order, which is the page's."""
    chapters = measurements.chapters_of(measurements.read_stages(measurements.stages_file()))
    modules = [module for chapter in chapters if (module := chapter_module(chapter))]
    return tuple(figure for module in modules for figure in module.FIGURES)


def device_folder(recorded: Path, name: str | None) -> Path:
    """The folder of recorded data: the one asked for, else the H200's, else the only or newest one."""
    if name is not None:
        if not (recorded / name).is_dir():
            raise DataError(f"{recorded / name}: no such folder of recorded data")
        return recorded / name
    if (recorded / PREFERRED_DEVICE).is_dir():
        return recorded / PREFERRED_DEVICE
    folders = [folder for folder in recorded.glob("*")
               if folder.name not in NO_DEVICES and any(folder.glob("*.csv"))]
    if not folders:
        raise DataError(f"{recorded}: no recorded data; make record makes it on a machine with a GPU, "
                        "make figures DATA=here draws this machine's")
    return max(folders, key=lambda folder: max(path.stat().st_mtime for path in folder.glob("*.csv")))


def make_source(arguments: argparse.Namespace) -> Source:
    published = measurements.read_published(PUBLISHED)
    counters = arguments.recorded / "counters"
    if arguments.data == "recorded":
        folder = device_folder(arguments.recorded, arguments.device)
        return Source("recorded", folder, folder, published, counters)
    try:
        recorded = device_folder(arguments.recorded, arguments.device)
    except DataError:
        recorded = None
    return Source("here", arguments.here_data, recorded, published, counters)


def publish(figure: Figure, output: Path, chapters: Path) -> Path:
    """Copies a figure's SVG to its chapter, where the README shows it."""
    source = output / f"{figure.name}.svg"
    if source.stat().st_size > README_BYTES:
        raise DataError(f"{source}: {source.stat().st_size} bytes are too many to commit "
                        f"(at most {README_BYTES})")
    target = chapters / figure.chapter / "figures" / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target


def parse_arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Draw the course's figures.")
    parser.add_argument("--data", choices=("recorded", "here"), default="recorded",
                        help="recorded data, or this machine's (default: recorded)")
    parser.add_argument("--device", help="folder of plots/data (default: nvidia-h200, else the newest)")
    parser.add_argument("--chapter", help="only this chapter's figures")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these figures, as figure_6_6")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "figures")
    parser.add_argument("--recorded", type=Path, default=PLOTS / "data")
    parser.add_argument("--here-data", type=Path, default=ROOT / "build" / "data")
    parser.add_argument("--build", type=Path,
                        help="build tree whose stages the animations run (default: above --out)")
    parser.add_argument("--chapters", type=Path, default=ROOT / "chapters")
    parser.add_argument("--publish", action="store_true",
                        help="copy the figures that the READMEs show to chapters/<chapter>/figures")
    parser.add_argument("--no-animation", dest="animation", action="store_false")
    parser.add_argument("--list", action="store_true", help="print the figures' names and stop")
    return parser.parse_args(words)


def chosen_figures(arguments: argparse.Namespace) -> list[Figure]:
    figures = [figure for figure in all_figures()
               if arguments.chapter in (None, figure.chapter)
               and (arguments.only is None or figure.name in arguments.only)]
    unknown = set(arguments.only or ()) - {figure.name for figure in all_figures()}
    if unknown or not figures:
        names = ", ".join(figure.name for figure in all_figures())
        asked = ", ".join(sorted(unknown)) or arguments.chapter
        raise DataError(f"no such figure: {asked}; there are {names}")
    return figures


def draw_all(arguments: argparse.Namespace) -> int:
    """Draws what can be drawn; every figure that cannot is an error, named at the end. What nobody asked for by
    name and of whose chapter nothing is recorded yet is left out, as tables.py leaves its README."""
    import page  # not above: its numbers are those of tables.py, which imports this module

    output = arguments.out
    output.mkdir(parents=True, exist_ok=True)
    figures = chosen_figures(arguments)
    all_asked = arguments.only is None and arguments.chapter is None
    source = make_source(arguments)
    entries: list[page.Entry] = []
    failures: list[str] = []

    def make(figure: Figure) -> tuple[Drawing, page.Entry]:
        own = source.afresh()
        drawing = figure.prepare(own)
        draw(figure, drawing, output)
        return drawing, page.figure_entry(figure, drawing, output, own.read)

    # Nearly all of the time is gnuplot's, each in a process of its own.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = [(figure, pool.submit(make, figure)) for figure in figures]
    for figure, result in made:
        try:
            drawing, entry = result.result()
            entries.append(entry)
            note = ("  (recorded data: this machine gives no profiler counters)"
                    if drawing.from_recorded else "")
            print(f"{output / figure.name}.{{png,svg}}  {figure.heading}{note}")
            if arguments.publish and figure.in_readme:
                print(f"  published as {publish(figure, output, arguments.chapters)}")
        except DataError as error:
            # A figure of an earlier run must not stand for one that could not be drawn.
            for kind in ("png", "svg"):
                (output / f"{figure.name}.{kind}").unlink(missing_ok=True)
            rows = source.rows_path(figure.chapter)
            if all_asked and source.kind == "recorded" and isinstance(error, MissingFile) and error.path == rows:
                print(f"{figure.heading}: left out, {source.folder} has no rows of {figure.chapter}")
            else:
                failures.append(f"{figure.heading}: {error}")
    for chapter, make_animation in animate.MAKERS.items():
        if not arguments.animation or arguments.only is not None or arguments.chapter not in (None, chapter):
            continue
        try:
            animation = make_animation(arguments.build or output.parent, output)
            entries.append(page.animation_entry(animation))
            print(f"{animation.path}  {animation.title}")
        except DataError as error:
            failures.append(f"animation of {chapter}: {error}")
    if entries:
        index = output / "index.html"
        try:
            page.write_page(index, entries, source, arguments.chapter)
            print(f"{index}  the page")
        except (DataError, OSError) as error:
            index.unlink(missing_ok=True)
            failures.append(f"{index.name}: {error}")
    for failure in failures:
        print(f"figures.py: {failure}", file=sys.stderr)
    return 1 if failures else 0


def main(words: list[str] | None = None) -> int:
    arguments = parse_arguments(words)
    try:
        if arguments.list:
            for figure in all_figures():
                print(f"{figure.name:20} {figure.heading}")
            return 0
        return draw_all(arguments)
    except DataError as error:
        print(f"figures.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130  # make figures, which was interrupted too, says so


if __name__ == "__main__":
    sys.exit(main())
