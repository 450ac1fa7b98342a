#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Executables that nvcc built, on a machine without a GPU: one line, and the status of a skip.

Without a GPU, only the long tests build them, and with -Dkernels=check only some: in place of the
others, nvcc leaves their kernels.
"""

import sys
import unittest
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from tests.common.tools.programs import ProgramTest, all_programs


def runs_here(path: Path) -> bool:
    """Whether it is code for this machine's processor: two bytes of an ELF file's header say so."""
    machine = slice(18, 20)
    return path.read_bytes()[machine] == Path(sys.executable).read_bytes()[machine]


@unittest.skipIf(has_gpu(), "there is a GPU")
class NoGpuTest(ProgramTest):
    def test_no_gpu(self) -> None:
        programs = [program for program in all_programs() if program.engine == "gpu"]
        if not programs:
            self.skipTest("nvcc is missing, so nothing was built for a GPU")
        chapters = {program.chapter for program in programs}
        programs = [program for program in programs if runs_here(program.path)]
        self.assertEqual({program.chapter for program in programs}, chapters)
        for program in programs:
            self.assert_refused(program, 77, ["--check", "--n", "10"], "no usable .*device")


if __name__ == "__main__":
    unittest.main()
