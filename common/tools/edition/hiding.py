# SPDX-License-Identifier: MIT
"""Hides the solutions of a student's edition: main files, headers that only these include, and the
code of their pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from common.tools.labs.lab import Lab
from common.tools.lib.files import read_text
from common.tools.lib.marks import Mark, pieces
from common.tools.lib.stages import DataError, Stage

PAGE = "README.md"
CODE = "code"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
TEACHERS = re.compile(r"\nFor teachers, (?:.+\n)+")  # a paragraph of the course's README
# Targets of maintainers, and those of teachers, which need solutions.
NOT_FOR_STUDENTS = re.compile(
    r"^(?:(?:grade|student-edition):.*|[a-z-]+:[^#\n]*##!.*)\n(?:\t.*\n)*\n?", re.MULTILINE
)

Texts = dict[Path, str]  # of files that change, by their paths below the root


def solved_stages(labs: Iterable[Lab]) -> list[tuple[Stage, str]]:
    """The stages that are solutions, each with a lab that it solves. A goal's solution is no stage,
    and a question has none."""
    of_stages = {lab.solution.stage.stage: lab for lab in labs if lab.kind in ("pair", "mistake")}
    return [(lab.solution.stage, lab.name) for lab in of_stages.values()]


def makefile_of_students(text: str) -> str:
    shown = NOT_FOR_STUDENTS.sub("", text)
    return shown.replace("\t@echo; echo 'To maintain the course:'\n", "").replace(
        "\t@$(call help-list,$(hash)$(hash)!)\n", ""
    )


def head_of(text: str, lab: str) -> str:
    """The comment at the head of a main file, without what it says of the code."""
    lines: list[str] = []
    kept = True
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        if re.match(r"// (Idea|Limit now|Rule|Thesis|Not of)\b", line) or len(lines) < 2:
            kept = True
        elif line.startswith("// Compared with "):
            kept = False
        if kept:
            lines.append(line)
    return "\n".join([*lines, f"// The program is the solution of the lab {lab}.", ""])


def with_solution_keys(text: str, names: Mapping[str, str], path: Path) -> str:
    """A chapter's meson.build in which these stages name the labs that they solve."""
    for name, lab in names.items():
        line = re.compile(rf"^( *)'name': '{re.escape(name)}',\n", re.MULTILINE)
        text, count = line.subn(rf"\g<0>\1'solution_of': '{lab}',\n", text)
        if count != 1:
            raise DataError(f"{path}: {count} lines name the stage {name}, not one")
    return text


def without_code(text: str, page: Path, rooms: Mapping[Path, str]) -> str:
    """A page whose code from the rooms of solutions is hidden. Paths are below the root."""

    def made(piece: str | Mark) -> str:
        if isinstance(piece, str):
            return piece
        whole = f"<!-- {piece.kind}:{piece.words} -->{piece.text}<!-- end -->"
        if piece.kind != CODE:
            return whole
        words = piece.words.split()[0]
        source = Path(*(page.parent / words).parts)
        parts: list[str] = []
        for part in source.parts:  # `..` without asking the disk
            parts = parts[:-1] if part == ".." else [*parts, part]
        lab = rooms.get(Path(*parts).parent)
        if lab is None:
            return whole
        return f"```cpp\n// {'/'.join(parts[-2:])}: the lab {lab} asks for it\n```"

    return "".join(made(piece) for piece in pieces(text, page))


def unused_headers(
    rooms: Iterable[Path], sources: Mapping[Path, str], starts: Iterable[str]
) -> list[Path]:
    """The headers in these rooms that neither a file of `sources` nor a start includes, nor a header
    that one of them includes."""
    rooms = set(rooms)
    headers = {path for path in sources if path.parent in rooms and path.suffix in (".cuh", ".hpp")}
    left = [INCLUDE.findall(text) for text in starts]
    left += [INCLUDE.findall(text) for path, text in sources.items() if path not in headers]
    used: set[Path] = set()
    while left:
        for name in left.pop():
            for path in headers - used:
                if path.as_posix().endswith(f"/{name}"):
                    used.add(path)
                    left.append(INCLUDE.findall(sources[path]))
    return sorted(headers - used)


def hidden(root: Path, names: Iterable[Path], labs: Iterable[Lab], starts: Iterable[str]) -> Texts:
    """The new texts of the files that change; empty: the file goes. `names`: all files below root."""
    names = list(names)
    solved = solved_stages(labs)
    mains = {Path(stage.source): lab for stage, lab in solved}
    rooms = {path.parent: lab for path, lab in mains.items()}
    found: Texts = {path: head_of(read_text(root / path), lab) for path, lab in mains.items()}
    for chapter in dict.fromkeys(stage.chapter for stage, _ in solved):
        path = Path("chapters", chapter, "meson.build")
        of_chapter = {stage.name: lab for stage, lab in solved if stage.chapter == chapter}
        found[path] = with_solution_keys(read_text(root / path), of_chapter, path)
    sources = {
        path: read_text(root / path)
        for path in names
        if path.parts[0] == "chapters"
        and path.suffix in (".cu", ".cuh", ".cpp", ".hpp")
        and path not in mains
    }
    found |= dict.fromkeys(unused_headers(rooms, sources, starts), "")
    for path in names:
        if path.suffix == ".md" and path.parts[0] == "chapters":
            text = read_text(root / path)
            if (shown := without_code(text, path, rooms)) != text:
                found[path] = shown
    return found
