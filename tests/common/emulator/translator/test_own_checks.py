#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which elements of local arrays, which loads and which kernels get the checks that programs of
other people have (translate.py --checks)."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator.own_checks import add_own_checks
from common.emulator.translator.rewrite import rewrite
from common.emulator.translator.source import Source
from common.tools.driver.build import Build
from common.tools.driver.engine import load_engine
from common.tools.driver.request import read_request

# In a kernel, each with the number of indices that are checked.
STATEMENTS = (
    ("int a[4]; a[i] = 1;", 1),
    ("int n = 2, a[4], *p = a, b[2]; a[b[i]] = p[i];", 2),
    ("float a[2][3] = {}; x = a[i][j];", 2),
    ("const unsigned char a[] = {1, 2}; return a[i];", 1),
    ("std::array<int, 2> a[4]; a[i][j] = 1;", 2),
    ("[[maybe_unused]] __align__(16) T a[kN]; if (a[i] > a[j]) a[0] = 2;", 3),
    ("struct Pair a[3]; a[i].x = a[j].y;", 2),
    ("int a[4]; for (int k = 0; k < 4; ++k) { a[k] = k; }", 1),
    ("int a[4]; auto f = [&](int k) { return a[k]; };", 1),
    ("int a[4]; x = y & a[i]; x = y * a[i];", 2),
    # Not an array of the thread's own, or not its element.
    ("__shared__ int a[4]; a[i] = 1;", 0),
    ("static const int a[4] = {}; x = a[i];", 0),
    ("extern __shared__ int a[]; a[i] = 1;", 0),
    ("int a[4]; p = &a[4]; q = f(&a[i]);", 0),
    ("int a[4]; s.a[i] = 1; s->a[i] = 2; N::a[i] = 3;", 0),
    ("struct S { int a[4]; int get(int i) { return a[i]; } };", 0),
    ("auto [a, b] = f(); x = a[i];", 0),
    ("{ int a[4]; } a[i] = 1;", 0),
    ("int* a = f(); a[i] = 1;", 0),
    ("x = a * b[i]; b[i] = 2;", 0),
    # A macro may make a text of it.
    ("int a[4]; assert(a[i] == 1); CHECK(f(a[i])); x = a[i];", 1),
)
# Bodies of a kernel with float sums[8][8], a[8]: whether g++ keeps a check.
BODIES = (
    (
        "for (int i = 0; i < 8; ++i) { for (int j = 0; j < 8; ++j) sums[i][j] += a[i] * a[j]; }"
        "for (unsigned i = 0; i < kRows * 4; i += 2) values[i] = a[i] + sums[i % 8][threadIdx.x & 7];",
        False,
    ),
    ("for (int i = 0; i <= 8; ++i) a[i] = values[i];", True),
    ("for (int i = 0; i < n; ++i) a[i] = values[i];", True),
    ("for (int i = 0; i < 8; ++i) sums[i][i + n] = a[i];", True),
)
# What is declared in shared memory, and what becomes of it.
SHARED = (
    ("__shared__ int a[4], b;", "__shared__ int a[4]; END __shared__ int b; END"),
    (
        "volatile __shared__ List<int, 2>\n a[f(1, 2)],\nb[2][3], c;",
        "volatile __shared__ List<int, 2>\n a[f(1, 2)]; END volatile __shared__ List<int, 2>\nb[2][3];"
        " END volatile __shared__ List<int, 2> c; END",
    ),
    ("__shared__ int a[4];int b;", "__shared__ int a[4]; END int b;"),
    ("__shared__ int *a, *b;", "__shared__ int *a, *b; END"),
    ("__shared__ struct { int x, y; } a, b;", "__shared__ struct { int x, y; } a, b; END"),
)
LOADS = (
    ("x = __ldg(&in[i]);", "::emulator::read_only_load(&in[i])"),
    ("return ::__ldg(p);", "::emulator::read_only_load(p)"),
    ("\n#define LOAD(p) __ldg(p)\n", "#define LOAD(p) ::emulator::read_only_load(p)"),
)
KERNELS = (
    ("__global__ void __launch_bounds__(128) k(int n) {}", ("k", "128")),
    ("__global__ __launch_bounds__(kMost(1, 2), 3) void k() { f(); }", ("k", "kMost(1, 2)")),
    (
        'extern "C" __global__ void __launch_bounds__(A * 32) __maxnreg__(40) k() {}',
        ("k", "A * 32"),
    ),
)
TEMPLATES = (
    ("template <int N> __global__ void __launch_bounds__(N) k(", "N", "k<N>"),
    (
        "template <const unsigned kA, class T = List<int, 2>, typename... Ts>"
        " __launch_bounds__(kA / 2, 1) __global__ void k(",
        "kA / 2",
        "k<kA, T, Ts...>",
    ),
    (
        "template <template <class> class C, bool b = true> __global__ __launch_bounds__(8) void k(",
        "8",
        "k<C, b>",
    ),
)
UNBOUND = (
    "__global__ void __launch_bounds__(128) k(int n);",
    "template <int N> __global__ void __launch_bounds__(N) k();",
    # A parameter without a name, and one that hides the kernel's.
    "template <int N, class> __global__ void __launch_bounds__(N) k() {}",
    "template <std::size_t> __global__ void __launch_bounds__(8) k() {}",
    "template <int N> __global__ void __launch_bounds__(N) k(int k) {}",
    "__global__ void k() {}",
    "#define BOUNDS __launch_bounds__(128)\n",
)


