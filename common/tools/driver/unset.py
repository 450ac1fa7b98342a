# SPDX-License-Identifier: MIT
"""Local variables that a program adds to without having set them: `float sum; … sum += x;`.

g++ sees each variable that may be unset (-Wmaybe-uninitialized), also those that never are. So a
warning is only shown if the first use behind the declaration changes the value that is there."""

import re
from pathlib import Path

UNSET = re.compile(
    r"[‘'](?P<name>\w+)[^’']*[’'] (?P<how>is|may be) used uninitialized \[-W(maybe-)?uninitialized\]"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
FLAGS = ("-Wuninitialized", "-Wmaybe-uninitialized")


def is_added_to(name: str, file: str, line: int) -> bool:
    """Whether the variable that is declared there is first used by `+=`, `++` and the like."""
    try:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    except OSError:
        return False
    text = COMMENT.sub(" ", "".join(lines[line - 1 :]))
    places = list(re.finditer(rf"\b{name}\b", text))[:2]
    if len(places) < 2:
        return False
    before, after = text[: places[1].start()], text[places[1].end() :]
    if re.search(r"(\+\+|--)\s*$", before):
        return True
    return re.match(r"\s*(\[[^\]\n]*\]\s*)*(\+\+|--|([-+*/%&|^]|<<|>>)=)", after) is not None


def is_doubtful(text: str, declared_at: tuple[str, int] | None) -> bool:
    """Whether this text of g++ is such a warning and not sure. `declared_at`: the file and line of
    the program's own variable."""
    match = UNSET.match(text)
    if match is None:
        return False
    if declared_at is None:
        return True
    return match["how"] != "is" and not is_added_to(match["name"], *declared_at)
