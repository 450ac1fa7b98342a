# SPDX-License-Identifier: MIT
"""The oldest Python on which the tools run, 3.10: its syntax, and a parser of TOML, which it
lacks."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import unittest
from pathlib import Path

from tests.common.tools.course_tools import ROOT

OLDEST = (3, 10)
FILES = ROOT / "common" / "tools" / "lib" / "files.py"
# What the standard library has from 3.11 or 3.12 on, by the names that a program writes.
NEWER = re.compile(
    r"\b(tomllib|ExceptionGroup|StrEnum|ReprEnum|assert_never|LiteralString|TaskGroup|add_note"
    r"|file_digest|enterContext|batched|onexc|walk_up|getLevelNamesMapping|global_enum)\b"
    r"|\bcontextlib\.chdir\b|\bdatetime\.UTC\b|\bmath\.(exp2|cbrt)\b|\bsys\.exception\b"
    r"|from typing import .*\b(Self|Never|Required|NotRequired|Unpack|TypeVarTuple|override)\b"
)


def sources() -> list[Path]:
    folders = [ROOT / name for name in ("common", "chapters", "plots", "tests")]
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


def code_of(path: Path) -> dict[int, str]:
    """The lines of a file without strings and comments: tests have whole programs in strings."""
    lines: dict[int, str] = {}
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.NAME, tokenize.OP):
                before = lines.get(token.start[0], "")
                blank = " " if token.type == tokenize.NAME and re.search(r"\w$", before) else ""
                lines[token.start[0]] = before + blank + token.string
    return lines


class PythonTest(unittest.TestCase):
    def test_the_syntax_is_that_of_the_oldest_python(self) -> None:
        self.assertGreater(len(sources()), 300)
        for path in sources():
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=OLDEST)

    def test_no_file_uses_a_newer_library(self) -> None:
        found = []
        for path in sources():
            if path in (FILES, Path(__file__).resolve()):
                continue
            for number, line in code_of(path).items():
                if NEWER.search(line):
                    found.append(f"{path}:{number}: {line}")
        self.assertEqual(found, [])

    def test_tomli_takes_the_place_of_tomllib(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # A Python in which tomllib does not exist, and a tomli that can be told from it.
            (folder / "tomllib.py").write_text('raise ModuleNotFoundError("tomllib")\n')
            (folder / "tomli.py").write_text('def loads(text):\n    return {"read by": "tomli"}\n')
            said = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "from common.tools.lib.files import parse_toml; print(parse_toml('', 'a'))",
                ],
                env=os.environ | {"PYTHONPATH": f"{folder}:{ROOT}"},
                text=True,
                capture_output=True,
                check=True,
            )
        self.assertEqual(said.stdout, "{'read by': 'tomli'}\n")


if __name__ == "__main__":
    unittest.main()
