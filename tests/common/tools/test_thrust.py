# SPDX-License-Identifier: MIT
"""Programs with Thrust on the CPU engine: the toolkit's own Thrust, with its CPU backend."""

import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.emulator.translator import translation
from common.tools.driver.engine import ENGINES, thrust_flags
from tests.common.tools.course_tools import TOOLS

PROGRAM = """
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform_reduce.h>
#include <cstdio>
__global__ void double_kernel(int* values) { values[threadIdx.x] *= 2; }
__global__ void sum_kernel(const int* values, int* sum) { atomicAdd(sum, values[threadIdx.x]); }
struct Square {
    __host__ __device__ int operator()(const int& x) const { return x * x; }
};
int main() {
    thrust::device_vector<int> v(4);
    v[0] = 3; v[1] = 1; v[2] = 2; v[3] = 0;
    thrust::sort(v.begin(), v.end());
    // Thrust sees what kernels wrote, on any stream, and kernels see what Thrust wrote.
    double_kernel<<<1, 4>>>(thrust::raw_pointer_cast(v.data()));
    thrust::sort(thrust::device, v.begin(), v.end(), thrust::greater<int>());
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    double_kernel<<<1, 4, 0, stream>>>(thrust::raw_pointer_cast(v.data()));
    thrust::sort(thrust::cuda::par.on(stream), v.begin(), v.end());
    thrust::sort(thrust::cuda::par_nosync, v.begin(), v.end());
    thrust::host_vector<int> h = v;
    std::printf("%d %d %d %d\\n", h[0], h[1], h[2], h[3]);
    std::printf("%d\\n", thrust::transform_reduce(v.begin(), v.end(), Square(), 0, thrust::plus<int>()));
    int *values, *sum;
    cudaMalloc(&values, 8 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    thrust::device_ptr<int> begin(values);
    thrust::sequence(begin, begin + 8);
    cudaMemset(sum, 0, sizeof(int));
    sum_kernel<<<1, 8>>>(values, sum);
    std::printf("%d %d\\n", thrust::reduce(begin, begin + 8), int(*thrust::device_pointer_cast(sum)));
    std::printf("%g\\n", abs(thrust::complex<float>(3, 4)));
    cudaFree(values);
    cudaFree(sum);
    cudaStreamDestroy(stream);
}
"""

# Without thrust::device_vector.
SHORT_PROGRAM = """
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <cstdio>
__global__ void fill_kernel(int* values) { values[threadIdx.x] = threadIdx.x; }
int main() {
    int* values;
    cudaMalloc(&values, 8 * sizeof(int));
    fill_kernel<<<1, 8>>>(values);
    thrust::device_ptr<int> begin(values);
    std::printf("%d\\n", thrust::reduce(begin, begin + 8));
    cudaFree(values);
}
"""
PRINTED = {PROGRAM: "0 4 8 12\n224\n28 28\n5\n", SHORT_PROGRAM: "28\n"}


class ThrustTest(unittest.TestCase):
    @unittest.skipUnless(thrust_flags(), "Thrust is not installed")
    def test_programs_run_without_a_finding(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.cu"
            for (text, printed), engine in itertools.product(PRINTED.items(), ENGINES):
                with self.subTest(engine=engine, printed=printed):
                    source.write_text(text, encoding="utf-8")
                    program = Path(folder) / engine
                    subprocess.run(
                        [TOOLS / "commands" / "emucc", source, "-o", program],
                        env=os.environ | {"EMUCC_ENGINE": engine},
                        check=True,
                    )
                    result = subprocess.run(
                        [program],
                        env=os.environ | {"EMULATOR_COUNTERS": "none"},
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    self.assertEqual(result.stdout, printed)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_where_it_is_missing_one_line_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.cu"
            source.write_text("\n#include <thrust/sort.h>\n", encoding="utf-8")
            with mock.patch.object(translation, "THRUST_FOLDERS", ()):
                with self.assertRaisesRegex(
                    translation.TranslationError, "program.cu:2: Thrust .* libthrust-dev"
                ):
                    translation.Translation(Path(folder) / "out.cpp", []).translate(
                        source, "out.cpp"
                    )


if __name__ == "__main__":
    unittest.main()
