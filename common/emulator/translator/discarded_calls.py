# SPDX-License-Identifier: MIT
"""Calls of the CUDA runtime whose result the program throws away. The call

    cudaFree(p);  becomes  ::emulator::discarded("cudaFree", __FILE__, __LINE__, cudaFree(p));

so that the engine can name the line if the call fails and nobody reads the error."""

import re
from pathlib import Path

from .launches import match_backwards
from .source import CLOSING, OPENING, Edit, Source

ENGINE = Path(__file__).parents[1]
# Begins a file of host code: without CUDA's header, a function of such a name is the program's own.
HOST_HEADER = (
    "namespace emulator { template <class Error> "
    "void discarded(const char*, const char*, int, Error) {} }\n"
)
DECLARATION = re.compile(r"\bcudaError_t\s+(cuda[A-Z]\w*)\(")
# These are called as statements to read an error, or to forget it.
READERS = {"cudaGetLastError", "cudaPeekAtLastError"}


def read_api() -> set[str]:
    """The functions of the engine's headers that return an error."""
    names: set[str] = set()
    folders = [ENGINE / "include", *ENGINE.glob("libraries/*/include")]
    for folder in folders:
        for path in folder.rglob("*.h*"):
            names |= set(DECLARATION.findall(path.read_text(encoding="utf-8")))
    return names - READERS


API = read_api()


def token_before(source: Source, index: int) -> int:
    """Index of the token before the one at index; no directive lies between the two."""
    before = index - 1
    if not source.in_directive(source.tokens[index]):
        while before >= 0 and source.in_directive(source.tokens[before]):
            before -= 1
    return before


def begins_statement(source: Source, index: int) -> bool:
    tokens = source.tokens
    before = token_before(source, index)
    if before < 0:
        return False
    text = tokens[before].text
    if text in (";", "{", "}") or text in ("else", "do"):
        return True
    if text == ":":
        while before > 0 and tokens[before].text not in (";", "{", "}", "case", "default", "?"):
            before -= 1
        return tokens[before].text in ("case", "default")
    if text == ")":
        opening = match_backwards(source, before)
        if not opening:
            return False
        keyword = tokens[opening - 1].text
        return keyword in ("if", "for", "while", "switch", "constexpr")
    return False


def end_of_call(source: Source, index: int) -> int | None:
    """Index of the ')' that closes the call whose '(' is at index."""
    depth = 0
    for position in range(index, len(source.tokens)):
        text = source.tokens[position].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            return position
    return None


def note_discarded_call(source: Source, index: int) -> None:
    """The token at index names a function of the API."""
    tokens = source.tokens
    first = index - (tokens[index - 1].text == "::")
    if not begins_statement(source, first):
        return
    # A statement may be several calls, with commas between.
    while index + 1 < len(tokens) and tokens[index].text in API and tokens[index + 1].text == "(":
        end = end_of_call(source, index + 1)
        if end is None or end + 2 >= len(tokens) or tokens[end + 1].text not in (";", ","):
            return
        text = f'::emulator::discarded("{tokens[index].text}", __FILE__, __LINE__, '
        source.edits += [
            Edit(tokens[first].start, tokens[first].start, text),
            Edit(tokens[end].end, tokens[end].end, ")"),
        ]
        if tokens[end + 1].text == ";":
            return
        first = end + 2
        index = first + (tokens[first].text == "::")


def note_discarded_calls(source: Source) -> None:
    brackets: list[str] = []  # those that are open
    for index, token in enumerate(source.tokens):
        if token.text in OPENING:
            brackets.append(token.text)
        elif token.text in CLOSING and brackets:
            brackets.pop()
        elif token.text in API and brackets[-1:] == ["{"]:
            note_discarded_call(source, index)
