# SPDX-License-Identifier: MIT
"""A page as the site and the tables read it: its title and its sections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import END, TABLE, without_marks
from common.tools.lib.stages import DataError

HEADING = re.compile(r"(#+) (.*)")
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z`*])")


# The links of a stage's page to its neighbours, which the site writes itself.
WAY = re.compile(rf"<!-- {TABLE}:way -->.*?{END}\n", re.DOTALL)


def cells_of(line: str) -> list[str]:
    """The cells of one line of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@dataclass(frozen=True)
class Document:
    """A page: its title, and the text under each heading."""

    title: str
    sections: dict[str, str]  # "": before the first heading
    path: Path = Path()

    def idea(self) -> str:
        """The first paragraph of a stage's page."""
        parts = re.split(r"\n\s*\n", self.sections[""])
        return next(
            (" ".join(one.split()) for one in parts if one.strip()[:2] not in ("", "![")), ""
        )


def rows_of(text: str) -> list[list[str]]:
    """The rows of a Markdown table below its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [cells_of(line) for line in lines[2:]]


def read_document(path: Path) -> Document:
    try:
        text = read_text(path)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    title, sections, name, fenced = "", {"": ""}, "", False
    for line in without_marks(WAY.sub("", text)).splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else HEADING.match(line)
        if match and len(match[1]) == 1:
            title = match[2]
        elif match:
            name = match[2]
            sections[name] = ""
        else:
            sections[name] += line + "\n"
    if not title:
        raise DataError(f"{path}: no title")
    return Document(title, sections, path)


def document_of(path: Path, title: str, said: str = "") -> Document:
    """A page, or what stands for one that nobody has written yet."""
    return read_document(path) if path.is_file() else Document(title, {"": said}, path)


def first_sentence(text: str, shortest: int = 40) -> str:
    """The first sentence, and the next one too where the first is very short: `One line.`"""
    said = ""
    for part in SENTENCE_END.split(text):
        said = f"{said} {part}".strip()
        if len(said) >= shortest and not said.endswith(":"):
            break
    return said
