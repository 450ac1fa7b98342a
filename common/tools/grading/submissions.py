# SPDX-License-Identifier: MIT
"""What a class handed in: one folder or archive per student. Whatever is wrong with one of them is
that student's problem alone."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.grading import archives
from common.tools.grading.caged import ask
from common.tools.grading.sandbox import NotGraded
from common.tools.labs.lab import Lab
from common.tools.labs.policy import LARGEST
from common.tools.lib.stages import EXIT_FAILURE, ToolError, shown

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
SECONDS = 20  # of the processor's time, to read one submission
LONGEST_PLACE = 120  # bytes of a name that the grader gives to a file


@dataclass
class Submission:
    student: str  # printable
    path: Path
    place: str = ""  # the name of the student's files among the grades
    files: dict[str, bytes] = field(default_factory=dict)  # lab's name -> its file
    problems: dict[str, str] = field(default_factory=dict)  # lab's name, or "" -> one line

    def __post_init__(self) -> None:
        self.place = self.place or place_of(self.student)


def printable_name(name: str) -> str:
    """The name of a folder or an archive, whatever bytes it has."""
    text = os.fsencode(name).decode("utf-8", errors="backslashreplace")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def place_of(student: str) -> str:
    """A name for files, of a usual length. Different students have different ones."""
    if len(student.encode("utf-8")) <= LONGEST_PLACE:
        return student
    return f"{student[:30]}-{hashlib.sha256(student.encode('utf-8')).hexdigest()[:16]}"


def student_of(path: Path) -> str:
    """The name without the archive's suffix; "" for a file that is no archive."""
    if path.is_dir():
        return printable_name(path.name)
    suffix = next((one for one in sorted(SUFFIXES, key=len) if path.name.lower().endswith(one)), "")
    return printable_name(path.name[: -len(suffix)]) if suffix else ""


def find_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """What each student handed in, in the order of the names, not read yet; and the names of
    entries that belong to nobody. Errors: ToolError."""
    if not folder.is_dir():
        raise ToolError(f"DIR={shown(str(folder))}: there is no such folder", EXIT_FAILURE)
    found: dict[str, Submission] = {}
    strays: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        student = "" if path.is_symlink() else student_of(path)
        if not student:
            strays.append(printable_name(path.name))
        elif student in found:
            both = f"{printable_name(found[student].path.name)} and {printable_name(path.name)}"
            found[student].problems = {"": f"handed in twice: {both}"}
        else:
            found[student] = Submission(student, path)
    if not found:
        raise ToolError(f"DIR={shown(str(folder))}: has no submissions", EXIT_FAILURE)
    return sorted(found.values(), key=lambda one: one.student), strays


def read_submission(submission: Submission, labs: Iterable[Lab]) -> None:
    """Reads the labs' files in a cage: an archive may be made to take hours or all memory."""
    if submission.problems:
        return
    wanted = {f"{lab.folder_name}/{lab.file_name}": lab.name for lab in labs}
    path = submission.path.resolve()
    request = {"path": os.fsencode(path).hex(), "wanted": wanted, "largest": LARGEST}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            made, why = ask(archives, request, folder, SECONDS, (path,))
        except NotGraded as error:
            made, why = None, f"this machine failed: {error}"
        if made is None:
            submission.problems = {"": f"{printable_name(submission.path.name)}: {why}"}
            return
        submission.problems = made["problems"]
        submission.files = {
            lab: (folder / file).read_bytes() for lab, file in made["files"].items()
        }
    if not submission.files and not submission.problems:
        example = next(iter(wanted), "")
        submission.problems = {
            "": f"{printable_name(submission.path.name)}: has no file such as {example}"
        }
