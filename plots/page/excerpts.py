# SPDX-License-Identifier: MIT
"""Lines of code on a page, taken from the sources."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import Mark

WORDS = re.compile(r"(\S+) `([^`]+)`(?: to `([^`]+)`)?")
SHORTEST, LONGEST = 2, 12
LANGUAGES = {".cu": "cpp", ".cuh": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cl": "c"}


def without_margin(lines: list[str]) -> list[str]:
    """The preprocessor's lines begin at the margin, wherever the code is."""
    texts = [line for line in lines if line.strip() and not line.startswith("#")]
    margin = min((len(line) - len(line.lstrip()) for line in texts), default=0)
    return [line if line.startswith("#") else line[margin:] for line in lines]


def excerpt(mark: Mark, page: Path) -> list[str]:
    """``code:../02_float4/nbody.cu `FIRST` to `LAST` ``: from the one line that has FIRST to the next
    line that has LAST, as a block. The path is relative to the page."""
    match = WORDS.fullmatch(mark.words)
    if match is None:
        raise mark.error("write a path, a pattern `…`, and perhaps to `…`")
    path = (page.parent / match[1]).resolve()
    if path.suffix not in LANGUAGES or not path.is_file():
        raise mark.error(f"there is no source {match[1]}")
    lines = read_text(path).splitlines()
    first = [i for i, line in enumerate(lines) if match[2] in line]
    if len(first) != 1:
        raise mark.error(f"{len(first)} lines have `{match[2]}`, not one")
    last = first[0]
    if match[3]:
        last = next((i for i in range(last + 1, len(lines)) if match[3] in lines[i]), -1)
        if last < 0:
            raise mark.error(f"no later line has `{match[3]}`")
    length = last - first[0] + 1
    if match[3] and not SHORTEST <= length <= LONGEST:
        raise mark.error(f"{length} lines, not {SHORTEST} to {LONGEST}")
    code = without_margin(lines[first[0] : last + 1])
    room = path.parent.name
    return [f"```{LANGUAGES[path.suffix]}", f"// {room}/{path.name}", *code, "```"]
