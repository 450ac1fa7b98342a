# SPDX-License-Identifier: MIT
"""The machine code of a stage or of an own program, compiled by nvcc and listed by nvdisasm. Both
belong to the CUDA Toolkit; no GPU is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.tools.lib.counting import kernel_key
from common.tools.lib.stages import ROOT, Stage
from common.tools.machine_code.listing import Function, read_listing
from common.tools.programs.own_program import chosen_files
from common.tools.lib.architectures import number_of, nvcc_flags

TIMEOUT_S = 120


class NoMachineCode(Exception):
    """Why there is none, in a few words."""


def found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise NoMachineCode(f"{program} is missing")
    return path


def compile_words(stage: Stage) -> list[str]:
    """nvcc's flags, as the executable for a GPU has them."""
    if stage.is_own_program:
        return ["-rdc=true", *stage.cuda_args]
    folders = (ROOT, stage.chapter_folder, (ROOT / stage.source).parent)
    return [
        f'-DSTAGE_NAME="{stage.stage}"',
        *(["-rdc=true"] if stage.device_launches else []),
        *stage.cuda_args,
        *(mpi_words() if "nccl" in stage.libraries else []),
        *(word for folder in folders for word in ("-I", str(folder))),
    ]


def mpi_words() -> list[str]:
    """The folders of MPI's headers, as its compiler shows them. Programs with NCCL need them."""
    shown = run([found("mpicxx"), "-show"], "MPI's compiler does not tell its folders")
    return [word for word in shown.split() if word.startswith("-I")]


def run(command: Sequence[str], why: str) -> str:
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise NoMachineCode(f"{why} within {TIMEOUT_S} s") from None
    if result.returncode != 0:
        raise NoMachineCode(why)
    return result.stdout


def listings(stage: Stage, files: Sequence[Path], architecture: str) -> list[str]:
    """nvdisasm's text of each file."""
    nvcc, nvdisasm = found("nvcc"), found("nvdisasm")
    texts = []
    with tempfile.TemporaryDirectory() as folder:
        for number, file in enumerate(files):
            code = Path(folder) / f"{number}.cubin"
            command = [nvcc, "-std=c++20", "-O3", "-lineinfo", f"-arch={architecture}", "-cubin"]
            words = [*compile_words(stage), "-o", str(code), str(file)]
            if not stage.is_own_program:
                words = [*nvcc_flags([number_of(architecture.removeprefix("sm_"))]), *words]
            run([*command, *words], f"nvcc cannot compile it for {architecture}")
            texts.append(run([nvdisasm, "-gi", "-c", str(code)], "nvdisasm cannot read it"))
    return texts


def functions_of(texts: Sequence[str]) -> dict[str, list[Function]]:
    """Each kernel with the functions that it calls, by the kernel's key. Where code is compiled
    separately, functions have sections of their own, as kernels have."""
    sections: dict[str, list[Function]] = {}
    for text in texts:
        sections |= read_listing(text.splitlines())
    names = demangled(list(sections))
    return {kernel_key(names[name]): with_called(name, sections) for name in sections}


def with_called(name: str, sections: Mapping[str, list[Function]]) -> list[Function]:
    found = list(sections[name])
    for function in found:  # which grows
        known = {one.name for one in found}
        called = {one.target for one in function.instructions if one.name == "CALL"}
        for other in sorted(called & sections.keys() - known):
            found += sections[other]
    return found


# What nvcc puts before the name of a static kernel that is compiled separately.
STATIC = re.compile(r"^__nv_static_\w*?_(?=_Z)")


def demangled(names: Sequence[str]) -> Mapping[str, str]:
    program = shutil.which("cu++filt") or found("c++filt")
    result = subprocess.run(
        [program],
        input="\n".join(STATIC.sub("", name) for name in names),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(names, result.stdout.splitlines(), strict=True))


def stage_listings(stage: Stage, architecture: str) -> list[str]:
    """Raises NoMachineCode."""
    files = chosen_files(stage.stage) if stage.is_own_program else [ROOT / stage.source]
    return listings(stage, files, architecture)


def machine_code(stage: Stage, architecture: str) -> dict[str, list[Function]]:
    """Raises NoMachineCode."""
    return functions_of(stage_listings(stage, architecture))
