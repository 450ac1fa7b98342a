# SPDX-License-Identifier: MIT
"""A CSV file that several recorders fill, and the runs that one of them has claimed."""

from __future__ import annotations

import csv
import fcntl
import io
import os
import zlib
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from common.tools.lib.files import text_of, write_whole
from common.tools.lib.stages import DataError
from common.tools.lib.csv_tables import parse_table

Row = dict[str, str]


class TableError(DataError):
    """A table that cannot be read or written. No further run makes sense."""


@contextmanager
def locked(path: Path) -> Iterator[BinaryIO]:
    """Opens the file to append. Meanwhile no other recorder can read or write it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            # pylint: disable-next=consider-using-with
            file = path.open("ab", buffering=0)
            fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed
            # Another recorder may have replaced the file while this one waited for the lock.
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                break
            file.close()
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    with file:
        yield file


class Table:
    """A CSV file to which several recorders may append, one whole run at a time.

    A change writes the whole table beside the file and renames it. So a full disk, a signal or a
    power failure leaves the table as it was before.
    """

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self.header = tuple(header)
        self.rows: list[Row] = []
        self._text = ""  # the whole lines of the file
        self._held = False
        self.refresh()

    def refresh(self) -> None:
        """Reads what other recorders have written."""
        if self.path.exists():
            with self.locked():
                pass

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other recorders away from the table, whose rows are up to date meanwhile."""
        if self._held:
            yield
            return
        with locked(self.path):
            try:
                self._read()
            except DataError as error:
                raise TableError(str(error)) from None
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def _read(self) -> None:
        data = self.path.read_bytes()
        # The last line may be a part of one, left by a power failure. The next change removes it.
        self._text = text_of(data[: data.rfind(b"\n") + 1], self.path)
        self.rows = []
        if self._text:
            self.rows = [row for _, row in parse_table(self._text, self.path, self.header)]

    def change(self, rows: list[Row], dropped: Sequence[Row] = ()) -> None:
        """Appends rows and removes `dropped` ones of `self.rows`, or leaves the table as it was."""
        with self.locked():
            without = {id(row) for row in dropped}
            kept = [row for row in self.rows if id(row) not in without]
            text = io.StringIO()
            writer = csv.DictWriter(text, self.header, lineterminator="\n")
            if self._text and not dropped:
                text.write(self._text)
            else:
                writer.writeheader()
                writer.writerows(kept)
            writer.writerows(rows)
            try:
                write_whole(self.path, text.getvalue())
            except DataError as error:
                raise TableError(str(error)) from None
            self._text, self.rows = text.getvalue(), kept + rows

    def append(self, rows: list[Row]) -> None:
        self.change(rows)


class Host:
    """What the recorders of a folder measure at the same time: many runs, or one alone. A lock ends
    with its process."""

    def __init__(self, folder: Path) -> None:
        self.turn = folder / ".turn"
        self.running = folder / ".running"

    @contextmanager
    def measures(self, alone: bool) -> Iterator[None]:
        """Waits for a run that is measured alone, or, before one, for all others."""
        with ExitStack() as stack:
            # A run that waits to be alone has the turn, so no other one begins before it.
            with locked(self.turn):
                try:
                    # pylint: disable-next=consider-using-with
                    file = stack.enter_context(self.running.open("ab", buffering=0))
                    fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
                except OSError as error:
                    said = f"{self.running}: cannot be written: {error.strerror}"
                    raise TableError(said) from None
            yield


class Claims:
    """Which runs the recorders of a folder are making at present. A claim ends with its process."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".claims"

    @contextmanager
    def claimed(self, key: Hashable) -> Iterator[bool]:
        """Claims a run, one at a time. False: another process has claimed it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # pylint: disable-next=consider-using-with
            file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise TableError(f"{self.path}: cannot be written: {error.strerror}") from None
        with file:  # the lock ends when the file is closed
            # Each run is one byte of the file, which need not exist to be locked.
            place = zlib.crc32(repr(key).encode("utf-8"))
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                free = True
            except (BlockingIOError, PermissionError):  # either, by the system
                free = False
            yield free
