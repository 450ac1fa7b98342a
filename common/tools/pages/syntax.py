# SPDX-License-Identifier: MIT
"""Source lines as HTML with their syntax marked, for the view and for the site."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

SYNTAX = re.compile(
    r'(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')'
    r"|(?P<k>^[ \t]*\#[ \t]*\w+|\b(?:__\w+__|__kernel|__local|__global|auto|bool|break|case|char|class|const|"
    r"constexpr|continue|do|double|else|enum|false|float|for|if|inline|int|int32_t|int64_t|kernel|long|"
    r"namespace|operator|return|short|signed|size_t|sizeof|static|static_assert|static_cast|struct|switch|"
    r"template|true|typename|uint32_t|uint64_t|unsigned|using|void|while)\b)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Line:
    text: str
    syntax: str  # one letter per character: c, s, k, or a blank
    marked: str = ""  # an x for each character that the other side lacks; empty: nothing is marked


def lines_of(text: str) -> list[Line]:
    letters = [" "] * len(text)
    for match in SYNTAX.finditer(text):
        letters[match.start() : match.end()] = (match.lastgroup or " ") * len(match[0])
    lines, begin = [], 0
    for line in text.splitlines():
        lines.append(Line(line, "".join(letters[begin : begin + len(line)])))
        begin += len(line) + 1
    return lines


def line_html(line: Line) -> str:
    """Characters that look alike are one element: `<i class=c>` is a comment, `<b>` a change."""
    marked = line.marked or " " * len(line.text)
    out, i = [], 0
    while i < len(line.text):
        kind, mark = line.syntax[i], marked[i]
        j = next(
            (j for j in range(i, len(line.text)) if (line.syntax[j], marked[j]) != (kind, mark)),
            len(line.text),
        )
        said = html.escape(line.text[i:j], quote=False)
        if kind != " " and said.strip():
            said = f"<i class={kind}>{said}</i>"
        out.append(f"<b>{said}</b>" if mark == "x" else said)
        i = j
    return f"<span>{''.join(out)}\n</span>"
