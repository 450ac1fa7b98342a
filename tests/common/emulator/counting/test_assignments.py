#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each access is recorded exactly once, in whatever form C++ writes it.

Usage: test_assignments.py PROGRAM SOURCE (built from assignments_program.cu, which says at the end
of its lines what each thread loads and stores there)
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
LANES = 32


def expected() -> dict[int, dict[str, int]]:
    """By line: the bytes that a thread accesses, by "shared store" and the like."""
    lines = {}
    for number, text in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1):
        accesses = re.findall(r"(global|shared) (load|store) (\d+)", text.partition("// ")[2])
        if accesses:
            lines[number] = {f"{space} {kind}": int(count) for space, kind, count in accesses}
    return lines


def recorded() -> dict[int, dict[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "counters.json")
        result = subprocess.run(
            [PROGRAM],
            env=os.environ | {"EMULATOR_COUNTERS": str(path)},
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(path.read_text(encoding="utf-8"))
    assert (result.stdout, result.stderr, result.returncode) == ("no error\n", "", 0), result
    lines: dict[int, collections.Counter] = collections.defaultdict(collections.Counter)
    for kernel in report["kernels"]:
        for line in kernel["lines"]:
            if line["operation"] in ("load", "store"):
                name = f"{line['space']} {line['operation']}"
                lines[line["line"]][name] += line["lanes"] * line["bytes"] // LANES
    return {number: dict(counts) for number, counts in lines.items()}


class Assignments(unittest.TestCase):
    def test_each_access_is_recorded_once(self) -> None:
        text = SOURCE.read_text(encoding="utf-8").splitlines()
        wanted, seen = expected(), recorded()
        self.assertGreater(len(wanted), 40)
        for number, accesses in wanted.items():
            with self.subTest(text[number - 1].strip()):
                self.assertEqual(seen.get(number, {}), accesses)

    def test_no_other_line_has_an_access(self) -> None:
        self.assertLessEqual(set(recorded()), set(expected()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
