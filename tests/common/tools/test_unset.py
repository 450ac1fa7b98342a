# SPDX-License-Identifier: MIT
"""Local variables that nobody sets: emucc names those that the program adds to."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from common.tools.driver.engine import ENGINES
from tests.common.tools.course_tools import BUILD, TOOLS

# Each kernel ends by a use of what g++ takes for unset; the last two are right.
PROGRAM = """
__global__ void sum_kernel(const float* in, float* out, int n) {
    float sum;  // the sum of its share
    for (int i = threadIdx.x; i < n; i += 32) sum += in[i];
    out[threadIdx.x] = sum;
}
__global__ void count_kernel(const float* in, int* out, int n) {
    int above;
    for (int i = threadIdx.x; i < n; i += 32) if (in[i] > 1) ++above;
    out[threadIdx.x] = above;
}
__global__ void never_kernel(float* out) {
    float value;
    out[threadIdx.x] = value;
}
__global__ void four_kernel(const float* in, float* out) {
    float four[4];
    four[0] = four[1] = four[2] = in[threadIdx.x];
    out[threadIdx.x] = four[0] + four[3];
}
__global__ void last_kernel(const float* in, float* out, int n) {
    float last;
    for (int i = threadIdx.x; i < n; i += 32) last = in[i];
    if (n > 0) out[threadIdx.x] = last;
}
__global__ void set_kernel(const float* in, float* out, int n) {
    float sum = 0, parts[2];
    parts[0] = parts[1] = 0;
    for (int i = threadIdx.x; i < n; i += 32) parts[i % 2] += in[i];
    sum += parts[0] + parts[1];
    out[threadIdx.x] = sum;
}
"""
NAMED = {"sum": 3, "above": 8, "value": 13, "four": 17}


class UnsetTest(unittest.TestCase):
    def test_variables_that_nobody_sets(self) -> None:
        if not (BUILD / "common" / "emulator" / "counting" / "libemulator_counting.a").exists():
            self.skipTest("the CPU engine is not built")
        for engine in ENGINES:
            with self.subTest(engine), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "sums.cu"
                source.write_text(PROGRAM, encoding="utf-8")
                result = subprocess.run(
                    [TOOLS / "commands" / "emucc", "-Werror", "all-warnings", "-c", source.name],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=False,
                    env=os.environ | {"EMUCC_ENGINE": engine},
                )
                self.assertEqual(result.returncode, 0, result.stderr)
                for name, line in NAMED.items():
                    self.assertRegex(result.stderr, f"‘{name}’ (is|may be) used uninitialized")
                    self.assertRegex(
                        result.stderr, f"sums.cu:{line}: note: ‘{name}’ (was )?declared here"
                    )
                self.assertEqual(result.stderr.count(": warning: "), len(NAMED), result.stderr)


if __name__ == "__main__":
    unittest.main()
