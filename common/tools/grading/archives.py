# SPDX-License-Identifier: MIT
"""Reads what one student handed in: a folder, or an archive. Nothing is unpacked: only the files of
the labs are read, into memory, and only if they are plain files of a usual size.

Nobody trusts an archive. So caged.py runs this file in a cage, with limits of time and memory, and
the cage ends what a limit here does not see. It imports nothing of the course.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

MOST_MEMBERS = 20_000  # files of one submission, of which a few are read
MOST_BYTES = 256 << 20  # that are unpacked to find the lab's files in an archive
DEEPEST = 8  # folders


def printable(text: str) -> str:
    """A name of a student's file for a message of one line."""
    cut = text if len(text) <= 80 else f"{text[:80]}..."
    return "".join(c if c.isprintable() else "?" for c in cut)


@dataclass
class Contents:
    files: dict[str, bytes] = field(default_factory=dict)  # lab's name -> its file
    problems: dict[str, str] = field(default_factory=dict)  # lab's name, or "" -> one line


class Collector:
    """Takes the files of the labs: .../<lab's folder>/<lab's file>. `wanted` has these ends of
    their paths, with the labs' names. A file has at most `largest` bytes."""

    def __init__(self, contents: Contents, wanted: Mapping[str, str], largest: int) -> None:
        self.contents = contents
        self.wanted = wanted
        self.largest = largest
        self.places: dict[str, str] = {}

    def lab_of(self, place: str) -> str:
        """The lab to which a path belongs, or ""."""
        path = PurePosixPath(place)
        return self.wanted.get(f"{path.parent.name}/{path.name}", "")

    def problem(self, lab: str, text: str) -> None:
        self.contents.problems.setdefault(lab, text)
        self.contents.files.pop(lab, None)

    def take(self, lab: str, place: str, data: bytes) -> None:
        if lab in self.places:
            both = f"{printable(self.places[lab])} and {printable(place)}"
            self.problem(lab, f"handed in twice: {both}")
            return
        self.places[lab] = place
        if len(data) > self.largest:
            self.problem(lab, f"the file is longer than {self.largest >> 10} KiB")
        else:
            self.contents.files[lab] = data


def walk(folder: Path, depth: int = 0) -> Iterator[os.DirEntry[str]]:
    """Regular files. Links are not followed: they may lead to a teacher's files."""
    if depth > DEEPEST:
        return
    with os.scandir(folder) as entries:
        # No more than that many are held in memory.
        for entry in sorted(islice(entries, MOST_MEMBERS + 1), key=lambda one: one.name):
            if entry.is_dir(follow_symlinks=False):
                yield from walk(Path(entry.path), depth + 1)
            else:
                yield entry


def read_plain(path: str, largest: int) -> bytes:
    """A file that is no link and no pipe; at most one byte more than allowed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("is not a plain file")
        return file.read(largest + 1)


def read_folder(folder: Path, collector: Collector) -> None:
    for count, entry in enumerate(walk(folder)):
        if count >= MOST_MEMBERS:
            collector.problem("", f"the folder has more than {MOST_MEMBERS} files")
            return
        lab = collector.lab_of(Path(entry.path).relative_to(folder).as_posix())
        if not lab:
            continue
        try:
            collector.take(lab, entry.name, read_plain(entry.path, collector.largest))
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
                collector.take(lab, member.filename, file.read(collector.largest + 1))


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
                collector.take(lab, member.name, content.read(collector.largest + 1))


def read(path: Path, wanted: Mapping[str, str], largest: int) -> Contents:
    """The labs' files of one student, and what is wrong with them. Any error of the libraries that
    read archives means that the archive is damaged."""
    contents = Contents()
    collector = Collector(contents, wanted, largest)
    try:
        if path.is_dir():
            read_folder(path, collector)
        elif path.name.lower().endswith(".zip"):
            read_zip(path, collector)
        else:
            read_tar(path, collector)
    except Exception as error:  # pylint: disable=broad-exception-caught
        said = str(error).splitlines()[:1] or [type(error).__name__]
        contents.files.clear()
        contents.problems = {"": f"{printable(path.name)}: cannot be read: {printable(said[0])}"}
    return contents


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """For caged.py. The files lie in the folder of this process, by numbers."""
    path = Path(os.fsdecode(bytes.fromhex(request["path"])))
    contents = read(path, request["wanted"], request["largest"])
    names = {}
    for number, (lab, data) in enumerate(contents.files.items()):
        names[lab] = str(number)
        Path(names[lab]).write_bytes(data)
    return {"files": names, "problems": contents.problems}
