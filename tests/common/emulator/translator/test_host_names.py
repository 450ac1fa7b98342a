#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions and variables of the host in device code are refused, as by nvcc; nothing else is."""

import unittest
from pathlib import Path

from common.emulator.translator.host_names import check_host_names
from common.emulator.translator.source import Source, TranslationError

KERNEL = "__global__ void kernel(float* out, int n) { %s }\n"
SQUARE = "float square(float x) { return x * x; }\n"
FACTOR = "float factor = 2;\n"


def said_of(text: str) -> str:
    try:
        check_host_names(Source(Path("kernel.cu"), text))
    except TranslationError as error:
        return str(error)
    return ""


class HostNamesTest(unittest.TestCase):
    def test_functions(self) -> None:
        for head in ("", "static ", "inline ", "namespace sums {\n"):
            text = head + SQUARE + KERNEL % "out[0] = 2 + square(out[1]);"
            line = text.count("\n")
            self.assertEqual(
                said_of(text),
                f"kernel.cu:{line}: device code calls square(), a function of the host "
                f"(line {line - 1}): declare it __device__, or __host__ __device__ for both",
            )
        for use in ("return square(n);", "float* square_of = out; f(n, square(n));"):
            self.assertIn("square()", said_of(SQUARE + "__device__ float g(int n) {" + use + "}"))

    def test_variables(self) -> None:
        for definition in (FACTOR, "static int factor;\n", "float factor[2] = {1, 2};\n"):
            for use in ("out[0] = factor;", "out[0] *= n * factor;", "f(out, factor);"):
                said = said_of("#include <cstdio>\n" + definition + KERNEL % use)
                self.assertTrue(said.startswith("kernel.cu:3: device code uses factor, "), said)
                self.assertIn("(line 2)", said)

    def test_names_of_the_device(self) -> None:
        for before in ("__device__ ", "__host__ __device__ ", "HOST_DEVICE ", "constexpr "):
            self.assertEqual(said_of(before + SQUARE + KERNEL % "out[0] = square(n);"), "")
        for before in ("__device__ ", "__constant__ ", "__managed__ ", "const ", "constexpr "):
            self.assertEqual(said_of(before + FACTOR + KERNEL % "out[0] = factor;"), "")
        both = "__device__ float square(int x);\n" + SQUARE
        self.assertEqual(said_of(both + KERNEL % "out[0] = square(n);"), "")

    def test_other_meanings(self) -> None:
        for use in (
            "float factor = n; out[0] = factor;",
            "const float* factor = out; out[0] = *factor;",
            "int a = 1, factor = n; out[0] = factor;",
            "for (auto& factor : list) out[0] = factor;",
            "auto [a, factor] = pair; out[0] = factor;",
            "out[0] = parameters.factor + p->factor + other::factor;",
            "out[0] = sizeof(factor) + sizeof factor;",
            "auto square = [](int x) { return x; }; out[0] = square(n);",
            "out[0] = shape.square(n) + sums::square(n);",
        ):
            self.assertEqual(said_of(FACTOR + SQUARE + KERNEL % use), "", use)
        parameter = "__global__ void kernel(float factor, int* square) { square[0] = factor; }"
        self.assertEqual(said_of(FACTOR + SQUARE + parameter), "")

    def test_unsure(self) -> None:
        """Where the preprocessor decides, for templates and classes, and in code for both."""
        call = KERNEL % "out[0] = square(n);"
        for text in (
            "#ifdef SLOW\n" + SQUARE + "#else\n__device__ float square(int);\n#endif\n" + call,
            SQUARE + KERNEL % "\n#ifdef SLOW\nout[0] = square(n);\n#endif\n",
            "template <class T>\n" + SQUARE + call,
            "struct Sums {\n" + SQUARE + "__device__ float sum() { return square(1); }\n};\n",
            SQUARE + "__host__ __device__ float both(int n) { return square(n); }",
            SQUARE + "int main() { return square(1); }\n#define CALL square(1)\n" + KERNEL % "",
            "int max(int a, int b) { return a; }\n" + KERNEL % "out[0] = max(n, 1);",
        ):
            self.assertEqual(said_of(text), "", text)
        guard = "#ifndef SUMS_H\n#define SUMS_H\n" + SQUARE + call + "#endif\n"
        self.assertIn("square()", said_of(guard))


if __name__ == "__main__":
    unittest.main()
