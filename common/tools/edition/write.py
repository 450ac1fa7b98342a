# SPDX-License-Identifier: MIT
"""make student-edition DIR=… [LABS=basics/02,nbody/03]: writes a course for students.

It has no main file of a stage that solves one of these labs, or any lab; no headers that only such
a stage includes; and no code of them on the pages. The labs' starts stand in labs/, without the
comments that say why, each with its TASK.md. What the solutions count is in labs/labs.json, so that
`make check` judges as it does here. The edition has the tests of its stages and of the harness.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from common.tools.edition.hiding import TEACHERS, Texts, hidden, makefile_of_students
from common.tools.edition.starts import FOLDER, files_of, index_of, records_of
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import EDITION, chosen_labs, load_labs
from common.tools.labs.lab import Lab
from common.tools.lib.files import read_text
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    DataError,
    ToolError,
    run_tool,
    shown,
    variable,
)

TOP = (
    *("Makefile", "README.md", "LICENSE", "Containerfile", "meson.build", "meson_options.txt"),
    *(".clang-format", ".clangd", ".devcontainer", ".dockerignore", ".gitignore"),
    *("chapters", "common", "plots", "subprojects", "tests"),
)
# Of the tests, those of stages (chapters/meson.build has them) and of what stages are linked with.
TESTS = (
    *("meson.build", "quick.py", "chapters/reached.py", "chapters/unreached.toml", "precompiled"),
    *("common/meson.build", "common/scratch_folder.hpp", "common/backends", "common/base"),
    *("common/harness", "common/input", "common/limits", "common/ranks/slice_test.cpp"),
    *("common/ranks/watchdog_test.cpp", "common/sorting"),
)
# Of teachers: answers, and the labs with their edits.
LEFT_OUT = ("chapters/LABS.md", "chapters/LABS-FORMAT.md", "common/tools/edition")


def is_below(path: Path, names: Iterable[str]) -> bool:
    return any(path == Path(name) or Path(name) in path.parents for name in names)


def course_files() -> list[Path]:
    """The files that belong to the course, below its root: those that git knows. Without git, all
    of the course's folders."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", *TOP], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\0")
        found = [Path(name) for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        found = []
    if not found:
        tops = [ROOT / name for name in TOP]
        every = [path for top in tops for path in (top, *top.rglob("*"))]
        found = [path.relative_to(ROOT) for path in every if "__pycache__" not in path.parts]
    return sorted(path for path in found if (ROOT / path).is_file())


def is_copied(path: Path) -> bool:
    if path.name == "labs.toml" or is_below(path, LEFT_OUT):
        return False
    return path.parts[0] != "tests" or is_below(path, [f"tests/{name}" for name in TESTS])


def target_folder() -> Path:
    """DIR, if an edition can be written there."""
    given = variable("DIR")
    if not given:
        raise ToolError("DIR is missing: make student-edition DIR=../students")
    place = f"DIR={shown(given)}"
    folder = Path(given).expanduser().absolute().resolve()
    if folder.is_relative_to(ROOT) or ROOT.is_relative_to(folder):
        raise ToolError(f"{place}: lies inside of this checkout, or around it", EXIT_FAILURE)
    try:
        if folder.exists() and not folder.is_dir():
            raise ToolError(f"{place}: is no folder", EXIT_FAILURE)
        if folder.is_dir() and any(folder.iterdir()):
            raise ToolError(f"{place}: is not empty", EXIT_FAILURE)
        if not folder.parent.is_dir():
            raise ToolError(f"{place}: there is no folder {folder.parent}", EXIT_FAILURE)
    except OSError as error:
        raise ToolError(f"{place}: {error.strerror}", EXIT_FAILURE) from None
    return folder


def new_texts(names: list[Path], labs: list[Lab]) -> Texts:
    """Files that the edition has in another form than the course."""
    starts: Texts = {
        Path(FOLDER, lab.folder_name, name): text
        for lab in labs
        for name, text in files_of(lab).items()
    }
    sources = [text for path, text in starts.items() if path.suffix == ".cu"]
    found = hidden(ROOT, names, labs, sources) | starts
    readme, count = TEACHERS.subn("", read_text(ROOT / "README.md"))
    if count != 1:
        raise DataError("README.md: expected one paragraph for teachers")
    found[Path("README.md")] = readme
    found[Path("Makefile")] = makefile_of_students(read_text(ROOT / "Makefile"))
    found[Path(FOLDER, "README.md")] = index_of(labs)
    records = json.dumps(records_of(labs), ensure_ascii=False, indent=1) + "\n"
    found[EDITION.relative_to(ROOT)] = records
    return found


@contextlib.contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """A folder of another name, which gets this name at the end: it has all files or none."""
    partial = folder.with_name(f".{folder.name[:100]}.{os.getpid()}.partial")
    try:
        partial.mkdir()
    except OSError as error:
        place = f"DIR={shown(variable('DIR'))}"
        raise ToolError(f"{place}: cannot be written: {error.strerror}", EXIT_FAILURE) from None
    try:
        yield partial
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_files(folder: Path, names: Iterable[Path], texts: Texts) -> None:
    """`names` as they are in the course, but for those of `texts`; where that is empty, none."""
    for path in names:
        if path not in texts:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
    for path, text in texts.items():
        if text:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")


def told(labs: list[Lab]) -> list[str]:
    """What a teacher should know: a start that is another lab's solution shows it."""
    solved = {lab.solution.stage.stage: lab for lab in labs if lab.kind in ("pair", "mistake")}
    found = []
    for lab in labs:
        before = solved.get(lab.start.stage.stage)
        if before is not None and before is not lab and not lab.start.edits:
            found.append(f"{lab.name} begins with the solution of {before.name}")
    return found


def main() -> None:
    folder = target_folder()
    labs = chosen_labs(load_labs())
    with whole(folder) as partial:
        build_libraries(list(dict.fromkeys(lab.chapter for lab in labs)))
        names = [path for path in course_files() if is_copied(path)]
        texts = new_texts(names, labs)
        write_files(partial, names, texts)
    removed = sum(path.suffix == ".cuh" and not text for path, text in texts.items())
    print(f"{folder}: {len(labs)} labs, {removed} headers of their solutions left out")
    for line in told(labs):
        print(f"{line}: hand it out later, in an edition of its own (LABS={line.split()[0]})")


if __name__ == "__main__":
    run_tool(main)
