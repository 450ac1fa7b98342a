# SPDX-License-Identifier: MIT
"""Marks in Markdown, which GitHub does not show: a program writes what is between
`<!-- KIND:WORDS -->` and `<!-- end -->`. chapters/README.md lists the kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.stages import DataError, shown

END = "<!-- end -->"
OPEN = r"(?<!`)<!-- (\w+):(.*?) -->"
BORDER = re.compile(f"{OPEN}|(?<!`){END}")  # not in inline code
COMMENT_LINE = re.compile(r"^<!-- .*? -->\n", re.MULTILINE)
COMMENT = re.compile(r"<!-- .*? -->")
TABLE = "table"
# They stand in lines of their own. The others are words of a sentence.
BLOCKS = (TABLE, "counters", "code", "flags")


@dataclass(frozen=True)
class Mark:
    """One place that a program fills."""

    kind: str
    words: str
    text: str  # what is there now
    place: str  # file and line

    @property
    def is_block(self) -> bool:
        return self.kind in BLOCKS

    def error(self, said: str) -> DataError:
        return DataError(f"{self.place}: {shown(f'{self.kind}:{self.words}')}: {said}")


def pieces(text: str, path: Path) -> list[str | Mark]:
    """The text with its marks, in order."""
    found: list[str | Mark] = []
    begin, opened, opened_at = 0, None, ""
    for border in BORDER.finditer(text):
        place = f"{path}:{text.count(chr(10), 0, border.start()) + 1}"
        if border[0] == END:
            if opened is None:
                raise DataError(f"{place}: {END} closes no mark")
            found.append(Mark(opened[1], opened[2], text[begin : border.start()], opened_at))
            begin, opened = border.end(), None
        elif opened is not None:
            raise DataError(f"{opened_at}: {shown(opened[0])} has no {END}")
        else:
            found.append(text[begin : border.start()])
            begin, opened, opened_at = border.end(), border, place
    if opened is not None:
        raise DataError(f"{opened_at}: {shown(opened[0])} has no {END}")
    return [*found, text[begin:]]


def marks_of(text: str, path: Path) -> list[Mark]:
    return [piece for piece in pieces(text, path) if isinstance(piece, Mark)]


def refill(text: str, path: Path, make: Callable[[Mark], str | list[str]]) -> str:
    """The text with each mark filled by what `make` says: words, or lines of a block."""
    parts = []
    for piece in pieces(text, path):
        if isinstance(piece, str):
            parts.append(piece)
            continue
        # GitHub shows a line that begins with a comment as it is, without its links and emphasis.
        if not piece.is_block and re.search(r"(^|\n)[ >*-]*$", "".join(parts)):
            raise piece.error("begins a line, so GitHub would show the line's Markdown")
        made = make(piece)
        said = made if isinstance(made, str) else "\n".join(("", *made, ""))
        parts.append(f"<!-- {piece.kind}:{piece.words} -->{said}{END}")
    return "".join(parts)


def fill(text: str, name: str, lines: list[str], path: Path) -> str:
    """Puts these lines between the table's marks in `text`, the content of `path`."""
    if not any((mark.kind, mark.words) == (TABLE, name) for mark in marks_of(text, path)):
        raise DataError(f"{path}: the marks of table `{name}` are missing")

    def make(mark: Mark) -> str | list[str]:
        return lines if (mark.kind, mark.words) == (TABLE, name) else mark.text

    return refill(text, path, make)


def without_marks(text: str) -> str:
    """The text as GitHub shows it."""
    return COMMENT.sub("", COMMENT_LINE.sub("", text))
