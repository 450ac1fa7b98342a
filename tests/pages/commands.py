# SPDX-License-Identifier: MIT
"""The commands that the course's pages name: each line of a fenced block of commands, and inline
code that begins with a command."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^ *(```+|~~~+) *(\S*) *$")
# A block without a language has commands; one of ```text has none.
COMMANDS = ("sh", "bash", "shell", "console", "")
INLINE = re.compile(r"(`+)(.+?)\1")
WORD = re.compile(
    r"(make|printf|python3 -m|meson|ninja|git|apt|apt-get|pip|pipx|sbatch|srun|mpirun)(?= |$)"
)
ASSIGNMENT = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)
PLACEHOLDER = re.compile(r"…|<\w+>|\bNN_")
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")


@dataclass(frozen=True)
class Command:
    page: str
    line: int
    text: str  # without a comment and without the prompt
    fenced: bool

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def has_placeholder(self) -> bool:
        return PLACEHOLDER.search(self.text) is not None

    @property
    def words(self) -> list[str]:
        try:
            return shlex.split(self.text)
        except ValueError:  # a quotation that does not end
            return self.text.split()

    @property
    def environment(self) -> dict[str, str]:
        """The assignments before the command."""
        found = {}
        for word in self.words:
            match = ASSIGNMENT.fullmatch(word)
            if match is None:
                break
            found[match[1]] = match[2]
        return found

    @property
    def arguments(self) -> list[str]:
        """The command's name, and what follows it up to the end of the first simple command."""
        found = []
        for word in self.words[len(self.environment) :]:
            if word in ("&&", "||", "|", ";", "&") or word.startswith((">", "2>", "<")):
                break
            found.append(word)
        return found

    @property
    def program(self) -> str:
        return next(iter(self.arguments), "")


@dataclass(frozen=True)
class Code:
    """Any inline code: it may name a file or a stage."""

    page: str
    line: int
    text: str


def without_comment(line: str) -> str:
    """A `#` after a blank begins a comment, but not between quotes."""
    for match in re.finditer(r"(?:^|(?<=\s))#", line):
        before = line[: match.start()]
        if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            return before.rstrip()
    return line.rstrip()


def is_whole(text: str) -> bool:
    """Whether the shell asks for no further line."""
    heredoc = HEREDOC.search(text)
    if heredoc:
        return text.splitlines()[-1].strip() == heredoc[1]
    checked = subprocess.run(["bash", "-nc", text], capture_output=True, text=True, check=False)
    return not text.endswith("\\") and "end of file" not in checked.stderr


def commands_of_block(page: str, start: int, lines: list[str]) -> Iterator[Command]:
    if any(line.lstrip().startswith("$ ") for line in lines):  # other lines are what it prints
        lines = [line.lstrip()[2:] if line.lstrip().startswith("$ ") else "" for line in lines]
    begun, text = 0, ""
    for number, line in enumerate(lines, start):
        if not text:
            line = without_comment(line).strip()
            if not line:
                continue
        begun, text = (begun, f"{text}\n{line}") if text else (number, line)
        if is_whole(text):
            yield Command(page, begun, text, True)
            text = ""
    if text:
        yield Command(page, begun, text, True)


def read_page(page: str, text: str) -> tuple[list[Command], list[Code]]:
    commands: list[Command] = []
    codes: list[Code] = []
    block: tuple[int, str, list[str]] | None = None
    lines = text.splitlines()
    open_line, begun = "", 0
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and block is None:
            block = (number + 1, fence[2], [])
        elif fence and block is not None:
            if block[1] in COMMANDS:
                commands += commands_of_block(page, block[0], block[2])
            block = None
        elif block is not None:
            block[2].append(line)
        else:
            # Inline code may go on in the next line of its paragraph.
            line, begun = (f"{open_line} {line.strip()}", begun) if open_line else (line, number)
            open_line = line if line.count("`") % 2 and line.strip() else ""
            if open_line and number < len(lines) and lines[number].strip():
                continue
            open_line = ""
            for match in INLINE.finditer(line):
                code = match[2].strip()
                codes.append(Code(page, begun, code))
                command = Command(page, begun, code, False)
                if WORD.match(" ".join(command.arguments)):
                    commands.append(command)
    return commands, codes


def pages_of(root: Path) -> list[str]:
    """README.md, and all pages of the three folders."""
    found = [root / "README.md"]
    for folder in ("chapters", "common", "plots"):
        found += sorted((root / folder).rglob("*.md"))
    return [str(path.relative_to(root)) for path in found]
