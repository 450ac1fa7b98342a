# SPDX-License-Identifier: MIT
"""Draws the course's figures into build/figures: PNG, SVG, animations, and the site that shows all
of them.

    python3 -m plots.commands.figures                from recorded data (plots/data/<device>)
    python3 -m plots.commands.figures --data here    from this machine's (build/data)
    python3 -m plots.commands.figures --publish      copies the READMEs' figures to the chapters
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    DataError,
    ToolError,
    build_folder,
    load_stages,
    run_tool,
)
from plots.drawing.animation import Animation
from plots.drawing.figure import Drawing, Figure
from plots.drawing.gnuplot import draw
from plots.page.chapters import all_chapters, all_figures
from common.tools.pages.packages import missing_packages
from plots.records.folders import COUNTERS, DATA, THESIS, device_folder
from plots.records.published import read_published
from plots.records.source import Source
from plots.records.stages import chapter_names, nearest
from common.tools.lib.csv_tables import MissingFile

README_BYTES = 100_000  # the largest figure that is committed


def make_source(arguments: argparse.Namespace) -> Source:
    published = read_published(THESIS)
    counters = arguments.recorded / COUNTERS.name
    if arguments.data == "recorded":
        folder = device_folder(arguments.recorded, arguments.device)
        of_the_course = device_folder(arguments.recorded, None)
        return Source("recorded", folder, of_the_course, published, counters)
    try:
        recorded = device_folder(arguments.recorded, None)
    except DataError:
        recorded = None
    return Source("here", arguments.here_data, recorded, published, counters)


def publish(figure: Figure, output: Path, chapters: Path) -> Path:
    """Copies a figure's SVG to its chapter, where the README shows it."""
    source = output / f"{figure.name}.svg"
    if source.stat().st_size > README_BYTES:
        raise DataError(
            f"{source}: {source.stat().st_size} bytes are too many to commit "
            f"(at most {README_BYTES})"
        )
    target = chapters / figure.chapter / "figures" / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Draws the course's figures.")
    parser.add_argument(
        "--data",
        choices=("recorded", "here"),
        default="recorded",
        help="recorded data, or this machine's (default: recorded)",
    )
    parser.add_argument(
        "--device",
        help="folder of plots/data, or a part of its name (default: the course's, the H200's)",
    )
    parser.add_argument("--chapter", help="only this chapter's figures")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="only these figures, for instance figure_6_6"
    )
    parser.add_argument(
        "--out", type=Path, default=build_folder() / "figures", help="folder of the pictures"
    )
    parser.add_argument("--recorded", type=Path, default=DATA, help="folder of recorded data")
    parser.add_argument(
        "--here-data",
        type=Path,
        default=build_folder() / "data",
        help="folder of this machine's data",
    )
    parser.add_argument(
        "--chapters", type=Path, default=ROOT / "chapters", help="where --publish copies to"
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="copy the figures that the READMEs show to chapters/<chapter>/figures",
    )
    parser.add_argument(
        "--no-animation", dest="animation", action="store_false", help="draw no GIFs"
    )
    parser.add_argument(
        "--views",
        action="store_true",
        help="a view of each stage of a source's path, too; they must be built for the engine count",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the names of the figures and stop"
    )
    return parser.parse_args(words)


def chosen_figures(arguments: argparse.Namespace) -> list[Figure]:
    every = all_figures()
    names, chapters = [one.name for one in every], [one.name for one in all_chapters()]
    for word in arguments.only or ():
        if word not in names:
            raise DataError(f"--only {word}: no such figure; {nearest(word, names)}")
    if arguments.chapter is not None and arguments.chapter not in chapters:
        raise DataError(
            f"--chapter {arguments.chapter}: no such chapter;"
            f" {nearest(arguments.chapter, chapters)}"
        )
    figures = [
        one
        for one in every
        if arguments.chapter in (None, one.chapter)
        and (arguments.only is None or one.name in arguments.only)
    ]
    if not figures:
        raise DataError(f"--chapter {arguments.chapter}: it has no such figures")
    return figures


def made_figure(figure: Figure, source: Source, output: Path) -> tuple[Drawing, Source]:
    """Draws one figure. Returns the source, which knows what was read from it. Where another device
    lacks rows that the figure needs, it shows the course's, and its subtitle names their device."""
    own = source.of(figure.chapter)
    try:
        drawing = figure.drawing(own)
    except DataError:
        if not own.recorded or own.folder == own.recorded_folder:
            raise
        own = own.of_the_course()
        drawing = figure.drawing(own)
    draw(figure, drawing, output)
    return drawing, own


class Drawn:
    """What was drawn, and what could not be."""

    def __init__(self) -> None:
        self.figures: list[tuple[Figure, Drawing, Source]] = []
        self.animations: list[Animation] = []
        self.failures: list[str] = []


