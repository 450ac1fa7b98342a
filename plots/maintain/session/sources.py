# SPDX-License-Identifier: MIT
"""What a step depends on, as one short text: a session repeats no step that succeeded with the
same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from common.tools.lib.stages import ROOT, Stage
from plots.maintain.session.plan import Step

# What is built or measured is no source.
LEFT_OUT = ("plots/data", "plots/published", "build", "my")
# What every stage is built from. The CPU engine is no part of what runs on a GPU, and the tools
# change no program.
HARNESS = ("common", "meson.build", "meson_options.txt", "chapters/meson.build")
NOT_IN_STAGES = ("common/tools", "common/emulator")
EVERYTHING = (
    "Makefile",
    "chapters",
    "common",
    "meson.build",
    "meson_options.txt",
    "plots",
    "tests",
)


def files_below(root: Path, name: str, without: Sequence[str]) -> Iterator[str]:
    """The files of a folder, or the file itself."""
    path = root / name
    if name in without or path.name.startswith((".", "__pycache__")) or path.is_symlink():
        return
    if path.is_dir():
        for one in sorted(path.iterdir()):
            yield from files_below(root, f"{name}/{one.name}", without)
    elif path.is_file():
        yield name


@cache
def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def depends_on(step: Step, stages: Sequence[Stage]) -> tuple[list[str], list[str], list[str]]:
    """Files and folders, what is left out of them, and the flags of stages."""
    if step.sources:
        return list(step.sources), [], []
    if step.kind in ("command", "test"):
        return list(EVERYTHING), list(LEFT_OUT), []
    own = [
        one
        for one in stages
        if step.chapter in ("", one.chapter) and (not step.stages or one.name in step.stages)
    ]
    names = list(HARNESS)
    for chapter in dict.fromkeys(one.chapter for one in own):
        names += [f"chapters/{chapter}/problem", f"chapters/{chapter}/device"]
        if step.kind in ("record", "profile"):
            names.append(f"plots/{chapter}")
    names += [str(Path(one.source).parent) for one in own]
    flags = [
        repr(
            (
                one.stage,
                one.cuda_args,
                one.emu_args,
                one.more_checks,
                one.counter_args,
                one.libraries,
            )
        )
        for one in own
    ]
    counts = step.kind in ("prove", "instructions") or step.engine in ("emu", "count")
    without = [one for one in NOT_IN_STAGES if not (counts and one == "common/emulator")]
    return names, [*LEFT_OUT, *without], flags


def source_of(step: Step, stages: Sequence[Stage], root: Path = ROOT) -> str:
    names, without, texts = depends_on(step, stages)
    files = [one for name in names for one in files_below(root, name, without)]
    if step.kind not in ("command", "test") and not step.sources:
        files = [one for one in files if not one.endswith(".md")]  # pages, which nothing runs
    texts = [step.line, *texts, *(f"{name} {digest_of(root / name)}" for name in files)]
    return hashlib.sha256("\n".join(texts).encode("utf-8")).hexdigest()[:16]
