#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_mistakes.py SOURCE PROGRAM

A program with one planted mistake, run by the CPU engine with counters and checks: it ends with 1, and
its first finding is of the kind, and names the line, that the source marks with `// here: KIND`."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path()
PROGRAM = ""


def marked_line() -> tuple[int, str]:
    marks = [(number, match[1])
             for number, line in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1)
             if (match := re.search(r"// here: ([\w ]+)$", line))]
    assert len(marks) == 1, f"{SOURCE}: {len(marks)} lines are marked"
    return marks[0]


class MistakeTest(unittest.TestCase):
    def test_is_named_at_its_line(self) -> None:
        line, kind = marked_line()
        environment = os.environ | {"EMULATOR_COUNTERS": "none", "EMULATOR_TIME_LIMIT": "1"}
        result = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True,
                                check=False, timeout=60)
        first = (result.stderr.splitlines() or [""])[0]
        self.assertRegex(first, rf"^emulator: {kind}: .*\b{re.escape(SOURCE.name)}:{line}\b", result.stderr)
        self.assertEqual(result.returncode, 1, result.stderr)
        for other in re.findall(r"[\w.]+\.[a-z]+:\d+", first):
            self.assertEqual(other.split(":")[0], SOURCE.name, "names a line of the engine's")
        self.assertRegex(first, r"; \w.*\.$", "says nothing of what to do")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    SOURCE = Path(sys.argv.pop())
    unittest.main()
