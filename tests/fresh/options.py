# SPDX-License-Identifier: MIT
"""What the command line asks for."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from common.tools.lib.errors import ToolError, shown
from common.tools.lib.stages import ROOT

SUITES = {"debian12": "bookworm", "debian13": "trixie", "sid": "sid"}
ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}  # Debian's name: qemu's and the kernel's
README_COMMANDS = ("make", "make test")
QUICK_COMMANDS = ("make setup", "python3 -m tests.fresh.quick")
COMMANDS_IN_CONTAINER = ("make",)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise ToolError(f"{self.prog}: {message}")


@dataclass(frozen=True)
class Options:
    root: str  # a key of SUITES, or the path of a Containerfile
    commands: tuple[str, ...]
    user: bool
    keep: bool
    cache: Path | None
    ccache: bool
    mirror: str
    tree: Path
    architecture: str
    cross: bool
    gxx: str
    no_tomllib: bool
    meson: str
    fails: str
    build_arguments: dict[str, str]

    @property
    def is_container(self) -> bool:
        return self.root not in SUITES


def parser() -> Parser:
    said = Parser(
        prog="tests.fresh.try",
        description="Makes a fresh root file system of Debian, copies the course into it, runs "
        "commands there, and removes it, also when it is interrupted. Needs root and debootstrap. "
        "Exit status 77: this machine cannot do that.",
    )
    said.add_argument("root", help=f"{', '.join(SUITES)}, or the path of a Containerfile")
    said.add_argument(
        "--commands",
        nargs="+",
        metavar="COMMAND",
        help="run these, not the README's 'make' and 'make test' (in a container: 'make')",
    )
    said.add_argument(
        "--quick",
        action="store_true",
        help="run the set-up, the CPU engine, all of basics and one stage of each other chapter",
    )
    said.add_argument(
        "--user",
        action="store_true",
        help="as a user who may not install packages: the set-up must print the administrator's "
        "command, which runs then; in a container: its argument USER",
    )
    said.add_argument("--keep", action="store_true", help="keep the root, and print its path")
    said.add_argument(
        "--cache", type=Path, help="a folder that keeps the empty root and the packages' files"
    )
    said.add_argument(
        "--ccache",
        action="store_true",
        help="keep what the compiler makes in --cache, too; then the times tell nothing",
    )
    said.add_argument(
        "--tree", type=Path, default=ROOT, help="copy this git repository, not the course"
    )
    said.add_argument("--mirror", default="", help="not the mirror that this machine's apt uses")
    said.add_argument(
        "--architecture",
        default="",
        help=f"{' or '.join(ARCHITECTURES)}, by qemu-user-static if it is not this machine's",
    )
    said.add_argument(
        "--cross",
        action="store_true",
        help="a root of this machine's architecture, in which a cross compiler makes the other's "
        "executables: far quicker",
    )
    said.add_argument("--gxx", default="", metavar="N", help="g++-N instead of the usual g++")
    said.add_argument(
        "--no-tomllib", action="store_true", help="Python has tomli and no tomllib, as before 3.11"
    )
    said.add_argument(
        "--meson", default="", metavar="VERSION", help="a meson that only says this version"
    )
    said.add_argument(
        "--fails", default="", metavar="TEXT", help="the last command must fail and say this"
    )
    said.add_argument(
        "--build-arg", action="append", default=[], metavar="NAME=VALUE", help="for a Containerfile"
    )
    return said


def parse(words: Sequence[str]) -> Options:
    given = parser().parse_args(words)
    container = given.root not in SUITES
    if container and not Path(given.root).is_file():
        raise ToolError(
            f"{shown(given.root)}: no such root; choose one of {', '.join(SUITES)}, "
            "or the path of a Containerfile"
        )
    if given.architecture not in ("", *ARCHITECTURES):
        raise ToolError(
            f"--architecture {shown(given.architecture)}: choose one of {', '.join(ARCHITECTURES)}"
        )
    if given.ccache and not given.cache:
        raise ToolError("--ccache needs --cache FOLDER")
    if not (given.tree / ".git").exists():
        raise ToolError(f"--tree {shown(str(given.tree))}: is not a git repository")
    if given.cross and (given.architecture != "arm64" or given.gxx or given.user or container):
        raise ToolError(
            "--cross needs --architecture arm64, and neither --gxx, --user nor a Containerfile"
        )
    if given.gxx and not given.gxx.isdecimal():
        raise ToolError(f"--gxx {shown(given.gxx)}: is not a number")
    if given.quick and given.commands:
        raise ToolError("--quick and --commands cannot be combined")
    pairs = ["USER=student"] * (container and given.user) + given.build_arg
    if not container and pairs:
        raise ToolError("--build-arg: only a Containerfile has arguments")
    if container and (given.gxx or given.no_tomllib or given.meson):
        raise ToolError("--gxx, --no-tomllib and --meson: a Containerfile says what is installed")
    for pair in pairs:
        if "=" not in pair:
            raise ToolError(f"--build-arg {shown(pair)}: is not NAME=VALUE")
    usual = COMMANDS_IN_CONTAINER if container else README_COMMANDS
    return Options(
        root=given.root,
        commands=tuple(given.commands or (QUICK_COMMANDS if given.quick else usual)),
        user=given.user,
        keep=given.keep,
        cache=given.cache.resolve() if given.cache else None,
        ccache=given.ccache,
        mirror=given.mirror,
        tree=given.tree.resolve(),
        architecture=given.architecture,
        cross=given.cross,
        gxx=given.gxx,
        no_tomllib=given.no_tomllib,
        meson=given.meson,
        fails=given.fails,
        build_arguments=dict(pair.split("=", 1) for pair in pairs),
    )
