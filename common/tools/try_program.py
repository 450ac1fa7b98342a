#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make try FILE=my.cu [ENGINE=gpu|emu|count] [ARGS=…]: builds and runs a CUDA program.

The program is one file with its own main. It runs on a GPU (gpu), or on the CPU engine without
(emu) or with (count) counters and checks. Without a GPU, count is the default. The executable stays
in build/try.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ROOT,
    ToolError,
    arguments,
    build_folder,
    chosen_engine,
    run_tool,
    variable,
)

EMULATOR = ROOT / "common" / "emulator"
EMULATOR_LIBRARIES = Path("common") / "emulator"  # in the build folder


def checked_file(name: str) -> Path:
    if not name:
        raise ToolError("FILE is missing: make try FILE=my.cu")
    path = Path(name)
    if path.is_dir():
        raise ToolError(f"FILE={name}: is a directory", EXIT_FAILURE)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ToolError(f"FILE={name}: {error.strerror}", EXIT_FAILURE) from None
    if not text.strip():
        raise ToolError(f"FILE={name}: is empty", EXIT_FAILURE)
    if b"\0" in text:
        raise ToolError(f"FILE={name}: is not a text file", EXIT_FAILURE)
    return path


def compile_with(command: list[str], source: Path, compiler: str) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        raise ToolError(f"FILE={source}: cannot be compiled with {compiler}", EXIT_FAILURE)


def build_for_gpu(source: Path, program: Path) -> None:
    if shutil.which("nvcc") is None:
        raise ToolError("no usable device: nvcc is missing", EXIT_NO_DEVICE)
    if not has_gpu():
        raise ToolError("no usable device: there is no GPU", EXIT_NO_DEVICE)
    # -rdc: kernels may launch kernels, as they may on the CPU engine.
    compile_with(
        [
            "nvcc",
            "-x",
            "cu",
            "-std=c++20",
            "-O3",
            "-lineinfo",
            "-arch=native",
            "-rdc=true",
            "-I",
            str(source.parent),
            "-o",
            str(program),
            str(source),
        ],
        source,
        "nvcc",
    )


def build_for_emulator(source: Path, program: Path, counting: bool) -> None:
    libraries = [EMULATOR_LIBRARIES / "libemulator.a"]
    if counting:
        libraries.insert(0, EMULATOR_LIBRARIES / "counting" / "libemulator_counting.a")
    if not all((build_folder() / library).exists() for library in libraries):
        raise ToolError("the CPU engine was not built", EXIT_NO_DEVICE)
    flags = json.loads((build_folder() / "emulator.json").read_text(encoding="utf-8"))
    compile_flags, link_flags = ["-O2"], []
    if counting:  # the flags of the stages
        compile_flags, link_flags = flags["compile"], flags["link"]
    translated, compiled = (program.with_name(program.name + end) for end in (".cpp", ".o"))
    translate = subprocess.run(
        [sys.executable, str(EMULATOR / "translate.py"), str(source), "-o", str(translated)],
        check=False,
    )
    if translate.returncode != 0:
        raise ToolError(f"FILE={source}: cannot be translated for the CPU engine", EXIT_FAILURE)
    # nvcc includes cuda_runtime.h by itself, and many programs rely on that.
    # threadIdx is unsigned: nvcc does not warn when a program compares it with an int.
    compiler = "g++ for the CPU engine"
    compile_with(
        [
            "g++",
            "-std=c++20",
            "-g",
            "-Wall",
            "-Wno-sign-compare",
            *compile_flags,
            "-I",
            str(EMULATOR / "include"),
            "-I",
            str(EMULATOR / "include_libraries"),
            "-I",
            str(EMULATOR / "refused"),
            "-include",
            "cuda_runtime.h",
            "-I",
            str(source.parent),
            "-c",
            "-o",
            str(compiled),
            str(translated),
        ],
        source,
        compiler,
    )
    # A separate step: with the flags of counting, g++ would link the runtime of its thread checker.
    compile_with(
        [
            "g++",
            "-o",
            str(program),
            str(compiled),
            *link_flags,
            "-Wl,--start-group",
            *(str(build_folder() / library) for library in libraries),
            "-Wl,--end-group",
            *flags["libraries"],
            "-pthread",
        ],
        source,
        compiler,
    )


def run_unchecked(program: Path, source: Path) -> int:
    """Runs a program of the engine without checks. The last line says that nothing was checked."""
    status = subprocess.run([str(program), *arguments()], check=False).returncode
    print(
        f"emulator: ENGINE=emu checked nothing; `make try FILE={source}` checks every access, "
        "barrier and launch",
        file=sys.stderr,
    )
    return 128 - status if status < 0 else status  # ended by a signal: as a shell says it


def main() -> int:
    source = checked_file(variable("FILE"))
    engine = chosen_engine()
    if not engine:
        engine = "gpu" if has_gpu() and shutil.which("nvcc") else "count"
    folder = build_folder() / "try"
    folder.mkdir(parents=True, exist_ok=True)
    if engine == "gpu":
        program = folder / source.stem
        build_for_gpu(source, program)
    else:
        program = folder / f"{source.stem}.{engine}"
        build_for_emulator(source, program, counting=engine == "count")
    if engine == "emu":
        return run_unchecked(program, source)
    sys.stdout.flush()
    os.execv(program, [str(program), *arguments()])


if __name__ == "__main__":
    run_tool(main)
