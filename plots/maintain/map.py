# SPDX-License-Identifier: MIT
"""Draws the map of the course from its imports: common/figures/map.svg.

    python3 -m plots.maintain.map              draws it
    python3 -m plots.maintain.map --check      only compares it; exit status 1 if it is out of date

The left column has the folders of the course on their floors, the right one those of common. An
arrow goes to the folder that is needed. Its width has three steps, so the picture changes only when
a folder begins or ends to need another one, or needs it about ten times as often.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.imports import (
    CHAPTERS,
    FLOORS,
    Edge,
    cpp_graph,
    floor_of,
    known_files,
    python_graph,
)
from common.tools.lib.stages import EXIT_FAILURE, ROOT, run_tool

PATH = ROOT / "common" / "figures" / "map.svg"
EXIT_SKIPPED = 77
GROUND = "common"
PLOTS_OF_CHAPTERS = "plots/<chapter>"

Arrows = Counter[tuple[str, str]]  # from a folder to one that it needs: the number of imports

ROW, BOX_WIDTH, BOX_HEIGHT, TOP = 44, 150, 28, 60
STEPS = ((100, 7.0), (10, 3.5), (1, 1.3))  # from so many imports on: the width of an arrow


def folder_of(path: str) -> str:
    """The folder of a file in the left column; "" if it has none."""
    number, name = floor_of(path)
    if number == len(FLOORS):
        return ""
    if FLOORS[number] == CHAPTERS:
        return "chapters" if path.startswith("chapters/") else PLOTS_OF_CHAPTERS
    return name


def folder_of_ground(path: str) -> str:
    """The folder of a file in the right column: tools, harness, emulator, …"""
    parts = path.split("/")
    return parts[1] if parts[0] == GROUND and len(parts) > 2 else ""


def all_edges(root: Path) -> list[Edge]:
    """All imports and includes, except those of lists of precompiled headers."""
    files = [name for name in known_files(root) if "/precompiled/" not in name]
    graphs = (cpp_graph(root, files), python_graph(root, files))
    return [edge for graph in graphs for targets in graph.values() for edge in targets.values()]


def counted(pairs: Iterable[tuple[str, str]]) -> Arrows:
    return Counter(pair for pair in pairs if all(pair) and pair[0] != pair[1])


def depths(arrows: Arrows) -> dict[str, int]:
    """How many folders lie below each one: its longest way down. lint finds circles first."""
    below: dict[str, set[str]] = {}
    for source, target in arrows:
        below.setdefault(source, set()).add(target)
        below.setdefault(target, set())
    found: dict[str, int] = {}

    def depth(folder: str) -> int:
        if folder not in found:
            found[folder] = max((depth(one) + 1 for one in below[folder]), default=0)
        return found[folder]

    for folder in below:
        depth(folder)
    return found


def width_of(count: int) -> float:
    return next(width for least, width in STEPS if count >= least)


def column(title: str, x: int, folders: Sequence[str], arrows: Arrows) -> list[str]:
    """Boxes below one another, and arrows on their right: the farther, the more outside."""
    parts = [f'<text class="title" x="{x + BOX_WIDTH // 2}" y="34">{escape(title)}</text>']
    middle = {folder: TOP + ROW * row + BOX_HEIGHT // 2 for row, folder in enumerate(folders)}
    for (source, target), count in sorted(arrows.items(), key=lambda arrow: -width_of(arrow[1])):
        begin, end = middle[source], middle[target]
        rows = (end - begin) // ROW
        width, side = width_of(count), x + BOX_WIDTH
        style = f'stroke-width="{width:g}" marker-end="url(#head)"'
        if rows == 1:
            line = f"M{x + BOX_WIDTH // 2} {begin + BOX_HEIGHT // 2}V{end - BOX_HEIGHT // 2 - 6}"
        else:
            # Arrows leave in the lower half of a box and arrive in the upper one, short ones inside.
            out = side + 26 * rows
            begin, end = begin + 10 - rows, end - 10 + rows
            line = f"M{side} {begin}C{out} {begin} {out} {end} {side + 7} {end}"
        parts.append(f'<path {style} d="{line}"/>')
    for folder, y in middle.items():
        parts.append(
            f'<rect x="{x}" y="{y - BOX_HEIGHT // 2}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}"/>'
        )
        parts.append(f'<text x="{x + BOX_WIDTH // 2}" y="{y + 5}">{escape(folder)}</text>')
    return parts


def drawn_map(root: Path = ROOT) -> str:
    """The picture as SVG."""
    edges = all_edges(root)
    course = counted((folder_of(edge.source), folder_of(edge.target)) for edge in edges)
    ground = counted(
        (folder_of_ground(edge.source), folder_of_ground(edge.target)) for edge in edges
    )
    named = [
        folder
        for floor in reversed(FLOORS)
        for folder in ((PLOTS_OF_CHAPTERS, "chapters") if floor == CHAPTERS else (floor,))
    ]
    depth = depths(ground)
    inner = sorted(depth, key=lambda folder: (-depth[folder], folder))
    height = TOP + ROW * max(len(named), len(inner)) + 40
    body = [
        *column("the course", 20, named, course),
        *column(f"within {GROUND}/", 480, inner, ground),
        f'<text class="note" x="20" y="{height - 16}">An arrow goes to the folder that is needed. '
        f"It is wider from {STEPS[1][0]} imports on, and widest from {STEPS[0][0]} on.</text>",
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" width="900" '
            f'height="{height}" font-family="DejaVu Sans, sans-serif" font-size="14" '
            'text-anchor="middle">',
            "<style>path{fill:none;stroke:#0072b2;stroke-opacity:.55}"
            "rect{fill:#fff;stroke:#404040;stroke-width:1.5}"
            ".title{font-size:17px}.note{text-anchor:start;fill:#505050}</style>",
            '<marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="11" '
            'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto">'
            '<path style="fill:#0072b2;stroke:none" d="M0 0L8 4L0 8z"/></marker>',
            '<rect style="stroke:none" width="100%" height="100%"/>',
            *body,
            "</svg>\n",
        ]
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Draws the map of the course.")
    parser.add_argument("--check", action="store_true", help="compare with the committed picture")
    arguments = parser.parse_args(words)
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        print("the map needs git, which knows the course's files")
        return EXIT_SKIPPED
    text = drawn_map()
    if not arguments.check:
        PATH.parent.mkdir(exist_ok=True)
        write_whole(PATH, text)
        print(PATH)
    elif not PATH.exists() or text != read_text(PATH):
        print(f"{PATH} is not what the imports are: run python3 -m plots.maintain.map")
        return EXIT_FAILURE
    return 0


if __name__ == "__main__":
    run_tool(main)
