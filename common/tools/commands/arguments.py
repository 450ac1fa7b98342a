# SPDX-License-Identifier: MIT
"""The command line of cuda-try, cuda-explain and cuda-view."""

import argparse
import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from common.tools.driver.engine import engine_version
from common.tools.lib.stages import ToolError
from common.tools.programs.own_program import OwnProgram, checked_file


class Parser(argparse.ArgumentParser):
    """A program's files, flags for its compiler, and after -- its own arguments."""

    def __init__(self, name: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=name,
            usage=f"{name} [FLAG]… FILE… [-- ARGUMENT…]",
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_argument("files", nargs="+", metavar="FILE", help="the program's sources")
        self.add_argument("--version", action="version", version=f"{name} {engine_version()}")
        compiling = self.add_argument_group("for the compiler, as nvcc has them")
        for flag, metavar, said in (
            ("-I", "DIR", "search this folder for headers"),
            ("-D", "NAME[=VALUE]", "define a macro"),
            ("-L", "DIR", "search this folder for libraries"),
            ("-l", "NAME", "link a library"),
        ):
            compiling.add_argument(flag, action="append", default=[], metavar=metavar, help=said)

    def error(self, message: str) -> NoReturn:
        raise ToolError(f"{self.prog}: {message}; see {self.prog} --help")

    def read(self, words: list[str]) -> tuple[argparse.Namespace, list[str]]:
        """The options, and the program's arguments."""
        end = words.index("--") if "--" in words else len(words)
        return self.parse_intermixed_args(words[:end]), words[end + 1 :]


def compiler_flags(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(f"-{flag}{value}" for flag in "IDLl" for value in getattr(options, flag))


def command_line(options: argparse.Namespace, *words: str) -> str:
    """The command line that begins with these words, for the same files."""
    return shlex.join([*words, *compiler_flags(options), *options.files])


@contextlib.contextmanager
def program_of(options: argparse.Namespace, files: list[str]) -> Iterator[OwnProgram]:
    """The executable lies in a temporary folder (TMPDIR): nothing stays behind."""
    with tempfile.TemporaryDirectory(prefix="cuda-") as folder:
        sources = [checked_file(name) for name in files]
        yield OwnProgram(sources, compiler_flags(options), Path(folder))
