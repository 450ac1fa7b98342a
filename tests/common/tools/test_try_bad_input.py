# SPDX-License-Identifier: MIT
"""make try: mistakes of student programs, on the CPU engine with and without counters.

Each mistake gets a message in words, with the line of the student's file if there is one. Each run
ends by itself.
"""

import shutil
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import BUILD, run_tool

ENGINES = ("emu", "count")

LAUNCH = r"""
#include <cstdio>
__global__ void fill_kernel(int* out) {
    extern __shared__ int s_values[];
    s_values[threadIdx.x] = 1;
    out[threadIdx.x] = s_values[threadIdx.x];
}
int main() {
    int* out;
    cudaMalloc(&out, 2048 * sizeof(int));
    fill_kernel<<<%s>>>(out);
    std::printf("%%s\n", cudaGetErrorName(cudaGetLastError()));
    return cudaDeviceSynchronize() == cudaSuccess ? 3 : 4;
}
"""

ENDLESS = """
__global__ void wait_kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}
int main() {
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait_kernel<<<2, 64>>>(flag);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 3 : 4;
}
"""

NEVER_SYNCHRONISED = """
__global__ void fill_kernel(int* out) { out[threadIdx.x] = 1; }
int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(out);
    return 0;
}
"""

STATIC_SHARED = """
__global__ void sum_kernel(int* out) {
    __shared__ int s_table[16384];
    s_table[threadIdx.x] = 1;
    *out = s_table[0];
}
int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    sum_kernel<<<1, 1>>>(out);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
"""


class BadInputTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def try_program(
        self, engine: str, text: str | bytes, name: str = "program.cu", **variables: str
    ):
        if not (BUILD / "emulator.json").exists():
            self.skipTest("the CPU engine is not built")
        source = self.folder / name
        source.write_bytes(text.encode() if isinstance(text, str) else text)
        return run_tool(
            "try_program", FILE=str(source), ENGINE=engine, EMULATOR_COUNTERS="none", **variables
        )

    def assert_does_not_build(self, text: str | bytes, *parts: str) -> None:
        result = self.try_program("emu", text)
        self.assertEqual(result.returncode, 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_no_cuda_source(self) -> None:
        self.assert_does_not_build(
            "# Notes\n\nThis is a shopping list.\n", "program.cu:3:", "cannot be compiled"
        )
        self.assert_does_not_build(
            "import numpy as np\nprint(np.arange(3))\n", "program.cu:1:", "cannot be compiled"
        )
        self.assert_does_not_build(b"\x7fELF\x02\x01\x00\x00\xff\xfe", "is not a text file")
        self.assert_does_not_build(
            "__global__ void alone_kernel() {}\n", "main", "cannot be linked"
        )

    def test_what_the_engine_lacks_is_named_with_its_line(self) -> None:
        for line, name in (
            ("#include <cub/block/block_raking_layout.cuh>", "CUB"),
            ("#include <cufft.h>", "cuFFT"),
            ('__device__ void f() { asm("exit;"); }', "exit"),
            ("__global__ void __cluster_dims__(2, 1, 1) k() {}", "clusters"),
        ):
            with self.subTest(line=line):
                self.assert_does_not_build(
                    f"#include <cuda_runtime.h>\n\n{line}\nint main() {{}}\n", name, "program.cu:3"
                )

    def test_launches_that_no_device_accepts(self) -> None:
        for engine in ENGINES:
            for configuration, error, reason in (
                ("1, 0", "cudaErrorInvalidValue", "a block of 0 x 1 x 1 threads"),
                ("1, 2048", "cudaErrorInvalidValue", "a block of 2048 x 1 x 1 threads"),
                ("1, dim3(1, 1, 65)", "cudaErrorInvalidValue", "1 x 1 x 65 threads"),
                ("0, 32", "cudaErrorInvalidValue", "a grid of 0 x 1 x 1 blocks"),
                ("dim3(1, 65536), 32", "cudaErrorInvalidValue", "1 x 65536 x 1 blocks"),
                ("1, 32, 49153", "cudaErrorInvalidValue", "49153 bytes of dynamic shared"),
            ):
                if engine == "count" and configuration not in ("1, 0", "1, 32, 49153"):
                    continue  # the engines share this code
                with self.subTest(engine=engine, configuration=configuration):
                    result = self.try_program(engine, LAUNCH % configuration)
                    self.assertEqual(result.stdout, f"{error}\n", result.stderr)
                    self.assertEqual(result.returncode, 3, result.stderr)
                    self.assertIn("kernel fill_kernel is not launched", result.stderr)
                    self.assertIn(reason, result.stderr)

    def test_too_much_static_shared_memory(self) -> None:
        for engine in ENGINES:
            with self.subTest(engine=engine):
                result = self.try_program(engine, STATIC_SHARED)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn("__shared__ s_table of 65536 bytes", result.stderr)

    def test_too_little_dynamic_shared_memory(self) -> None:
        for engine in ENGINES:
            with self.subTest(engine=engine):
                result = self.try_program(engine, LAUNCH % "1, 1024, 4096 - 64")
                self.assertEqual(result.returncode, 4, result.stderr)
                self.assertRegex(result.stderr, r"thread.*shared memory")

    def test_never_synchronises(self) -> None:
        # Without checks the program ends as on a GPU, and the kernel's result is unknown.
        self.assertEqual(self.try_program("emu", NEVER_SYNCHRONISED).returncode, 0)
        result = self.try_program("count", NEVER_SYNCHRONISED)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"never synchronised: kernel fill_kernel, program\.cu:6\b")

    def test_an_endless_kernel(self) -> None:
        for engine in ENGINES:
            with self.subTest(engine=engine):
                result = self.try_program(engine, ENDLESS, EMULATOR_TIME_LIMIT="0.5")
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn("wait_kernel", result.stderr)
                self.assertIn("EMULATOR_TIME_LIMIT", result.stderr)


if __name__ == "__main__":
    unittest.main()
