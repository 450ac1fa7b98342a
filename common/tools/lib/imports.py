# SPDX-License-Identifier: MIT
"""Which module needs which, by the #include lines of all C++ and CUDA sources and the imports of all
Python sources that git knows.

A header and the source of the same name are one module. Include paths are relative to the
repository's root, to the chapter, or to the file. Other headers are ignored.
"""

import ast
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

CPP_SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Sources include these headers with angle brackets, like the headers of the CUDA toolkit.
SYSTEM_FOLDER = re.compile(r"(common/emulator/(?:include|libraries/\w+/include))/")
FOLDERS_IN = ("common/", "plots/")
# From the ground: a file needs only what lies on its own floor or below.
CHAPTERS = "chapters and plots/<chapter>"
FLOORS = (
    "common",
    "plots/records",
    "plots/drawing",
    CHAPTERS,
    "plots/page",
    "plots/maintain",
    "plots/commands",
    "tests",
)
PLOTS_FLOORS = tuple(floor for floor in FLOORS if floor.startswith("plots/"))


class Edge(NamedTuple):
    """One module needs another one: the first include or import that says so."""

    source: str
    line: int
    verb: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.verb} {self.target}"


# The modules or folders that each one needs.
Graph = dict[str, dict[str, Edge]]


def floor_of(path: str) -> tuple[int, str]:
    """The number and the name of the floor that a file lies on. The root's own files have none."""
    parts = PurePosixPath(path).parts
    found = [floor for floor in PLOTS_FLOORS if path.startswith(f"{floor}/")]
    if found:
        return FLOORS.index(found[0]), found[0]
    if parts[0] in ("plots", "chapters") and len(parts) > 2:
        return FLOORS.index(CHAPTERS), "/".join(parts[:2])
    return (FLOORS.index(parts[0]), parts[0]) if parts[0] in FLOORS else (len(FLOORS), "the root")


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
                    Edge(source, number, "includes", found[0]),
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
                    Edge(source, node.lineno, "imports", modules[name]),
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
