#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Executables that nvcc built, on a machine without a GPU: one line, and the status of a skip.

Without a GPU, only the long tests build them.
"""

import unittest

from common.tools.lib.gpus import has_gpu
from tests.common.tools.programs import ProgramTest, all_programs


@unittest.skipIf(has_gpu(), "there is a GPU")
class NoGpuTest(ProgramTest):
    def test_no_gpu(self) -> None:
        programs = [program for program in all_programs() if program.engine == "gpu"]
        if not programs:
            self.skipTest("nvcc is missing, so nothing was built for a GPU")
        for program in programs:
            self.assert_refused(program, 77, ["--check", "--n", "10"], "no usable .*device")


if __name__ == "__main__":
    unittest.main()
