# SPDX-License-Identifier: MIT
"""All labs of the course, read from chapters/<chapter>/labs.toml. chapters/LABS-FORMAT.md explains
the file's keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_json, parse_toml, read_text
from common.tools.lib.stages import (
    ROOT,
    DataError,
    Stage,
    ToolError,
    chapters_of,
    load_stages,
    meant_stages,
    variable,
)
from common.tools.labs.lab import KINDS, Edit, Goal, Lab, Program, Unit
from common.tools.labs.metrics import COUNTERS, RATIOS

CHAPTER_KEYS = {
    "sizes": list,
    "checks": list,
    "run": str,
    "unit": str,
    "units": (int, float),
    "unit_power": int,
    "may_change": str,
    "must_stay": str,
}
LAB_KEYS = CHAPTER_KEYS | {
    "name": str,
    "kind": str,
    "stage": str,
    "start": str,
    "title": str,
    "minutes": int,
    "idea": list,
    "hints": list,
    "edits": list,
    "words": dict,
    "goals": list,
    "right_points": int,
    "clean_points": int,
    "start_points": int,
    "by_hand": bool,
}
# A student's edition has its labs in one file, which `make student-edition` writes.
EDITION = ROOT / "labs" / "labs.json"
EDITION_KEYS = LAB_KEYS | {"start_file": str, "expected": dict, "vocabulary": str}
GOAL_KEYS = {
    "counter": str,
    "points": int,
    "tolerance": (int, float),
    "at_least": bool,
    "kernel": str,
}
EDIT_KEYS = {"old": str, "new": str}
NEEDED = ("name", "kind", "stage", "title", "minutes", "idea", "hints", "goals", "start_points")
TOLERANCE = 0.05  # of a goal that names none
SENTENCES = 3  # of an idea
# What a right result and a program without mistakes are worth, where a lab says nothing.
RIGHT_POINTS = {"pair": 2, "mistake": 2, "goal": 2, "question": 0}
CLEAN_POINTS = {"pair": 2, "mistake": 5, "goal": 2, "question": 0}


def checked(record: object, keys: dict[str, Any], place: str) -> dict[str, Any]:
    """The record, if it is a table with these keys and types."""
    if not isinstance(record, dict):
        raise DataError(f"{place}: expected a table")
    for key, value in record.items():
        if key not in keys:
            raise DataError(f"{place}: there is no key '{key}'; the keys are {', '.join(keys)}")
        # bool is an int in Python, but not in TOML.
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and keys[key] is not bool):
            raise DataError(f"{place}: '{key}' has a value of the wrong type")
    return record


def texts(values: Sequence[Any], place: str, key: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) and value.strip() for value in values):
        raise DataError(f"{place}: '{key}' must be a list of texts")
    return tuple(value.strip() for value in values)


def read_goal(record: object, place: str) -> Goal:
    goal = checked(record, GOAL_KEYS, place)
    if "counter" not in goal or goal["counter"] not in COUNTERS:
        raise DataError(f"{place}: 'counter' must be one of {', '.join(COUNTERS)}")
    if goal.get("points", 0) < 1:
        raise DataError(f"{place}: 'points' must be at least 1")
    if not 0 <= goal.get("tolerance", TOLERANCE) < 1:
        raise DataError(f"{place}: 'tolerance' must be a share from 0 to below 1")
    return Goal(
        goal["counter"],
        goal["points"],
        goal.get("tolerance", TOLERANCE),
        goal.get("at_least", False),
        goal.get("kernel", ""),
    )


def read_edit(record: object, place: str) -> Edit:
    edit = checked(record, EDIT_KEYS, place)
    if not edit.get("old") or "new" not in edit:
        raise DataError(f"{place}: an edit needs 'old' and 'new'")
    return Edit(edit["old"], edit["new"])


def names(words: dict[str, Any], place: str) -> tuple[tuple[str, str], ...]:
    if not all(isinstance(new, str) and f"{old}{new}".isidentifier() for old, new in words.items()):
        raise DataError(f"{place}: 'words' has names and what replaces them")
    return tuple(words.items())


def stage_of(stages: dict[str, Stage], chapter: str, name: str, place: str) -> Stage:
    stage = stages.get(f"{chapter}/{name}")
    if stage is None:
        raise DataError(f"{place}: there is no stage {chapter}/{name}")
    if not stage.has_kernels or stage.opencl:
        raise DataError(f"{place}: {stage.stage} has no CUDA kernels, so nothing is counted")
    return stage


def programs(
    record: dict[str, Any], chapter: str, stages: dict[str, Stage], place: str
) -> tuple[Program, Program]:
    """Start and solution."""
    stage = stage_of(stages, chapter, record["stage"], place)
    edits = tuple(
        read_edit(edit, f"{place}: edit {number}")
        for number, edit in enumerate(record.get("edits", []), 1)
    )
    kind, file = record["kind"], record.get("start_file", "")
    if file and kind != "pair":
        program = Program(stage, file=file)
        return program, program if kind == "question" else Program(stage)
    if kind == "pair":
        if edits:
            raise DataError(f"{place}: a pair has no edits: its solution is the stage")
        before = record.get("start", stage.compared_with)
        return Program(stage_of(stages, chapter, before, place), file=file), Program(stage)
    if kind != "mistake" and "words" in record:
        raise DataError(f"{place}: only a mistake has 'words'")
    if "start" in record:
        raise DataError(f"{place}: only a pair has a 'start'")
    if kind != "question" and not edits:
        raise DataError(f"{place}: a lab of the kind {kind} needs edits")
    if kind == "mistake":
        return Program(stage, edits, names(record.get("words", {}), place)), Program(stage)
    if kind == "goal":
        return Program(stage), Program(stage, edits)
    return Program(stage, edits), Program(stage, edits)


def read_lab(
    given: dict[str, Any],
    chapter: str,
    shared: dict[str, Any],
    stages: dict[str, Stage],
    place: str,
) -> Lab:
    record = shared | given
    for key in (*NEEDED, "sizes", "unit", "units", "may_change", "must_stay"):
        if key not in record:
            raise DataError(f"{place}: '{key}' is missing")
    kind = record["kind"]
    if kind not in KINDS:
        raise DataError(f"{place}: 'kind' must be one of {', '.join(KINDS)}")
    start, solution = programs(record, chapter, stages, place)
    goals = tuple(
        read_goal(goal, f"{place}: goal {number}") for number, goal in enumerate(record["goals"], 1)
    )
    for goal in goals:
        if kind != "question" and (goal.counter in RATIOS or goal.kernel):
            raise DataError(
                f"{place}: {goal.counter}: a goal is a total over all kernels; only a question asks "
                "for a ratio, or for a kernel"
            )
    if kind == "question" and len(goals) != 1:
        raise DataError(f"{place}: a question has one goal, whose counter is the answer")
    if len(record["idea"]) != SENTENCES:
        raise DataError(f"{place}: 'idea' must have {SENTENCES} sentences")
    if not record["hints"] or record["units"] <= 0:
        raise DataError(f"{place}: a lab needs hints, and 'units' above 0")
    checks = record.get("checks", list(solution.stage.more_checks))
    largest = solution.stage.largest_n or max(record["sizes"], default=0)
    return Lab(
        name=f"{chapter}/{record['name']}",
        chapter=chapter,
        kind=kind,
        title=record["title"],
        minutes=record["minutes"],
        idea=texts(record["idea"], place, "idea"),
        may_change=record["may_change"],
        must_stay=record["must_stay"],
        hints=texts(record["hints"], place, "hints"),
        start=start,
        solution=solution,
        goals=goals,
        sizes=tuple(n for n in record["sizes"] if n <= largest),
        checks=texts(checks, place, "checks"),
        run=tuple(record["run"].split()) if "run" in record else solution.stage.counter_args,
        unit=Unit(record["unit"], record["units"]),
        right_points=record.get("right_points", RIGHT_POINTS[kind]),
        clean_points=record.get("clean_points", CLEAN_POINTS[kind]),
        start_points=record["start_points"],
        unit_power=record.get("unit_power", 1),
        by_hand=record.get("by_hand", False),
        expected=record.get("expected"),
        vocabulary=record.get("vocabulary"),
    )


def read_chapter(path: Path, chapter: str, stages: dict[str, Stage]) -> list[Lab]:
    """The labs of one file. A DataError names the file and the lab."""
    return read_document(parse_toml(read_text(path), path), str(path), chapter, stages, LAB_KEYS)


def read_document(
    document: dict[str, Any],
    path: str,
    chapter: str,
    stages: dict[str, Stage],
    keys: dict[str, Any],
) -> list[Lab]:
    """The labs of one chapter. Each has some of the keys."""
    records = document.pop("lab", [])
    shared = checked(document, CHAPTER_KEYS, path)
    if not isinstance(records, list):
        raise DataError(f"{path}: expected [[lab]]")
    labs: list[Lab] = []
    for number, record in enumerate(records, 1):
        name = record.get("name", number) if isinstance(record, dict) else number
        place = f"{path}: lab {name}"
        lab = read_lab(checked(record, keys, place), chapter, shared, stages, place)
        if lab.name in {other.name for other in labs}:
            raise DataError(f"{place}: there are two labs of this name")
        labs.append(lab)
    return labs


def load_labs(root: Path = ROOT / "chapters") -> dict[str, Lab]:
    """All labs by their names, "basics/02", in the course's order. Errors: DataError."""
    stages = {stage.stage: stage for stage in load_stages()}
    labs: dict[str, Lab] = {}
    if EDITION.is_file():
        for chapter, document in parse_json(read_text(EDITION), EDITION).items():
            found = read_document(document, str(EDITION), chapter, stages, EDITION_KEYS)
            labs |= {lab.name: lab for lab in found}
        return labs
    for chapter in chapters_of(list(stages.values())):
        path = root / chapter / "labs.toml"
        if path.is_file():
            labs |= {lab.name: lab for lab in read_chapter(path, chapter, stages)}
    return labs


def find_lab(labs: dict[str, Lab], name: str) -> Lab:
    """By its name, or by that of the stage that it leads to. Errors: ToolError."""
    if name in labs:
        return labs[name]
    for lab in labs.values():
        if lab.kind == "pair" and lab.solution.stage.stage == name:
            return lab
    if not name:
        raise ToolError("LAB is missing: `make lab` lists the labs")
    meant = meant_stages(list(labs), name).replace("`make list`", "`make lab`")
    raise ToolError(f"LAB={name}: no such lab; {meant}")


def chosen_labs(labs: dict[str, Lab]) -> list[Lab]:
    """Those that LABS names, or all."""
    names = variable("LABS").replace(",", " ").split()
    chosen = {find_lab(labs, name).name for name in names} if names else set(labs)
    return [lab for lab in labs.values() if lab.name in chosen]
