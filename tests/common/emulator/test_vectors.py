#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_vectors.py DATA PROGRAM

The program prints one line per case. DATA has the lines that an H200 printed: each must be among
the program's."""

import subprocess
import sys
import unittest
from pathlib import Path

DATA = Path()
PROGRAM = Path()


class VectorsTest(unittest.TestCase):
    def test_the_engine_gives_what_the_gpu_gave(self) -> None:
        expected = [
            line
            for line in DATA.read_text(encoding="utf-8").splitlines()
            if not line.startswith("#")
        ]
        result = subprocess.run([PROGRAM], capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(expected)
        printed = set(result.stdout.splitlines())
        self.assertEqual([line for line in expected if line not in printed], [])


if __name__ == "__main__":
    DATA, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
