#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_codes.py DATA PROGRAM...

Each program prints error codes of unusual calls. On the CPU engine it prints what it printed on an
H200: the file in DATA that has the program's name."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

DATA = Path()
PROGRAMS: list[Path] = []


class CodesTest(unittest.TestCase):
    def test_codes_are_those_of_a_gpu(self) -> None:
        self.maxDiff = 2000
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                result = subprocess.run(
                    [program], capture_output=True, text=True, check=False, timeout=60, env=ONE_GPU
                )
                expected = (DATA / (program.stem.removeprefix("emulator_") + ".txt")).read_text()
                self.assertEqual(result.stdout.splitlines(), expected.splitlines(), result.stderr)
                self.assertEqual(result.returncode, 0, result.stderr)


ONE_GPU = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}

if __name__ == "__main__":
    DATA = Path(sys.argv[1])
    PROGRAMS = [Path(program) for program in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])
