# SPDX-License-Identifier: MIT
"""Which C functions a program defines that the course does not."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from common.tools.labs.running import Limits, Runner
from common.tools.lib.stages import build_folder

SECONDS = 60
MOST_OUTPUT = 64 << 20  # bytes
OF_THE_LINKER = frozenset({"main", "data_start", "edata", "end", "etext"})


@functools.cache
def course_symbols(chapter: str) -> frozenset[str]:
    """C names that the course's own libraries define."""
    build = build_folder()
    archives = [build / "chapters" / f"lib{chapter}.a", *build.glob("common/**/*.a")]
    command = ["nm", "--defined-only", "--extern-only", "--format=posix", *map(str, archives)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return frozenset(line.split(" ")[0] for line in said.splitlines())


def foreign_symbols(program: Path, folder: Path, chapter: str, run: Runner) -> list[str]:
    """C functions that a program defines and the course does not: a definition of memcpy, for
    example, would serve the harness as well. Names that begin with _ belong to the compiler, and
    the policy refuses them; names with @ are the system's own variables."""
    ended = run(
        ["nm", "--defined-only", "--extern-only", "--format=posix", program],
        folder=folder,
        limits=Limits(SECONDS, output_bytes=MOST_OUTPUT),
    )
    symbols = [line.split(" ") for line in ended.stdout.splitlines()]
    # A variable of C++ has a plain name, too, but nobody calls it.
    names = {words[0] for words in symbols if words[1:2] and words[1] in "TWi"}
    if ended.status != 0 or "main" not in names:
        return ["a table of symbols that nm cannot read"]
    own = {name for name in names if not name.startswith("_") and "@" not in name}
    return sorted(own - course_symbols(chapter) - OF_THE_LINKER)
