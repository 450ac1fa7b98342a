# SPDX-License-Identifier: MIT
"""The text of a program: what is compiled of it, and the loops of its host code, by their
indentation."""

from __future__ import annotations

import re

LOOP = re.compile(r"\b(for|while)\s*\(|^\s*do\b")


def active(lines: list[str]) -> list[str]:
    """Empty lines in place of what #ifdef and #ifndef leave out, by what the file itself defines.
    Other conditions are not known: both of their sides stay."""
    defined: set[str] = set()
    open_now: list[bool | None] = []  # whether each open condition holds; None: not known
    found = []
    for text in lines:
        words = text.replace("#", "# ", 1).split() if text.lstrip().startswith("#") else []
        match words[:3]:
            case ["#", "ifdef" | "ifndef" as kind, name] if not name.startswith("__"):
                open_now.append((name in defined) == (kind == "ifdef"))
            case ["#", "if" | "ifdef" | "ifndef", *_]:
                open_now.append(None)
            case ["#", "else", *_] if open_now:
                open_now[-1] = None if open_now[-1] is None else not open_now[-1]
            case ["#", "endif", *_] if open_now:
                open_now.pop()
            case ["#", "define", name] if False not in open_now:
                defined.add(name)
        found.append("" if False in open_now else text)
    return found


def is_code(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith("#")


def call_at(lines: list[str], number: int, call: re.Pattern[str]) -> str:
    """The call of this line with its arguments, which may go on on the next lines; "" if the line
    has none."""
    found = call.search(lines[number - 1])
    if found is None:
        return ""
    return " ".join([lines[number - 1][found.start() :], *lines[number : number + 3]]).partition(
        ";"
    )[0]


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def loop_around(lines: list[str], number: int) -> int:
    """The line of the innermost loop that is open at this line; 0 if there is none."""
    if LOOP.search(lines[number - 1]):
        return number
    indent = indent_of(lines[number - 1])
    for before in range(number - 1, 0, -1):
        text = lines[before - 1]
        if is_code(text) and indent_of(text) < indent:
            if LOOP.search(text):
                return before
            indent = indent_of(text)
    return 0


def body_of(lines: list[str], loop: int) -> list[str]:
    """The loop's lines, its own first."""
    indent = indent_of(lines[loop - 1])
    end = loop
    while end < len(lines) and (not is_code(lines[end]) or indent_of(lines[end]) > indent):
        end += 1
    return lines[loop - 1 : end]
