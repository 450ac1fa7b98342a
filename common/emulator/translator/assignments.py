# SPDX-License-Identifier: MIT
"""Assignments: g++ does not record the store of `s[i] = f()` if a call returns a struct, because the
call itself writes to s[i]. The left side becomes EMULATOR_LEFT(s[i]), whose `=` takes the struct
first and then stores it; see include/emulator/assignments.hpp."""

from .discarded_calls import token_before
from .launches import match_backwards
from .source import Edit, Source

# A statement or an expression begins after these.
BEFORE = {";", "{", "}", "(", "=", "?", ":", "else", "do"}
TAKE_A_CONDITION = {"if", "for", "while", "switch", "constexpr"}
# Keywords in front of a `=` that is no assignment.
OTHERS = {
    "operator",
    "using",
    "class",
    "typename",
    "namespace",
    "concept",
    "return",
    "delete",
    "auto",
}
# What has nothing to call.
PLAIN = {".", "->", "::", "[", "]"}


def is_assignment(source: Source, index: int) -> bool:
    """Whether the '=' at index is one, not a part of another operator."""
    start = source.tokens[index].start
    before, after = source.text[start - 1], source.text[start + 1 : start + 2]
    return before not in "=!<>+-*/%&|^" and after != "="


def calls(source: Source, index: int) -> bool:
    """Whether something in the expression from index on may be a call: operators are."""
    tokens = source.tokens
    if tokens[index].text in ("{", "default", "delete"):
        return False
    depth = 0
    for token in tokens[index:]:
        if token.text == "[":
            depth += 1
        elif token.text == "]":
            depth -= 1
        if depth < 0 or token.text in (";", ")", "}", ","):
            return False
        if depth == 0 and token.kind == "operator" and token.text not in PLAIN:
            return True
    return False


def left_side(source: Source, index: int) -> int | None:
    """Index of the first token of the left side that ends before the '=' at index. None for what
    declares a name, and for what is not understood."""
    tokens = source.tokens
    first = index - 1
    while first > 1 and tokens[first].text in ("+", "-") and tokens[first - 1].text in ("+", "-"):
        first -= 2  # *next++ = f()
    while True:
        token = tokens[first]
        if token.text in (")", "]"):
            opening = match_backwards(source, first)
            if not opening:
                return None
            before = tokens[opening - 1]
            first = opening
            is_postfix = before.text in (")", "]") or (
                before.kind == "identifier" and before.text not in BEFORE | TAKE_A_CONDITION
            )
            if not is_postfix:
                if token.text == "]":
                    return None  # a lambda's, or of an attribute
                break
            first -= 1
        elif token.kind == "identifier" and token.text not in OTHERS:
            if tokens[first - 1].text == "::" and tokens[first - 2].text in BEFORE:
                first -= 1
                break
            if tokens[first - 1].text in (".", "->", "::"):
                first -= 2
            else:
                break
        else:
            return None
    while tokens[first - 1].text == "*":
        first -= 1
    before_index = token_before(source, first)
    before = tokens[before_index]
    if before.text == ")":
        opening = match_backwards(source, before_index)
        return first if opening and tokens[opening - 1].text in TAKE_A_CONDITION else None
    if before.text == "{" and opens_enumeration(source, before_index):
        return None
    return first if before.text in BEFORE else None


def opens_enumeration(source: Source, index: int) -> bool:
    back = index - 1
    while back >= 0 and (
        source.tokens[back].kind == "identifier" or source.tokens[back].text == ":"
    ):
        if source.tokens[back].text == "enum":
            return True
        back -= 1
    return False


def note_assignment(source: Source, index: int) -> None:
    if not is_assignment(source, index) or not calls(source, index + 1):
        return
    first = left_side(source, index)
    if first is None:
        return
    begin, end = source.tokens[first].start, source.tokens[index - 1].end
    source.edits += [Edit(begin, begin, "EMULATOR_LEFT("), Edit(end, end, ")")]
