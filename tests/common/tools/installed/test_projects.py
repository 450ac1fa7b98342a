# SPDX-License-Identifier: MIT
"""A stranger's projects, for make and for CMake, built unchanged with the installed emucc."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from tests.common.tools.course_tools import ROOT
from tests.common.tools.installed.installation import RACE as RACE_OF_SUM
from tests.common.tools.installed.installation import InstalledTest, can_hide

try:
    import yaml
except ImportError:
    yaml = None  # the workflows are run all the same, but not parsed

FINISH = ROOT / "common" / "tools" / "setup" / "finish_install.py"

# Device code in a static library, which kernels of another file call; own headers; host code. Line
# 12 of smooth.cu ends the copy into the tile without a barrier.
FILES = {
    "include/weights.cuh": """#pragma once
__device__ float weighted(float left, float middle, float right);
""",
    "include/smooth.hpp": """#pragma once
#include <vector>
std::vector<float> smooth(const std::vector<float>& values);
""",
    "lib/weights.cu": """#include "weights.cuh"
__constant__ float c_weights[3] = {0.25f, 0.5f, 0.25f};
__device__ float weighted(float left, float middle, float right) {
    return c_weights[0] * left + c_weights[1] * middle + c_weights[2] * right;
}
""",
    "src/smooth.cu": """#include <cuda_runtime.h>
#include "smooth.hpp"
#include "weights.cuh"

template <int kBlockSize>
__global__ void smooth_kernel(const float* in, float* out, int count) {
    __shared__ float s_tile[kBlockSize + 2];
    const int i = blockIdx.x * kBlockSize + threadIdx.x;
    const int column = threadIdx.x + 1;
    if (threadIdx.x == 0) s_tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (threadIdx.x == kBlockSize - 1) s_tile[column + 1] = i + 1 < count ? in[i + 1] : 0.0f;
    s_tile[column] = i < count ? in[i] : 0.0f;

    if (i < count) out[i] = weighted(s_tile[column - 1], s_tile[column], s_tile[column + 1]);
}

std::vector<float> smooth(const std::vector<float>& values) {
    const int count = static_cast<int>(values.size());
    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    smooth_kernel<128><<<(count + 127) / 128, 128>>>(in, out, count);
    std::vector<float> result(count);
    cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return result;
}
""",
    "src/main.cpp": """#include <cstdio>
#include "smooth.hpp"
int main() {
    std::vector<float> values(300);
    for (int i = 0; i < 300; ++i) values[i] = static_cast<float>(i * i);
    std::printf("%.1f %.1f\\n", smooth(values)[1], smooth(values)[150]);
}
""",
    "Makefile": """NVCC ?= nvcc
ARCH ?= sm_80
NVCCFLAGS := -std=c++17 -O3 -arch=$(ARCH) -Iinclude --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra
OBJECTS := build/smooth.o build/main.o

build/smooth: $(OBJECTS) build/libweights.a
\t$(NVCC) $(NVCCFLAGS) -rdc=true $(OBJECTS) -Lbuild -lweights -o $@
build/libweights.a: build/weights.o
\t$(NVCC) -lib $< -o $@
build/%.o: src/%.cu | build
\t$(NVCC) $(NVCCFLAGS) -dc $< -o $@
build/%.o: lib/%.cu | build
\t$(NVCC) $(NVCCFLAGS) -dc $< -o $@
build/%.o: src/%.cpp | build
\t$(NVCC) $(NVCCFLAGS) -c $< -o $@
build:
\tmkdir -p build
""",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.20)
project(smooth LANGUAGES CXX)
enable_language(CUDA)
set(CMAKE_CUDA_ARCHITECTURES 80)
add_library(weights STATIC lib/weights.cu)
target_include_directories(weights PUBLIC include)
add_executable(smooth src/smooth.cu src/main.cpp)
target_link_libraries(smooth PRIVATE weights)
set_target_properties(weights smooth PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
""",
}
RACE = (
    r"race: kernel smooth_kernel<.*>, smooth\.cu:1[0-4]: .*, without a barrier .*add __syncthreads"
)
PRINTED = "1.5 22500.5\n"


