# SPDX-License-Identifier: MIT
"""A CUDA program that is no stage: which files it has, and building it for one engine."""

import hashlib
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.driver.build import perform
from common.tools.driver.engine import load_engine
from common.tools.driver.request import read_request
from common.tools.lib.files import read_bytes
from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ToolError,
    build_folder,
    shown,
)


def checked_file(name: str, variable: str = "") -> Path:
    """`variable`: the variable of make that named the file, for messages."""
    said = f"{variable}={name}" if variable else name
    path = Path(name)
    try:
        text = read_bytes(path)
    except IsADirectoryError:
        raise ToolError(f"{said}: is a directory", EXIT_FAILURE) from None
    except OSError as error:
        cut = said if len(said) <= 200 else shown(said)
        raise ToolError(f"{cut}: {error.strerror}", EXIT_FAILURE) from None
    if not text.strip():
        raise ToolError(f"{said}: is empty", EXIT_FAILURE)
    if b"\0" in text:
        raise ToolError(f"{said}: is not a text file", EXIT_FAILURE)
    return path


def chosen_files(given: str, variable: str = "FILE") -> list[Path]:
    """The files that the variable names. A blank separates two names, unless it is part of one."""
    if not given:
        raise ToolError(f"{variable} is missing: {variable}=my.cu names a program")
    if os.path.exists(given):  # False also for a name that is too long
        return [checked_file(given, variable)]
    try:
        names = shlex.split(given)
    except ValueError as error:
        raise ToolError(f"{variable}={given}: {error}") from None
    return [checked_file(name, variable) for name in names]


@dataclass(frozen=True)
class OwnProgram:
    """Sources with a main, and how they are compiled."""

    files: list[Path]
    flags: tuple[str, ...] = ()  # nvcc's, besides those that every program gets
    folder: Path = field(default_factory=lambda: build_folder() / "try")  # for executables

    @property
    def name(self) -> str:
        """As chosen_files() takes it."""
        return str(self.files[0]) if len(self.files) == 1 else shlex.join(map(str, self.files))

    @property
    def source_words(self) -> list[str]:
        """A single file is CUDA, whatever its suffix says; of several, the suffix says the
        language."""
        folders = dict.fromkeys(str(path.parent) for path in self.files)
        return [
            *(["-x", "cu"] if len(self.files) == 1 else []),
            *(word for folder in folders for word in ("-I", folder)),
            *self.flags,
        ]

    def executable(self, engine: str) -> Path:
        """Its path. Files of other folders get another one, even if their names agree."""
        words = [str(path.resolve()) for path in self.files] + list(self.flags)
        text = "\0".join(words).encode("utf-8", "surrogateescape")
        stem = self.files[0].stem[:100]
        folder = self.folder / f"{stem}-{hashlib.sha256(text).hexdigest()[:12]}"
        return folder / (stem if engine == "gpu" else f"{stem}.{engine}")


def words(program: OwnProgram, output: Path) -> list[str]:
    """nvcc's flags for the GPU, and emucc's for the CPU engine. -rdc: kernels may launch kernels,
    and one file's kernels may call another's functions."""
    files = map(str, program.files)
    return ["-std=c++20", "-rdc=true", *program.source_words, "-o", str(output), *files]


def build_for_gpu(program: OwnProgram, output: Path) -> None:
    if shutil.which("nvcc") is None:
        raise ToolError("no usable device: nvcc is missing", EXIT_NO_DEVICE)
    if not has_gpu():
        raise ToolError("no usable device: there is no GPU", EXIT_NO_DEVICE)
    command = ["nvcc", "-O3", "-lineinfo", "-arch=native", *words(program, output)]
    if subprocess.run(command, check=False).returncode != 0:
        raise ToolError(f"{program.name}: cannot be compiled with nvcc", EXIT_FAILURE)


def build_for_emulator(program: OwnProgram, output: Path, engine: str) -> None:
    # threadIdx is unsigned: nvcc does not warn when a program compares it with an int.
    warnings = ["-Xcompiler", "-Wall,-Wno-sign-compare", "--threads", "0"]
    perform(read_request([*warnings, *words(program, output)]), load_engine(engine))


def build(program: OwnProgram, engine: str) -> Path:
    """Returns the executable. It is built beside its place and renamed at the end, so that another
    command with the same file neither runs a half of it nor finds it busy."""
    path = program.executable(engine)
    path.parent.mkdir(parents=True, exist_ok=True)
    built = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        if engine == "gpu":
            build_for_gpu(program, built)
        else:
            build_for_emulator(program, built, engine)
        built.replace(path)
    finally:
        built.unlink(missing_ok=True)
    return path
