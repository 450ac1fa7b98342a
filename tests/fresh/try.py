#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python3 -m tests.fresh.try debian13: runs the README's commands in a fresh root file system.

The work is done by `inside.py`, in a mount namespace and a process namespace of its own. When that
ends, by whatever signal, its mounts and its processes are gone. A process beside it waits for the
end of this one, and removes the folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common.tools.lib.errors import EXIT_NO_DEVICE, ToolError
from common.tools.lib.stages import ROOT, run_tool
from tests.fresh.options import ARCHITECTURES, Options, parse

NEEDED = {
    "debootstrap": "debootstrap",
    "unshare": "util-linux",
    "setpriv": "util-linux",
    "git": "git",
    "tar": "tar",
}
# Reads until the other end of the pipe is closed, be it by SIGKILL. An emulator of other processors
# that was registered for this run is taken out, too. It is in no namespace, but its files are.
CLEANER = """
cat >/dev/null
if [ -e "$1.binfmt" ]; then
    rm -f "$1.binfmt"
    unshare --mount sh -c 'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
        echo -1 >/proc/sys/fs/binfmt_misc/fresh'
fi
rm -rf --one-file-system -- "$1"
"""


def check_machine(options: Options) -> None:
    """A ToolError names what this machine lacks."""
    lacks = ""
    if os.geteuid() != 0:
        lacks = "only root may make a root file system"
    for program, package in NEEDED.items():
        if not lacks and not shutil.which(program):
            lacks = f"{program} is missing (package {package})"
    other = ARCHITECTURES.get(options.architecture, os.uname().machine)
    if not lacks and other != os.uname().machine and not shutil.which(f"qemu-{other}-static"):
        lacks = f"qemu-{other}-static is missing (package qemu-user-static)"
    if not lacks and subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        lacks = "this machine permits no mounts"
    if lacks:
        raise ToolError(f"skipped: {lacks}", EXIT_NO_DEVICE)


def main() -> int:
    words = sys.argv[1:]
    options = parse(words)
    check_machine(options)
    if options.cache:
        options.cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="fresh-"))
    folder.chmod(0o755)
    cleaner = None
    if options.keep:
        print(f"the root is kept: {folder / 'root'}", flush=True)
    else:
        # pylint: disable=consider-using-with  # it outlives this process
        cleaner = subprocess.Popen(
            ["sh", "-c", CLEANER, "cleaner", folder], stdin=subprocess.PIPE, start_new_session=True
        )
    # A shell is the first process, because it reaps those whose parents have ended.
    inside = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-m", "tests.fresh.inside"]
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private"]
    command += ["--pid", "--fork", "--kill-child", *inside, str(folder), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        with subprocess.Popen(command, env=environment) as process:
            try:
                return process.wait()
            finally:
                process.kill()
    finally:
        if cleaner and cleaner.stdin:
            cleaner.stdin.close()
            cleaner.wait()


if __name__ == "__main__":
    run_tool(main)
