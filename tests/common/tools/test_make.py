# SPDX-License-Identifier: MIT
"""The Makefile: it explains every target, and passes values to the tools unchanged."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import ROOT

TARGETS = (
    "all",
    "test",
    "test-all",
    "list",
    "run",
    "try",
    "compare",
    "counters",
    "view",
    "explain",
    "diff",
    "stage",
    "chapter",
    "lab",
    "check",
    "hint",
    "progress",
    "grade",
    "student-edition",
    "figures",
    "draw",
    "slides",
    "install",
    "uninstall",
    "help",
    "clean",
)
FOR_MAINTAINERS = (
    "check-record",
    "record",
    "session",
    "sanitize",
    "prove",
    "instructions",
    "verdicts",
    "benchmark",
    "format",
    "lint",
)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(ROOT), *arguments],
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )


class MakefileTest(unittest.TestCase):
    def test_help_has_every_target(self) -> None:
        everyone, _, maintainers = make("help").stdout.partition("\nTo maintain the course:\n")
        listed = []
        for line in (everyone + maintainers).splitlines():
            self.assertRegex(line, r"^make [a-z-]+ +\S.*")
            listed.append(line.split()[1])
        self.assertCountEqual(listed, TARGETS + FOR_MAINTAINERS)
        for target in listed:
            told = maintainers if target in FOR_MAINTAINERS else everyone
            self.assertIn(f"make {target} ", told)

    def test_every_target_is_known(self) -> None:
        for target in TARGETS + FOR_MAINTAINERS:
            with self.subTest(target):
                self.assertEqual(make("-n", target).returncode, 0)

    def test_an_unknown_stage_fails_with_one_line_of_the_tool(self) -> None:
        text = (ROOT / "Makefile").read_text(encoding="utf-8")
        recipe = re.search(r"^run:.*\n(?:\t.*\n)*\t(.*)\n\n", text, re.MULTILINE)
        assert recipe is not None
        self.assertNotIn("$(STAGE)", text)  # the shell would interpret the value
        self.assertEqual(recipe[1], "@$(tool)run")

    def test_make_expands_no_value(self) -> None:
        """On the command line and in the environment, a `$` is a character as any other."""
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "made")
            value = f"$(shell touch {made})/$HOME $$x"
            recipe = Path(folder, "print.mk")
            recipe.write_text(f"include {ROOT}/Makefile\nprint:\n\t@printenv STAGE FILE ARGS\n")
            words = [f"{name}={value}" for name in ("STAGE", "FILE", "ARGS")]
            for command, variables in ((words, {}), ([], dict(one.split("=", 1) for one in words))):
                result = subprocess.run(
                    [
                        "make",
                        "--no-print-directory",
                        "-C",
                        str(ROOT),
                        "-f",
                        str(recipe),
                        *command,
                        "print",
                    ],
                    env={"PATH": os.environ["PATH"]} | variables,
                    text=True,
                    capture_output=True,
                    check=False,
                )
                self.assertEqual(result.stdout.splitlines()[-3:], [value] * 3, result.stderr)
                self.assertFalse(made.exists())

    @unittest.skipUnless(shutil.which("ccache"), "ccache is missing")
    def test_a_comment_in_a_precompiled_header_makes_another_one(self) -> None:
        """g++ knows the headers in a precompiled header by their text. If it got one from before a
        comment changed, it would read these headers twice."""
        header = ["-x", "c++-header", "../all.hpp", "-o", "pch/all.hpp.gch"]
        source = ["-Ipch", "-include", "all.hpp", "-fpch-preprocess", "-c", "../a.cpp", "-o", "a.o"]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            recipe = folder / "ccache.mk"
            recipe.write_text(
                f"include {ROOT}/Makefile\ncompile:\n\t@cd $(FOLDER)/build && ccache g++ -O2 $(WORDS)\n"
            )
            for number in (1, 2):
                course = folder / str(number)
                (course / "build" / "pch").mkdir(parents=True)
                (course / "enum.hpp").write_text(f"#pragma once\n// {number}\nenum E {{ kA }};\n")
                (course / "all.hpp").write_text('#pragma once\n#include "enum.hpp"\n')
                (course / "a.cpp").write_text(
                    f'#include "enum.hpp"\nint f() {{ return kA + {number}; }}\n'
                )
                for words in (header, source):
                    made = make(
                        *("-f", str(recipe), "compile", f"FOLDER={course}"),
                        *(f"WORDS={' '.join(words)}", f"CCACHE_DIR={folder / 'cache'}"),
                    )
                    self.assertEqual(made.returncode, 0, made.stderr)

    def test_scripts_are_executable(self) -> None:
        # The READMEs call some of them by their path.
        paths = [
            path
            for folder in ("common", "plots", "tests", ".ci")
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix in (".py", ".sh", "")
        ]
        scripts = [path for path in paths if path.read_bytes()[:2] == b"#!"]
        self.assertGreater(len(scripts), 20)
        self.assertEqual([str(path) for path in scripts if not os.access(path, os.X_OK)], [])


if __name__ == "__main__":
    unittest.main()
