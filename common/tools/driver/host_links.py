# SPDX-License-Identifier: MIT
"""Objects that a program's Makefile links itself: with g++ and -lcudart, as nvcc's objects may be.

The engine's can not: they need its libraries, and flags of the linker. A plain link would name each
of some 90 missing functions. So they are weak in the objects that emucc delivers, but for one name,
which says what to do (cuda_runtime_api.h). emucc itself defines that name, and links the whole of
the engine, because a weak reference fetches nothing of a library.
"""

import subprocess
from pathlib import Path

from common.tools.driver.engine import Engine

MARK = "emucc_must_link_this_program_not_gpp"
DEFINES = ["-DEMULATOR_LINKED_BY_EMUCC=1"]
LINK_FLAGS = [f"-Wl,--defsym={MARK}=0"]


def archives_of(engine: Engine) -> list[str]:
    return [word for word in engine.libraries if word.endswith(".a")]


def symbols(kind: str, *files: str) -> set[str]:
    """What `nm` lists: undefined or defined names."""
    listed = subprocess.run(
        ["nm", "--extern-only", kind, "--format=posix", *files],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.split(" ", 1)[0] for line in listed.stdout.splitlines() if " " in line}


def weaken(engine: Engine, target: str, scratch: Path) -> None:
    """Makes an object's references to the engine weak, or those of an archive's objects."""
    names = symbols("--undefined-only", target) & symbols("--defined-only", *archives_of(engine))
    if not names:
        return
    listing = scratch / "weak"
    listing.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
    subprocess.run(["objcopy", f"--weaken-symbols={listing}", target], check=True)


def libraries_for(engine: Engine, links_objects: bool) -> list[str]:
    """The engine's libraries: all of each, where objects come from elsewhere."""
    whole = {
        "-Wl,--start-group": "-Wl,--whole-archive",
        "-Wl,--end-group": "-Wl,--no-whole-archive",
    }
    return [whole.get(word, word) if links_objects else word for word in engine.libraries]
