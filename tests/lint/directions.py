#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds includes and imports against the course's direction, and circles of them.

usage: directions.py [ROOT]

FLOORS (common/tools/lib/imports.py) has the direction: a file needs only what lies on its own floor
or below. Chapters do not need one another, and the engine needs none of its libraries. A circle is
one of modules, or one of folders within common/ or plots/; it is printed as a chain of lines. If
there is anything to print, the exit status is 1.
"""

import argparse
import sys
from pathlib import Path, PurePosixPath

from common.tools.lib.imports import (
    Graph,
    cpp_graph,
    floor_of,
    folder_graph,
    known_files,
    python_graph,
)

ENGINE = "common/emulator/"
LIBRARIES = ENGINE + "libraries/"
# By these, a program gets all of CUDA's runtime: their last lines include what libraries add to it.
WHOLE_RUNTIME = {ENGINE + f"include/{name}.h" for name in ("cuda_runtime", "cuda_runtime_api")}


def shortest_circle(graph: Graph, start: str) -> list[str]:
    """The nodes of the shortest path from start back to start, start first. [] if there is none."""
    came_from: dict[str, str] = {}
    front = [start]
    while front:
        reached = []
        for node in front:
            for target in sorted(graph.get(node, {})):
                if target == start:
                    circle = [node]
                    while circle[-1] != start:
                        circle.append(came_from[circle[-1]])
                    return circle[::-1]
                if target not in came_from:
                    came_from[target] = node
                    reached.append(target)
        front = reached
    return []


def without_ends(graph: Graph) -> Graph:
    """The part of the graph where each node needs another and is needed. All circles are in it."""
    while True:
        needed = {target for targets in graph.values() for target in targets}
        smaller = {
            node: {target: edge for target, edge in targets.items() if target in graph}
            for node, targets in graph.items()
            if node in needed
        }
        smaller = {node: targets for node, targets in smaller.items() if targets}
        if smaller == graph:
            return graph
        graph = smaller


def circles(graph: Graph) -> list[list[str]]:
    """Circles that share no edge, shortest first. Without their edges, the graph has no circle."""
    found: list[list[str]] = []
    graph = without_ends({node: dict(targets) for node, targets in graph.items()})
    while graph:
        candidates = [shortest_circle(graph, start) for start in sorted(graph)]
        shortest = min((circle for circle in candidates if circle), key=len)
        found.append(shortest)
        for node, following in zip(shortest, [*shortest[1:], shortest[0]]):
            del graph[node][following]
        graph = without_ends(graph)
    return found


def describe(kind: str, circle: list[str], graph: Graph) -> str:
    chain = [f"circle of {kind}: " + " -> ".join([*circle, circle[0]])]
    for node, following in zip(circle, [*circle[1:], circle[0]]):
        edge = graph[node][following]
        chain.append(f"    {edge}")
    return "\n".join(chain)


def is_against(source: str, target: str) -> bool:
    """Whether a file may not need another one."""
    if target.startswith(LIBRARIES) and source.startswith(ENGINE):
        return not source.startswith(LIBRARIES) and source not in WHOLE_RUNTIME
    number, name = floor_of(source)
    below, other = floor_of(target)
    beside = {PurePosixPath(path).parts[0] for path in (source, target)} == {"plots", "chapters"}
    return below > number or beside or (below == number and other != name)


def against_the_direction(graph: Graph) -> list[str]:
    """The includes and imports of what lies above or beside the file, each with its place."""
    edges = [edge for targets in graph.values() for edge in targets.values()]
    return [
        f"against the direction: {edge}" for edge in edges if is_against(edge.source, edge.target)
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Find imports in the wrong direction, and circles."
    )
    parser.add_argument(
        "root",
        nargs="?",
        type=Path,
        default=Path(__file__).parents[2],
        help="the repository; default: this one",
    )
    root = parser.parse_args(arguments).root
    files = known_files(root)
    found: list[str] = []
    languages = {"C++": cpp_graph(root, files), "Python": python_graph(root, files)}
    for language, modules in languages.items():
        found += against_the_direction(modules)
        for kind, graph in (("modules", modules), ("folders", folder_graph(modules))):
            found += [describe(f"{language} {kind}", circle, graph) for circle in circles(graph)]
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
