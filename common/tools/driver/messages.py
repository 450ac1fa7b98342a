# SPDX-License-Identifier: MIT
"""Messages of g++ and of the linker, cut down to what concerns the program's own lines.

An error inside the engine's headers is reported at the program's line that led there. What the
engine lacks is named once per file, in one line.
"""

import re
from dataclasses import dataclass, field

from common.tools.driver.missing import advice
from common.tools.driver.unset import is_doubtful

SYSTEM = ("/usr/include/", "/usr/lib", "/usr/local/include/", "/usr/local/lib", "/usr/local/cuda")
DIAGNOSTIC = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+)(?::\d+)?: (?P<kind>fatal error|error|warning|note): "
    r"(?P<text>.*)"
)
PLACE = re.compile(r"(?:In file included from|\s+from|)\s*(?P<file>[^\s:][^:]*):(?P<line>\d+)")
REQUIRED = re.compile(r".*:\d+:\d+:\s+(recursively )?required (from|by)|.*:   required ")
CONTEXT = re.compile(
    r"In file included from |\s+from .*[:,]$|[^\s:][^:]*: (In|At) |"
    r"[^\s:][^:]*:\d+:(\d+:)?\s+(recursively )?(required|in .constexpr. expansion|inlined from)|"
    r"\s+inlined from "
)
UNKNOWN = re.compile(
    r"[‘'](?P<name>\w+)[’'] (was not declared in this scope|has not been declared|"
    r"does not name a type|is not a member of|was not declared)|"
    r"variable or field [‘']\w+[’'] declared void"
)
MISSING_CALL = re.compile(r"call to .* declared with attribute error: (?P<text>.*)")
STATIC_ASSERTION = re.compile(r"static assertion failed: (?P<text>.*)")
UNDEFINED = re.compile(
    r"(?P<place>.*?): undefined reference to [`‘'](?P<name>[^'’]*)['’]|.*: undefined reference"
)


@dataclass
class Diagnostic:
    """One message of g++ with the lines that belong to it."""

    file: str
    line: int
    kind: str
    text: str
    context: list[str]
    excerpt: list[str] = field(default_factory=list)


def is_own(file: str) -> bool:
    """Whether a file belongs to the program: not to the engine, the system or the toolkit. The
    program may lie below /usr itself: in containers, /usr/src is usual. A precompiled header names
    the engine where it was, if an installation was moved. The engine's reports use the same rule
    (counting/record/source_lines.cpp)."""
    before, engine, _ = file.rpartition("common/emulator/")
    if engine and not before.endswith("tests/"):
        return False
    return not file.startswith((*SYSTEM, "<"))


def parse(output: str) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    context: list[str] = []
    for line in output.splitlines():
        match = DIAGNOSTIC.match(line)
        if match:
            diagnostic = Diagnostic(
                match["file"], int(match["line"]), match["kind"], match["text"], context
            )
            found.append(diagnostic)
            context = []
        elif CONTEXT.match(line):
            context.append(line)
        elif found:
            found[-1].excerpt.append(line)
    return found


def own_place(diagnostic: Diagnostic) -> str:
    """The program's place "file:line" that leads to a message; "" if there is none."""
    if is_own(diagnostic.file):
        return f"{diagnostic.file}:{diagnostic.line}"
    for line in diagnostic.context:
        match = PLACE.match(line)
        if match and is_own(match["file"]):
            return f"{match['file']}:{match['line']}"
    return ""


def is_cuda_name(name: str) -> bool:
    return (
        re.match(r"(cuda|__cuda|cu|CU|CUDA|nv|cublas|CUBLAS|curand|CURAND)[A-Z_]", name) is not None
    )


def plain_text(diagnostic: Diagnostic) -> str:
    """A message without the words that g++ puts around a text of the engine's own."""
    for pattern in (MISSING_CALL, STATIC_ASSERTION):
        match = pattern.match(diagnostic.text)
        if match:
            return match["text"].strip('"“”')
    text = diagnostic.text
    return text.removeprefix("#error ").strip('"') if text.startswith("#error ") else text


def declaration(diagnostics: list[Diagnostic]) -> tuple[str, int] | None:
    """The place in the program that the note behind a message names as a declaration."""
    if len(diagnostics) < 2 or "declared here" not in diagnostics[1].text:
        return None
    return (diagnostics[1].file, diagnostics[1].line) if is_own(diagnostics[0].file) else None


