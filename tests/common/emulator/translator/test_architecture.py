# SPDX-License-Identifier: MIT
"""Tests of __CUDA_ARCH__: one compilation serves host and device.

usage: test_architecture.py CXX -I DIR…
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator.architecture import choose_architecture
from common.emulator.translator.source import Source

COMPILER: list[str] = []


def chosen(text: str) -> str:
    return choose_architecture(Source(Path("kernel.cu"), text))


class ArchitectureTest(unittest.TestCase):
    def preprocessed(self, text: str) -> str:
        """What the compiler sees of the chosen text, on one line."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "kernel.cpp"
            source.write_text(chosen(text), encoding="utf-8")
            result = subprocess.run(
                [*COMPILER, "-E", "-P", "-DEMULATOR_CUDA_ARCH=900", str(source)],
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(result.returncode, 0, result.stderr)
        return " ".join(result.stdout.split())

    def test_device_functions_see_the_architecture(self) -> None:
        for head in ("__global__ void k()", "template <class T> __device__ T f(T a) const"):
            text = f"{head} {{\n#if __CUDA_ARCH__ >= 800\nnew_way();\n#else\nold_way();\n#endif\n}}"
            self.assertEqual(self.preprocessed(text), f"{head} {{ new_way(); }}")
        self.assertEqual(
            chosen("__global__ void k() { f(__CUDA_ARCH__); }"),
            "__global__ void k() { f(EMULATOR_CUDA_ARCH); }",
        )

    def test_a_lambda_for_the_device_in_a_host_function(self) -> None:
        text = "void f() { g([=] __device__ (int i) { return __CUDA_ARCH__ + i; }); }"
        self.assertEqual(chosen(text), text.replace("__CUDA_ARCH__", "EMULATOR_CUDA_ARCH"))

    def test_functions_of_both_sides_get_both_bodies(self) -> None:
        for head in ("__host__ __device__ int f()", "HD int f() noexcept", "HD S() : a(1)"):
            text = f"{head} {{\n#ifdef __CUDA_ARCH__\nreturn 1;\n#else\nreturn 2;\n#endif\n}}\nint after;"
            self.assertEqual(
                self.preprocessed(text),
                f"{head} {{ if (EMULATOR_IN_KERNEL) {{ return 1; }} else {{ return 2; }}}} int after;",
            )

    def test_lines_stay_those_of_the_source(self) -> None:
        text = "\nHD int f() {\n#ifdef __CUDA_ARCH__\n    a();\n#else\n    b();\n#endif\n}\nint after;\n"
        source = Source(Path("kernel.cu"), chosen(text))
        lines = {token.text: source.line_of(token.start) for token in source.tokens}
        self.assertEqual((lines["b"], lines["after"]), (6, 9))

    def test_outside_of_functions(self) -> None:
        for text, seen in (
            ("#ifdef __CUDA_ARCH__\nint a;\n#endif", "int a;"),
            ("#ifndef __CUDA_ARCH__\nint a;\n#endif", "int a;"),
            ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300 // old\n#error\n#endif", ""),
            ("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\nint a;\n#endif", ""),
            ("#if __CUDA_ARCH__ >= 800\nint a;\n#else\nint b;\n#endif", "int a;"),
            (
                "#ifdef OTHER\nint a;\n#elif __CUDA_ARCH__ == 900\nint b;\n#else\nint c;\n#endif",
                "int b;",
            ),
        ):
            self.assertEqual(self.preprocessed(text), seen, text)

    def test_classes_and_namespaces_are_no_functions(self) -> None:
        text = (
            "namespace n { struct __align__(16) S : B<(1)> {\n__device__ int f() { return __CUDA_ARCH__; }\n"
            "int g() { return 1; }\n}; }"
        )
        self.assertEqual(chosen(text), text.replace("__CUDA_ARCH__", "EMULATOR_CUDA_ARCH"))

    def test_braces_in_both_branches(self) -> None:
        text = "__device__ void f(\n#ifdef A\nint a) {\n#else\nint b) {\n#endif\nh(__CUDA_ARCH__);\n}\nint f2() { return 0; }\n"
        self.assertEqual(chosen(text), text.replace("__CUDA_ARCH__", "EMULATOR_CUDA_ARCH"))


if __name__ == "__main__":
    COMPILER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
