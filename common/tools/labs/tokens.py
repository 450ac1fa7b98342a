# SPDX-License-Identifier: MIT
"""A C++ file as tokens with their lines, as a compiler sees them before macros are replaced."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\v\f]+)
  | (?P<newline>\n)
  | (?P<comment>//[^\n]*|/\*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\()
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
  | (?P<number>\.?[0-9](?:'?[A-Za-z0-9_.]|(?<=[eEpP])[+-])*)
  | (?P<sign>\[\[|\]\]|::|->|\#\#|<<<|>>>|<:|:>|<%|%>|%:%:|%:|[^\sA-Za-z0-9_])
    """,
    re.VERBOSE | re.DOTALL,
)
LITERALS = ("raw", "string", "character")


@dataclass(frozen=True)
class Token:
    kind: str  # "name", "number", "string", "character", "sign" or "directive"
    text: str
    line: int


class BadText(Exception):
    """The text is no C++: a comment or a literal has no end."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def spliced(text: str) -> tuple[str, list[int]]:
    """The text without backslashes at the ends of lines, and the place in it where each joined line
    began. g++ also joins if blanks follow the backslash."""
    parts: list[str] = []
    joins: list[int] = []
    length = 0
    last = 0
    for match in re.finditer(r"\\[ \t\v\f]*\n", text):
        part = text[last : match.start()]
        parts.append(part)
        length += len(part)
        joins.append(length)
        last = match.end()
    parts.append(text[last:])
    return "".join(parts), joins


def tokens_of(text: str) -> list[Token]:
    """All tokens. A line that begins with # is one token, the directive, without its comments."""
    joined, joins = spliced(text.replace("\r\n", "\n").replace("\r", "\n"))
    tokens: list[Token] = []
    directive: list[Token] = []  # the tokens of the directive that is being read
    line, at, join = 1, 0, 0
    fresh = True  # nothing but blanks since the line began

    def end_directive() -> None:
        if directive:
            words = " ".join(token.text for token in directive)
            tokens.append(Token("directive", words, directive[0].line))
            directive.clear()

    while at < len(joined):
        while join < len(joins) and joins[join] <= at:
            line, join = line + 1, join + 1
        match = TOKEN.match(joined, at)
        assert (
            match is not None and match.lastgroup is not None
        )  # every character is a sign at least
        kind, found = match.lastgroup, match.group()
        kind = next(name for name in TOKEN.groupindex if name != "mark" and match[name] is not None)
        behind = match.end()
        # An expression would look for the end from each beginning, which takes quadratic time.
        closing = f'){match["mark"]}"' if kind == "raw" else "*/" if found == "/*" else ""
        if closing:
            behind = joined.find(closing, behind) + len(closing)
            found = joined[at:behind]
        if (closing and behind < match.end() + len(closing)) or (kind == "sign" and found in "\"'"):
            raise BadText(line, "a comment or a literal has no end")
        if kind == "newline":
            end_directive()
            fresh = True
        elif kind not in ("space", "comment"):
            token = Token("string" if kind == "raw" else kind, found, line)
            if directive or (fresh and found in ("#", "%:")):
                directive.append(token)
            else:
                tokens.append(token)
            fresh = False
        line += found.count("\n")
        at = behind
    end_directive()
    return tokens


def without_comments(text: str) -> str:
    """The text without its comments, and without the lines that have nothing else. Errors: BadText."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match is not None
        found, behind = match.group(), match.end()
        if closing := f'){match["mark"]}"' if match["raw"] else "*/" if found == "/*" else "":
            end = text.find(closing, behind)
            if end < 0:
                raise BadText(text.count("\n", 0, at) + 1, "a comment or a literal has no end")
            behind = end + len(closing)
            found = text[at:behind]
        if match["comment"]:
            line = "".join(parts).rpartition("\n")[2]
            if behind < len(text) and text[behind] == "\n" and not line.strip():
                behind += 1
                found = ""
                if line:
                    parts = ["".join(parts)[: -len(line)]]
            else:
                found = " " if found.startswith("/*") else ""
        parts.append(found)
        at = behind
    lines = "".join(parts).split("\n")
    return "\n".join(line.rstrip() for line in lines)