class ProjectTest(InstalledTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # As an installation that is not for a package: with a precompiled header.
        environment = {key: one for key, one in os.environ.items() if key != "DESTDIR"}
        subprocess.run(
            [sys.executable, FINISH, "lib/gpu-algorithms"],
            env=environment | {"MESON_INSTALL_DESTDIR_PREFIX": str(cls.prefix)},
            check=True,
        )

    def setUp(self) -> None:
        super().setUp()
        for name, text in FILES.items():
            (self.work / name).parent.mkdir(exist_ok=True)
            (self.work / name).write_text(text, encoding="utf-8")

    def checked(self, *words: str | Path) -> str:
        made = self.run_installed(*words)
        self.assertEqual(made.returncode, 0, f"{words}: {made.stdout}{made.stderr}")
        return made.stdout + made.stderr

    def assert_race_is_found_and_mended(self, program: str, *build: str) -> None:
        made = self.run_installed(program)
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertRegex(made.stderr, RACE)
        source = self.work / "src" / "smooth.cu"
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace("0.0f;\n\n    if", "0.0f;\n    __syncthreads();\n    if"))
        self.checked(*build)
        made = self.run_installed(program)
        self.assertEqual((made.returncode, made.stdout), (0, PRINTED), made.stderr)
        self.assertNotIn("emulator: ", made.stderr)

    def test_a_makefile_project_builds_unchanged(self) -> None:
        build = ["make", "NVCC=emucc"]
        self.assertNotIn("warning", self.checked(*build))
        self.assert_race_is_found_and_mended("build/smooth", *build)

    @unittest.skipUnless(shutil.which("cmake"), "CMake is missing")
    def test_a_cmake_project_builds_unchanged(self) -> None:
        toolchain = self.prefix / "share" / "emucc" / "toolchain.cmake"
        self.checked("cmake", "-S", ".", "-B", "build", "--toolchain", toolchain)
        build = ["cmake", "--build", "build"]
        self.checked(*build)
        self.assert_race_is_found_and_mended("build/smooth", *build)

    def test_the_sources_are_tried_and_explained_without_a_build(self) -> None:
        files = ["-I", "include", "src/smooth.cu", "src/main.cpp", "lib/weights.cu"]
        made = self.run_installed("cuda-try", "--engine", "count", *files)
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertRegex(made.stderr, RACE)
        made = self.run_installed("cuda-explain", *files)
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertIn("Lower bounds on NVIDIA H200", made.stdout)

    @unittest.skipUnless(can_hide() and os.path.isdir("/usr/src"), "no /usr/src of its own")
    def test_a_program_below_usr_has_lines(self) -> None:
        (self.work / "wrong.cu").write_text("int main() { return none; }\n")
        inside = 'mount --bind . /usr/src && cd /usr/src && exec "$@"'
        words = ["sh", "-c", inside, "sh", "cuda-try", "--engine", "count"]
        made = self.run_installed(*words, "/usr/src/sum.cu")
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertRegex(made.stderr, RACE_OF_SUM)
        made = self.run_installed(*words, "/usr/src/wrong.cu")
        self.assertRegex(made.stderr, r"^/usr/src/wrong\.cu:1: error: .none. was not declared")

    def test_a_prefix_that_was_moved_still_works(self) -> None:
        """The precompiled header holds the paths of the old place."""
        moved, gone = self.folder / "moved", self.folder / "gone"
        # The files have other dates.
        shutil.copytree(self.prefix, moved, symlinks=True, copy_function=shutil.copy)
        self.prefix.rename(gone)
        self.addCleanup(gone.rename, self.prefix)
        self.path = self.path.replace(str(self.prefix), str(moved))
        self.prefix = moved
        made = self.run_installed("cuda-try", "--engine", "count", "sum.cu")
        self.assertEqual(made.returncode, 1, made.stderr)
        self.assertRegex(made.stderr, RACE_OF_SUM)
        (self.work / "wrong.cu").write_text("int main() { return cudaFree(1, 2); }\n")
        made = self.run_installed("cuda-try", "--engine", "count", "wrong.cu")
        self.assertEqual(made.returncode, 1)
        self.assertNotIn("gpu-algorithms", made.stderr)
        self.assertRegex(made.stderr, r"(?m)^wrong\.cu:1: error: .*cudaFree")

    @unittest.skipIf(has_gpu(), "there, cuda-try uses the GPU")
    def test_the_workflows_of_the_readme_check_the_project(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        workflows = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
        self.assertEqual(len(workflows), 2)
        for workflow in workflows:
            if yaml:
                document = yaml.safe_load(workflow)
                self.assertIn("cuda", document.get("jobs", document))
            (line,) = re.findall(r"- (?:run: )?\S*/bin/(cuda-try -.*)", workflow)
            made = self.run_installed("sh", "-c", line)
            self.assertEqual(made.returncode, 1, made.stderr)
            self.assertRegex(made.stderr, RACE)

    def test_the_precompiled_header_is_used(self) -> None:
        header = self.root / "build/common/emulator/precompiled/program_count.hpp"
        shown = self.run_installed("emucc", "--dryrun", "-std=c++20", "-rdc=true", "-c", "sum.cu")
        words = shlex.split(shown.stderr.removeprefix("#$ "))
        words[words.index("-x") :] = ["-H", "-fsyntax-only", "-x", "c++", "/dev/null"]
        self.assertIn(f"! {header}.gch", self.checked(*words))


if __name__ == "__main__":
    unittest.main()
