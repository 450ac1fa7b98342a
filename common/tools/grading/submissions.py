# SPDX-License-Identifier: MIT
"""Reads what students handed in: a folder or an archive each. Nothing is unpacked: only the files
of the labs are read, into memory, and only if they are plain files of a usual size."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, cast

from common.tools.grading.policy import LARGEST
from common.tools.labs.lab import Lab
from common.tools.lib.stages import EXIT_FAILURE, ToolError, shown

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MOST_MEMBERS = 20_000  # files of one submission, of which a few are read
MOST_BYTES = 256 << 20  # that are unpacked to find the lab's files in an archive
DEEPEST = 8  # folders
BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError,
    RuntimeError, NotImplementedError, IndexError, OverflowError, MemoryError,
)  # fmt: skip


@dataclass
class Submission:
    student: str
    files: dict[str, bytes] = field(default_factory=dict)  # lab's name -> its file
    problems: dict[str, str] = field(default_factory=dict)  # lab's name, or "" -> one line


def student_of(path: Path) -> str:
    """The name without the archive's suffix; "" for a file that is no archive."""
    if path.is_dir():
        return path.name
    suffix = next((one for one in sorted(ARCHIVES, key=len) if path.name.lower().endswith(one)), "")
    return path.name[: -len(suffix)] if suffix else ""


def find_submissions(folder: Path) -> list[tuple[str, Path]]:
    """Students and their folders or archives, in the order of the names. Errors: ToolError."""
    if not folder.is_dir():
        raise ToolError(f"DIR={shown(str(folder))}: there is no such folder", EXIT_FAILURE)
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        student = student_of(path)
        if not student:
            raise ToolError(
                f"{shown(str(path))}: is neither a folder nor an archive ({', '.join(ARCHIVES)})",
                EXIT_FAILURE,
            )
        if not student.isprintable() or not is_text(student):
            raise ToolError(
                f"{shown(str(path))}: the name has characters that cannot be printed", 1
            )
        if student in found:
            raise ToolError(
                f"{student}: handed in twice: {found[student].name} and {path.name}", EXIT_FAILURE
            )
        found[student] = path
    if not found:
        raise ToolError(f"DIR={shown(str(folder))}: has no submissions", EXIT_FAILURE)
    return sorted(found.items())


def is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Collector:
    """Takes the files of the labs: .../<lab's folder>/<lab's file>."""

    def __init__(self, submission: Submission, labs: Iterable[Lab]) -> None:
        self.submission = submission
        self.wanted = {(lab.folder_name, lab.file_name): lab.name for lab in labs}
        self.places: dict[str, str] = {}

    def lab_of(self, place: str) -> str:
        """The lab to which a path belongs, or ""."""
        path = PurePosixPath(place)
        return self.wanted.get((path.parent.name, path.name), "")

    def problem(self, lab: str, text: str) -> None:
        self.submission.problems.setdefault(lab, text)
        self.submission.files.pop(lab, None)

    def take(self, lab: str, place: str, data: bytes) -> None:
        if lab in self.places:
            self.problem(lab, f"handed in twice: {shown(self.places[lab])} and {shown(place)}")
            return
        self.places[lab] = place
        if len(data) > LARGEST:
            self.problem(lab, f"the file is longer than {LARGEST >> 10} KiB")
        else:
            self.submission.files[lab] = data


def walk(folder: Path, depth: int = 0) -> Iterator[os.DirEntry[str]]:
    """Regular files. Links are not followed: they may lead to a teacher's files."""
    if depth > DEEPEST:
        return
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir(follow_symlinks=False):
                yield from walk(Path(entry.path), depth + 1)
            else:
                yield entry


def read_plain(path: str) -> bytes:
    """A file that is no link and no pipe; at most one byte more than allowed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("is not a plain file")
        return file.read(LARGEST + 1)


def read_folder(folder: Path, collector: Collector) -> None:
    for count, entry in enumerate(walk(folder)):
        if count >= MOST_MEMBERS:
            collector.problem("", f"the folder has more than {MOST_MEMBERS} files")
            return
        lab = collector.lab_of(Path(entry.path).relative_to(folder).as_posix())
        if not lab:
            continue
        try:
            collector.take(lab, entry.name, read_plain(entry.path))
        except OSError:
            collector.problem(lab, "the file is a link, or cannot be read")


def read_zip(path: Path, collector: Collector) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise ValueError(f"has more than {MOST_MEMBERS} members")
        for member in members:
            lab = collector.lab_of(member.filename)
            if not lab or member.is_dir():
                continue
            # The upper half has Unix' type of file.
            if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
                collector.problem(lab, "the file is a link, or no plain file")
                continue
            with archive.open(member) as file:  # its declared length may lie
                collector.take(lab, member.filename, file.read(LARGEST + 1))


class Bounded:
    """An uncompressed stream that ends with an error where a bomb would go on."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.left = MOST_BYTES

    def read(self, size: int) -> bytes:
        data = self.file.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise ValueError(f"has more than {MOST_BYTES >> 20} MiB")
        return data


def open_stream(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        begin = file.read(6)
    openers: tuple[tuple[bytes, Callable[..., object]], ...] = (
        (b"\x1f\x8b", gzip.open),
        (b"BZh", bz2.open),
        (b"\xfd7zXZ", lzma.open),
    )
    for magic, opener in openers:
        if begin.startswith(magic):
            return cast(IO[bytes], opener(path, "rb"))
    return path.open("rb")


def read_tar(path: Path, collector: Collector) -> None:
    with open_stream(path) as file, tarfile.open(
        fileobj=cast(IO[bytes], Bounded(file)), mode="r|"
    ) as archive:
        for count, member in enumerate(archive):
            if count >= MOST_MEMBERS:
                raise ValueError(f"has more than {MOST_MEMBERS} members")
            lab = collector.lab_of(member.name)
            if not lab or member.isdir():
                continue
            content = archive.extractfile(member) if member.isreg() else None
            if content is None:
                collector.problem(lab, "the file is a link, or no plain file")
            else:
                collector.take(lab, member.name, content.read(LARGEST + 1))


def read_submission(student: str, path: Path, labs: Iterable[Lab]) -> Submission:
    """The labs' files of one student. What is wrong with them is this student's problem alone."""
    submission = Submission(student)
    collector = Collector(submission, labs)
    try:
        if path.is_dir():
            read_folder(path, collector)
        elif path.name.lower().endswith(".zip"):
            read_zip(path, collector)
        else:
            read_tar(path, collector)
    except BROKEN as error:
        said = str(error).splitlines()[:1] or [type(error).__name__]
        submission.files.clear()
        submission.problems[""] = f"{path.name}: cannot be read: {shown(said[0])}"
    return submission
