# SPDX-License-Identifier: MIT
"""emucc with CMake: a project of several languages, without changes to its CMakeLists.txt."""

import shutil
import unittest

from tests.common.tools.course_tools import TOOLS
from tests.common.tools.test_emucc import PRINTED, DriverTest


class CMakeTest(DriverTest):
    @unittest.skipUnless(shutil.which("cmake"), "CMake is missing")
    def test_a_cmake_project_builds_unchanged(self) -> None:
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\n"
            "project(sums LANGUAGES C CXX CUDA)\n"
            "add_executable(sums table.cu sum.cu main.cpp seven.c)\n"
            "target_include_directories(sums PRIVATE include .)\n"
            "target_compile_definitions(sums PRIVATE FACTOR=2)\n"
            "set_target_properties(sums PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n",
            encoding="utf-8",
        )
        # CMake gives C to the system's compiler, which does not look among the engine's headers.
        (self.folder / "seven.c").write_text(
            '#include "seven.h"\nint seven(void) { return 7; }\n', encoding="utf-8"
        )
        toolchain = ["--toolchain", TOOLS / "commands" / "emucc.cmake"]
        for command in (["cmake", "-S", ".", "-B", "b", *toolchain], ["cmake", "--build", "b"]):
            made = self.run_in_folder(*command)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertEqual(self.run_in_folder("b/sums").stdout, PRINTED)


if __name__ == "__main__":
    unittest.main()
