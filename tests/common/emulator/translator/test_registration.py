#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the translator registers with the engine: kernels whose address is taken, and variables of
the device."""

import tempfile
import unittest
from pathlib import Path

from common.emulator.translator import translation

VARIABLE = "::emulator::register_variable"
POINTER = "::emulator::kernel_pointer"


def translate(text: str, **headers: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.cu"
        path.write_text(text, encoding="utf-8")
        for name, inside in headers.items():
            (Path(folder) / f"{name}.h").write_text(inside, encoding="utf-8")
        output = Path(folder) / "out" / "program.cpp"
        status = translation.main([str(path), "-o", str(output)])
        assert status == 0
        return output.read_text(encoding="utf-8").split("\n", 1)[1]


def registered(text: str) -> list[str]:
    pieces = translate(text).split(VARIABLE + "(")[1:]
    return [piece.split(")")[0] for piece in pieces]


class KernelPointerTest(unittest.TestCase):
    kernel = "__global__ void k(int* a) {}\n"

    def test_casts_of_kernels(self) -> None:
        for cast in ("(void*)k", "(void *) k", "(const void*)&k", "reinterpret_cast<void*>(k)"):
            self.assertIn(POINTER + "(", translate(self.kernel + f"void* p = {cast};"), cast)

    def test_instances_of_templates(self) -> None:
        text = "template <int N> __global__ void __launch_bounds__(32) t(int* a) {}\n"
        self.assertIn(POINTER + "(t<4>)", translate(text + "void* p = (void*)t<4>;"))
        self.assertIn(POINTER + "(n::t<1>)", translate(text + "void* p = (void*)n::t<1>;"))

    def test_kernels_of_headers(self) -> None:
        text = '#include "kernels.h"\nvoid* p = (void*)k;'
        self.assertIn(POINTER + "(k)", translate(text, kernels="__global__ void k(int* a);\n"))

    def test_other_casts_stay(self) -> None:
        for line in ("void* p = (void*)q;", "f((void*)&x);", "int n = k2;", "(void)k;"):
            self.assertIn(line, translate(self.kernel + line))

    def test_lines_stay(self) -> None:
        text = self.kernel + "void* p = (void\n*)k;\nint last;"
        self.assertEqual(translate(text).split("\n").index("int last;"), 3)


class VariableTest(unittest.TestCase):
    def test_variables(self) -> None:
        self.assertEqual(registered("__device__ int a = 3, b[4] = {1, 2}, *c;"), ["a", "b", "c"])
        self.assertEqual(registered("namespace n { __constant__ float c[16]; }"), ["c"])
        self.assertEqual(registered("static __device__ __align__(16) float4 v;"), ["v"])
        self.assertEqual(registered("__device__ std::pair<int, int> p{1, 2};"), ["p"])
        self.assertEqual(registered("__constant__ __device__ double d{2.0};"), ["d"])

    def test_what_is_no_variable(self) -> None:
        for text in (
            "__device__ int f(int x) { return x; }",
            "__device__ __forceinline__ float g();",
            "extern __device__ int e;",
            "template <class T> __device__ T t = 1;",
            "__device__ __managed__ int m;",
            "struct S { __device__ int h(int y); };",
            "#define D __device__ int x\n",
            "__device__ float operator+(float4 x, int y);",
        ):
            self.assertEqual(registered(text), [], text)

    def test_types_that_are_defined_with_their_variables(self) -> None:
        self.assertEqual(
            registered("__constant__ struct { float a, b; } c_pair = {1, 2};"), ["c_pair"]
        )
        self.assertEqual(registered("__device__ struct B { int x; } d_b, d_c[3];"), ["d_b", "d_c"])
        self.assertEqual(registered("struct A { int v; };\n__device__ struct A d_a;"), ["d_a"])
        self.assertEqual(registered("__device__ enum class E : int { one } d_e;"), ["d_e"])


if __name__ == "__main__":
    unittest.main()
