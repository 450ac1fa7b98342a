# SPDX-License-Identifier: MIT
"""Functions and variables of the host in device code, which nvcc refuses. g++ knows no difference.

Only what is sure is refused: both the definition and its use stand in one file, outside of classes,
templates and conditionals of the preprocessor, and the name has one meaning."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .source import CLOSING, OPENING, Source, Token, opens_namespace

ENGINE = Path(__file__).parents[1]
OF_DEVICE = {"__device__", "__global__"}
# A definition with one of these words, or with a macro that may stand for one, may be used by
# device code, or is no plain definition.
OTHER = {
    *("constexpr", "consteval", "const", "template", "friend", "operator", "extern", "typedef"),
    *("using", "namespace", "static_assert", "struct", "class", "union", "enum", "concept"),
    *("__constant__", "__managed__", "__shared__", "thread_local", "asm"),
}
MACRO = re.compile(r"[A-Z][A-Z0-9_]*$")
# Before a name that is used, not declared.
STATEMENTS = {"return", "else", "do", "case", "goto", "co_return", "throw", "not", "and", "or"}
UNEVALUATED = {"sizeof", "decltype", "alignof", "typeid", "noexcept"}


class Definition(NamedTuple):
    """A function: tokens[first:body] is its head, tokens[body:end] its body."""

    name: str
    first: int
    body: int
    end: int
    words: set[str]


@cache
def device_names() -> frozenset[str]:
    """The functions of the engine's headers: a program may define others of these names."""
    names: set[str] = set()
    for path in (ENGINE / "include").rglob("*.h*"):
        names.update(re.findall(r"\b(\w+)\s*\(", path.read_text(encoding="utf-8")))
    return frozenset(names)


def plain_tokens(source: Source) -> list[Token]:
    """The tokens outside of directives."""
    ends = []
    for start, _, _ in source.directives:
        end = source.text.find("\n", start)
        while end > 0 and source.text[end - 1] == "\\":
            end = source.text.find("\n", end + 1)
        ends.append((start, len(source.text) if end < 0 else end))
    tokens, position = [], 0
    for token in source.tokens:
        while position < len(ends) and ends[position][1] <= token.start:
            position += 1
        if position == len(ends) or token.start < ends[position][0]:
            tokens.append(token)
    return tokens


def conditional_ranges(source: Source) -> list[tuple[int, int]]:
    """The parts of the text between #if and #endif, without an include guard."""
    ranges, depth, begin = [], 0, 0
    names = [name for _, name, _ in source.directives]
    guarded = names[:2] == ["ifndef", "define"] and names[-1] == "endif"
    for number, (start, name, _) in enumerate(source.directives):
        if guarded and number in (0, len(names) - 1):
            continue
        if name in ("if", "ifdef", "ifndef"):
            begin = start if depth == 0 else begin
            depth += 1
        elif name == "endif" and depth > 0:
            depth -= 1
            if depth == 0:
                ranges.append((begin, start))
    return ranges


def skip(tokens: list[Token], index: int) -> int:
    """Index after the bracket that closes the one at index."""
    depth = 0
    for position in range(index, len(tokens)):
        depth += (tokens[position].text in OPENING) - (tokens[position].text in CLOSING)
        if depth == 0:
            return position + 1
    return len(tokens)


