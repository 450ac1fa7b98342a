# SPDX-License-Identifier: MIT
"""Builds a lab's program for the CPU engine with counters. Only the file itself is compiled: the
chapter's harness and the engine are libraries that ninja has built."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.stages import BUILD, EXIT_FAILURE, ROOT, Stage, ToolError, build_folder
from common.tools.labs.running import Limits, Runner, run_program

SECONDS = 120  # more than the largest stage needs on a slow machine
MOST_LINES = 25  # of the compiler's messages
PLACE = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+): (error|fatal error|warning|note): ")


@dataclass(frozen=True)
class Built:
    program: Path | None  # None: it does not compile
    messages: list[str]
    names: Path = Path()  # the linker's table: which file defines a name, and which files use it


def chapter_libraries(chapter: str) -> list[str]:
    """Ninja's names of what a chapter's executables are linked with, besides the engine."""
    return [
        f"chapters/lib{chapter}.a",
        "common/libbackend_count.a",
        "common/libemulated_backend.a",
        "common/libcommon_host.a",
    ]


def libraries(stage: Stage) -> list[str]:
    return chapter_libraries(stage.chapter)


def build_libraries(chapters: list[str]) -> None:
    """Brings the libraries of these chapters, and the engine, up to date."""
    targets = dict.fromkeys(name for one in chapters for name in chapter_libraries(one))
    # What it says goes to stderr: a result may go to stdout as JSON.
    command = [BUILD, *targets, "engine"]
    result = subprocess.run(command, stdout=sys.stderr, check=False)
    if result.returncode != 0:
        raise ToolError("the chapter's libraries cannot be built", EXIT_FAILURE)


def names_flags(names: Path) -> list[str]:
    return [word for flag in ("--cref", "-Map", str(names)) for word in ("-Xlinker", flag)]


def command_of(stage: Stage, source: Path, program: Path) -> list[str]:
    build = build_folder()
    return [
        "env",
        "EMUCC_ENGINE=count",
        f"COURSE_BUILD={build}",
        sys.executable,
        str(ROOT / "common/tools/commands/emucc"),
        "-std=c++20",
        f'-DSTAGE_NAME="{stage.stage}"',
        *(["-rdc=true"] if stage.device_launches else []),
        *stage.emu_args,
        *(
            word
            for folder in (ROOT, ROOT / "chapters" / stage.chapter)
            for word in ("-I", str(folder))
        ),
        "-Xcompiler",
        "-Wall,-Wno-sign-compare",
        "-o",
        str(program),
        str(source),
        "-Wl,--start-group",
        *(str(build / name) for name in libraries(stage)),
        "-Wl,--end-group",
    ]


def own_messages(said: str, source: Path) -> list[str]:
    """The messages that name a line of the student's file, with their excerpts. If none does, the
    last lines of what was said."""
    kept: list[str] = []
    is_own = False
    for line in said.splitlines():
        match = PLACE.match(line)
        if match:
            is_own = Path(match["file"]).name == source.name and "/common/" not in match["file"]
            line = source.name + line[match.end("file") :]
        if is_own:
            kept.append(line)
    if not kept:
        kept = [line.replace(f"{source.parent}/", "") for line in said.splitlines()[-5:]]
    if len(kept) > MOST_LINES:
        kept = [*kept[:MOST_LINES], f"... and {len(kept) - MOST_LINES} more lines"]
    return kept


def build_program(
    stage: Stage, text: str, folder: Path, name: str, run: Runner = run_program
) -> Built:
    """Compiles and links the text as if it were the stage's file."""
    source = folder / Path(stage.source).name
    source.write_text(text, encoding="utf-8")
    program, names = folder / name, folder / f"{name}.names"
    command = [*command_of(stage, source, program), *names_flags(names)]
    finished = run(command, folder=folder, limits=Limits(SECONDS))
    messages = own_messages(finished.stderr, source) if finished.stderr.strip() else []
    if finished.timed_out:
        return Built(None, [f"the compiler did not end within {SECONDS} seconds"])
    if finished.status != 0 or not program.is_file():
        return Built(None, messages or [f"the compiler ended with status {finished.status}"])
    return Built(program, messages, names)
