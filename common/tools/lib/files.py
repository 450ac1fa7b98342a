# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all, and texts whose damage is an error of one line."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: the same parser as a package
    import tomli as tomllib  # type: ignore[import,no-redef]

from common.tools.lib.errors import DataError


LARGEST_STREAM = 64 << 20  # bytes, as for a stage's --input


def write_whole(path: Path, text: str, name: str = "") -> None:
    """Writes the text beside the file and renames it at the end, so a full disk or a signal leaves
    the old file. A symbolic link is followed. A device or a pipe is written directly. A message
    says `name` in place of the path."""
    temporary: Path | None = None
    try:
        target = path.resolve(strict=False)
        if path.is_symlink() and not target.parent.is_dir():
            raise FileNotFoundError(None, "the symbolic link leads to no folder")
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            target.write_text(text, encoding="utf-8")
            return
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError(None, "Permission denied")
        temporary = target.with_name(f"{target.name[:200]}.{os.getpid()}.partial")
        with temporary.open("wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
        temporary = None
    except RuntimeError:  # before Python 3.13, a link that leads to itself
        raise DataError(f"{name or path}: cannot be written: the symbolic link is a loop") from None
    except OSError as error:
        raise DataError(f"{name or path}: cannot be written: {error.strerror}") from None
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


def text_of(data: bytes, path: Path | str) -> str:
    """The text of a file's bytes. A DataError names the line that is no UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}:{line}: is not a text in UTF-8") from None


def read_bytes(path: Path) -> bytes:
    """All bytes of a file. A device or a pipe may have no end: more than LARGEST_STREAM bytes of it
    are a DataError. What the system refuses is an OSError."""
    with path.open("rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        data = file.read(LARGEST_STREAM + 1)
    if len(data) > LARGEST_STREAM:
        raise DataError(
            f"{path}: is longer than 64 MiB, the limit of a pipe or a device: if it has an end, store it"
            " in a file"
        )
    return data


def read_text(path: Path) -> str:
    """The text of a file, with the line ends of Linux. Errors: DataError if it cannot be read or is
    no UTF-8. A missing file is a FileNotFoundError, for callers who know what to do about it."""
    try:
        text = text_of(read_bytes(path), path)
        return text.replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def parse_json(text: str, path: Path | str) -> Any:
    """The document. A DataError names the file and the line of a mistake."""
    try:
        document = json.loads(text)
        if "\\ud" in text.lower():  # half of a character, which no message can show
            json.dumps(document, ensure_ascii=False).encode("utf-8")
        return document
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}: is not JSON: {error.msg}") from None
    except UnicodeEncodeError:
        raise DataError(f"{path}: is not JSON: it has half of a character") from None
    except ValueError:  # an integer of thousands of digits
        raise DataError(f"{path}: is not JSON: a number is too long") from None
    except RecursionError:
        raise DataError(f"{path}: is not JSON: it is nested too deeply") from None


def parse_toml(text: str, path: Path | str) -> dict[str, Any]:
    """The document. A DataError names the file, and in the parser's words the line."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also an integer of thousands of digits
        raise DataError(f"{path}: is not TOML: {error}") from None
