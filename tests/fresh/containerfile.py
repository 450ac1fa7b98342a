# SPDX-License-Identifier: MIT
"""Runs the steps of a Containerfile in a root, so that it is tested without a container engine.

It knows what the course's own file uses: FROM, ARG, ENV, RUN as a line of the shell, COPY of files
and folders without flags, WORKDIR and USER. Anything else is an error.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.errors import DataError, shown
from common.tools.lib.files import read_text
from tests.fresh.root import Root

INSTRUCTIONS = ("FROM", "ARG", "ENV", "RUN", "COPY", "WORKDIR", "USER")
IMAGES = {
    "debian:12": "bookworm",
    "debian:bookworm": "bookworm",
    "debian:13": "trixie",
    "debian:trixie": "trixie",
    "debian:sid": "sid",
}
VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


@dataclass(frozen=True)
class Step:
    place: str  # file:line
    instruction: str
    text: str


def read_containerfile(path: Path) -> list[Step]:
    """The steps. A DataError names the line that is none."""
    steps: list[Step] = []
    text, begin = "", 0
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.lstrip().startswith("#") or not (text or line.strip()):
            continue
        begin = begin if text else number
        text += line.strip()
        if text.endswith("\\"):
            text = text[:-1]
            continue
        instruction, _, rest = text.partition(" ")
        place, text = f"{path}:{begin}", ""
        if instruction not in INSTRUCTIONS:
            raise DataError(f"{place}: {shown(instruction)} is not known here")
        if not rest.strip() or rest.lstrip().startswith(("[", "--")):
            raise DataError(f"{place}: {instruction} in a form that is not known here")
        if (instruction == "FROM") != (not steps):
            raise DataError(f"{place}: there must be one FROM, and it must be first")
        steps.append(Step(place, instruction, rest.strip()))
    if text or not steps:
        raise DataError(f"{path}: {'the last step does not end' if text else 'has no step'}")
    return steps


class Builder:
    """The state between two steps."""

    def __init__(self, root: Root, context: Path, arguments: dict[str, str]) -> None:
        self.root = root
        self.context = context
        self.arguments = arguments  # of the command line
        self.variables: dict[str, str] = {}  # of ARG: only while the container is built
        self.user = "root"
        self.folder = "/"

    def suite_of(self, step: Step) -> str:
        if step.text not in IMAGES:
            raise DataError(f"{step.place}: FROM {shown(step.text)} is not known here")
        return IMAGES[step.text]

    def expanded(self, step: Step) -> str:
        known = {**self.variables, **self.root.environment}

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if name not in known:
                raise DataError(f"{step.place}: {name} has no value")
            return known[name]

        return VARIABLE.sub(value, step.text)

    def run(self, step: Step) -> None:
        {
            "ARG": self.argument,
            "ENV": self.environment,
            "RUN": self.command,
            "COPY": self.copy,
            "WORKDIR": self.change_folder,
            "USER": self.change_user,
        }[step.instruction](step)

    def argument(self, step: Step) -> None:
        name, _, usual = self.expanded(step).partition("=")
        self.variables[name] = self.arguments.get(name, usual)

    def environment(self, step: Step) -> None:
        name, equals, value = self.expanded(step).partition("=")
        if not equals or not re.fullmatch(r"\w+", name) or re.search(r"[\s\"'\\]", value):
            raise DataError(f"{step.place}: ENV in a form that is not known here")
        self.root.environment[name] = value

    def command(self, step: Step) -> None:
        user = self.root.user(self.user)
        said = self.root.run(step.text, user, self.folder, self.variables)
        if said.status != 0:
            raise DataError(f"{step.place}: RUN failed with exit status {said.status}")

    def copy(self, step: Step) -> None:
        words = self.expanded(step).split()
        if len(words) != 2:
            raise DataError(f"{step.place}: COPY in a form that is not known here")
        source = (self.context / words[0]).resolve()
        if not source.is_relative_to(self.context) or not source.exists():
            raise DataError(f"{step.place}: COPY {shown(words[0])}: there is no such file")
        target = self.root.path(f"{self.folder}/{words[1]}" if words[1][0] != "/" else words[1])
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            target = target / source.name if words[1].endswith("/") else target
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)

    def change_folder(self, step: Step) -> None:
        text = self.expanded(step)
        self.folder = text if text.startswith("/") else f"{self.folder.rstrip('/')}/{text}"
        self.root.path(self.folder).mkdir(parents=True, exist_ok=True)

    def change_user(self, step: Step) -> None:
        self.user = self.expanded(step)
        self.root.user(self.user)
