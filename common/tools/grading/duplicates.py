# SPDX-License-Identifier: MIT
"""Lists submissions that are alike: what was the lab's own is removed first.

Two files are the same if they differ only in comments, layout and names. With the Debian package
similarity-tester, files that share most of their own lines are listed, too. A list is no verdict: a
lab has one best solution, and many find it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from common.tools.grading.sandbox import Cage, run_caged
from common.tools.labs.tokens import BadText, Token, tokens_of
from common.tools.labs.lab import Lab

SIM = "sim_c++"
SECONDS = 300
FEWEST = 40  # tokens of a student's own; less says nothing
THRESHOLD = 80  # per cent of a file's own tokens
RUN = 16  # so many tokens in a row are alike, or nothing is
LINE = re.compile(
    r"(?P<one>\d+)\.cu consists for (?P<percent>\d+) % of (?P<other>\d+)\.cu material"
)


@dataclass(frozen=True, order=True)
class Alike:
    lab: str
    student: str
    other: str
    percent: int
    how: str


def normal(tokens: list[Token]) -> tuple[str, ...]:
    """The tokens, with each name replaced by the order of its first use."""
    order: dict[str, str] = {}
    return tuple(
        order.setdefault(token.text, f"n{len(order)}") if token.kind == "name" else token.text
        for token in tokens
    )


def lines_of(tokens: list[Token]) -> dict[int, list[Token]]:
    lines: dict[int, list[Token]] = defaultdict(list)
    for token in tokens:
        lines[token.line].append(token)
    return lines


def own_lines(tokens: list[Token], models: list[list[Token]]) -> list[str]:
    """The lines that the start and the solution do not have, without layout."""
    known = {
        tuple(token.text for token in line) for model in models for line in lines_of(model).values()
    }
    return [
        " ".join(token.text for token in line)
        for line in lines_of(tokens).values()
        if tuple(token.text for token in line) not in known
    ]


def same_files(
    lab: Lab, streams: Mapping[str, list[Token]], models: list[list[Token]]
) -> list[Alike]:
    """Pairs that differ in names only. A file that is the start or the solution is left out."""
    known = {normal(model) for model in models}
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for student, tokens in sorted(streams.items()):
        form = normal(tokens)
        if form not in known:
            groups[form].append(student)
    return [
        Alike(lab.name, group[i], other, 100, "differs in names and layout only")
        for group in groups.values()
        for i in range(len(group))
        for other in group[i + 1 :]
    ]


def shared_lines(
    lab: Lab, streams: Mapping[str, list[Token]], models: list[list[Token]]
) -> list[Alike]:
    """Pairs of which one consists mostly of the other, by the similarity tester."""
    students = sorted(streams)
    with tempfile.TemporaryDirectory(prefix="alike-") as name:
        folder = Path(name)
        for number, student in enumerate(students):
            own = own_lines(streams[student], models)
            if sum(line.count(" ") + 1 for line in own) >= FEWEST:
                (folder / f"{number}.cu").write_text("\n".join(own) + "\n", encoding="utf-8")
        files = sorted(path.name for path in folder.glob("*.cu"))
        if len(files) < 2:
            return []
        command = [SIM, "-p", "-e", "-T", "-r", str(RUN), "-t", str(THRESHOLD), *files]
        said = run_caged(command, folder=folder, seconds=SECONDS, cage=Cage()).stdout
    found: dict[tuple[str, str], int] = {}
    for match in LINE.finditer(said):
        pair = sorted((students[int(match["one"])], students[int(match["other"])]))
        found[pair[0], pair[1]] = max(found.get((pair[0], pair[1]), 0), int(match["percent"]))
    return [
        Alike(lab.name, one, other, percent, "shares its own lines")
        for (one, other), percent in found.items()
    ]


def has_tester() -> bool:
    return shutil.which(SIM) is not None


def find_alike(lab: Lab, sources: Mapping[str, bytes]) -> list[Alike]:
    """`sources`: student -> file. In the order of the names, whatever the order of the students."""
    if lab.is_question:
        return []
    models = [tokens_of(program.text()) for program in (lab.start, lab.solution)]
    streams: dict[str, list[Token]] = {}
    for student, data in sources.items():
        try:
            streams[student] = tokens_of(data.decode("utf-8"))
        except (UnicodeDecodeError, BadText):
            continue
    found = same_files(lab, streams, models)
    pairs = {(one.student, one.other) for one in found}
    if has_tester():
        found += [
            one
            for one in shared_lines(lab, streams, models)
            if (one.student, one.other) not in pairs
        ]
    return sorted(found)
