# SPDX-License-Identifier: MIT
"""A root file system: its mounts, its users, and the commands that run in it."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from common.tools.lib.errors import EXIT_FAILURE, ToolError

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CLONE_NEWNS, MNT_DETACH = 0x00020000, 2
LAST_LINES = 400  # of a command's output
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class User:
    name: str
    number: int
    home: str


SUPERUSER = User("root", 0, "/root")


@dataclass(frozen=True)
class Said:
    """What a command printed last, and its exit status."""

    status: int
    lines: list[str] = field(default_factory=list)


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


def system_call(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Root:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {"PATH": PATH}

    def path(self, name: str) -> Path:
        """Where a file of the root lies on this machine. A symbolic link on the way leads to a
        file of the root, too."""
        path = self.folder
        parts = [part for part in name.split("/") if part not in ("", ".")]
        for _ in range(1000):
            if not parts:
                return path
            step = path / parts.pop(0)
            if not step.is_symlink():
                path = step
                continue
            target = str(step.readlink())
            path = self.folder if target.startswith("/") else path
            for part in [part for part in target.split("/") if part not in ("", ".")][::-1]:
                parts.insert(0, part)
            while parts and parts[0] == "..":
                parts.pop(0)
                path = path if path == self.folder else path.parent
        raise ToolError(f"{name}: too many symbolic links", EXIT_FAILURE)

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    def append(self, name: str, text: str) -> None:
        with self.path(name).open("a", encoding="utf-8") as file:
            file.write(text)

    def mount_all(self) -> None:
        """What a running system has. Without /sys, PoCL sees no memory."""
        mount("--bind", self.folder, self.folder)  # pivot_root wants a mount point
        for name in ("proc", "sys", "dev"):
            (self.folder / name).mkdir(exist_ok=True)
        mount("-t", "proc", "proc", self.folder / "proc")
        mount("--rbind", "/sys", self.folder / "sys")
        device = self.folder / "dev"
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", device)
        for name in DEVICES:
            (device / name).touch()
            mount("--bind", f"/dev/{name}", device / name)
        for name in ("pts", "shm"):
            (device / name).mkdir()
        mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "devpts", device / "pts")
        mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", device / "shm")
        links = {"fd": "/proc/self/fd", "ptmx": "pts/ptmx"}
        links |= {
            name: f"/proc/self/fd/{i}" for i, name in enumerate(["stdin", "stdout", "stderr"])
        }
        for name, target in links.items():
            (device / name).symlink_to(target)

    def user(self, name: str) -> User:
        """A user of the root."""
        for line in self.path("/etc/passwd").read_text(encoding="utf-8").splitlines():
            parts = line.split(":")
            if parts[0] == name:
                return User(name, int(parts[2]), parts[5])
        raise ToolError(f"{name}: there is no such user in the root", EXIT_FAILURE)

    def add_user(self, name: str) -> User:
        self.append("/etc/passwd", f"{name}:x:1000:1000::/home/{name}:/bin/sh\n")
        self.append("/etc/group", f"{name}:x:1000:\n")
        self.path(f"/home/{name}").mkdir(parents=True)
        os.chown(self.path(f"/home/{name}"), 1000, 1000)
        return self.user(name)

    def enter(self, user: User, folder: str) -> Callable[[], None]:
        """What a new process does to be in the root. Not chroot: a process in a chroot may make no
        namespaces, so bubblewrap would not work."""

        def change() -> None:
            os.chdir(self.folder)
            system_call(LIBC.unshare(CLONE_NEWNS))
            system_call(LIBC.pivot_root(b".", b"."))
            system_call(LIBC.umount2(b".", MNT_DETACH))
            os.chdir(folder)
            os.setgroups([])
            os.setgid(user.number)
            os.setuid(user.number)
            os.umask(0o022)
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)  # nohup and a shell's & ignore some

        return change

    def run(
        self,
        command: str,
        user: User = SUPERUSER,
        folder: str = "/",
        environment: Mapping[str, str] | None = None,
    ) -> Said:
        """Runs a command by the root's shell, and prints what it says."""
        lines: list[str] = []
        with subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=self.enter(user, folder),
            env={"HOME": user.home, "USER": user.name, **self.environment, **(environment or {})},
        ) as process:
            assert process.stdout
            for line in process.stdout:
                text = line.decode("utf-8", errors="replace")
                sys.stdout.write(text)
                sys.stdout.flush()
                lines = [*lines[1 - LAST_LINES :], text.rstrip("\n")]
        return Said(process.returncode, lines)


def copy_tree(source: Path, root: Root, folder: str, user: User) -> None:
    """The files that git knows or would add, as the only commit of a repository."""
    target = root.path(folder)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    for name in sorted(set(listed.split("\0")) - {""}):
        if (source / name).is_file() or (source / name).is_symlink():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name, follow_symlinks=False)
    identity = ["-c", "user.name=fresh", "-c", "user.email=fresh@localhost"]
    for words in (
        ["-c", "init.defaultBranch=main", "init"],
        ["add", "--all"],
        [*identity, "commit", "--message", "fresh"],
    ):
        subprocess.run(["git", *words], cwd=target, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["chown", "-R", f"{user.number}:{user.number}", target], check=True)
