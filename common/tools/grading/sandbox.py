# SPDX-License-Identifier: MIT
"""Runs programs that nobody trusts: without network, without new processes, with limits, and
writing only in their own folder.

The strongest way that this machine has is found by trying it:

bubblewrap   namespaces of their own for files, processes and the network
landlock     the kernel's rules for files (Linux 5.13 and later, no privileges needed)

Bubblewrap needs namespaces, which containers and some systems forbid; Landlock needs neither a
package nor a right. Where both fail, nothing is run: a program could read the seed and the files of
others. Both ways have limits of resources and a filter of system calls. confine.py sets them.
"""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.labs.running import Finished
from common.tools.lib.stages import EXIT_FAILURE, ToolError

CONFINE = Path(__file__).with_name("confine.py")
WAYS = ("bubblewrap", "landlock")
# What a compiler and a program need of the system. /etc has secrets, so only these files of it.
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
PATIENCE = 5  # the clock's time, over the processor's
OWN_FAILURES = ("bwrap: ", "confine: ")  # what begins stderr if the cage itself could not be made
ATTEMPTS = 3
INTERVAL = 0.02  # seconds between two looks at a running program
OUTPUT_BYTES = 8 << 20  # what a program may print before it is ended
PAGE = os.sysconf("SC_PAGE_SIZE")
SLOW = 10  # every so many looks, the folder is measured
PROCESSES = 64  # of a compiler at the same time; the kernel's limit does not hold for root
ROOM = 64 << 20  # bytes that must be free on the disk, or what fails there may fail for that
NO_ROOM = "No space left on device"
ROOM_SECONDS = 600  # so long a full disk is waited for


# Set when the grading is to end: then all programs are ended, and run_caged raises Interrupted.
interrupted = threading.Event()


class Interrupted(Exception):
    """The grading was interrupted, so this program has no result."""


class NotGraded(Exception):
    """This machine failed, and perhaps not the submission. It says why in one line."""


@dataclass(frozen=True)
class Cage:
    """What a program may do. `may_fork` is for compilers, which start an assembler and a linker."""

    readable: tuple[Path, ...] = ()  # besides the system and its own folder
    may_fork: bool = False
    memory_bytes: int = 4 << 30  # of all processes together
    folder_bytes: int = 512 << 20  # all files of the folder together
    folder_files: int = 2000
    way: str = ""  # empty: the strongest that works


@dataclass(frozen=True)
class Ended(Finished):
    """`stopped_for`: the limit that ended the program: "time", "memory", "output", "disk" or
    "processes"."""

    stopped_for: str = ""

    @property
    def failed(self) -> bool:
        return self.status != 0 or self.stopped_for != ""


def how_it_ended(ended: Ended, seconds: float) -> str:
    """For a student: why a program that may run for `seconds` left no result."""
    if ended.stopped_for:
        return {
            "time": f"did not end within {seconds:g} seconds of the processor's time",
            "memory": "used too much memory",
            "output": "printed too much",
            "disk": "wrote too many or too large files",
            "processes": "started too many processes",
        }[ended.stopped_for]
    if ended.status < 0:
        return f"was ended by signal {-ended.status}"
    lines = [line for line in ended.stderr.strip().splitlines() if line.strip()]
    said = f": {lines[-1].removeprefix('program: ')[:300]}" if lines else ""
    return f"ended with status {ended.status}{said}" if ended.status else "left no result"


