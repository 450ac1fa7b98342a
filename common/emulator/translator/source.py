# SPDX-License-Identifier: MIT
"""A CUDA source cut into tokens, and the edits made to it."""

import bisect
import re
from pathlib import Path
from typing import NamedTuple, NoReturn

# '<' and '>' stay single characters: whether '>>>' ends a launch or three template argument lists
# depends on the text before it.
TOKEN = re.compile(
    r"""
    (?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?\*/ )
  | (?P<raw_string> (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)" )
  | (?P<string> (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" )
  | (?P<number> \.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])* )
  | (?P<character> (?:u8|[uUL])?'(?:\\.|[^'\\\n])+' )
  | (?P<identifier> [A-Za-z_$][A-Za-z_$0-9]* )
  | (?P<space> (?:\s|\\\r?\n)+ )
  | (?P<operator> ::|->|<=(?!>)|>=|. )
    """,
    re.VERBOSE | re.DOTALL,
)

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")": "(", "]": "[", "}": "{"}


LARGEST_SOURCE = 64 << 20  # bytes: a device has no end


class TranslationError(Exception):
    """A construct that cannot be translated; the message starts with file:line."""


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Edit(NamedTuple):
    start: int
    end: int
    text: str


class Source:
    """One source file cut into tokens, with the edits made to it so far."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.edits: list[Edit] = []
        self.has_ptx = False  # whether a translated statement needs emulator/ptx.hpp
        every = [
            Token(
                "raw_string" if match.lastgroup == "delimiter" else match.lastgroup or "operator",
                match[0],
                match.start(),
                match.end(),
            )
            for match in TOKEN.finditer(text)
        ]
        self.directives = self._take_directives(every)
        self.tokens = [token for token in every if token.kind not in ("comment", "space")]
        self.renumbered = [
            (self.row_of(start), int(rest))
            for start, name, rest in self.directives
            if name == "line" and rest.isdigit()
        ]
        self.dead = self._ranges_dead_on_the_engine()

    def _take_directives(self, every: list[Token]) -> list[tuple[int, str, str]]:
        """The preprocessor directives as (offset of '#', name, rest of the logical line)."""
        directives = []
        at_line_start = True
        for token in every:
            if token.text == "#" and at_line_start:
                end = token.end
                while True:
                    newline = self.text.find("\n", end)
                    end = len(self.text) if newline < 0 else newline
                    if newline < 0 or not self.text[:end].rstrip("\r").endswith("\\"):
                        break
                    end += 1
                match = re.match(r"#\s*(\w*)\s*(.*)", self.text[token.start : end], re.DOTALL)
                assert match is not None  # the text begins with "#"
                directives.append((token.start, match[1], match[2].rstrip()))
            if token.kind == "space" and "\n" in re.sub(r"\\\r?\n", "", token.text):
                at_line_start = True
            elif token.kind not in ("space", "comment"):
                at_line_start = False
        return directives

    def _ranges_dead_on_the_engine(self) -> list[tuple[int, int]]:
        """Ranges that `#if 0` or a test of CUDA_EMULATOR removes on the CPU engine.

        There a kernel may keep PTX for the GPU, beside a plain version for the engine.
        """
        engine_only = re.compile(r"(defined\s*\(?\s*)?CUDA_EMULATOR\s*\)?$")
        gpu_only = re.compile(r"(0|!\s*(defined\s*\(?\s*)?CUDA_EMULATOR\s*\)?)$")
        ranges = []
        # Is this branch dead, is the #else branch dead, and the start of the branch.
        open_conditionals: list[tuple[bool, bool, int]] = []
        for start, name, rest in self.directives:
            rest = re.sub(r"\s*(//.*|/\*.*?\*/)\s*", "", rest)
            if name in ("if", "ifdef", "ifndef"):
                is_name = rest == "CUDA_EMULATOR"
                dead_now = (name == "if" and bool(gpu_only.match(rest))) or (
                    name == "ifndef" and is_name
                )
                dead_else = (name == "if" and bool(engine_only.match(rest))) or (
                    name == "ifdef" and is_name
                )
                open_conditionals.append((dead_now, dead_else, start))
            elif name in ("else", "elif", "endif") and open_conditionals:
                dead_now, dead_else, branch_start = open_conditionals.pop()
                if dead_now:
                    ranges.append((branch_start, start))
                if name != "endif":
                    open_conditionals.append((dead_else, dead_else, start))
        return ranges

    def is_dead(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self.dead)

    def row_of(self, offset: int) -> int:
        """The line in this text, from 1."""
        return bisect.bisect_right(self.line_starts, offset)

    def line_of(self, offset: int) -> int:
        """The line that the compiler names: #line directives count."""
        row = self.row_of(offset)
        before = bisect.bisect_left(self.renumbered, (row,)) - 1
        if before < 0:
            return row
        directive_row, line = self.renumbered[before]
        return line + row - directive_row - 1

    def in_directive(self, token: Token) -> bool:
        """Whether the token belongs to a preprocessor directive, which may have several lines."""
        line = self.row_of(token.start)
        while line > 1 and self.text[: self.line_starts[line - 1] - 1].endswith("\\"):
            line -= 1
        return self.text[self.line_starts[line - 1] :].lstrip().startswith("#")

    def fail(self, token: Token, message: str) -> NoReturn:
        raise TranslationError(f"{self.path}:{self.line_of(token.start)}: {message}")

    def line_breaks(self, start: int, end: int) -> str:
        """The line breaks in a range; those of a macro keep their backslash."""
        return "".join(re.findall(r"\\?\r?\n", self.text[start:end]))

    def plain_text(self, first: int, last: int) -> str:
        """Tokens first..last on one line, without comments."""
        words: list[str] = []
        for index in range(first, last + 1):
            token = self.tokens[index]
            if words and token.start > self.tokens[index - 1].end:
                words.append(" ")
            words.append(token.text)
        return "".join(words)

    def is_run(self, index: int, character: str, length: int) -> bool:
        """Whether `length` adjacent tokens from index on are all this character."""
        run = self.tokens[index : index + length]
        return len(run) == length and all(
            token.text == character and token.start == run[0].start + offset
            for offset, token in enumerate(run)
        )

    def is_bracket(self, index: int, character: str) -> bool:
        """Whether three tokens from index on are a launch's `<<<` or `>>>`. nvcc also takes `<< <`
        and `>> >`, which editors make of them."""
        if self.is_run(index, character, 3):
            return True
        return (
            self.is_run(index, character, 2)
            and index + 2 < len(self.tokens)
            and self.tokens[index + 2].text == character
        )

    def add_behind(self, token: Token, text: str) -> None:
        """Inserts words behind a token, apart from what follows."""
        follows = self.text[token.end : token.end + 1]
        blank = " " if follows.isalnum() or follows in ("_", "$") else ""
        self.edits.append(Edit(token.end, token.end, f" {text}{blank}"))

    def edited(self) -> str:
        return apply_edits(self.text, self.edits)


def opens_namespace(tokens: list[Token], index: int) -> bool:
    """Whether the '{' at index opens a namespace or an extern "C" block, not a body."""
    back = index - 1
    if back >= 1 and tokens[back].kind == "string" and tokens[back - 1].text == "extern":
        return True
    while back >= 0 and (tokens[back].kind == "identifier" or tokens[back].text == "::"):
        if tokens[back].text == "namespace":
            return True
        back -= 1
    return False


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text after edits that do not overlap."""
    pieces = []
    position = 0
    for edit in sorted(edits):
        pieces += [text[position : edit.start], edit.text]
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)


def read_source(path: Path) -> str:
    """The text of a file. Bytes that are no UTF-8 are kept. Errors: OSError, and TranslationError
    for a text without an end."""
    with path.open("rb") as file:
        data = file.read(LARGEST_SOURCE + 1)
    if len(data) > LARGEST_SOURCE:
        raise TranslationError(f"{path}:1: is longer than {LARGEST_SOURCE >> 20} MiB")
    text = data.decode("utf-8-sig", errors="surrogateescape")
    return text.replace("\r\n", "\n").replace("\r", "\n")