def translate(text: str) -> str:
    source = Source(Path("own.cu"), text)
    rewrite(source, set())
    add_own_checks(source)
    return source.edited()


def counted(text: str) -> "tuple[subprocess.CompletedProcess[str], str]":
    """An own program's run on the engine with counters, and the counters as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "own.cu", Path(folder) / "own"
        counters = Path(folder) / "counters.json"
        source.write_text(text, encoding="utf-8")
        request = read_request([str(source), "-o", str(program)])
        Build(request, load_engine("count"), Path(folder)).link()
        ran = subprocess.run(
            [str(program)],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"EMULATOR_COUNTERS": str(counters)},
        )
        return ran, counters.read_text(encoding="utf-8") if counters.exists() else ""


class OwnChecks(unittest.TestCase):
    def test_elements_of_local_arrays(self) -> None:
        for statement, checked in STATEMENTS:
            with self.subTest(statement):
                text = translate(f"__global__ void k(int i) {{ {statement} }}")
                self.assertEqual(text.count("::emulator::local_index<"), checked, text)

    def test_arrays_outside_of_functions_are_not_local(self) -> None:
        text = (
            "__device__ int a[4]; namespace n { int b[4]; } __global__ void k() { a[1] = n::b[2]; }"
        )
        self.assertNotIn("local_index", translate(text))

    def test_a_row_may_run_on_only_behind_a_0(self) -> None:
        for first, on in (("0", "true"), ("i", "false")):
            text = translate(f"__global__ void k() {{ int a[2][3]; a[{first}][j] = 1; }}")
            self.assertIn(f'[(::emulator::local_index<decltype(a), 1, {on}>("a", j))]', text)

    def test_checks_that_always_hold_cost_nothing(self) -> None:
        for body, is_kept in BODIES:
            with self.subTest(body), tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "own.cu"
                program.write_text(
                    "template <int kRows> __global__ void k(float* values, int n) {"
                    "float sums[8][8] = {}, a[8] = {}; if (n < 0) a[0] = 1;"
                    f"{body} *values = sums[1][2] + a[3]; }}"
                    "void run(float* values) { k<2><<<1, 32>>>(values, 8); }"
                )
                words = ["-c", str(program), "-o", str(program.with_suffix(".o"))]
                Build(read_request(words), load_engine("count"), Path(folder)).compile_all()
                symbols = subprocess.check_output(["nm", "-C", words[-1]], text=True)
                self.assertEqual("refuse_local_index" in symbols, is_kept, symbols)

    def test_shared_variables_are_apart(self) -> None:
        for text, apart in SHARED:
            with self.subTest(text):
                translated = translate(f"__global__ void k() {{ {text} }}")
                self.assertIn(f"{{ {apart.replace('END', 'EMULATOR_SHARED_END')} }}", translated)

    def test_an_index_too_large_reaches_no_variable_of_the_same_declaration(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "own.cu"
            program.write_text(
                "__global__ void k(int n) { __shared__ float a[32], b[32], c[32];"
                "const int i = threadIdx.x + 1; a[i - 1] = b[i - 1] = c[i - 1] = 0; __syncthreads();"
                "if (n == 1) a[i] += 1; if (n == 2) b[i] += 1; if (n == 3) c[i] += 1; }"
                "int main(int n, char**) { k<<<1, 32>>>(n); cudaDeviceSynchronize(); }"
            )
            words = [str(program), "-o", str(program.with_suffix(""))]
            Build(read_request(words), load_engine("count"), Path(folder)).link()
            for more, name in enumerate("abc"):
                ran = subprocess.run(
                    [words[2], *"12"[:more]], capture_output=True, text=True, check=False
                )
                self.assertIn(f"past the end of {name} (128 bytes)", ran.stderr)

    def test_loads_through_the_read_only_cache(self) -> None:
        for statement, load in LOADS:
            with self.subTest(statement):
                self.assertIn(load, translate(f"__global__ void k() {{ {statement} }}"))
        own = "__device__ float __ldg(const float* p) { return *p; }"
        self.assertEqual(translate(own), own)

    def test_a_vector_is_loaded_once(self) -> None:
        """The copy of a vector that __ldg() returns is no second load."""
        ran, counters = counted(
            "__global__ void k(const uint4* a, uint4* b) { b[threadIdx.x] = __ldg(&a[threadIdx.x]); }"
            "int main() { uint4* a; if (cudaMalloc(&a, 64 * sizeof(uint4))) return 1;"
            "if (cudaMemset(a, 0, 64 * sizeof(uint4))) return 1;"
            "k<<<1, 32>>>(a, a + 32); return cudaFree(a); }"
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        (kernel,) = json.loads(counters)["kernels"]
        loads = [one for one in kernel["lines"] if one["operation"] == "load"]
        self.assertEqual([(one["requests"], one["sectors"]) for one in loads], [(1, 16)])

    def test_an_instance_has_its_own_bound(self) -> None:
        ran, _ = counted(
            "template <int kMost, class T> __global__ void __launch_bounds__(kMost * 2) k(T* a)"
            "{ a[threadIdx.x] = kMost; }"
            "int main() { float* a; cudaMalloc(&a, 128 * sizeof(float));"
            "k<64, float><<<1, 128>>>(a); auto kernel = &k<32, float>; kernel<<<1, 65>>>(a);"
            "return cudaFree(a); }"
        )
        self.assertEqual(ran.returncode, 1, ran.stderr)
        allowed = re.findall(r"__launch_bounds__ allows (\d+)", ran.stderr)
        self.assertEqual(set(allowed), {"64"}, ran.stderr)

    def test_kernels_with_launch_bounds(self) -> None:
        for text, (name, most) in KERNELS:
            with self.subTest(text):
                translated = translate(text)
                self.assertTrue(translated.startswith(text), translated)
                self.assertIn(f"return emulator_use({name}); }}, {most});", translated)
        for text, most, name in TEMPLATES:
            with self.subTest(text):
                self.assertIn(
                    f"int* a) {{ ::emulator::bound_instance<({most})>([](auto emulator_use) -> "
                    f"decltype(emulator_use({name})) {{ return emulator_use({name}); }}); f(); }}",
                    translate(f"{text}int* a) {{ f(); }}"),
                )
        for text in UNBOUND:
            with self.subTest(text):
                self.assertEqual(translate(text), text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
