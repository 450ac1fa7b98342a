# SPDX-License-Identifier: MIT
"""Headers that only include others, or only say what the CPU engine lacks. Their list is
libraries/forwarding.txt.

Meson runs this file to make them:

    forwarding.py LIST FOLDER
"""

import sys
from functools import cache
from pathlib import Path

LIST = Path(__file__).parents[1] / "libraries" / "forwarding.txt"


@cache
def read_forwarding(path: Path = LIST) -> dict[str, str]:
    """The text of each header, by its name."""
    headers: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, *rest = line.split(maxsplit=1)
        if not rest or name[-1] not in ":!" or name[:-1] in headers:
            raise ValueError(f"{path}:{number}: neither a new `name: headers` nor `name! message`")
        if name[-1] == "!":
            lines = [f'#error "{rest[0]}"']
        else:
            lines = [f"#include <{header}>" for header in rest[0].split()]
        headers[name[:-1]] = "\n".join(["#pragma once", "", *lines, ""])
    return headers


@cache
def read_replaceable() -> frozenset[str]:
    """The headers that give way to a program's own: those that only say what the engine lacks, and
    that of a library which programs often bring a part of themselves."""
    refused = (name for name, text in read_forwarding().items() if "#error" in text)
    return frozenset(refused) | {"cublas_v2.h"}


def holds_replaceable(folder: Path) -> bool:
    """Whether a folder of a program has own headers of such names, which are used then. The
    toolkit's headers are not the program's."""
    return not (folder / "cuda_runtime.h").is_file() and any(
        (folder / name).is_file() for name in read_replaceable()
    )


def write_headers(path: Path, folder: Path) -> None:
    headers = read_forwarding(path)
    for name, text in headers.items():
        target = folder / name
        # An unchanged header keeps its time, so that nothing is compiled again.
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for target in folder.rglob("*"):
        if target.is_file() and str(target.relative_to(folder)) not in headers:
            target.unlink()


if __name__ == "__main__":
    try:
        write_headers(Path(sys.argv[1]), Path(sys.argv[2]))
    except (OSError, ValueError) as error:
        sys.exit(str(error))
