#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the CUDA to C++ translator (common/emulator/translate.py).

usage: test_translate.py TRANSLATOR CXX -I DIR…

The translated text of each construct is checked; one file with all of them is then compiled.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator import translation

TRANSLATOR = ""
COMPILER = []
# An instruction that the engine does not have.
NO_PTX = '__device__ void f() { asm("exit;"); }'


def launch(name, configuration, arguments):
    """What a launch is translated into."""
    return (
        f'::emulator::bind_launch(::emulator::LaunchConfiguration({configuration}), "{name}", '
        "[=](auto... emulator_arguments) EMULATOR_UNRECORDED "
        f"{{ {name}(emulator_arguments...); }}, "
        f"[=](auto emulator_use) -> decltype(emulator_use({name})) "
        f"{{ return emulator_use({name}); }}){arguments}"
    )


class TranslatorTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = Path(self.directory.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_translator(self, source, *options):
        """Runs it in this process, which saves starting Python a hundred times."""
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages):
            status = translation.main(
                [str(source), "-o", str(self.root / "out/kernel.cpp"), *options]
            )
        return subprocess.CompletedProcess([], status, "", messages.getvalue())

    def translate(self, text, *options):
        """The translation of a text, without its #line directive."""
        source = self.write("kernel.cu", text)
        result = self.run_translator(source, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        first, rest = (self.root / "out/kernel.cpp").read_text().split("\n", 1)
        self.assertEqual(first, f'#line 1 "{source}"')
        self.assertEqual(rest.count("\n"), text.count("\n"), "line numbers moved")
        return rest

    def assert_translates(self, text, expected):
        self.assertEqual(self.translate(text), expected)

    def assert_unchanged(self, text):
        self.assert_translates(text, text)

    def assert_refused(self, text, line, message):
        source = self.write("kernel.cu", text)
        result = self.run_translator(source)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertTrue(result.stderr.startswith(f"{source}:{line}: "), result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, "one line")
        self.assertEqual(list(self.root.glob("out/*")), [], "no output is left")

    # ---- launches ----
    def test_a_byte_order_mark(self):  # of an editor on Windows
        self.write("part.cuh", "\ufeff__device__ int one() { return 1; }\n")
        self.run_translator(self.write("kernel.cu", '\ufeff#include "part.cuh"\nint x;\n'))
        self.assertNotIn("\ufeff", "".join(p.read_text() for p in (self.root / "out").iterdir()))

    def test_plain_launch(self):
        self.assert_translates("k<<<grid, block>>>(a, b);", launch("k", "grid, block", "(a, b);"))

    def test_all_four_configuration_arguments(self):
        self.assert_translates(
            "k<<<g, b, n * sizeof(int), s>>>();", launch("k", "g, b, n * sizeof(int), s", "();")
        )

    def test_brackets_that_an_editor_has_spaced(self):
        self.assert_translates("k << < 1, 2 >> > (a);", launch("k", " 1, 2 ", " (a);"))
        self.assert_translates("k<< <1, n >> 1>>>(a);", launch("k", "1, n >> 1", "(a);"))
        self.assert_translates(
            "k<int><<<f<g<2>>(), 2>> >();", launch("k<int>", "f<g<2>>(), 2", "();")
        )

    def test_template_arguments(self):
        self.assert_translates("sort<T, 256><<<1, 2>>>(a);", launch("sort<T, 256>", "1, 2", "(a);"))
        self.assert_translates(
            "k<std::vector<int>><<<1, 2>>>(a);", launch("k<std::vector<int>>", "1, 2", "(a);")
        )
        self.assert_translates(
            "k<(a > b), sizeof(int[3])><<<1, 2>>>(a);",
            launch("k<(a > b), sizeof(int[3])>", "1, 2", "(a);"),
        )
        self.assert_translates("k<1 << 4><<<1, 2>>>(a);", launch("k<1 << 4>", "1, 2", "(a);"))
        self.assert_translates("k<A<B<int>>><<<1, 2>>>(a);", launch("k<A<B<int>>>", "1, 2", "(a);"))

    def test_qualified_names(self):
        self.assert_translates("a::b::k<<<1, 2>>>();", launch("a::b::k", "1, 2", "();"))
        self.assert_translates("f(); ::k<<<1, 2>>>();", "f(); " + launch("::k", "1, 2", "();"))
        self.assert_translates(
            "else ::a::k<<<1, 2>>>();", "else " + launch("::a::k", "1, 2", "();")
        )
        self.assert_translates(
            "Sorter<T>::template k<2><<<1, 2>>>();",
            launch("Sorter<T>::template k<2>", "1, 2", "();"),
        )

    def test_names_that_are_expressions(self):
        self.assert_translates(
            "kernels[i + 1]<<<1, 2>>>(a);", launch("kernels[i + 1]", "1, 2", "(a);")
        )
        self.assert_translates(
            "if (x) (*kernel)<<<1, 2>>>(a);", "if (x) " + launch("(*kernel)", "1, 2", "(a);")
        )
        self.assert_translates("table.kernel<<<1, 2>>>(a);", launch("table.kernel", "1, 2", "(a);"))
        self.assert_translates(
            "table->kernel<<<1, 2>>>(a);", launch("table->kernel", "1, 2", "(a);")
        )

    def test_configuration_with_operators_and_brackets(self):
        for configuration in (
            "(n + 255) / 256, 256",
            "n >> 8, 1 << 8",
            "dim3{8, 8}, dim3(16, 16)",
            "f<int, 2>(n), 32",
            "n > 256 ? 256 : n, n < 4 ? 1 : 2",
            "blocks[i], {32, 2}",
            "f(a, g(b, c)), 1",
            "1, threads<A<B>>::value",
        ):
            with self.subTest(configuration):
                self.assert_translates(
                    f"k<<<{configuration}>>>(a);", launch("k", configuration, "(a);")
                )

    def test_configuration_that_ends_in_template_arguments(self):
        self.assert_translates("k<<<1, size<A>>>>(a);", launch("k", "1, size<A>", "(a);"))
        self.assert_translates(
            "k<<<size<A<B<int>>>(), 1>>>(a);", launch("k", "size<A<B<int>>>(), 1", "(a);")
        )

    def test_launch_without_braces_and_in_a_lambda(self):
        self.assert_translates(
            "if (x) k<<<1, 2>>>(a); else j<<<3, 4>>>(b);",
            "if (x) " + launch("k", "1, 2", "(a);") + " else " + launch("j", "3, 4", "(b);"),
        )
        self.assert_translates(
            "auto f = [&](int n) { k<<<n, 2>>>(n); };",
            "auto f = [&](int n) { " + launch("k", "n, 2", "(n);") + " };",
        )
        self.assert_translates(
            "for (;;) k<<<1, 2>>>(a);", "for (;;) " + launch("k", "1, 2", "(a);")
        )

    def test_several_lines(self):
        text = "k<int,\n  2>\n <<<\n (n + 1) / 2,  // blocks\n 256\n>>>(a,\n b);\nlast();\n"
        translated = self.translate(text)
        self.assertEqual(translated.split("\n")[6], " b);")
        self.assertEqual(translated.split("\n")[7], "last();")
        self.assertIn('"k<int, 2>"', translated)

    def test_comments_in_a_launch(self):
        translated = self.translate("k /* which */ <<< 1, /* two */ 2 >>> (a);")
        self.assertIn('"k"', translated)
        self.assertIn("LaunchConfiguration( 1, /* two */ 2 )", translated)

    def test_quotes_in_a_name_are_escaped(self):
        self.assertIn('"k<\'\\"\'>"', self.translate("k<'\"'><<<1, 2>>>();"))

    def test_macro_body_keeps_its_continuations(self):
        text = "#define RUN(k, n) \\\n  k \\\n  <<<n, \\\n 256>>>(n)\nRUN(f, 3);\n"
        translated = self.translate(text)
        lines = translated.split("\n")
        self.assertTrue(all(line.endswith("\\") for line in lines[:3]), translated)
        self.assertEqual(lines[4], "RUN(f, 3);")

    # ---- text that only looks like a launch ----
    def test_comments_and_literals_are_left_alone(self):
        for text in (
            "// k<<<1, 2>>>(a);\n",
            "/* k<<<1,\n 2>>>(a); */",
            'f("k<<<1, 2>>>(a)");',
            'f(R"x(k<<<1, 2>>>(a)")x");',
            "f('\"', '<');",
            'f("\\"<<<");',
            "// continued \\\n k<<<1, 2>>>(a);\n",
            "f(u8\"<<<\", L'<');",
            'f("extern __shared__ int x[];");',
            "n = 1'000'000; f('<');",
        ):
            with self.subTest(text):
                self.assert_unchanged(text)

    def test_shift_operators_are_left_alone(self):
        self.assert_unchanged("x = a << b >> c; x <<= 2; std::cout << x;")
        self.assert_unchanged("s.operator<<<int>(x);")
        self.assert_unchanged("s.operator<< <int>(x); a<b<c<int>> >(0);")

    # ---- dynamic shared memory ----
    def test_dynamic_shared_array(self):
        self.assert_translates(
            "__global__ void k() { extern __shared__ int s[]; }",
            "__global__ void k() { int* s = static_cast<int*>"
            "(::emulator::dynamic_shared_memory()); }",
        )

    def test_dynamic_shared_array_with_alignment(self):
        expected = (
            "void k() { unsigned char* raw = static_cast<unsigned char*>"
            "(::emulator::dynamic_shared_memory()); }"
        )
        for alignment in ("__align__(16)", "alignas(16)", "alignas(sizeof(float4))"):
            with self.subTest(alignment):
                self.assert_translates(
                    f"void k() {{ extern __shared__ {alignment} unsigned char raw[]; }}", expected
                )
        self.assert_translates(
            "void k() { extern __align__(16) __shared__ unsigned char raw[]; }", expected
        )

    def test_one_dynamic_shared_object(self):
        result = self.translate("void k() { extern __shared__ Tiles<M, N> s; }")
        self.assertIn("{ Tiles<M, N>& s = *static_cast<Tiles<M, N>*>(::emulator::", result)
        self.assert_refused("void k() { extern __shared__ int a, b; }", 1, "cannot read this")

    def test_dynamic_shared_array_of_a_template_type(self):
        self.assertIn(
            "std::pair<int, A<B>>* s = static_cast<std::pair<int, A<B>>*>",
            self.translate("void k() { extern __shared__ std::pair<int, A<B>> s[]; }"),
        )

    def test_dynamic_shared_array_of_volatile_elements(self):
        for text in ("extern volatile __shared__ int s[];", "extern __shared__ volatile int s[];"):
            with self.subTest(text):
                self.assertIn(
                    "volatile int* s = static_cast<volatile int*>",
                    self.translate(f"void k() {{ {text} }}"),
                )

    def test_dynamic_shared_array_of_rows(self):
        self.assertIn(
            "float (*tile)[33] = static_cast<float (*)[33]>",
            self.translate("void k() { extern __shared__ float tile[][33]; }"),
        )

    def test_dynamic_shared_array_outside_a_function(self):
        for prefix, suffix in (("int a;\n", ""), ("namespace n {\n", "}")):
            self.assertIn(
                "constexpr ::emulator::DynamicShared<double> s{};\n",
                self.translate(f"{prefix}extern __shared__ double s[];\n{suffix}"),
            )
        self.assertIn(
            "::emulator::DynamicShared<float[33]> rows{};",
            self.translate("extern __shared__ float rows[][33];"),
        )

    def test_dynamic_shared_array_on_several_lines(self):
        translated = self.translate("void k() {\nextern __shared__\n  int\n s[];\n last(); }\n")
        self.assertEqual(translated.split("\n")[4], " last(); }")

    def test_dynamic_shared_array_in_a_namespace_and_a_macro(self):
        self.translate("namespace a { namespace b::c { void k() { extern __shared__ int s[]; } } }")
        self.translate("#define SHARED \\\n extern __shared__ int s[];\n")

    def test_a_kernel_keeps_its_type_where_it_is_passed(self):
        for call in ("cudaLaunchCooperativeKernel", "cudaLaunchKernel", "cudaFuncSetAttribute"):
            for cast in ("(void*)", "(const void *)", "( void * )"):
                self.assert_translates(
                    f"x = {call}({cast}k<int>, a, b);\n", f"x = {call}(k<int>, a, b);\n"
                )
        self.assert_translates("cudaLaunchKernel((void\n*)k, g);\n", "cudaLaunchKernel(\nk, g);\n")
        self.assert_unchanged("cudaMalloc((void**)&p, n); cudaLaunchKernel(k, (void*)a);\n")

    def test_other_externs_are_left_alone(self):
        self.assert_unchanged("extern int x[]; void k() { int s[4]; extern int y; }")

    # ---- static shared memory ----
    def test_the_end_of_static_shared_variables_is_marked(self):
        end = " EMULATOR_SHARED_END"
        for text in (
            "__shared__ int s;",
            "void k() { static __shared__ T s[4], t[N];",
            "void k() { __shared__ struct { int a; int b; } s;",
            "alignas(16) __shared__ float4\n  s[2];",
            "#define TILE(n) __shared__ float n[32];",
        ):
            self.assert_translates(f"{text} // why\n", f"{text}{end} // why\n")
        self.assert_translates(
            "void k() { extern __shared__ int s[]; __shared__ int t; }",
            "void k() { int* s = static_cast<int*>"
            "(::emulator::dynamic_shared_memory()); __shared__ int t;"
            f"{end} }}",
        )

    def test_an_alignment_moves_before_the_declaration(self):
        self.assert_translates(
            "void k() { __shared__ alignas(128) int s[2]; }",
            "void k() { alignas(128) __shared__  int s[2]; EMULATOR_SHARED_END }",
        )
        self.assert_translates(
            "void k() { static __shared__ alignas(T) char s[2]; }",
            "void k() { alignas(T) static __shared__  char s[2]; EMULATOR_SHARED_END }",
        )

    def test_a_macro_that_begins_a_shared_declaration_is_left_alone(self):
        self.assert_unchanged("#define SHARED __shared__ float\nvoid k() { SHARED s[4]; }\n")

    # ---- hints ----
    def test_hints_for_nvcc_are_dropped(self):
        self.assert_translates("#pragma unroll\nfor (;;) {}\n", "\nfor (;;) {}\n")
        self.assert_translates(
            "  #pragma unroll 4  // why\nfor (;;) {}\n", "  // why\nfor (;;) {}\n"
        )
        self.assert_translates("#pragma unroll(kSteps / 2)\n", "\n")
        self.assert_translates("# pragma nounroll\n#pragma nv_diag_suppress 20012\n", "\n\n")
        self.assert_translates('#define F _Pragma("unroll") for\n', "#define F  for\n")
        self.assert_unchanged("#pragma once\n#pragma GCC unroll 4\n#pragma omp parallel\n")

    # ---- included files ----
    def test_device_headers_are_translated_beside_the_output(self):
        self.write("lib/inner.cuh", "inline void j() { inner<<<1, 1>>>(); }\n")
        self.write("lib/outer.cuh", '#pragma once\n#include "inner.cuh"\nvoid o();\n')
        self.write("host.hpp", "int host();\n")
        translated = self.translate(
            '#include "lib/outer.cuh"\n#include "host.hpp"\n#include <vector>\n'
            '#include "not/found.cuh"\n',
            "--depfile",
            str(self.root / "kernel.d"),
        )
        lines = translated.split("\n")
        self.assertEqual(lines[0], '#include "kernel.cpp.outer.cuh"')
        self.assertEqual(lines[1], f'#include "{(self.root / "host.hpp").resolve()}"')
        self.assertEqual(lines[2:4], ["#include <vector>", '#include "not/found.cuh"'])
        outer = (self.root / "out/kernel.cpp.outer.cuh").read_text()
        self.assertEqual(outer.split("\n")[0], f'#line 1 "{self.root}/lib/outer.cuh"')
        self.assertIn('#include "kernel.cpp.inner.cuh"', outer)
        self.assertIn("bind_launch", (self.root / "out/kernel.cpp.inner.cuh").read_text())
        rule = (self.root / "kernel.d").read_text()
        self.assertTrue(rule.startswith(f"{self.root}/out/kernel.cpp: {self.root}/kernel.cu"), rule)
        self.assertIn("lib/outer.cuh", rule)
        self.assertIn("lib/inner.cuh", rule)
        # A change of the translator is a reason to translate again.
        self.assertIn(f" {Path(translation.__file__).with_name('launches.py')}", rule)

    def test_a_header_included_twice_has_one_translation(self):
        self.write("a.cuh", "#pragma once\n")
        self.write("b.cuh", '#include "a.cuh"\n')
        translated = self.translate('#include "a.cuh"\n#include "b.cuh"\n#include "./a.cuh"\n')
        self.assertEqual(translated.count("kernel.cpp.a.cuh"), 2)
        self.assertEqual(len(list(self.root.glob("out/*"))), 3)

    def test_headers_of_one_name_in_two_folders(self):
        self.write("a/x.cuh", "int a;\n")
        self.write("b/x.cuh", "int b;\n")
        self.translate('#include "a/x.cuh"\n#include "b/x.cuh"\n')
        texts = {path.read_text().split("\n")[1] for path in self.root.glob("out/*.x.cuh")}
        self.assertEqual(texts, {"int a;", "int b;"})

    def test_include_directories_are_searched(self):
        self.write("elsewhere/x.cuh", "void f() { k<<<1, 1>>>(); }\n")
        self.translate('#include "x.cuh"\n', "-I", str(self.root / "elsewhere"))
        self.assertTrue((self.root / "out/kernel.cpp.x.cuh").exists())

    def test_a_plain_header_with_a_launch_is_translated(self):
        self.write("kernels.h", "void f() { k<<<1, 1>>>(); }\n")
        self.translate('#include "kernels.h"\n')
        self.assertIn("bind_launch", (self.root / "out/kernel.cpp.kernels.h").read_text())

    def test_device_code_in_headers_of_other_folders(self):
        """Headers in angle brackets, and headers that only include device code."""
        source = self.write("kernel.cu", '#include <all.h>\n#include "plain.h"\n')
        self.write("other/all.h", "#include <kernels.cuh>\n")
        self.write("other/kernels.cuh", "void f() { k<<<1, 2>>>(3); }\n")
        self.write("other/cuda_runtime.h", "void g() { k<<<1, 2>>>(3); }\n")
        plain = self.write("plain.h", "#include <cuda_runtime.h>\nint plain;\n")
        result = self.run_translator(source, "-I", str(self.root / "other"))
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.root / "out/kernel.cpp").read_text()
        self.assertIn('#include "kernel.cpp.all.h"', text)
        self.assertIn(f'#include "{plain.resolve()}"', text)
        self.assertIn("bind_launch", (self.root / "out/kernel.cpp.kernels.cuh").read_text())

    # ---- refused ----
    def test_gpu_only_code_may_hold_what_is_refused(self):
        for condition in (
            "#ifndef CUDA_EMULATOR",
            "#if !defined(CUDA_EMULATOR)",
            "#if 0",
            "#if !CUDA_EMULATOR",
            "#ifdef CUDA_EMULATOR\nint b;\n#else",
        ):
            with self.subTest(condition):
                self.assert_unchanged(
                    f"{condition}\n{NO_PTX}\n#else\nint a;\n#endif\n"
                    if "else" not in condition
                    else f"{condition}\n{NO_PTX}\n#endif\n"
                )
        self.assert_refused(f"#ifndef CUDA_EMULATOR\n#else\n{NO_PTX}\n#endif\n", 3, "PTX")

    def test_a_null_argument_stays_a_null_pointer(self):
        self.assertEqual(
            self.translate("k<<<1, 2>>>(NULL, f(NULL), NULL);"),
            launch("k", "1, 2", "(nullptr, f(NULL), nullptr);"),
        )

    def test_malformed_launches_are_refused(self):
        self.assert_refused("\nk<<<1, 2;", 2, "no >>>")
        self.assert_refused("k<<<1, 2>>>;", 1, "no argument list")
        self.assert_refused("k<<<>>>(a);", 1, "needs a grid")
        self.assert_refused("+ <<<1, 2>>>(a);", 1, "no kernel name")

    def test_an_error_in_a_device_header_names_the_header(self):
        header = self.write("x.cuh", f"\n\n{NO_PTX}\n")
        result = self.run_translator(self.write("kernel.cu", '#include "x.cuh"\n'))
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.startswith(f"{header}:3: "), result.stderr)

    def test_an_earlier_output_does_not_survive_an_error(self):
        self.translate("k<<<1, 2>>>();")
        self.run_translator(self.write("kernel.cu", NO_PTX))
        self.assertFalse((self.root / "out/kernel.cpp").exists())

    def test_a_missing_input_is_one_clear_line(self):
        result = self.run_translator(self.root / "missing.cu")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^\S*missing\.cu:1: cannot be read: No such file.*\n$")

    def test_as_a_command(self):
        source = self.write("kernel.cu", "k<<<1>>>(a)")
        result = subprocess.run(
            [sys.executable, TRANSLATOR, str(source), "-o", str(self.root / "out.cpp")],
            capture_output=True,
            text=True,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = subprocess.run(
            [sys.executable, TRANSLATOR, str(source)], capture_output=True, text=True
        )
        self.assertEqual(result.returncode, 2)

    # ---- all together, compiled ----
    def test_the_translation_compiles_and_its_messages_have_the_right_lines(self):
        source = Path(__file__).with_name("constructs.cu")
        result = self.run_translator(source)
        self.assertEqual(result.returncode, 0, result.stderr)
        compiled = subprocess.run(
            [
                *COMPILER,
                "-std=c++20",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                "-DWRONG",
                str(self.root / "out/kernel.cpp"),
            ],
            capture_output=True,
            text=True,
        )
        wanted = next(
            number
            for number, line in enumerate(source.read_text().split("\n"), 1)
            if "deliberate_error" in line
        )
        errors = re.findall(r"^(.*):(\d+):\d+: error: (.*)$", compiled.stderr, re.MULTILINE)
        self.assertEqual(
            [(file, int(line)) for file, line, _ in errors],
            [(str(source), wanted)],
            compiled.stderr,
        )
        self.assertIn("deliberate_error", errors[0][2])


if __name__ == "__main__":
    TRANSLATOR = sys.argv[1]
    COMPILER = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
