#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles each part of compile_errors.cu and looks for the messages that its lines expect.

usage: test_compile_errors.py CXX -I DIR…
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).with_name("compile_errors.cu")
COMPILER = []


def compile_part(part):
    """The compiler's exit status and its messages."""
    result = subprocess.run(
        [*COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", f"-D{part}", str(SOURCE)],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    return result.returncode, result.stderr


def expectations(part):
    """The (line, pattern) pairs of the part."""
    inside = False
    for number, line in enumerate(SOURCE.read_text().split("\n"), 1):
        if line.startswith(("#if ", "#elif ", "#endif")):
            inside = f"defined({part})" in line
        match = re.search(r"// expect: (.*)$", line)
        if inside and match:
            yield number, match[1]


class CompileErrorsTest(unittest.TestCase):
    def check_part(self, part):
        status, messages = compile_part(part)
        self.assertNotEqual(status, 0)
        wanted = list(expectations(part))
        self.assertTrue(wanted)
        for line, pattern in wanted:
            with self.subTest(line=line):
                self.assertRegex(messages, rf"error: .*{pattern}")
                self.assertIn(f"{SOURCE.name}:{line}", messages)

    def test_without_a_part_the_file_compiles(self):
        status, messages = compile_part("NOTHING")
        self.assertEqual((status, messages), (0, ""))

    def test_warp_functions_without_a_mask_name_their_replacement(self):
        self.check_part("REMOVED_WARP_FUNCTIONS")

    def test_types_that_cuda_refuses(self):
        self.check_part("TYPES")

    def test_headers_that_the_engine_does_not_have(self):
        self.check_part("HEADERS")


if __name__ == "__main__":
    COMPILER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
