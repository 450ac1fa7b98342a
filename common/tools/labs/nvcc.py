# SPDX-License-Identifier: MIT
"""Where nvcc is installed, it must accept a lab's file, too. For the CPU engine g++ compiles host and
device code alike, so a kernel that reads an array of the host, or calls std::string, compiles there.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from common.tools.labs.lab import Lab
from common.tools.labs.running import Limits, Runner
from common.tools.lib.stages import ROOT

SECONDS = 120
ARCHITECTURE = "sm_90"  # the engine's device
SAID = "nvcc.txt"  # in the folder: what nvcc said, registers included, if it accepted the file
MOST_MESSAGES = 5
ERROR = re.compile(
    r"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): (catastrophic )?error[^:]*: (?P<what>.*)"
)
ASSEMBLER = re.compile(r"ptxas error *: (?P<what>.*)")


def compile_command(nvcc: str, lab: Lab, source: Path) -> list[str]:
    stage = lab.start.stage
    return [
        nvcc,
        "-std=c++20",
        f"-arch={ARCHITECTURE}",
        f'-DSTAGE_NAME="{stage.stage}"',
        "-I",
        str(ROOT),
        "-I",
        str(ROOT / "chapters" / stage.chapter),
        *stage.cuda_args,
        *(["-rdc=true"] if stage.device_launches else []),
        "-Xptxas",
        "-v",
        "-cubin",
        "-o",
        "kernels.cubin",
        str(source),
    ]


def faults(said: str, source: Path) -> list[str]:
    """The errors that are the file's own: in it, in what it instantiates, or of its kernels. Others
    are those of the machine: an nvcc that does not know the host's compiler, or a full disk."""
    own, instantiated = [], []
    for line in said.splitlines():
        if match := ASSEMBLER.match(line):
            own.append(match["what"])
        elif match := ERROR.match(line):
            text = f"line {match['line']}: {match['what'].partition('. ')[0]}"
            if Path(match["file"]).name == source.name:
                own.append(text)
            elif f'"{source}"' in said:
                instantiated.append(f"{Path(match['file']).name}, {text}")
    return list(dict.fromkeys(own + instantiated))[:MOST_MESSAGES]


def refused_by_nvcc(lab: Lab, source: Path, folder: Path, run: Runner) -> list[str]:
    """Why nvcc does not accept the file; empty also without nvcc."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return []
    command = compile_command(nvcc, lab, source)
    compiled = run(command, folder=folder, limits=Limits(SECONDS))
    if compiled.status == 0:
        (folder / SAID).write_text(compiled.stderr, encoding="utf-8")
        return []
    return faults(compiled.stderr + compiled.stdout, source)
