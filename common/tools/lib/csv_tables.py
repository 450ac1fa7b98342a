# SPDX-License-Identifier: MIT
"""CSV tables. They are read strictly: every error names the file and the line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import DataError, shown


class MissingFile(DataError):
    """A file of recorded data does not exist."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path


def fields_of(path: Path, number: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line]))
    except (csv.Error, StopIteration):
        raise DataError(f"{path}:{number}: is not a line of a CSV file") from None


def parse_table(
    text: str, path: Path, columns: Sequence[str]
) -> Iterable[tuple[int, dict[str, str]]]:
    """Yields line number and record; `#` lines are comments."""
    numbered = [
        (number, line)
        for number, line in enumerate(io.StringIO(text, newline=""), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not numbered:
        raise DataError(f"{path}: is empty")
    header = fields_of(path, *numbered[0])
    if tuple(header) != tuple(columns):
        raise DataError(f"{path}:{numbered[0][0]}: the header is not {','.join(columns)}")
    for number, line in numbered[1:]:
        fields = fields_of(path, number, line)
        if len(fields) != len(columns):
            raise DataError(
                f"{path}:{number}: {len(fields)} fields where {len(columns)} are expected"
            )
        yield number, dict(zip(columns, fields))


def read_table(path: Path, columns: Sequence[str]) -> Iterable[tuple[int, dict[str, str]]]:
    """Reads a file as parse_table() does."""
    try:
        text = read_text(path)
    except FileNotFoundError as error:
        raise MissingFile(path, str(error.strerror)) from error
    yield from parse_table(text, path, columns)


def integer(text: str, name: str, place: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise DataError(f"{place}: {name} is {shown(text)}, not an integer") from None


def real(text: str, name: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise DataError(f"{place}: {name} is {shown(text)}, not a number") from None
    if not math.isfinite(value):
        raise DataError(f"{place}: {name} is {shown(text)}, not a finite number")
    return value


def read_records(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """All records of a table, without their lines' numbers."""
    return [record for _, record in read_table(path, columns)]


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes the table whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.getvalue())
