# SPDX-License-Identifier: MIT
"""make try: a student's own program, on the CPU engine and (where there is one) on a GPU."""

import shutil
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import BUILD, run_tool
from common.tools.lib.gpus import has_gpu

# It does not include cuda_runtime.h: nvcc does that by itself.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>

__global__ void add_kernel(const int* a, int* sum, int count) {
    extern __shared__ int s_partial[];
    const int i = threadIdx.x;
    s_partial[i] = i < count ? a[i] : 0;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (i < step) {
            s_partial[i] += s_partial[i + step];
        }
        __syncthreads();
    }
    if (i == 0) {
        *sum = s_partial[0];
    }
}

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 100;
    int h_a[256];
    for (int i = 0; i < 256; ++i) {
        h_a[i] = i;
    }
    int *a = nullptr, *sum = nullptr, h_sum = -1;
    cudaMalloc(&a, sizeof(h_a));
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(a, h_a, sizeof(h_a), cudaMemcpyHostToDevice);
    add_kernel<<<1, 256, 256 * sizeof(int)>>>(a, sum, count);
    cudaMemcpy(&h_sum, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("sum %d, %s\n", h_sum, cudaGetErrorName(cudaGetLastError()));
    cudaFree(a);
    cudaFree(sum);
    return h_sum == count * (count - 1) / 2 ? 0 : 3;
}
"""


class TryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.source = self.folder / "sum.cu"
        self.source.write_text(PROGRAM, encoding="utf-8")

    def try_program(self, name: str | Path, engine: str = "emu", args: str = ""):
        return run_tool("try_program", FILE=str(name), ENGINE=engine, ARGS=args)

    def needs_emulator(self) -> None:
        if not (BUILD / "emulator.json").exists():
            self.skipTest("the CPU engine is not built")

    def assert_refused(self, result, status: int, part: str) -> None:
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn(part, result.stderr)

    def test_runs_on_the_cpu_engine(self) -> None:
        self.needs_emulator()
        result = self.try_program(self.source, args="200")
        self.assertEqual(
            (result.returncode, result.stdout), (0, "sum 19900, cudaSuccess\n"), result.stderr
        )

    def test_counts_and_checks(self) -> None:
        self.needs_emulator()
        result = self.try_program(self.source, "count", "200")
        self.assertEqual(
            (result.returncode, result.stdout), (0, "sum 19900, cudaSuccess\n"), result.stderr
        )
        self.assertIn("add_kernel", result.stderr)
        # Without the barrier in the loop, the two halves race.
        racing = PROGRAM.replace("        __syncthreads();\n    }\n", "    }\n")
        self.assertNotEqual(racing, PROGRAM)
        self.source.write_text(racing, encoding="utf-8")
        result = self.try_program(self.source, "count", "200")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"race: kernel add_kernel.*, sum\.cu:12")

    def test_without_a_gpu_the_default_is_checked(self) -> None:
        if has_gpu():
            self.skipTest("there is a GPU")
        self.needs_emulator()
        self.source.write_text(PROGRAM.replace("i < count ? a[i] : 0", "a[i + 1]"))
        result = self.try_program(self.source, "", "255")
        self.assertNotEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"out of bounds: kernel add_kernel, sum\.cu:8\b")

    def test_the_unchecked_engine_says_so_in_its_last_line(self) -> None:
        self.needs_emulator()
        for count in ("200", "300"):
            result = self.try_program(self.source, "emu", count)
            self.assertIn("checked nothing", result.stderr.splitlines()[-1])
            self.assertIn(f"`make try FILE={self.source}`", result.stderr.splitlines()[-1])
        self.assertNotIn("checked nothing", self.try_program(self.source, "count").stderr)

    def test_runs_on_a_gpu(self) -> None:
        if not (has_gpu() and shutil.which("nvcc")):
            self.skipTest("no GPU")
        result = self.try_program(self.source, "gpu", "200")
        self.assertEqual(
            (result.returncode, result.stdout), (0, "sum 19900, cudaSuccess\n"), result.stderr
        )

    def test_counters_of_own_programs(self) -> None:
        """`make counters` takes files too, and names what changed from one to the other."""
        self.needs_emulator()
        other = self.folder / "other.cu"
        other.write_text(PROGRAM.replace("a[i] : 0;", "a[i / 2] : 0;"), encoding="utf-8")
        result = run_tool("counters", A=str(self.source), B=str(other), ARGS="200")
        self.assertEqual(result.returncode, 1, result.stderr)  # the other sum is wrong
        self.assertEqual(result.stderr, f"{other}: ended with exit status 3\n")
        self.assertRegex(result.stdout, r"(?m)^add_kernel +sum.cu +other.cu$")
        self.assertRegex(result.stdout, r"(?m)^  global load requests +7 +7$")
        self.assertRegex(
            result.stdout, r"(?m)^  - sum.cu:8 +global load 4 B +s_partial.* a\[i\] .* 7 +25$"
        )
        self.assertRegex(
            result.stdout, r"(?m)^  \+ other.cu:8 +global load 4 B .* a\[i / 2\] .* 7 +13$"
        )
        self.assert_refused(run_tool("counters", A="none.cu"), 1, "A=none.cu: No such file")

    def test_several_files(self) -> None:
        self.needs_emulator()
        kernel, _, main = PROGRAM.partition("int main")
        folder = self.folder / "two files"
        folder.mkdir()
        (folder / "kernel.cu").write_text(kernel, encoding="utf-8")
        (folder / "main.cu").write_text(
            '#include "kernel.cu"\n#include "offset.h"\nint main'
            + main.replace("return h_sum", "return offset() + h_sum"),
            encoding="utf-8",
        )
        (folder / "offset.h").write_text("int offset();\n", encoding="utf-8")
        (folder / "offset.cpp").write_text(
            '#include "offset.h"\nint offset() { return 0; }\n', encoding="utf-8"
        )
        result = self.try_program(f"'{folder}/main.cu' '{folder}/offset.cpp'", args="200")
        self.assertEqual(
            (result.returncode, result.stdout), (0, "sum 19900, cudaSuccess\n"), result.stderr
        )
        missing = self.try_program(f"'{folder}/main.cu' none.cpp")
        self.assert_refused(missing, 1, "FILE=none.cpp: No such file")

    def test_the_program_s_status_is_kept(self) -> None:
        self.needs_emulator()
        self.assertEqual(self.try_program(self.source, args="300").returncode, 3)

    def test_files_that_cannot_be_read(self) -> None:
        empty = self.folder / "empty.cu"
        empty.write_text("\n")
        self.assert_refused(self.try_program(""), 2, "FILE is missing")
        self.assert_refused(self.try_program(self.folder / "none.cu"), 1, "No such file")
        self.assert_refused(self.try_program(self.folder), 1, "is a directory")
        self.assert_refused(self.try_program(empty), 1, "is empty")

    def test_an_unknown_engine(self) -> None:
        self.assert_refused(self.try_program(self.source, "tpu"), 2, "gpu, emu, count")

    def test_no_gpu(self) -> None:
        if has_gpu():
            self.skipTest("there is a GPU")
        self.assert_refused(self.try_program(self.source, "gpu"), 77, "no usable device")

    def test_a_program_that_does_not_compile(self) -> None:
        self.needs_emulator()
        self.source.write_text(PROGRAM.replace("__syncthreads();", "__syncthread();"))
        result = self.try_program(self.source)
        self.assertEqual(result.returncode, 1)
        # The line is in the student's file, not in the translated one.
        self.assertIn("sum.cu:9:", result.stderr)
        self.assertIn("cannot be compiled", result.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
