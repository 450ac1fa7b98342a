# SPDX-License-Identifier: MIT
"""The comment at the top of a stage's file: its idea, what it is compared with, its limit."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.files import read_text

FIELD = re.compile(r"(Idea|Rule|Compared with \w+|Limit now): ")
SOURCE = re.compile(r"Thesis \d|Not of the thesis")  # a line that begins so says where it is from
# The source documents of the course. Chapters 1 and 2 of the thesis have no stages.
OF_A_SOURCE = re.compile(
    r"Thesis [3-9]|Not of the thesis( \([^)]*\))?(:| but of) "
    r"(Blanco and González 2018|Gaudiani 2012|Gimeno and Velasco 2024|Herrero and Troiani 2024)"
)


def read_head(source: Path) -> dict[str, str]:
    """The texts after `Idea:`, `Rule:`, `Compared with …:` and `Limit now:`, each on one line;
    under `Source`, where the stage is from."""
    found: dict[str, str] = {}
    name = ""
    for line in read_text(source).splitlines():
        if not line.startswith("//"):
            break
        text = line.removeprefix("//").strip()
        if match := FIELD.match(text):
            name = match[1].partition(" with ")[0]
            found[name] = text[match.end() :]
        elif SOURCE.match(text):
            name = "Source"
            found[name] = text
        elif name:
            found[name] += f" {text}"
    return found


def of_a_source(head: dict[str, str]) -> bool:
    """Whether the stage is the thesis' or another source document's, and not the course's own."""
    return OF_A_SOURCE.match(head.get("Source", "")) is not None