def draw_figures(arguments: argparse.Namespace, source: Source, drawn: Drawn) -> None:
    """Draws what can be drawn. A chapter without any recorded rows is left out, unless it was asked
    for."""
    output = arguments.out
    all_asked = arguments.only is None and arguments.chapter is None
    # Nearly all of the time is gnuplot's. Each gnuplot is a process of its own.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = [
            (one, pool.submit(made_figure, one, source, output))
            for one in chosen_figures(arguments)
        ]
    for figure, result in made:
        try:
            drawing, own = result.result()
            drawn.figures.append((figure, drawing, own))
            note = (
                "  (recorded data: this machine gives no profiler counters)"
                if drawing.from_recorded
                else ""
            )
            if source.recorded and own.folder != source.folder:
                note = f"  (of {own.folder.name}: {source.folder.name} has not all of its rows)"
            print(f"{output / figure.name}.{{png,svg}}  {figure.title_of(drawing)}{note}")
            if arguments.publish and figure.in_readme:
                print(f"  published as {publish(figure, output, arguments.chapters)}")
        except DataError as error:
            # An older picture must not pass for a figure that could not be drawn.
            for kind in ("png", "svg"):
                (output / f"{figure.name}.{kind}").unlink(missing_ok=True)
            own = source.of(figure.chapter)
            if (
                all_asked
                and own.recorded
                and isinstance(error, MissingFile)
                and error.path == own.rows_path(figure.chapter)
            ):
                print(f"{figure.heading}: left out, {own.folder} has no rows of {figure.chapter}")
            else:
                drawn.failures.append(f"{figure.heading}: {error}")


def begin_animations(
    arguments: argparse.Namespace, pool: ThreadPoolExecutor
) -> list[tuple[str, Future[Animation]]]:
    """Of each chapter that has one. An animation is one process after another, so it takes as long
    as all figures, and they are drawn meanwhile."""
    if not arguments.animation or arguments.only is not None:
        return []
    begun = []
    for chapter in all_chapters():
        if chapter.animation is None or arguments.chapter not in (None, chapter.name):
            continue
        if reason := chapter.stages[chapter.stages.serial].skipped.get("cpu"):
            print(f"animation of {chapter.name}: left out, {reason}")
            continue
        made = pool.submit(chapter.animation, chapter.stages, build_folder(), arguments.out)
        begun.append((chapter.name, made))
    return begun


def end_animations(begun: Sequence[tuple[str, Future[Animation]]], drawn: Drawn) -> None:
    for chapter, result in begun:
        try:
            made = result.result()
            drawn.animations.append(made)
            print(f"{made.path}  {made.title}")
        except DataError as error:
            drawn.failures.append(f"animation of {chapter}: {error}")


def draw_site(arguments: argparse.Namespace, source: Source, drawn: Drawn) -> None:
    """Without its packages there are no pages, and one line says why."""
    if missing := missing_packages():
        (arguments.out / "index.html").unlink(missing_ok=True)
        print(f"no pages: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        return
    from plots.page import inside, parts, site  # need these packages

    site.remove_site(arguments.out)
    entries = [
        parts.figure_entry(figure, drawing, arguments.out, own)
        for figure, drawing, own in drawn.figures
    ]
    entries += [parts.animation_entry(one) for one in drawn.animations]
    if entries:
        try:
            chapters = [arguments.chapter] if arguments.chapter else chapter_names()
            shown = inside.viewed(load_stages(), chapters) if arguments.views else []
            views = inside.write_views(shown, arguments.out)
            index = site.write_site(arguments.out, entries, source, arguments.chapter, views)
            print(f"{index}  the first page of the site")
            print(f"{arguments.out / site.ARCHIVE}  the whole site, to mail")
        except (ToolError, OSError) as error:
            drawn.failures.append(f"{arguments.out}: {error}")


def draw_all(arguments: argparse.Namespace) -> int:
    """Draws everything that was asked for. What cannot be drawn is named at the end."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    source, drawn = make_source(arguments), Drawn()
    with ThreadPoolExecutor() as pool:
        animations = begin_animations(arguments, pool)
        draw_figures(arguments, source, drawn)
        end_animations(animations, drawn)
    draw_site(arguments, source, drawn)
    for failure in drawn.failures:
        print(f"figures: {failure}", file=sys.stderr)
    return EXIT_FAILURE if drawn.failures else 0


def main(words: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(words)
    if arguments.list:
        for figure in all_figures():
            print(f"{figure.name:20} {figure.heading}")
        return 0
    return draw_all(arguments)


if __name__ == "__main__":
    run_tool(main)