class Names:
    """What a file defines outside of functions and classes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = plain_tokens(source)
        self.conditional = conditional_ranges(source)
        self.functions: list[Definition] = []
        self.variables: dict[str, Token] = {}
        self.read()

    def is_conditional(self, token: Token) -> bool:
        return any(begin <= token.start < end for begin, end in self.conditional)

    def read(self) -> None:
        tokens, index, first = self.tokens, 0, 0
        while index < len(tokens):
            text = tokens[index].text
            if text == "{" and opens_namespace(tokens, index):
                first = index = index + 1
            elif text == "{":
                after = skip(tokens, index)
                definition = self.function_at(first, index, after)
                index = after
                if definition is not None:
                    self.functions.append(definition)
                    first = after
            elif text in ("(", "["):
                index = skip(tokens, index)
            elif text in (";", "}"):
                if text == ";":
                    self.add_variable(first, index)
                first = index = index + 1
            else:
                index += 1

    def function_at(self, first: int, body: int, end: int) -> Definition | None:
        tokens = self.tokens
        words = set()
        index = first
        while index < body and tokens[index].text not in ("=", "{"):
            if tokens[index].text == "(":
                before = tokens[index - 1]
                if index > first and before.kind == "identifier" and tokens[index - 2].text != "::":
                    if not before.text.startswith("__") and before.text not in UNEVALUATED:
                        words.discard(before.text)
                        return Definition(before.text, first, body, end, words)
                index = skip(tokens, index)
                continue
            words.add(tokens[index].text)
            index += 1
        return None

    def add_variable(self, first: int, end: int) -> None:
        """`int total;`, `float table[4] = {…};`: one variable of a plain type."""
        tokens = self.tokens
        index = first
        while index < end and (tokens[index].kind == "identifier" or tokens[index].text in "*::"):
            index += 1
        words = {token.text for token in tokens[first : index - 1]}
        if index - first < 2 or tokens[index].text not in ("=", "[", ";"):
            return
        name = tokens[index - 1]
        if self.is_plain(words) and name.kind == "identifier":
            self.variables[name.text] = name

    @staticmethod
    def is_plain(words: set[str]) -> bool:
        return not words & (OTHER | OF_DEVICE) and not any(MACRO.match(word) for word in words)

    def host_functions(self) -> dict[str, Token]:
        """By name, those that device code cannot call."""
        taken = set(re.findall(r"\b__device__\b[^;{}()]*?\b(\w+)\s*\(", self.source.text))
        taken |= set(re.findall(r"#\s*define\s+(\w+)", self.source.text)) | device_names()
        taken |= {one.name for one in self.functions if not self.is_plain(one.words)}
        return {
            one.name: self.tokens[one.first]
            for one in self.functions
            if one.name not in taken and not self.is_conditional(self.tokens[one.first])
        }

    def check(self) -> None:
        functions = self.host_functions()
        for one in self.functions:
            if one.words & OF_DEVICE and not one.words & {"__host__", "template"}:
                self.check_body(one, functions)

    def check_body(self, one: Definition, functions: dict[str, Token]) -> None:
        used: dict[str, Token] = {}
        declared: set[str] = set()
        brackets: list[str] = []
        for index in range(one.first, one.end):
            token = self.tokens[index]
            if token.text in OPENING:
                brackets.append(token.text)
            elif token.text in CLOSING and brackets:
                brackets.pop()
            elif token.text in functions or token.text in self.variables:
                if self.is_declared(index, brackets):
                    declared.add(token.text)
                elif self.is_used(index, token.text in functions):
                    used.setdefault(token.text, token)
        for name, token in used.items():
            if name in declared or self.is_conditional(token):
                continue
            place = functions.get(name) or self.variables[name]
            if self.is_conditional(place):
                continue
            self.refuse(token, name, self.source.line_of(place.start), name in functions)

    def is_declared(self, index: int, brackets: list[str]) -> bool:
        tokens = self.tokens
        before = index - 1
        if tokens[before].text == "," and brackets[-1:] == ["{"]:
            return True  # int a, b;
        if tokens[before].text in ("[", ",") and brackets[-1:] == ["["]:
            while tokens[before].text != "[":
                before -= 1
            # A structured binding or a lambda's capture, not a subscript.
            before -= 1
            return tokens[before].text == "auto" or (
                tokens[before].kind != "identifier" and tokens[before].text not in ")]"
            )
        pointer = tokens[before].text in ("*", "&", ">")
        while tokens[before].text in ("*", "&", ">", "const"):
            before -= 1
        if tokens[before].kind != "identifier" or tokens[before].text in STATEMENTS:
            return False
        return not pointer or tokens[before - 1].text in ("{", "}", ";", "(", ",", "::", "const")

    def is_used(self, index: int, is_function: bool) -> bool:
        tokens = self.tokens
        before = tokens[index - 1].text
        if before in (".", "->", "::", *UNEVALUATED):
            return False
        if before == "(" and tokens[index - 2].text in UNEVALUATED:
            return False
        return not is_function or tokens[index + 1].text == "("

    def refuse(self, token: Token, name: str, line: int, is_function: bool) -> None:
        if is_function:
            message = (
                f"device code calls {name}(), a function of the host (line {line}): "
                "declare it __device__, or __host__ __device__ for both"
            )
        else:
            message = (
                f"device code uses {name}, a variable of the host (line {line}): "
                "pass it to the kernel, or declare it __device__ or __constant__"
            )
        self.source.fail(token, message)


def check_host_names(source: Source) -> None:
    if any(word in source.text for word in OF_DEVICE):
        Names(source).check()
