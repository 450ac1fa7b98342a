# SPDX-License-Identifier: MIT
"""A README as the site and the tables read it: its title, its sections, and its words about pairs
of stages."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import END, TABLE, without_marks
from common.tools.lib.stages import DataError

HEADING = re.compile(r"(#+) (.*)")
PAIR = re.compile(r"\*\*([\w/]+) → ([\w/]+)\.?\*\*:?\s*")
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z`*])")


# The links of a stage's page to its neighbours, which the site writes itself.
WAY = re.compile(rf"<!-- {TABLE}:way -->.*?{END}\n", re.DOTALL)


def cells_of(line: str) -> list[str]:
    """The cells of one line of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@dataclass(frozen=True)
class Document:
    """A README: its title, and the text under each heading."""

    title: str
    sections: dict[str, str]  # "": before the first heading
    path: Path = Path()

    def problem(self) -> str:
        """The text before the first command or picture: what the chapter is about."""
        return re.split(
            r"^(?:```|!\[|Inputs:|\|)", self.sections[""], maxsplit=1, flags=re.MULTILINE
        )[0]

    def idea(self) -> str:
        """The first paragraph of a stage's page."""
        parts = re.split(r"\n\s*\n", self.sections[""])
        return next(
            (" ".join(one.split()) for one in parts if one.strip()[:2] not in ("", "![")), ""
        )

    def pairs(self) -> dict[tuple[str, str], str]:
        """The text of `**01 → 02.** …` by the numbers of the two stages. The first such text
        counts."""
        found: dict[tuple[str, str], str] = {}
        for text in self.sections.values():
            for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
                if match := PAIR.match(item):
                    said = item[match.end() :].split("\n\n")[0]
                    found.setdefault((match[1], match[2]), " ".join(said.split()))
        return found

    def without(self, section: str, used: Collection[str]) -> str:
        """A section's text without those texts about pairs that are shown elsewhere."""
        kept = []
        for item in re.split(r"^(?=- )", self.sections[section], flags=re.MULTILINE):
            first, gap, rest = item.partition("\n\n")
            match = PAIR.match(first.removeprefix("- "))
            said = " ".join(first.removeprefix("- ")[match.end() :].split()) if match else ""
            kept.append(rest if match and said in used else first + gap + rest)
        return "".join(kept).strip()


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


def first_sentence(text: str, shortest: int = 40) -> str:
    """The first sentence, and the next one too where the first is very short: `One line.`"""
    said = ""
    for part in SENTENCE_END.split(text):
        said = f"{said} {part}".strip()
        if len(said) >= shortest and not said.endswith(":"):
            break
    return said
