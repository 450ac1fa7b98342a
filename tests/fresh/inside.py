# SPDX-License-Identifier: MIT
"""inside.py FOLDER WORD…: what try.py runs in a namespace. The words are try.py's."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.tools.lib.errors import EXIT_FAILURE, ToolError, shown
from common.tools.lib.stages import run_tool
from tests.fresh.containerfile import Builder, read_containerfile
from tests.fresh.debian import Debian, emulate
from tests.fresh.options import SUITES, Options, parse
from tests.fresh.root import SUPERUSER, Root, Said, User, copy_tree

# What someone has who has cloned the course.
CLONED_WITH = "git make"
NO_TOMLLIB = (
    "import sys; sys.modules['tomllib'] = None"  # a line of a .pth file, which Python runs first
)
INSTALL = "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends"
QUIETLY = ">/var/log/set-up.log 2>&1 || { tail -n 20 /var/log/set-up.log; exit 1; }"
CONFIGURE_CROSS = "make setup && meson setup build --cross-file tests/fresh/arm64.ini"
ADMINISTRATOR = "    su -c '"


class Times:
    """How long each step took. All are printed again at the end."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        how = "failed"
        try:
            yield
            how = "ok"
        finally:
            self.lines.append(f"{time.monotonic() - begin:7.1f} s  {name}: {how}")


def must_pass(said: Said, command: str) -> None:
    if said.status != 0:
        raise ToolError(f"{command}: exit status {said.status}", EXIT_FAILURE)


def must_fail(said: Said, command: str, text: str) -> None:
    if said.status == 0:
        raise ToolError(f"{command}: did not fail", EXIT_FAILURE)
    if not any(text in line for line in said.lines):
        raise ToolError(f"{command}: did not say {shown(text)}", EXIT_FAILURE)


def prepare(root: Root, options: Options) -> None:
    """What makes this root like an older system."""
    packages = [CLONED_WITH]
    after = []
    if options.gxx:
        packages.append(f"g++-{options.gxx}")
        for name in ("g++", "gcc"):
            for link in (name, {"g++": "c++", "gcc": "cc"}[name]):
                after.append(f"ln -s /usr/bin/{name}-{options.gxx} /usr/local/bin/{link}")
    if options.cross:
        packages += ["ccache", "g++-aarch64-linux-gnu", "qemu-user-static", "googletest"]
        root.environment["QEMU_LD_PREFIX"] = "/usr/aarch64-linux-gnu"
    if options.no_tomllib:
        packages += ["python3", "python3-tomli"]
        # Debian's Python reads .pth files of this folder.
        folder = (
            "$(python3 -c 'import sys; print(\"/usr/local/lib/python3.%d\" % sys.version_info[1])')"
        )
        after.append(f"mkdir -p {folder}/dist-packages")
        after.append(f'echo "{NO_TOMLLIB}" >{folder}/dist-packages/no_tomllib.pth')
    if options.meson:
        root.write("/usr/local/bin/meson", f"#!/bin/sh\necho {options.meson}\n", 0o755)
    command = f"{{ {INSTALL} {' '.join(packages)}; }} {QUIETLY}"
    must_pass(root.run(" && ".join([f"{{ {command}; }}", *after])), "the root's preparation")


def set_up_as_administrator(root: Root, user: User, folder: str, times: Times) -> None:
    """A user without rights is told the command, and an administrator runs it."""
    with times.of("make, without the right to install"):
        said = root.run("make", user, folder)
        must_fail(said, "make", ADMINISTRATOR)
    command = next(line for line in said.lines if line.startswith(ADMINISTRATOR)).strip()
    with times.of("the administrator's command"):
        must_pass(root.run(f"{command} {QUIETLY}"), command)


def run_commands(root: Root, user: User, folder: str, options: Options, times: Times) -> None:
    for number, command in enumerate(options.commands, 1):
        with times.of(command):
            said = root.run(command, user, folder)
            if options.fails and number == len(options.commands):
                must_fail(said, command, options.fails)
            else:
                must_pass(said, command)


def begin(root: Root, suite: str, options: Options, times: Times) -> Debian:
    """An empty Debian with all mounts."""
    architecture = "" if options.cross else options.architecture
    debian = Debian(suite, architecture, options.cache, options.mirror)
    emulate(options.architecture or debian.architecture, mark_of(root))
    with times.of(f"an empty {suite} for {debian.architecture}"):
        debian.make(root)
    root.mount_all()
    if options.ccache:
        debian.share_compiled(root)
    return debian


def try_debian(root: Root, options: Options, times: Times) -> None:
    debian = begin(root, SUITES[options.root], options, times)
    try:
        with times.of("its preparation"):
            prepare(root, options)
            user = root.add_user("student") if options.user else SUPERUSER
            folder = f"{user.home}/gpu-algorithms"
            copy_tree(options.tree, root, folder, user)
        if options.cross:
            with times.of(CONFIGURE_CROSS):
                must_pass(root.run(CONFIGURE_CROSS, user, folder), CONFIGURE_CROSS)
        if options.user:
            set_up_as_administrator(root, user, folder, times)
        run_commands(root, user, folder, options, times)
    finally:
        debian.keep_archives(root)


def try_container(root: Root, options: Options, times: Times) -> None:
    steps = read_containerfile(Path(options.root))
    builder = Builder(root, options.tree, options.build_arguments)
    debian = begin(root, builder.suite_of(steps[0]), options, times)
    try:
        for step in steps[1:]:
            with times.of(f"{step.instruction} {shown(step.text)}"):
                builder.run(step)
        user = root.user(builder.user)
        copy_tree(options.tree, root, builder.folder, user)
        run_commands(root, user, builder.folder, options, times)
    finally:
        debian.keep_archives(root)


def mark_of(root: Root) -> Path:
    return root.folder.parent.with_name(root.folder.parent.name + ".binfmt")


def main() -> None:
    options = parse(sys.argv[2:])
    root = Root(Path(sys.argv[1]) / "root")
    root.folder.mkdir()
    times = Times()
    try:
        (try_container if options.is_container else try_debian)(root, options, times)
    finally:
        print("\n".join([f"{options.root}:", *times.lines]), flush=True)


if __name__ == "__main__":
    run_tool(main)