class Filter:
    """The lines to print for one compilation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.named: set[str] = set()  # what was said to be missing
        self.followers: set[str] = set()  # names whose declaration failed for that reason

    def add(self, diagnostics: list[Diagnostic]) -> list[str]:
        parent_shown = False
        for number, diagnostic in enumerate(diagnostics):
            if is_doubtful(diagnostic.text, declaration(diagnostics[number : number + 2])):
                parent_shown = False
                continue
            if diagnostic.kind == "note":
                if parent_shown and is_own(diagnostic.file):
                    self.show(f"{diagnostic.file}:{diagnostic.line}", diagnostic)
                continue
            parent_shown = self.add_message(diagnostic)
        return self.lines

    def add_message(self, diagnostic: Diagnostic) -> bool:
        """Whether the message is shown as g++ gave it, so that its notes belong with it."""
        place = own_place(diagnostic)
        if not place:
            if diagnostic.kind != "warning":
                self.show(f"{diagnostic.file}:{diagnostic.line}", diagnostic)
            return False
        unknown = UNKNOWN.search(diagnostic.text)
        name = (unknown and unknown["name"]) or ""
        if name in self.followers:
            return False
        if name and is_cuda_name(name):
            self.say_missing(place, name, diagnostic)
            return False
        called = re.match(r"call to [‘'](?:[^’']*?)(\w+)(?:\(|[’'])", diagnostic.text)
        if MISSING_CALL.match(diagnostic.text) and called:
            name = called[1]
            if name not in self.named:
                self.named.add(name)
                self.lines.append(f"{place}: error: {plain_text(diagnostic)}")
            return False
        if not is_own(diagnostic.file):
            line = f"{place}: {diagnostic.kind}: {plain_text(diagnostic)}"
            if line not in self.lines:
                self.lines.append(line)
            return False
        self.show(place, diagnostic)
        return True

    def say_missing(self, place: str, name: str, diagnostic: Diagnostic) -> None:
        """One line for a name of CUDA that is unknown. What its line declares is unknown too."""
        source = diagnostic.excerpt[0].partition("|")[2] if diagnostic.excerpt else ""
        declared = re.match(r"[\s*&>]*[A-Za-z_][^=;()]*", source.partition(name)[2])
        self.followers |= set(re.findall(r"\w+", declared[0])) if declared else set()
        if name not in self.named:
            self.named.add(name)
            self.lines.append(f"{place}: error: {name} {advice(name)}")

    def show(self, place: str, diagnostic: Diagnostic) -> None:
        self.lines.append(f"{place}: {diagnostic.kind}: {plain_text(diagnostic)}")
        excerpt = [line for line in diagnostic.excerpt if re.match(r"\s*\d* \|", line)]
        # g++ counts columns in the translated line, which may be longer than the program's.
        width = max((len(line) for line in excerpt if not line.startswith("      |")), default=0)
        if any(len(line) > width + 1 for line in excerpt):
            excerpt = [line for line in excerpt if not line.startswith("      |")]
        self.lines += excerpt


def compiler_messages(output: str, failed: bool) -> str:
    """What to print of g++'s output. Nothing is hidden if it cannot be understood."""
    lines = Filter().add(parse(output))
    if failed and not any(": error: " in line or ": fatal error: " in line for line in lines):
        return output
    return "".join(f"{line}\n" for line in lines)


def linker_messages(output: str) -> str:
    """What to print of the linker's output: each undefined name once, with its first place."""
    lines: list[str] = []
    named: set[str] = set()
    for line in output.splitlines():
        match = UNDEFINED.match(line)
        if match and match["name"]:
            name = match["name"]
            if name in named:
                continue
            named.add(name)
            bare = name.partition("(")[0]
            place = re.sub(r"^.*/ld: ", "", match["place"])
            why = advice(bare) if is_cuda_name(bare) else "is defined in no file that is linked"
            # Code that no line of the program wrote has a section in place of a line: the call of
            # main.
            where = "" if place.startswith("(") else f"{place}: "
            lines.append(f"{where}error: {name} {why}")
        elif not re.search(r": in function |collect2: error|more undefined", line):
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)
