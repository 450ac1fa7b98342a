#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds circles of includes and imports.

usage: include_circles.py [ROOT]

It reads the #include lines of all C++ and CUDA sources that git knows below ROOT, and the imports
of all Python sources. It prints each circle of modules, and each circle of folders within common/
or plots/, as a chain of lines. If it finds one, the exit status is 1. A header and the source of
the same name are one module. Include paths are relative to the repository's root, to the chapter,
or to the file. Other headers are ignored.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

CPP_SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Sources include these headers with angle brackets, like the headers of the CUDA toolkit.
SYSTEM_FOLDER = re.compile(r"(common/emulator/(?:include|libraries/\w+/include))/")
FOLDERS_IN = ("common/", "plots/")


class Edge(NamedTuple):
    """One module needs another one: the place of the include or import, and the named file."""

    place: str
    target: str


# The modules or folders that each one needs.
Graph = dict[str, dict[str, Edge]]


def known_files(root: Path) -> list[str]:
    """The files that git knows or would add."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted({name for name in listed.stdout.split("\0") if name and (root / name).is_file()})


def normal(path: str) -> str:
    """The path without "." and ".."."""
    parts: list[str] = []
    for part in PurePosixPath(path).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def include_places(source: str, quote: str, name: str, system: Iterable[str] = ()) -> list[str]:
    """The places where the compiler looks for a header, in this order. `system`: the folders of
    headers in angle brackets."""
    if quote == "<":
        return [f"{folder}/{name}" for folder in system]
    parts = PurePosixPath(source).parts
    chapter = [f"chapters/{parts[1]}/{name}"] if parts[0] == "chapters" and len(parts) > 2 else []
    return [normal(f"{PurePosixPath(source).parent}/{name}"), name, *chapter]


def cpp_graph(root: Path, files: list[str]) -> Graph:
    sources = {name for name in files if PurePosixPath(name).suffix in CPP_SUFFIXES}
    # Headers that replace those of the CUDA toolkit may have no suffix: <cuda/atomic>.
    in_system = [match for name in files if (match := SYSTEM_FOLDER.match(name))]
    system = sorted({match[1] for match in in_system})
    targets = sources | {match.string for match in in_system}
    graph: Graph = {}
    for source in sorted(sources):
        lines = (root / source).read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            found = [
                place
                for place in include_places(source, match[1], match[2], system)
                if place in targets
            ]
            if found:
                add_edge(
                    graph,
                    module_of(source),
                    module_of(found[0]),
                    Edge(f"{source}:{number} includes", found[0]),
                )
    return graph


def module_of(path: str) -> str:
    return str(PurePosixPath(path).with_suffix(""))


def python_names(source: str, node: ast.AST) -> list[str]:
    """The modules that an import may name: `from a import b` means module a.b, or b in module a."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level > 0:
        package = PurePosixPath(source).parts[: -node.level]
        base = ".".join([*package, base] if base else package)
    return [f"{base}.{alias.name}" for alias in node.names] + [base]


def python_graph(root: Path, files: list[str]) -> Graph:
    sources = [name for name in files if name.endswith(".py")]
    modules = {}
    for name in sources:
        dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        modules[dotted] = name
    graph: Graph = {}
    for source in sources:
        tree = ast.parse((root / source).read_text(encoding="utf-8"), source)
        for node in ast.walk(tree):
            names = [name for name in python_names(source, node) if name in modules]
            # `from a import b, c` needs the package a only if one of them is not a module.
            if isinstance(node, ast.ImportFrom) and len(names) > len(node.names):
                names.pop()
            for name in names:
                add_edge(
                    graph,
                    module_of(source),
                    module_of(modules[name]),
                    Edge(f"{source}:{node.lineno} imports", modules[name]),
                )
    return graph


def add_edge(graph: Graph, source: str, target: str, edge: Edge) -> None:
    if source != target:
        graph.setdefault(source, {}).setdefault(target, edge)


def folder_graph(modules: Graph) -> Graph:
    graph: Graph = {}
    for source, targets in modules.items():
        for target, edge in targets.items():
            folders = str(PurePosixPath(source).parent), str(PurePosixPath(target).parent)
            if all(f"{folder}/".startswith(FOLDERS_IN) for folder in folders):
                add_edge(graph, *folders, edge)
    return graph


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
        chain.append(f"    {edge.place} {edge.target}")
    return "\n".join(chain)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Find circles of includes and imports.")
    parser.add_argument(
        "root",
        nargs="?",
        type=Path,
        default=Path(__file__).parents[3],
        help="the repository; default: this one",
    )
    root = parser.parse_args(arguments).root
    files = known_files(root)
    number = 0
    languages = {"C++": cpp_graph(root, files), "Python": python_graph(root, files)}
    for language, modules in languages.items():
        for kind, graph in (("modules", modules), ("folders", folder_graph(modules))):
            for circle in circles(graph):
                number += 1
                print(describe(f"{language} {kind}", circle, graph))
    return 1 if number else 0


if __name__ == "__main__":
    sys.exit(main())
