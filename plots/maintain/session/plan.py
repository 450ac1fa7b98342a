# SPDX-License-Identifier: MIT
"""The steps of a session on a GPU machine, as a plan in TOML names them (format: README.md
here)."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import ROOT, DataError, Stage, chapters_of, shown
from plots.records.folders import PLOTS
from plots.records.stages import nearest, stages_of
from plots.records.sweep_values import line_of
from plots.records.sweeps import FILE, all_sweeps


@dataclass(frozen=True)
class Kind:
    """What the steps of one kind have in common."""

    keys: tuple[str, ...]  # besides COMMON_KEYS
    limit: float  # seconds
    quiet: bool = False  # a step runs alone, because it takes times or uses all cores
    cores: int = 1
    needs_gpu: bool = True
    may_be_cut: bool = (
        False  # what it has done is kept, so it may begin although its limit is too long
    )
    writes_page: bool = False  # they all write one page: one at a time


KINDS = {
    "build": Kind(
        ("chapter", "stages", "engine"), 900, quiet=True, needs_gpu=False, may_be_cut=True
    ),
    "test": Kind((), 1200, quiet=True, needs_gpu=False),
    "record": Kind(("chapter", "sweeps", "engine"), 1800, quiet=True, may_be_cut=True),
    "profile": Kind(("chapter",), 300, quiet=True),
    "sanitize": Kind(("chapter", "stages"), 600, cores=4),
    "prove": Kind(("chapter", "stages"), 600, writes_page=True),
    "instructions": Kind(("chapter", "stages"), 600, writes_page=True),
    "command": Kind(("command", "sources"), 600, needs_gpu=False),
}
COMMON_KEYS = ("name", "kind", "limit", "priority", "quiet", "cores", "may_be_cut")
WORDS = "a list of names"
# Of each key: whether a value is right, and what it must be.
VALUES: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (lambda value: is_name(value), "a word of letters, digits and ._-"),
    "kind": (lambda value: isinstance(value, str), "a word"),
    "limit": (lambda value: is_number(value, above=0), "a number of seconds above 0"),
    "priority": (lambda value: type(value) is int, "an integer"),
    "quiet": (lambda value: type(value) is bool, "true or false"),
    "cores": (
        lambda value: isinstance(value, int) and is_number(value, above=0),
        "an integer above 0",
    ),
    "may_be_cut": (lambda value: type(value) is bool, "true or false"),
    "chapter": (lambda value: isinstance(value, str), "the name of a chapter"),
    "stages": (lambda value: are_words(value), WORDS),
    "sweeps": (lambda value: are_words(value), WORDS),
    "sources": (lambda value: are_words(value), "a list of files and folders"),
    "engine": (lambda value: value in ("gpu", "cpu", "opencl", "emu", "count"), "an engine"),
    "command": (
        lambda value: isinstance(value, str) and value.strip() != "",
        "a line for the shell",
    ),
}
BUILD = "common/tools/setup/build.sh"


def is_number(value: object, above: float) -> bool:
    """A finite number above another one; true and false are none."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and above < value < float("inf")
    )


