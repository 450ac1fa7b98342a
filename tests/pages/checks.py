# SPDX-License-Identifier: MIT
"""What can be said about a page's command without running it: does all exist that it names?"""

from __future__ import annotations

import functools
import os
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from common.tools.labs.catalogue import load_labs
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import checked_stage, stages_of_paths
from tests.pages.commands import ASSIGNMENT, Code, Command

FOLDERS = ("chapters", "common", "plots", "tests", ".ci")
STAGES = ("STAGE", "A", "B", "FROM")
CHOICES = {"ENGINE": ("gpu", "emu", "count", "cpu", "opencl"), "DATA": ("recorded", "here", "h100")}
PACKAGES = {"tool": "common.tools", "plots": "plots"}  # by the Makefile's variables
FLAG = re.compile(r"--[a-z][a-z0-9-]*")
PATH = re.compile(rf"({'|'.join(map(re.escape, FOLDERS))})/[\w./-]+")
STAGE = re.compile(r"([a-z][a-z0-9_]*)/(?:[a-z_]+/)?\d\d_\w+")
SOURCE = re.compile(r"[\w./-]+\.(cu|cpp)")


def read_toml(path: Path) -> dict[str, Any]:
    return parse_toml(read_text(path), path)


class Course:
    """What a command may name. `example_files` lie beside the Makefile when commands run."""

    def __init__(self, root: Path, build: Path, example_files: Iterable[str]) -> None:
        self.root, self.build, self.examples = root, build, tuple(example_files)
        records = json.loads((build / "stages.json").read_text(encoding="utf-8"))
        self.stages = {record["stage"]: record for record in records}
        self.chapters = {record["chapter"] for record in records}
        self.paths = set(stages_of_paths([checked_stage(record, "") for record in records]))
        self.labs = set(load_labs())
        self.makefile = (root / "Makefile").read_text(encoding="utf-8")
        self.targets = dict(
            re.findall(r"^([a-z-]+):(?!=)(.*(?:\n\t.*)*)", self.makefile, re.MULTILINE)
        )
        sweeps = [
            read_toml(path)["sweep"] for path in sorted((root / "plots").glob("*/sweep.toml"))
        ]
        choices = {
            "CHAPTER": self.chapters,
            "LAB": self.labs,
            "SWEEPS": {sweep["name"] for file in sweeps for sweep in file},
            "DEVICE": set(read_toml(root / "common/tools/explain/devices.toml")),
        }
        self.choices = {name: set(values) for name, values in (CHOICES | choices).items()}
        self.choices["LABS"] = self.labs

    @functools.cached_property
    def sources(self) -> str:
        """All text that may read a variable of the environment."""
        return "\n".join(
            path.read_text(encoding="utf-8")
            for suffix in ("py", "cpp", "hpp", "sh")
            for folder in ("common", "plots")
            for path in sorted((self.root / folder).rglob(f"*.{suffix}"))
        )

    @functools.cache
    def flags_of(self, stage: str, engine: str = "") -> set[str]:
        """The flags that a stage's --help explains."""
        programs = {
            one: self.build / path
            for one, path in self.stages[stage]["executables"].items()
            if os.access(self.build / path, os.X_OK)  # -Dkernels=check makes files that do not run
        }
        engine = engine if engine in programs else next(iter(programs), "")
        if not engine:
            return set()
        command = [str(programs[engine]), "--help"]
        shown = subprocess.run(command, capture_output=True, text=True, check=False)
        return set(FLAG.findall(shown.stdout))


def made_by(commands: Iterable[Command]) -> tuple[set[str], set[str]]:
    """The chapters and stages that the commands make."""
    chapters, stages = set(), set()
    for command in commands:
        values = variables_of(command)
        if command.arguments[:2] == ["make", "chapter"] and "NAME" in values:
            chapters.add(values["NAME"])
        elif command.arguments[:2] == ["make", "stage"] and {"NAME", "FROM"} <= values.keys():
            stages.add(f"{values['FROM'].partition('/')[0]}/{values['NAME']}")
    return chapters, stages


def variables_of(command: Command) -> dict[str, str]:
    """Those on make's command line, and before it."""
    found = dict(command.environment)
    for word in command.arguments[1:]:
        match = ASSIGNMENT.fullmatch(word)
        if match:
            found[match[1]] = match[2]
    return found


# By libraries that stages link, not by the course's own code.
READ_BY_LIBRARIES = {"OMP_NUM_THREADS"}


