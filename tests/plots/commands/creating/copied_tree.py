# SPDX-License-Identifier: MIT
"""A copy of the course's tree, and make in it."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from tests.common.tools.course_tools import ROOT

LEFT_OUT = ("build", "my", ".git")
# Those of the tests.
NOT_PASSED_ON = (
    "COURSE_BUILD",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "PYTHONDONTWRITEBYTECODE",
    "COUNTED_STAGES",
)


def copy_tree(target: Path, *names: str) -> None:
    """These files and folders of the course, or all that is no build folder."""
    chosen = names or [path.name for path in ROOT.iterdir() if not path.name.startswith(LEFT_OUT)]
    for name in chosen:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, target / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def files_of(root: Path) -> dict[str, bytes]:
    """The content of each file and the name of each folder, but for the build folder's."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in [*folders, *names]:
            path = Path(folder, name)
            found[str(path.relative_to(root))] = path.read_bytes() if path.is_file() else b""
    return found


def restore(root: Path, files: dict[str, bytes]) -> None:
    """Makes the tree what files_of() found."""
    for name in sorted(files_of(root).keys() - files.keys(), reverse=True):
        path = root / name
        path.rmdir() if path.is_dir() else path.unlink()
    for name, text in files.items():
        if (root / name).is_file() and (root / name).read_bytes() != text:
            (root / name).write_bytes(text)
    assert files_of(root) == files


def environment() -> dict[str, str]:
    """That of a user: nothing of it says where the tests' own build folder is."""
    return {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}


def make(root: Path, *words: str, **variables: str) -> "subprocess.Popen[str]":
    """In a group of its own, which can be sent a signal."""
    return subprocess.Popen(
        ["make", "--no-print-directory", "-C", str(root), *words],
        env=environment() | variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def shell(root: Path, command: str, seconds: float, **variables: str) -> tuple[int | None, str]:
    """The exit status, or None if it took too long, and what it printed. No process outlives it."""
    with subprocess.Popen(
        ["bash", "-c", command],
        cwd=root,
        env=environment() | variables,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as child:
        try:
            output = child.communicate(timeout=seconds)[0]
        except BaseException as error:
            os.killpg(child.pid, signal.SIGTERM)
            output = child.communicate()[0]
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return None, output
        return child.returncode, output
