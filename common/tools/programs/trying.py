# SPDX-License-Identifier: MIT
"""Running a program of one's own once it is built, for `make try` and cuda-try."""

import shutil
import subprocess
import sys
from pathlib import Path

from common.tools.lib.gpus import has_gpu


def best_engine() -> str:
    """A GPU, or else the CPU engine with its checks."""
    return "gpu" if has_gpu() and shutil.which("nvcc") else "count"


def run_program(path: Path, arguments: list[str]) -> int:
    """Its exit status, as a shell says it: 128 and the number of the signal that ended it."""
    sys.stdout.flush()
    status = subprocess.run([str(path), *arguments], check=False).returncode
    return 128 - status if status < 0 else status


def run_unchecked(path: Path, arguments: list[str], checked: str) -> int:
    """Runs a program of the engine without checks. The last line says that nothing was checked.
    `checked`: the command that does check."""
    status = run_program(path, arguments)
    print(
        f"emulator: ENGINE=emu checked nothing; `{checked}` checks every access, barrier and launch",
        file=sys.stderr,
    )
    return status
