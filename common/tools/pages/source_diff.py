# SPDX-License-Identifier: MIT
"""Two sources side by side as HTML. Changed lines are in two columns, on a narrow screen one below
the other like a unified diff. Equal lines are folded away.

Line numbers and signs are counters of the style sheet, so that copied text is code.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from common.tools.pages.syntax import Line, line_html, lines_of

CONTEXT = 3  # lines around a change that stay visible
ALIKE = 0.6  # two lines that are alike to this degree are one line that was changed
TOKEN = re.compile(r"\w+|\s+|.")


def words_marked(before: Line, after: Line) -> tuple[Line, Line]:
    """Both lines, with the words marked that only one of them has."""
    a, b = TOKEN.findall(before.text), TOKEN.findall(after.text)
    marks: tuple[list[str], list[str]] = ([], [])
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for mark, words in zip(marks, (a[a1:a2], b[b1:b2])):
            said = "".join(words)
            indent = 0 if mark else len(said) - len(said.lstrip())
            mark.append(
                (
                    " "
                    if kind == "equal" or not said.strip()
                    else " " * indent + "x" * (len(said) - indent)
                ).ljust(len(said))
            )
    return (
        Line(before.text, before.syntax, "".join(marks[0])),
        Line(after.text, after.syntax, "".join(marks[1])),
    )


@functools.cache
def letters(text: str) -> Counter[str]:
    return Counter(text)


def likeness(before: Line, after: Line) -> float:
    """The share of the characters that both lines have in the same words, in the same order."""
    a, b = before.text.strip(), after.text.strip()
    if not a or not b:
        return 0.0
    both = len(a) + len(b)
    # Most pairs of lines have too few characters in common, in whatever order.
    if 2 * min(len(a), len(b)) / both < ALIKE:
        return 0.0
    if 2 * (letters(a) & letters(b)).total() / both < ALIKE:
        return 0.0
    words, others = TOKEN.findall(a), TOKEN.findall(b)
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    same = sum(len(word) for i, _, count in blocks for word in words[i : i + count])
    return 2 * same / both


def marked(before: Sequence[Line], after: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The lines of one replaced part. Lines that were changed, not replaced, get their words
    marked. Matches keep their order."""
    old, new = list(before), list(after)
    first = 0
    for i, line in enumerate(before):
        found = max(
            ((likeness(line, new[j]), -j) for j in range(first, len(new))), default=(0.0, 0)
        )
        if found[0] >= ALIKE:
            j = -found[1]
            old[i], new[j] = words_marked(line, after[j])
            first = j + 1
    return old, new


def block(kind: str, first: int, lines: Iterable[Line]) -> str:
    said = "".join(line_html(line) for line in lines)
    return (
        f'<div class={kind} style="--n:{first}">{said}</div>'
        if said
        else f"<div class={kind}></div>"
    )


def both(a: int, b: int, lines: Sequence[Line]) -> str:
    """Equal lines on both sides. A narrow screen shows one side."""
    return (
        f'<div class=pair>{block("was", a, lines)}{block("same", b, lines)}</div>\n'
        if lines
        else ""
    )


@functools.cache
def side_by_side(before: str, after: str) -> str:
    a, b = lines_of(before), lines_of(after)
    out = []
    codes = SequenceMatcher(
        None, [line.text for line in a], [line.text for line in b], autojunk=False
    ).get_opcodes()
    for number, (kind, a1, a2, b1, b2) in enumerate(codes):
        if kind != "equal":
            old, new = marked(a[a1:a2], b[b1:b2])
            out.append(f'<div class=pair>{block("del", a1, old)}{block("ins", b1, new)}</div>\n')
            continue
        above = CONTEXT if number else 0
        below = CONTEXT if number + 1 < len(codes) else 0
        hidden = a2 - a1 - above - below
        if hidden <= 1:  # a fold is as high as one hidden line
            out.append(both(a1, b1, b[b1:b2]))
            continue
        out.append(both(a1, b1, b[b1 : b1 + above]))
        out.append(
            f"<details><summary>{hidden} equal lines</summary>"
            + both(a1 + above, b1 + above, b[b1 + above : b2 - below])
            + "</details>\n"
        )
        out.append(both(a2 - below, b2 - below, b[b2 - below : b2]))
    return "".join(out)