def bubblewrap_options(folder: Path, readable: Sequence[str]) -> list[str]:
    words = [
        *("--unshare-all", "--die-with-parent", "--new-session"),
        *("--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
        *("--proc", "/proc", "--dev", "/dev"),
    ]
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    for path in readable:
        words += ["--ro-bind-try", path, path]
    # The root and /dev are file systems in memory, which nobody measures.
    words += ["--bind", str(folder), str(folder), "--remount-ro", "/", "--remount-ro", "/dev"]
    return [*words, "--chdir", str(folder)]


def settings_of(
    command: Sequence[str | Path], folder: Path, cage: Cage, seconds: float, file_bytes: int
) -> dict[str, object]:
    way = cage.way or best_way()
    readable = [str(path) for path in (*cage.readable, sys.prefix, sys.base_prefix)]
    return {
        "command": [str(word) for word in command],
        "folder": str(folder),
        "environment": {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        "limits": {
            "cpu_seconds": max(1, round(seconds)),
            # The CPU engine reserves terabytes of addresses, which are no memory. So a program's
            # memory is watched.
            "address_bytes": cage.memory_bytes if cage.may_fork else 0,
            "file_bytes": file_bytes,
            "processes": PROCESSES,
        },
        "filter": not cage.may_fork,
        "bubblewrap": bubblewrap_options(folder, readable) if way == "bubblewrap" else [],
        "readable": [*SYSTEM, *DEVICES[1:], "/proc/self", "/sys/devices/system/cpu", *readable],
        "writable": [str(folder), DEVICES[0]],
    }


def too_much_on_disk(folder: Path, cage: Cage) -> bool:
    total = files = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(place, name))
            except FileNotFoundError:
                continue
            # Not the length: a file with a hole takes no place.
            total += 512 * status.st_blocks
            files += 1
            if total > cage.folder_bytes or files > cage.folder_files:
                return True
    return False


@dataclass(frozen=True)
class Use:
    """Of a process and all that it started."""

    memory_bytes: int = 0
    processes: int = 0
    waited: float = 0  # seconds in which they could have run, had the machine had a free processor


def use_of(process: int) -> Use:
    """Nothing for one that has ended."""
    place = Path(f"/proc/{process}")
    try:
        pages = int((place / "statm").read_text(encoding="ascii").split()[1])
        children = (place / f"task/{process}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError):
        return Use()
    try:
        waited = int((place / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, IndexError):  # not every kernel counts it
        waited = 0.0
    parts = [Use(pages * PAGE, 1, waited), *(use_of(int(child)) for child in children)]
    return Use(
        sum(one.memory_bytes for one in parts),
        sum(one.processes for one in parts),
        max(one.waited for one in parts),
    )


def watch(
    process: subprocess.Popen[bytes], folder: Path, cage: Cage, seconds: float, outputs: list[int]
) -> str:
    """Waits for the end. Returns the limit that was passed, or ""."""
    # The processor's time decides, so that a busy machine refuses no program. The clock ends
    # those that sleep.
    end, looks = time.monotonic() + PATIENCE * seconds, 0
    descriptor = os.pidfd_open(process.pid)
    try:
        while not select.select([descriptor], [], [], INTERVAL)[0]:
            if interrupted.is_set():
                raise Interrupted
            looks += 1
            use = use_of(process.pid)
            if time.monotonic() > end + use.waited:
                return "time"
            if any(os.fstat(output).st_size > OUTPUT_BYTES for output in outputs):
                return "output"
            if use.memory_bytes > cage.memory_bytes:
                return "memory"
            if use.processes > PROCESSES:
                return "processes"
            if looks % SLOW == 0 and too_much_on_disk(folder, cage):
                return "disk"
        return ""
    finally:
        os.close(descriptor)


def end(process: subprocess.Popen[bytes], alive: int) -> tuple[int, float]:
    """Ends all that is left. Returns the exit status, and the processor's seconds. With bubblewrap, the kernel ends the namespace's processes after its
    first one, which takes a moment. All of them hold the other end of the pipe `alive`, so its end
    says when the last one is gone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    select.select([alive], [], [], 10)
    return process.returncode, usage.ru_utime + usage.ru_stime


def run_caged(
    command: Sequence[str | Path],
    *,
    folder: Path,
    seconds: float,
    cage: Cage = Cage(),
    file_bytes: int = 256 << 20,
    output_bytes: int = 1 << 20,
) -> Ended:
    """Runs a command in its folder, for `seconds` of the processor's time. What is kept of its
    output is at most `output_bytes` each. What may have failed because of this machine is tried
    again: a cage that could not be made, a full disk, a process that the system ended."""
    folder = folder.resolve()
    why = ""
    for attempt in range(ATTEMPTS):
        time.sleep(attempt)
        wait_for_room(folder)
        ended, why = run_once(command, folder, seconds, cage, file_bytes, output_bytes)
        if ended.failed and not has_room(folder):
            why = "the disk is full"
        elif not why and not (ended.failed and NO_ROOM in ended.stderr):
            break
    if why:
        raise NotGraded(why)
    return ended


def places_to_write(folder: Path) -> set[Path]:
    return {folder, Path(tempfile.gettempdir())}


def has_room(folder: Path) -> bool:
    return all(shutil.disk_usage(one).free >= ROOM for one in places_to_write(folder))


def wait_for_room(folder: Path) -> None:
    """Waits while the disk is full. Errors: NotGraded, if it stays so."""
    end = time.monotonic() + ROOM_SECONDS
    while not has_room(folder):
        if interrupted.wait(1):
            raise Interrupted
        if time.monotonic() > end:
            raise NotGraded("the disk is full")


def run_once(
    command: Sequence[str | Path],
    folder: Path,
    seconds: float,
    cage: Cage,
    file_bytes: int,
    output_bytes: int,
) -> tuple[Ended, str]:
    """The end; and if it may be this machine's fault, why."""
    settings = settings_of(command, folder, cage, seconds, file_bytes)
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        outputs = [stdout.fileno(), stderr.fileno()]
        alive, held = os.pipe()
        with subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINE), json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            pass_fds=[held],
            start_new_session=True,
        ) as process:
            os.close(held)
            try:
                stopped = watch(process, folder, cage, seconds, outputs)
            finally:
                status, used = end(process, alive)
                os.close(alive)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read(output_bytes).decode("utf-8", errors="replace"))
    if not stopped and too_much_on_disk(folder, cage):
        stopped = "disk"
    # Bubblewrap says it as a shell does.
    status = 128 - status if settings["bubblewrap"] and status > 128 else status
    # After the signal for its time, the kernel sends one that cannot be ignored.
    if not stopped and (
        status == -signal.SIGXCPU or (status == -signal.SIGKILL and used > seconds)
    ):
        stopped = "time"
    why = ""
    if texts[1].startswith(OWN_FAILURES):
        why = texts[1].splitlines()[0]
    elif status == -signal.SIGKILL and not stopped:
        why = "the system ended a process, as it does when memory runs out"
    return Ended(status, texts[0], texts[1], stopped == "time", stopped), why


@functools.cache
def works(way: str) -> bool:
    """Tries a way: it must run a program, and keep it from reading what it may not."""
    if way == "bubblewrap" and shutil.which("bwrap") is None:
        return False
    with tempfile.TemporaryDirectory() as name:
        secret = Path(name) / "secret"
        secret.write_text("secret", encoding="utf-8")
        folder = Path(name) / "folder"
        folder.mkdir()
        for command, expected in ((["/bin/true"], True), (["/bin/cat", str(secret)], False)):
            ended = run_caged(command, folder=folder, seconds=20, cage=Cage(way=way))
            if (ended.status == 0) != expected:
                return False
    return True


@functools.cache
def best_way() -> str:
    for way in WAYS:
        if works(way):
            return way
    raise ToolError(
        "nothing here keeps a submission from reading other files: bubblewrap is missing or may make "
        "no namespaces, and the kernel has no Landlock. Install the package bubblewrap, or take "
        "Linux 5.13 or later",
        EXIT_FAILURE,
    )
