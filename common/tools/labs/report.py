# SPDX-License-Identifier: MIT
"""Prints what a check found, for a student."""

from __future__ import annotations

from common.tools.lib.stages import print_table
from common.tools.labs.lab import Lab
from common.tools.labs.result import Finding, Result
from common.tools.labs.tasks import bound, shown

MOST_FINDINGS = 8
WAITS = "waits"


def finding_lines(one: Finding) -> list[str]:
    lines = [f"  {one.text}"]
    if one.cure:
        lines.append(f"    cure: {one.cure}")
    return lines


def print_answer(result: Result) -> None:
    for line in result.messages:
        print(line)
    if result.right:
        print("your answer is right")
    elif not result.messages:
        print("your answer is not right")


def print_program(lab: Lab, result: Result) -> None:
    print(f"compiles: {'yes' if result.compiles else 'no'}")
    for line in result.messages:
        print(f"  {line}")
    if not result.compiles:
        return
    repeat = f"SEED={result.seed} repeats these inputs"
    print(f"right: {'yes' if result.right else 'no'} ({repeat})")
    print(f"mistakes: {len(result.findings) or 'none'}")
    for one in result.findings[:MOST_FINDINGS]:
        print("\n".join(finding_lines(one)))
    if len(result.findings) > MOST_FINDINGS:
        print(f"  and {len(result.findings) - MOST_FINDINGS} more")
    print()
    rows = [
        [
            "right",
            "",
            "",
            yes(result.right_points > 0),
            f"{result.right_points} of {lab.right_points}",
        ],
        [
            "no mistakes",
            "",
            "",
            yes(result.clean_points > 0),
            f"{result.clean_points} of {lab.clean_points}",
        ],
    ]
    for goal in result.goals:
        limit = "" if goal.goal is None else bound(goal.goal, goal.at_least)
        met = WAITS if goal.met and goal.points < goal.of else yes(goal.met)
        rows.append([goal.name, shown(goal.yours), limit, met, f"{goal.points} of {goal.of}"])
    print_table(["goal", "yours", "goal", "met", "points"], rows, left=1)
    if any(row[3] == WAITS for row in rows):
        print(f"{WAITS}: met, and counts when the result is right and no mistake is left")
    print_resources(result)
    print_times(result)


def print_resources(result: Result) -> None:
    rows = [
        [one.kernel, str(one.registers), str(one.shared_bytes), f"{100 * one.occupancy:.0f} %"]
        for one in result.resources
    ]
    if rows:
        print("\nfor information, compiled by nvcc for an H200")
        print_table(["kernel", "registers", "shared bytes", "occupancy"], rows, left=1)


def print_times(result: Result) -> None:
    if result.gpu_ms:
        print("\nfor information, on this machine's GPU")
        rows = [[name, f"{ms:.3g}"] for name, ms in result.gpu_ms]
        print_table(["program", "kernels, ms"], rows, left=1)


def yes(met: bool) -> str:
    return "yes" if met else "no"


def print_result(lab: Lab, result: Result) -> None:
    if lab.is_question:
        print_answer(result)
    else:
        print_program(lab, result)
    print(f"\n{lab.name}: {result.points} of {result.of} points")
