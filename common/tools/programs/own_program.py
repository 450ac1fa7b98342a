# SPDX-License-Identifier: MIT
"""A student's own CUDA program: which files it has, and building it for one engine below build/try.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
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


def checked_file(name: str, variable: str = "FILE") -> Path:
    """`variable`: what named the file, for messages."""
    if not name:
        raise ToolError(f"{variable} is missing: {variable}=my.cu names a program")
    path = Path(name)
    try:
        text = read_bytes(path)
    except IsADirectoryError:
        raise ToolError(f"{variable}={name}: is a directory", EXIT_FAILURE) from None
    except OSError as error:
        cut = name if len(name) <= 200 else shown(name)
        raise ToolError(f"{variable}={cut}: {error.strerror}", EXIT_FAILURE) from None
    if not text.strip():
        raise ToolError(f"{variable}={name}: is empty", EXIT_FAILURE)
    if b"\0" in text:
        raise ToolError(f"{variable}={name}: is not a text file", EXIT_FAILURE)
    return path


def chosen_files(given: str, variable: str = "FILE") -> list[Path]:
    """The files that the variable names. A blank separates two names, unless it is part of one."""
    if not given or os.path.exists(given):  # False also for a name that is too long
        return [checked_file(given, variable)]
    try:
        names = shlex.split(given)
    except ValueError as error:
        raise ToolError(f"{variable}={given}: {error}") from None
    return [checked_file(name, variable) for name in names]


def flags(files: list[Path], program: Path) -> list[str]:
    """nvcc's flags for the GPU, and emucc's for the CPU engine. A single file is CUDA, whatever its
    suffix says; of several, the suffix says the language. -rdc: kernels may launch kernels, and one
    file's kernels may call another's functions."""
    folders = dict.fromkeys(str(path.parent) for path in files)
    return [
        *(["-x", "cu"] if len(files) == 1 else []),
        "-std=c++20",
        "-rdc=true",
        *(word for folder in folders for word in ("-I", folder)),
        "-o",
        str(program),
        *map(str, files),
    ]


def build_for_gpu(files: list[Path], program: Path) -> None:
    if shutil.which("nvcc") is None:
        raise ToolError("no usable device: nvcc is missing", EXIT_NO_DEVICE)
    if not has_gpu():
        raise ToolError("no usable device: there is no GPU", EXIT_NO_DEVICE)
    command = ["nvcc", "-O3", "-lineinfo", "-arch=native", *flags(files, program)]
    if subprocess.run(command, check=False).returncode != 0:
        raise ToolError(
            f"FILE={' '.join(map(str, files))}: cannot be compiled with nvcc", EXIT_FAILURE
        )


def build_for_emulator(files: list[Path], program: Path, engine: str) -> None:
    # threadIdx is unsigned: nvcc does not warn when a program compares it with an int.
    warnings = ["-Xcompiler", "-Wall,-Wno-sign-compare", "--threads", "0"]
    perform(read_request([*warnings, *flags(files, program)]), load_engine(engine))


def program_of(files: list[Path], engine: str) -> Path:
    """The executable's path. Files of other folders get another one, even if their names agree."""
    paths = "\0".join(str(path.resolve()) for path in files)
    digest = hashlib.sha256(paths.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    stem = files[0].stem[:100]
    return (
        build_folder()
        / "try"
        / f"{stem}-{digest}"
        / (stem if engine == "gpu" else f"{stem}.{engine}")
    )


def build(files: list[Path], program: Path, engine: str) -> None:
    """Builds beside the executable and renames at the end, so that another command with the same
    file neither runs a half of it nor finds it busy."""
    program.parent.mkdir(parents=True, exist_ok=True)
    built = program.with_name(f"{program.name}.{os.getpid()}")
    try:
        if engine == "gpu":
            build_for_gpu(files, built)
        else:
            build_for_emulator(files, built, engine)
        built.replace(program)
    finally:
        built.unlink(missing_ok=True)
