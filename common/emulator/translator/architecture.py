# SPDX-License-Identifier: MIT
"""__CUDA_ARCH__ for a compiler that compiles a function once, for host and device together.

nvcc compiles a file twice: __CUDA_ARCH__ is defined for the device and undefined for the host. Here

- in a __global__ or __device__ function it is EMULATOR_CUDA_ARCH;
- a function that may run on both sides gets its body twice, with and without the macro, and chooses
  when it is called;
- outside of functions, a conditional without #else is compiled if one of nvcc's two passes would
  compile it, and one with #else as for the device.
"""

import bisect
import re
from typing import NamedTuple

from .source import Edit, Source, apply_edits

MACRO = "__CUDA_ARCH__"
DEVICE_MACRO = "EMULATOR_CUDA_ARCH"
CLASS_KEYWORDS = {"class", "struct", "union", "enum"}
AFTER_PARAMETERS = {"const", "volatile", "noexcept", "override", "final", "mutable", "try", "&"}


class Body(NamedTuple):
    """A function's body: the offsets of its braces, and the words before the first."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def is_device_only(self) -> bool:
        on_device = "__global__" in self.words or "__device__" in self.words
        return on_device and "__host__" not in self.words


def is_function(words: list[str]) -> bool:
    """Whether these words before a brace are the head of a function or of a lambda."""
    while words and words[-1] in AFTER_PARAMETERS:
        words = words[:-1]
    if not words or "=" in words[-1:]:
        return False
    if words[-1] == ")":
        return True
    # -> type
    return ")" in words and "->" in words[words.index(")") :]


Opened = tuple[int, tuple[str, ...] | None]


def function_bodies(source: Source) -> list[Body]:
    """All functions and lambdas, those that enclose others first. Where the branches of an #if open
    different braces, the first branch counts."""
    tokens = source.tokens
    bodies: list[Body] = []
    opened: list[Opened] = []
    # For each open #if, the open braces before it and after its first branch.
    branches: list[tuple[list[Opened], list[Opened] | None]] = []
    head: list[str] = []
    directives = iter([*source.directives, (len(source.text) + 1, "", "")])
    directive = next(directives)
    for token in tokens:
        while directive[0] <= token.start:
            if directive[1] in ("if", "ifdef", "ifndef"):
                branches.append((list(opened), None))
            elif directive[1] in ("else", "elif") and branches:
                before, after_first = branches[-1]
                branches[-1] = (before, after_first or list(opened))
                opened = list(before)
            elif directive[1] == "endif" and branches:
                opened = branches.pop()[1] or opened
            directive = next(directives)
        if source.in_directive(token):
            continue
        if token.text == "{":
            words = tuple(head) if is_function(head) else None
            opened.append((token.start, words))
            head = []
        elif token.text == "}":
            if opened:
                start, words = opened.pop()
                if words is not None:
                    bodies.append(Body(start, token.start, words))
            head = []
        elif token.text == ";":
            head = []
        else:
            head.append(token.text)
    return sorted(bodies)


def replace_macro(text: str) -> str:
    return re.sub(rf"\b{MACRO}\b", DEVICE_MACRO, text)


def conditionals(source: Source) -> list[list[tuple[int, str, str]]]:
    """The directives of each conditional: #if, then #elif and #else, and #endif."""
    found, opened = [], []
    for directive in source.directives:
        if directive[1] in ("if", "ifdef", "ifndef"):
            opened.append([directive])
        elif directive[1] in ("else", "elif", "endif") and opened:
            opened[-1].append(directive)
            if directive[1] == "endif":
                found.append(opened.pop())
    return found


def either_pass(name: str, rest: str) -> str:
    """The condition of a conditional without #else, as #if: whether any pass compiles it."""
    condition = {"ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}.get(name, rest)
    return f"#if ({replace_macro(condition)}) || ({condition})"


def directive_edits(source: Source, inside: list[Body]) -> list[Edit]:
    """Edits of the conditionals outside of functions."""
    edits = []
    for conditional in conditionals(source):
        start, name, rest = conditional[0]
        if any(body.start < start < body.end for body in inside):
            continue
        if not any(MACRO in directive[2] for directive in conditional):
            continue
        if len(conditional) > 2:
            for place, _, text in conditional:
                if MACRO in text:
                    end = source.text.index(text, place) + len(text)
                    edits.append(Edit(place, end, replace_macro(source.text[place:end])))
        elif "\n" not in rest:
            rest = re.sub(r"\s*(//.*|/\*.*?\*/)\s*", "", rest)
            end = source.text.find("\n", start)
            end = len(source.text) if end < 0 else end
            edits.append(Edit(start, end, either_pass(name, rest)))
    return edits


def choose_architecture(source: Source) -> str:
    """The text of a source whose conditionals on __CUDA_ARCH__ suit one compilation for host and
    device. A body that is written twice is followed by #line directives."""
    text = source.text
    if MACRO not in text:
        return text
    bodies = function_bodies(source)
    edits = directive_edits(source, bodies)
    done = -1  # the end of the last body that was handled
    for body in bodies:
        if body.start < done:
            continue
        inside = [other for other in bodies if body.start <= other.start and other.end <= body.end]
        written = [
            match.start() for match in re.finditer(rf"\b{MACRO}\b", text[body.start : body.end])
        ]
        if not written:
            continue
        places = [body.start + place for place in written]
        device_bodies = [other for other in inside if other.is_device_only]
        done = body.end
        if all(any(it.start < place < it.end for it in device_bodies) for place in places):
            edits += [Edit(place, place + len(MACRO), DEVICE_MACRO) for place in places]
            continue
        content = text[body.start + 1 : body.end]
        line = bisect.bisect_right(source.line_starts, body.start + 1)
        twice = f" if (EMULATOR_IN_KERNEL) {{{replace_macro(content)}\n}} else {{\n#line {line}\n{content}}}"
        edits.append(Edit(body.start + 1, body.end, twice))
    return apply_edits(text, edits)
