# SPDX-License-Identifier: MIT
"""The differences of two stages: in all files of their programs, and in their compiler flags.

A program's files are its source and the headers that it reaches by `#include "..."`, but for those
of common/, which are the same for all.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.imports import INCLUDE, include_places
from common.tools.lib.stages import ROOT, Stage

CONTEXT = 3  # lines around a change that are shown
BLOCK = 3  # so many lines of code in a row that stand elsewhere in the other program have moved


def source_lines(stage: Stage) -> list[str]:
    """The lines of a stage's source. OpenCL kernels come first, as kernels do in CUDA files."""
    path = ROOT / stage.source
    files = [path.with_suffix(".cl"), path] if stage.opencl else [path]
    return [line for file in files for line in read_text(file).splitlines()]


def moved_sign(before: str, after: str) -> str:
    """The sign of a line that is in both sources: a blank, or whether it moved to the left or to
    the right."""
    if before == after:
        return " "
    return ">" if len(after.expandtabs()) >= len(before.expandtabs()) else "<"


def changed_lines(codes: Sequence[tuple[str, int, int, int, int]]) -> int:
    return sum(a2 - a1 + b2 - b1 for kind, a1, a2, b1, b2 in codes if kind != "equal")


def line_range(begin: int, end: int) -> str:
    """The lines of a hunk as unified diffs write them: the first one counts from 1."""
    length = end - begin
    first = begin + 1 if length else begin
    return str(first) if length == 1 else f"{first},{length}"


def text_diff(a: Sequence[str], b: Sequence[str], name_a: str, name_b: str) -> list[str]:
    """A unified diff with two more signs: `>` or `<` in front of a line that only moved to the
    right or to the left, and is no change of the program. Empty if the texts are equal."""
    if list(a) == list(b):
        return []
    # Without their indentation other lines may match, and then more lines differ.
    by_text = difflib.SequenceMatcher(None, list(map(str.strip, a)), list(map(str.strip, b)), False)
    as_they_are = difflib.SequenceMatcher(None, a, b, False)
    codes = min(by_text.get_opcodes(), as_they_are.get_opcodes(), key=changed_lines)
    signed: list[tuple[str, str, int, int]] = []  # with the numbers of lines of both before it
    for kind, a1, a2, b1, b2 in codes:
        if kind == "equal":
            for i, j in zip(range(a1, a2), range(b1, b2)):
                signed.append((moved_sign(a[i], b[j]), b[j], i, j))
            continue
        signed += [("-", a[i], i, b1) for i in range(a1, a2)]
        signed += [("+", b[j], a2, j) for j in range(b1, b2)]
    lines = [f"--- {name_a}", f"+++ {name_b}"]
    changed = [i for i, one in enumerate(signed) if one[0] != " "]
    ends = (len(signed), len(a), len(b))
    for begin, end in hunks(changed, len(signed)):
        _, _, a1, b1 = signed[begin]
        a2, b2 = signed[end][2:] if end < ends[0] else ends[1:]
        lines.append(f"@@ -{line_range(a1, a2)} +{line_range(b1, b2)} @@")
        lines += [sign + text for sign, text, _, _ in signed[begin:end]]
    return lines


def hunks(changed: Sequence[int], count: int) -> list[tuple[int, int]]:
    """The parts of `count` lines that show these changes with lines around them."""
    parts: list[tuple[int, int]] = []
    for i in changed:
        begin, end = max(0, i - CONTEXT), min(count, i + CONTEXT + 1)
        if parts and begin <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((begin, end))
    return parts


def headers_of(stage: Stage, closed: str = "\0") -> list[Path]:
    """The headers of a program, in the order in which the compiler comes to them. `closed`: without
    those that only a header with this word in its path includes."""
    source = (ROOT / stage.source).resolve()
    found: dict[Path, None] = {}

    def visit(path: Path) -> None:
        for line in read_text(path).splitlines():
            match = INCLUDE.match(line)
            header = header_at(path, match[2]) if match and match[1] == '"' else None
            if header and header != source and header not in found:
                found[header] = None
                if closed not in str(header):
                    visit(header)

    visit(source)
    return list(found)


