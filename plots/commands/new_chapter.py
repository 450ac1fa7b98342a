#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make chapter NAME=my_problem: creates a chapter with two stages that add lists.

Replace these lists by your problem. The chapter consists of chapters/<name>/, plots/<name>/ and
tests/chapters/<name>/. Its name is added to the list in chapters/meson.build, and it has a row in
README.md's table.
"""

import re
import sys
from pathlib import Path

from plots.commands.creation import Creation
from common.tools.lib.files import read_text
from common.tools.lib.stages import EXIT_FAILURE, ROOT, ToolError, run_tool, variable
from plots.commands.new_stage import build_and_record

TEMPLATES = Path(__file__).with_name("templates") / "chapter"
PLACES = {
    "meson.build.in": "chapters/@chapter@/meson.build",
    "README.md.in": "chapters/@chapter@/README.md",
    "reference.md.in": "chapters/@chapter@/reference.md",
    "00_cpu.md.in": "chapters/@chapter@/00_cpu/README.md",
    "01_first_kernel.md.in": "chapters/@chapter@/01_first_kernel/README.md",
    "problem.hpp.in": "chapters/@chapter@/problem/@chapter@.hpp",
    "problem.cpp.in": "chapters/@chapter@/problem/@chapter@.cpp",
    "00_cpu.cpp.in": "chapters/@chapter@/00_cpu/@chapter@.cpp",
    "01_first_kernel.cu.in": "chapters/@chapter@/01_first_kernel/@chapter@.cu",
    "figures.py.in": "plots/@chapter@/figures.py",
    "sweep.toml.in": "plots/@chapter@/sweep.toml",
    "test.cpp.in": "tests/chapters/@chapter@/@chapter@_test.cpp",
}
LIST = re.compile(r"(chapter_names = \[)([^\]]*)(\])")
# The name is a namespace in C++, a package in Python and a target in Meson.
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
TAKEN = ("course", "std", "common", "tests", "plots", "chapters")


def filled(text: str, chapter: str) -> str:
    title = chapter.replace("_", " ").capitalize()
    return text.replace("@chapter@", chapter).replace("@Title@", title)


def check_name(chapter: str) -> None:
    if not chapter:
        raise ToolError("NAME is missing: make chapter NAME=my_problem")
    if not NAME.fullmatch(chapter) or chapter in TAKEN:
        raise ToolError(
            f"NAME={chapter}: a chapter's name consists of lower-case words, such as my_problem"
        )


def add_to_list(meson: str, chapter: str) -> str:
    found = LIST.search(meson)
    if found is None:
        raise ToolError("chapters/meson.build: the list chapter_names was not found", EXIT_FAILURE)
    names = re.findall(r"'(\w+)'", found[2])
    if chapter in names:
        raise ToolError(f"NAME={chapter}: this chapter exists already", EXIT_FAILURE)
    lines = [found[1], *(f"  '{name}'," for name in [*names, chapter]), found[3]]
    return meson[: found.start()] + "\n".join(lines) + meson[found.end() :]


def with_row(readme: str, chapter: str, stages: int) -> str:
    """README.md with a row at the end of its table of chapters."""
    rows = list(re.finditer(r"^\| \[\w+\]\(chapters/\w+/README\.md\) .*\n", readme, re.MULTILINE))
    if not rows:
        raise ToolError("README.md: the table of chapters was not found", EXIT_FAILURE)
    row = f"| [{chapter}](chapters/{chapter}/README.md) | say in a few words | {stages} |\n"
    return readme[: rows[-1].end()] + row + readme[rows[-1].end() :]


def main() -> None:
    chapter = variable("NAME")
    check_name(chapter)
    list_path = ROOT / "chapters" / "meson.build"
    meson = add_to_list(read_text(list_path), chapter)
    readme_path = ROOT / "README.md"
    readme = with_row(read_text(readme_path), chapter, stages=2)
    paths = {template: ROOT / filled(place, chapter) for template, place in PLACES.items()}
    for path in paths.values():
        if path.exists():
            raise ToolError(f"{path}: exists already", EXIT_FAILURE)
    with Creation() as made:
        for template, path in paths.items():
            made.write(path, filled(read_text(TEMPLATES / template), chapter))
        made.write(list_path, meson)
        made.write(readme_path, readme)
        build_and_record(made, chapter, chapter)
        made.run(sys.executable, "-m", "plots.maintain.tables")  # what was counted, on its pages
    print("\n".join(str(path.relative_to(ROOT)) for path in paths.values()))
    print(f"make run STAGE={chapter}/01_first_kernel ARGS=--check; make test")
    print('README.md, "Adding a stage or a chapter", explains the next steps')


if __name__ == "__main__":
    run_tool(main)