def is_name(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\w[\w.-]{0,99}", value) is not None


def are_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


@dataclass(frozen=True)
class Step:
    name: str
    kind: str
    limit: float  # seconds
    quiet: bool = False
    cores: int = 1
    priority: int = 0  # the largest first
    may_be_cut: bool = False
    chapter: str = ""
    stages: tuple[str, ...] = ()  # "03_shared_tiles"; none: all of the chapter
    sweeps: tuple[str, ...] = ()
    engine: str = ""
    command: str = ""
    sources: tuple[str, ...] = ()  # what it depends on; none: what its kind depends on
    written: dict[str, Any] = field(default_factory=dict, compare=False)  # as the plan has it

    @property
    def line(self) -> str:
        """The line that the shell runs, in the course's root."""
        return self.command if self.kind == "command" else make_line(self)

    @property
    def log_name(self) -> str:
        return f"{self.name}.log"


def make_line(step: Step) -> str:
    """What a maintainer would type."""
    variables = {
        "CHAPTER": "" if step.stages else step.chapter,
        "STAGE": ",".join(f"{step.chapter}/{stage}" for stage in step.stages),
        "SWEEPS": ",".join(step.sweeps),
        "ENGINE": step.engine if step.kind == "record" else "",
    }
    if step.kind in ("build", "profile"):
        names = variables["STAGE"].split(",") if step.stages else [step.chapter]
        engine = step.engine or "gpu"
        build = [BUILD, "--stages", engine, *names] if step.chapter else [BUILD, "stages"]
        profile = ["python3", "-m", f"plots.{step.chapter}.profile"]
        return shlex.join(build) + (f" && {shlex.join(profile)}" * (step.kind == "profile"))
    words = [f"{name}={value}" for name, value in variables.items() if value]
    return shlex.join(["make", step.kind, *words])


def new_step(name: str, kind: str, **values: Any) -> Step:
    """A step with the values that its kind has where none is given."""
    usual = KINDS[kind]
    asked: dict[str, Any] = {
        "limit": usual.limit,
        "quiet": usual.quiet,
        "cores": usual.cores,
        "may_be_cut": usual.may_be_cut,
    } | {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return Step(name, kind, **asked, written={"name": name, "kind": kind} | values)


def checked_step(entry: object, place: str, stages: Sequence[Stage], at: Any) -> Step:
    """A step of a plan. `at(key)`: the place of a key. Errors are DataErrors with it."""
    if not isinstance(entry, dict):
        raise DataError(f"{place}: a step begins with [[step]]")
    named: dict[str, Any] = entry

    def wrong(said: str, key: str) -> DataError:
        called = named.get("name")
        return DataError(f"{at(key)}: {f'step {called}: ' if is_name(called) else ''}{said}")

    for key in ("name", "kind"):
        if key not in entry and not (key == "kind" and "command" in entry):
            raise wrong(f"'{key}' is missing", key)
    kind = entry.get("kind", "command")
    if not isinstance(kind, str) or kind not in KINDS:
        raise wrong(f"kind = {shown(str(kind))}; {nearest(str(kind), list(KINDS))}", "kind")
    for key, value in entry.items():
        if key not in VALUES:
            raise wrong(f"there is no key {shown(key)}; {nearest(key, list(VALUES))}", key)
        if key not in (*COMMON_KEYS, *KINDS[kind].keys):
            raise wrong(f"a step of kind '{kind}' has no '{key}'", key)
        if not VALUES[key][0](value):
            raise wrong(f"{key} = {shown(str(value))[1:-1]}: it must be {VALUES[key][1]}", key)
    if kind == "command" and "command" not in entry:
        raise wrong("'command' is missing", "kind")
    values = {key: value for key, value in entry.items() if key not in ("name", "kind")}
    chapter = values.get("chapter", "")
    known = chapters_of(list(stages))
    if chapter and chapter not in known:
        raise wrong(f"chapter = {shown(chapter)}; {nearest(chapter, known)}", "chapter")
    for key in ("stages", "sweeps"):
        if key in values and not chapter:
            raise wrong(f"'{key}' needs a 'chapter'", key)
    if kind == "profile" and not (PLOTS / chapter / "profile.py").is_file():
        raise wrong(f"there is no plots/{chapter or '<chapter>'}/profile.py", "chapter")
    if "sweeps" in values:
        of_chapter = [one.name for one in all_sweeps(PLOTS / chapter / FILE)]
        for name in values["sweeps"]:
            if name not in of_chapter:
                raise wrong(
                    f"there is no sweep {shown(name)}; {nearest(name, of_chapter)}", "sweeps"
                )
    for path in values.get("sources", ()):
        if not (ROOT / path).exists():
            raise wrong(f"there is no {shown(path)}", "sources")
    step = new_step(entry["name"], kind, **values)
    if not step.stages:
        return step
    listed = stages_of(chapter, at("stages")).listed(values["stages"], at("stages"))
    return replace(step, stages=listed)


def read_plan(path: Path, stages: Sequence[Stage]) -> list[Step]:
    """The steps in the file's order. Each mistake is a DataError of one line with its place."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    document = parse_toml(text, path)
    for key in document:
        if key != "step":
            raise DataError(f"{path}: there is no key {shown(key)}; did you mean 'step'?")
    entries = document.get("step", [])
    if not isinstance(entries, list) or not entries:
        raise DataError(f"{path}: has no step; a step begins with [[step]]")
    found: list[Step] = []
    for number, entry in enumerate(entries):

        def at(key: str, number: int = number) -> str:
            line = line_of(text, number, re.escape(key), "step")
            return f"{path}:{line}" if line else str(path)

        step = checked_step(entry, str(path), stages, at)
        if any(step.name == other.name for other in found):
            raise DataError(f"{at('name')}: two steps have the name '{step.name}'")
        found.append(step)
    return found


def plan_text(steps: Sequence[Step]) -> str:
    """The plan in TOML, to keep and to change."""
    return "\n".join(
        "[[step]]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in one.written.items())
        for one in steps
    )
