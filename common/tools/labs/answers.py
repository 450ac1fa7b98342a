# SPDX-License-Identifier: MIT
"""Checks the answer to a question: one number, which a run of the program shows."""

from __future__ import annotations

import math
import re
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.stages import ToolError
from common.tools.labs.counted_run import solution_values
from common.tools.labs.lab import Lab
from common.tools.labs.metrics import label
from common.tools.labs.result import GoalResult, Result

LINE = re.compile(r"\s*answer\s*=\s*(?P<value>[^#]*)")
EMPTY = "answer = ?\n"


def read_answer(text: str) -> float | str:
    """The number of the line "answer = 8.5", or what is wrong with the file."""
    lines = [match["value"].strip() for line in text.splitlines() if (match := LINE.match(line))]
    if len(lines) != 1:
        return f"expected one line `answer = NUMBER`, found {len(lines)}"
    above, slash, below = lines[0].partition("/")
    try:
        value = float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError, OverflowError):
        return f"expected a number after `answer =`, found {lines[0][:40]!r}"
    return value if math.isfinite(value) else "the answer must be a finite number"


def check_answer(lab: Lab, source: Path) -> Result:
    """The seed does not matter: the question names the run."""
    goal = lab.goals[0]
    result = Result(lab.name, of=lab.of, compiles=True)
    try:
        answer = read_answer(read_text(source))
    except (OSError, ToolError):
        answer = "cannot be read"
    yours = None
    if isinstance(answer, str):
        result.messages.append(f"{source.name}: {answer}")
    else:
        yours = answer
        right = solution_values(lab, None)[0]
        result.right = abs(answer - right) <= goal.tolerance * abs(right) + 1e-9
    points = goal.points if result.right else 0
    name = label(goal.counter, lab.unit)
    # The right value is shown only to those who know it.
    result.goals = [
        GoalResult(
            name, yours, yours if result.right else None, False, result.right, points, goal.points
        )
    ]
    result.points = points
    return result
