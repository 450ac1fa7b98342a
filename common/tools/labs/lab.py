# SPDX-License-Identifier: MIT
"""What a lab is: a program to begin with, a program that solves it, and goals between the two.

There are four kinds. They differ in where the start comes from:

pair      the start is a stage, the solution is the stage that follows it
mistake   the solution is a stage, the start is the same stage with a mistake
goal      the start is a stage, the solution is the same stage after some edits
question  a stage is run; the student says what a counter shows
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.labs.tokens import without_comments
from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, DataError, Stage

KINDS = ("pair", "mistake", "goal", "question")


@dataclass(frozen=True)
class Edit:
    """A text that occurs once in a stage's file, and what replaces it."""

    old: str
    new: str


@dataclass(frozen=True)
class Program:
    """A stage's file, after some edits. With `words`, it has no comments, and these names are
    replaced: then neither a comment nor a look at the stage tells what was edited."""

    stage: Stage
    edits: tuple[Edit, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    file: str = ""  # relative to the root, in a student's edition: its text, not the stage's

    def text(self) -> str:
        text = read_text(ROOT / (self.file or self.stage.source))
        for edit in self.edits:
            found = text.count(edit.old)
            if found != 1:
                raise DataError(
                    f"{self.stage.source}: a lab edits a text that occurs {found} times, not once: "
                    f"{edit.old.strip().splitlines()[0]!r}"
                )
            text = text.replace(edit.old, edit.new)
        if not self.words:
            return text
        licence, _, code = text.partition("\n")
        text = f"{licence}\n{without_comments(code)}"
        for old, new in self.words:
            text = re.sub(rf"\b{old}\b", new, text)
        return text


@dataclass(frozen=True)
class Goal:
    """A counter that must come as near to the solution's as the tolerance says."""

    counter: str  # a name of metrics.py
    points: int
    tolerance: float  # a share of the solution's value
    at_least: bool = False  # otherwise at most
    kernel: str = ""  # only kernels whose names contain this text


@dataclass(frozen=True)
class Unit:
    """The work to which counters are related: 32 768 times "32 cells"."""

    name: str
    count: float


@dataclass(frozen=True)
class Lab:
    name: str  # "nbody/03"
    chapter: str
    kind: str
    title: str
    minutes: int
    idea: tuple[str, ...]  # three sentences
    may_change: str
    must_stay: str
    hints: tuple[str, ...]
    start: Program
    solution: Program
    goals: tuple[Goal, ...]
    sizes: tuple[int, ...]  # the oracle verifies the result at these
    checks: tuple[str, ...]  # flags of further verified runs
    run: tuple[str, ...]  # flags of the run that is counted
    unit: Unit
    right_points: int
    clean_points: int
    start_points: int  # what the unchanged start gets
    unit_power: int = 1  # the work grows with this power of n
    by_hand: bool = False  # the lab is about what a part of CUB or of cooperative groups does
    # In a student's edition, which has no solutions: what the solution counts, and the names that it
    # uses, without order.
    expected: dict[str, Any] | None = None
    vocabulary: str | None = None

    @property
    def of(self) -> int:
        return self.right_points + self.clean_points + sum(goal.points for goal in self.goals)

    @property
    def is_question(self) -> bool:
        return self.kind == "question"

    @property
    def file_name(self) -> str:
        """The file that the student changes."""
        return "answer.txt" if self.is_question else Path(self.start.stage.source).name

    @property
    def folder_name(self) -> str:
        return self.name.replace("/", "_")
