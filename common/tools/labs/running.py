# SPDX-License-Identifier: MIT
"""The one place where a lab runs programs: the compiler, and what a student wrote."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    seconds: float  # of wall-clock time
    file_bytes: int = 256 << 20  # the largest file that it may write
    output_bytes: int = 1 << 20  # what is kept of each of stdout and stderr


@dataclass(frozen=True)
class Finished:
    status: int  # below 0: ended by this signal
    stdout: str
    stderr: str
    timed_out: bool = False


Runner = Callable[..., Finished]  # run_program, or one with its parameters


def run_program(command: Sequence[str | Path], *, folder: Path, limits: Limits) -> Finished:
    """Runs a command in a folder, in a process group of its own. After its time, all of the group
    is ended."""

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=limit_files,
        ) as process:
            timed_out = False
            try:
                process.wait(timeout=limits.seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
            try:
                os.killpg(process.pid, signal.SIGKILL)  # also what it left behind
            except ProcessLookupError:
                pass
            status = process.wait()
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read(limits.output_bytes).decode("utf-8", errors="replace"))
    return Finished(status, texts[0], texts[1], timed_out)