class Checker:
    def __init__(self, course: Course, commands: Iterable[Command]) -> None:
        self.course, self.commands = course, list(commands)
        chapters, self.new_stages = made_by(self.commands)
        self.new_chapters = chapters

    def mistakes(self, command: Command) -> Iterator[str]:
        """One line for each."""
        for name in command.environment:
            known = name in READ_BY_LIBRARIES or f'"{name}"' in self.course.sources
            if command.program != "export" and not known:
                yield f"{name}: nothing reads this variable"
        if command.program == "make":
            yield from self.of_make(command)
        elif command.arguments[:2] == ["python3", "-m"] and len(command.arguments) > 2:
            yield from self.of_module(command.arguments[2:])
        if command.program != "ninja":  # its targets are files of the build folder
            for word in command.words:
                yield from self.of_path(word)

    def of_make(self, command: Command) -> Iterator[str]:
        words = command.arguments[1:]
        if any(word in ("-C", "-f") for word in words):
            return  # another Makefile
        targets = [word for word in words if not word.startswith(("-", "…")) and "=" not in word]
        for target in targets:
            if target not in self.course.targets:
                yield f"make {target}: there is no such target"
        known = [target for target in targets or ["all"] if target in self.course.targets]
        if not known:
            return
        helped = " ".join(self.course.targets[target] for target in known)
        values = variables_of(command)
        for name, value in values.items():
            if name in command.environment and f"{name}=" not in helped:
                continue  # the tool's own
            if not re.search(rf"\b{name}=", helped):
                yield f"make {' '.join(known)}: `make help` names no {name}"
            elif "…" not in value and "<" not in value:
                yield from self.of_value(known[0], name, value)
        yield from self.of_arguments(known[0], values)

    def of_value(self, target: str, name: str, value: str) -> Iterator[str]:
        if name in STAGES:
            for one in value.replace(",", " ").split():
                if one not in self.course.stages and not self.is_new(one) and not self.is_file(one):
                    yield f"{name}={one}: no such stage or file"
        elif name == "FILE":
            for one in value.split():
                if not self.is_file(one) and not self.is_written(one):
                    yield f"FILE={one}: no file of the examples"
        elif name in self.course.choices:
            allowed = self.course.choices[name] | (
                self.new_chapters if name == "CHAPTER" else set()
            )
            if name == "CHAPTER" and target == "compare":
                allowed |= self.course.paths
            for one in re.split(r"[|,]", value):
                if one not in allowed:
                    yield f"{name}={one}: there is none"

    def of_arguments(self, target: str, values: dict[str, str]) -> Iterator[str]:
        """The flags in ARGS are those of the stage, or else of the tool."""
        wanted = FLAG.findall(values.get("ARGS", ""))
        stages = [values[name] for name in STAGES if values.get(name, "") in self.course.stages]
        stages += [
            stage
            for stage, record in self.course.stages.items()
            if record["chapter"] == values.get("CHAPTER", "").split("/")[0] and target == "compare"
        ][-1:]
        programs = re.findall(r"\$\((tool|plots)\)([\w.]+)", self.course.targets.get(target, ""))
        modules = [f"{PACKAGES[package]}.{name}" for package, name in programs]
        if not wanted or "…" in values["ARGS"]:
            return
        if stages:
            known = self.course.flags_of(stages[0], values.get("ENGINE", ""))
        elif any(values.get(name) for name in STAGES):
            return  # a stage that does not exist, or not yet
        else:
            known = set().union(*map(self.flags_of_module, modules))
        for flag in wanted:
            if known and flag not in known:
                yield f"ARGS: there is no flag {flag}"

    def flags_of_module(self, name: str) -> set[str]:
        base = self.course.root / name.replace(".", "/")
        paths = [base.with_suffix(".py"), *sorted(base.glob("*.py"))]
        text = "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())
        # Programs of one folder may share their parser, as the proofs do.
        for near in re.findall(rf"from {re.escape(name.rpartition('.')[0])}\.(\w+) import", text):
            text += base.with_name(f"{near}.py").read_text(encoding="utf-8")
        return {"--help", *re.findall(r'"(--[a-z-]+)"', text)}

    def of_module(self, words: list[str]) -> Iterator[str]:
        name = words[0]
        if "<" in name or "…" in name:
            return
        base = self.course.root / name.replace(".", "/")
        if not base.with_suffix(".py").exists() and not (base / "__main__.py").exists():
            yield f"python3 -m {name}: there is no such module"
            return
        for flag in (word for word in words if FLAG.fullmatch(word)):
            if flag not in self.flags_of_module(name):
                yield f"python3 -m {name}: there is no flag {flag}"
        for word in words[1:]:
            if STAGE.fullmatch(word) and word not in self.course.stages and not self.is_new(word):
                yield f"{word}: no such stage"

    def of_path(self, word: str) -> Iterator[str]:
        """A file or folder of the repository."""
        match = PATH.fullmatch(word.removeprefix("./"))
        if match and "NN" not in word:
            if not (self.course.root / match[0]).exists() and not self.is_new_path(match[0]):
                yield f"{match[0]}: there is no such file"

    def of_code(self, code: Code) -> Iterator[str]:
        yield from self.of_path(code.text)
        match = STAGE.fullmatch(code.text)
        if match and match[1] in self.course.chapters | self.new_chapters:
            if code.text not in self.course.stages and not self.is_new(code.text):
                yield f"{code.text}: no such stage"

    def is_written(self, name: str) -> bool:
        """Whether a command of the pages writes it."""
        written = re.compile(rf"--(?:output|next-hop) {re.escape(name)}\b")
        return any(written.search(one.text) for one in self.commands)

    def is_file(self, name: str) -> bool:
        return name in self.course.examples or (self.course.root / name).is_file()

    def is_new(self, stage: str) -> bool:
        chapter, _, name = stage.partition("/")
        return stage in self.new_stages or (chapter in self.new_chapters and bool(name))

    def is_new_path(self, path: str) -> bool:
        parts = path.split("/")
        return any(name in parts for name in self.new_chapters) or any(
            stage in path for stage in self.new_stages
        )
