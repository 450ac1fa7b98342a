# SPDX-License-Identifier: MIT
"""Small mistakes to plant in a stage's sources, one at a time: on the lines of its room."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# What is removed. A statement's end stays, so that `if (x) __syncthreads();` still parses.
STATEMENTS = {
    "barrier": re.compile(r"__sync(?:threads|warp)\([^()]*\)(?=;)|\b\w+\.sync\(\)(?=;)"),
    "fence": re.compile(r"__threadfence(?:_block|_system)?\(\)(?=;)"),
    "wait": re.compile(
        r"cuda_check\(cuda(?:DeviceSynchronize|StreamSynchronize|EventSynchronize|StreamWaitEvent)"
        r"\([^;]*\)\)(?=;)|__pipeline_wait_prior\([^()]*\)(?=;)"
    ),
}
# clang-format puts blanks around operators, and none into `template <int K>` or `a<int>`.
COMPARISON = re.compile(r"(?<=[\w)\]] )(<=|>=|==|!=|<|>)(?= [\w(:-])")
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
INDEX = re.compile(r"(?<=[\w\]])\[([^\[\]]*\w[^\[\]]*)\]")
QUALIFIER = r"(?:extern|static|__shared__|__constant__|const|constexpr|alignas\(\d+\)) "
DECLARATION = re.compile(rf"^\s*(?:{QUALIFIER})*[\w:<>, ]+[ &*]\w+(?:\[[^\]]*\])+(?: = .*|;|,)$")
MASK = re.compile(r"\b(?:0[xX][fF]{8}|kAllLanes|kFullMask|kAll)\b(?=[,)])")
KINDS = (*STATEMENTS, "comparison", "index", "mask")


@dataclass(frozen=True, order=True)
class Mutant:
    file: str  # a path relative to the chapter
    line: int
    column: int
    kind: str
    old: str
    new: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def applied(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        assert line[self.column :].startswith(self.old)
        lines[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old) :]
        return "".join(lines)

    def key(self, stage: str, texts: str) -> str:
        """Changes with the mutant and with all sources of the stage."""
        return hashlib.sha256(f"{stage}\0{self}\0{texts}".encode()).hexdigest()


def of_line(code: str) -> Iterator[tuple[int, str, str, str]]:
    """Column, kind, old and new text of each mutant of a line without its comment."""
    if re.match(r"\s*(#|using |template|static_assert|namespace )", code):
        return
    for kind, pattern in STATEMENTS.items():
        for match in pattern.finditer(code):
            yield match.start(), kind, match[0], ""
    if "constexpr" not in code:
        for match in COMPARISON.finditer(code):
            yield match.start(), "comparison", match[0], OPPOSITE[match[0]]
    for match in [] if DECLARATION.match(code) else INDEX.finditer(code):
        # [&] and [=] begin a lambda.
        if match[1][0] not in "&=":
            yield match.start(1), "index", match[1], f"({match[1]}) + 1"
    for match in [] if "constexpr" in code else MASK.finditer(code):
        yield match.start(), "mask", match[0], f"({match[0]} >> 1)"


def find_mutants(chapter: Path, room: Path) -> list[Mutant]:
    """All mutants of the .cu and .cuh files of a stage's room."""
    found = []
    for path in sorted(room.iterdir()):
        if path.suffix not in (".cu", ".cuh"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: " " * len(text[0]), line)
            for column, kind, old, new in of_line(code.partition("//")[0].rstrip()):
                found.append(Mutant(str(path.relative_to(chapter)), number, column, kind, old, new))
    return found
