# SPDX-License-Identifier: MIT
"""TASK.md: what a lab asks for, as text."""

from __future__ import annotations

from pathlib import Path

from common.tools.labs.checking import goal_name, limits_of
from common.tools.labs.lab import Goal, Lab

PARTS = "CUB's and cooperative groups' parts for warps and blocks are allowed, calls for the device are not."
BY_HAND = "this lab is about what CUB's parts for warps and blocks do, so write it yourself."
DIGITS = 4  # of a number in a table


def shown(value: float | None) -> str:
    """Whole numbers whole, others with four digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value == round(value) else f"{value:.{DIGITS}g}"


def bound(limit: float, at_least: bool) -> str:
    return f"at {'least' if at_least else 'most'} {shown(limit)}"


def goal_rows(lab: Lab) -> list[str]:
    rows = [
        f"| the result is right, at every size and for every input | | {lab.right_points} |",
        f"| no race, no access out of bounds, no missing barrier | | {lab.clean_points} |",
    ]
    for goal, limit in zip(lab.goals, limits_of(lab, None), strict=True):
        rows.append(f"| {goal_name(goal, lab)} | {bound(limit, goal.at_least)} | {goal.points} |")
    return rows


def question_lines(lab: Lab, goal: Goal) -> list[str]:
    program, run = Path(lab.start.stage.source).name, " ".join(lab.run)
    return [
        "## The question",
        "",
        f"The program in `{program}` runs with `{run}`.",
        f"What does it show for **{goal_name(goal, lab)}**?",
        "",
        f"Write your number into `{lab.file_name}`. It is worth {lab.of} points.",
        "Predict it before you run anything: draw one warp, and what each of its lanes asks for.",
        "A fraction such as `17/2` is allowed.",
    ]


def goal_lines(lab: Lab) -> list[str]:
    return [
        f"- You may change: {lab.may_change}",
        f"- Must stay as it is: {lab.must_stay}",
        f"- Libraries: {BY_HAND if lab.by_hand else PARTS}",
        "",
        "## Goals",
        "",
        "| goal | yours must be | points |",
        "|---|---|---|",
        *goal_rows(lab),
        "",
        f"Counted on the CPU engine for `{' '.join(lab.run)}`.",
        f"The unchanged start gets {lab.start_points} of {lab.of} points.",
        "A goal counts only if the result is right and no mistake was found. Goals count all kernels, all",
        "kinds of access, and copies to and from the host: moving the work elsewhere gains nothing.",
    ]


def task_text(lab: Lab) -> str:
    chapter = f"[{lab.chapter}](../../chapters/{lab.chapter}/README.md)"
    hints = "is one hint" if len(lab.hints) == 1 else f"are {len(lab.hints)} hints"
    lines = [
        f"# {lab.name}: {lab.title}",
        "",
        *lab.idea,
        "",
        f"Time: about {lab.minutes} minutes. Chapter: {chapter}.",
        "",
        *(question_lines(lab, lab.goals[0]) if lab.is_question else goal_lines(lab)),
        "",
        "## Commands",
        "",
        "```sh",
        f"make check LAB={lab.name}",
        f"make hint LAB={lab.name}",
        "```",
        "",
        f"There {hints}. Each `make hint` reveals the next one below, and counts it.",
    ]
    return "\n".join(lines) + "\n"
