# SPDX-License-Identifier: MIT
"""A student's folders: my/<lab>/ with the start and TASK.md. Git ignores them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import EXIT_FAILURE, ROOT, ToolError
from common.tools.labs.answers import EMPTY
from common.tools.labs.lab import Lab
from common.tools.labs.tasks import task_text

TASK = "TASK.md"


def my_folder() -> Path:
    return Path(os.environ.get("COURSE_MY", ROOT / "my"))


def lab_folder(lab: Lab) -> Path:
    return my_folder() / lab.folder_name


def student_file(lab: Lab) -> Path:
    return lab_folder(lab) / lab.file_name


def start_files(lab: Lab) -> dict[str, str]:
    """The names and the texts of the files with which a lab begins."""
    files = {lab.file_name: EMPTY if lab.is_question else lab.start.text()}
    if lab.is_question:
        files[Path(lab.start.stage.source).name] = lab.start.text()
    return files | {TASK: task_text(lab)}


def start_lab(lab: Lab) -> Path:
    """Makes the folder, whole or not at all. It never replaces a student's work."""
    folder = lab_folder(lab)
    if folder.exists():
        raise ToolError(
            f"{folder}: is there already; to begin anew, move it away first", EXIT_FAILURE
        )
    files = start_files(lab)
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        partial.mkdir()
        for name, text in files.items():
            write_whole(partial / name, text)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def add_hint(lab: Lab, number: int) -> None:
    """Writes a hint at the end of TASK.md, if the student has it."""
    path = lab_folder(lab) / TASK
    if path.is_file():
        text = read_text(path).rstrip("\n")
        heading = f"## Hint {number}"
        if heading not in text:
            write_whole(path, f"{text}\n\n{heading}\n\n{lab.hints[number - 1]}\n")
