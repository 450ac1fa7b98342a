#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_mistakes.py FOLDER PROGRAM...

Each program has one planted mistake. It runs on the CPU engine with counters and checks, and ends
with 1, or with 0 if the finding is a warning. Its first finding has the kind, and names the line,
that its source in FOLDER marks with `// here: KIND`, and says each of its `// says: TEXT`.
`// findings: N` tells how many are printed. The schedule may change which threads are named, but
not the line."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SCHEDULES = ("in-order", "reversed", "shuffled:1")
FOLDER = Path()
PROGRAMS: list[Path] = []


def source_of(program: Path) -> Path:
    return FOLDER / (program.stem.removeprefix("mistake_") + ".cu")


def marked_line(source: Path) -> tuple[int, str]:
    marks = [
        (number, match[1])
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        if (match := re.search(r"// here: ([\w: ]+)$", line))
    ]
    assert len(marks) == 1, f"{source}: {len(marks)} lines are marked"
    return marks[0]


def said_by(source: Path) -> list[str]:
    return re.findall(r"^// says: (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)


class MistakeTest(unittest.TestCase):
    def check(self, program: Path, schedule: str) -> None:
        source = source_of(program)
        line, kind = marked_line(source)
        environment = os.environ | {
            "EMULATOR_COUNTERS": "none",
            "EMULATOR_TIME_LIMIT": "1",
            "EMULATOR_SCHEDULE": schedule,
        }
        result = subprocess.run(
            [program], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        # A call that fails says so at once, and so does a kernel that ends itself; the finding comes
        # when nobody has read the error.
        at_once = re.compile(
            r"emulator: (cuda\w+: |kernel [^:]*( is not launched|thread \(.*\)): )"
        )
        lines = [line for line in result.stderr.splitlines() if not at_once.match(line)]
        first = (lines or [""])[0]
        self.assertRegex(
            first, rf"^emulator: {kind}: .*\b{re.escape(source.name)}:{line}\b", result.stderr
        )
        self.assertEqual(result.returncode, 0 if "warning" in kind else 1, result.stderr)
        for other in re.findall(r"[\w.]+\.[a-z]+:\d+", first):
            self.assertEqual(other.split(":")[0], source.name, "names a line of the engine")
        self.assertRegex(first, r"; \w.*\.$", "gives no advice")
        for text in said_by(source):
            self.assertIn(text, first)
        if count := re.search(r"^// findings: (\d+)$", source.read_text("utf-8"), re.MULTILINE):
            printed = [line for line in lines if re.match(r"emulator: [\w: ]+: kernel ", line)]
            self.assertEqual(len(printed), int(count[1]), result.stderr)

    def test_each_is_named_at_its_line(self) -> None:
        for program in PROGRAMS:
            for schedule in SCHEDULES:
                with self.subTest(program=program.name, schedule=schedule):
                    self.check(program, schedule)

    def test_all_are_built(self) -> None:
        self.assertEqual(sorted(map(source_of, PROGRAMS)), sorted(FOLDER.glob("*.cu")))


if __name__ == "__main__":
    FOLDER = Path(sys.argv[1])
    PROGRAMS = [Path(program) for program in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])