def header_at(path: Path, name: str) -> Path | None:
    """The file that an include names, if it is none of common/. `path`: the including file."""
    if not path.is_relative_to(ROOT):
        beside = path.parent / name
        return beside.resolve() if beside.is_file() else None
    places = include_places(str(path.relative_to(ROOT)), '"', name)
    found = next((place for place in places if (ROOT / place).is_file()), None)
    return ROOT / found if found and not found.startswith("common/") else None


@dataclass(frozen=True)
class Change:
    """A file that differs. Empty names: only one of the programs has it."""

    before: str
    after: str
    lines_before: tuple[str, ...]
    lines_after: tuple[str, ...]

    @property
    def codes(self) -> list[tuple[str, int, int, int, int]]:
        return difflib.SequenceMatcher(
            None, self.lines_before, self.lines_after, False
        ).get_opcodes()

    def added(self) -> list[str]:
        """The lines that are new or changed."""
        parts = (self.lines_after[b1:b2] for kind, _, _, b1, b2 in self.codes if kind != "equal")
        return [line for part in parts for line in part]

    def removed(self) -> list[str]:
        parts = (self.lines_before[a1:a2] for kind, a1, a2, _, _ in self.codes if kind != "equal")
        return [line for part in parts for line in part]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def changes(a: Stage, b: Stage) -> list[Change]:
    """The files in which two programs differ, their sources first. Headers are compared by name."""
    found = [Change(a.source, b.source, tuple(source_lines(a)), tuple(source_lines(b)))]
    headers = [{named(path): path for path in headers_of(one)} for one in (a, b)]
    for name in sorted(headers[0].keys() | headers[1].keys()):
        texts = [tuple(read_text(one[name]).splitlines()) if name in one else () for one in headers]
        names = [name if name in one else "" for one in headers]
        found.append(Change(names[0], names[1], texts[0], texts[1]))
    return [one for one in found if one.lines_before != one.lines_after]


def code_of(line: str) -> str:
    """A line without comment and blanks, and without what only a header needs."""
    return "".join(re.sub(r"//.*|\b(?:inline|static)\b", "", line).split())


def blocks_of(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    code = [one for one in map(code_of, lines) if one]
    for i in range(len(code) - BLOCK + 1):
        yield tuple(code[i : i + BLOCK])


@dataclass(frozen=True)
class Size:
    """What a program adds to another one, in lines of code: without comments, blank lines and
    includes."""

    added: int
    moved: int  # stands elsewhere in the other program
    files: int

    def __str__(self) -> str:
        moved = f", and moves {lines_said(self.moved)}" if self.moved else ""
        return f"adds {lines_said(self.added)} in {self.files} file{'s' * (self.files != 1)}{moved}"


def lines_said(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"


def size_of(found: Sequence[Change], without: Sequence[str] = ()) -> Size:
    """`without`: parts of the names of files that do not count."""
    moved_from = {block for one in found for block in blocks_of(one.removed())}
    added = moved = files = 0
    for one in found:
        if any(part in one.after for part in without):
            continue
        lines = [line for line in one.added() if not INCLUDE.match(line)]
        code = [text for text in map(code_of, lines) if text]
        is_moved = [False] * len(code)
        for i, block in enumerate(blocks_of(lines)):
            if block in moved_from:
                is_moved[i : i + BLOCK] = [True] * BLOCK
        moved += sum(is_moved)
        added += len(code) - sum(is_moved)
        files += len(code) > sum(is_moved)
    return Size(added, moved, files)


def source_diff(a: Stage, b: Stage) -> list[str]:
    """What b adds, and a diff of each file. Of a header that only one of them includes, that is its
    name, and all of its lines if it is new. Empty if the programs are equal."""
    found = changes(a, b)
    lines = [f"{b.stage or b.source} {size_of(found)}"] if found else []
    for one in found:
        if one.after:
            lines += text_diff(
                one.lines_before, one.lines_after, one.before or "/dev/null", one.after
            )
        else:
            lines.append(f"no longer includes {one.before}")
    return lines


def flags_diff(a: Stage, b: Stage) -> list[str]:
    lines = []
    for compiler, before, after in (
        ("nvcc", a.cuda_args, b.cuda_args),
        ("g++ for the CPU engine", a.emu_args, b.emu_args),
    ):
        removed = [flag for flag in before if flag not in after]
        added = [flag for flag in after if flag not in before]
        if removed or added:
            lines.append(f"flags of {compiler}:")
            lines += [f"-{flag}" for flag in removed] + [f"+{flag}" for flag in added]
    return lines
