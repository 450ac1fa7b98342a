#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which calls of the API the translator takes for thrown away: those that are statements."""

import sys
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator.discarded_calls import API
from common.emulator.translator.rewrite import rewrite
from common.emulator.translator.source import Source
from common.emulator.translator.translation import main

DISCARDED = (
    "{ cudaFree(p); }",
    "{ f(); cudaFree(p); }",
    "{ ::cudaFree(p); }",
    "{ cudaFree(p), ::cudaFree(q), cudaFree(r); }",
    "{ if (a) cudaFree(p); else cudaFree(q); }",
    "{ for (int i = 0; i < n; ++i) cudaFree(p[i]); }",
    "{ while (next(&p)) cudaFree(p); }",
    "{ do cudaFree(p++); while (p != end); }",
    "{ if constexpr (kOwns) cudaFree(p); }",
    "{ switch (a) { case kOne: cudaFree(p); break; default: cudaFree(q); } }",
    "{ auto end = [&] { cudaFree(p); }; }",
    "{\n#pragma omp parallel\n    cudaFree(p); }",
    "{\n#ifdef LATE\n    cudaFree(p);\n#endif\n}",
    "#define FREE(p) do { cudaFree(p); } while (0)\n",
    "{ cudaMemcpyToSymbol(weights, std::array<float, 2>{1, 2}.data(), 8); }",
    "struct B { ~B() { cudaFree(p); } };",
)
READ = (
    "{ CHECK(cudaFree(p)); }",
    "{ (void)cudaFree(p); }",
    "{ error = cudaFree(p); }",
    "{ return cudaFree(p); }",
    "{ if (cudaFree(p) != cudaSuccess) f(); }",
    "{ for (cudaFree(p); cudaEventQuery(e) == cudaErrorNotReady; cudaFree(q)) f(); }",
    "{ for (;cudaFree(p); ) f(); }",
    "{ cudaFree(p) == cudaSuccess || f(); }",
    "{ auto free = [&] { return cudaFree(p); }; }",
    "{ a ? f() : cudaFree(p); }",
    "{ Wrapper(x) cudaFree(p); }",
    "{ other.cudaFree(p); ours::cudaFree(p); }",
    "cudaError_t cudaFree(void* p);",
    "#define FREE(p) cudaFree(p)\n",
    "{ cudaGetLastError(); cudaPeekAtLastError(); cudaCheckErrors(p); }",
)


def translate(text: str) -> str:
    source = Source(Path("own.cu"), text)
    rewrite(source, set())
    return source.edited()


class Discarded(unittest.TestCase):
    def test_statements_are_discarded(self) -> None:
        for text in DISCARDED:
            with self.subTest(text):
                calls = text.count("cudaFree(") + text.count("cudaMemcpyToSymbol(")
                translated = translate(text)
                self.assertEqual(translated.count("::emulator::discarded("), calls, translated)
                self.assertEqual(translated.count("\n"), text.count("\n"))

    def test_the_name_and_the_place_are_handed_over(self) -> None:
        self.assertEqual(
            translate("{ cudaFree(p); }"),
            '{ ::emulator::discarded("cudaFree", __FILE__, __LINE__, cudaFree(p)); }',
        )

    def test_what_is_used_stays(self) -> None:
        for text in READ:
            with self.subTest(text):
                self.assertNotIn("discarded", translate(text))

    def test_host_files_are_marked_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, output = Path(folder) / "own.cpp", Path(folder) / "out.cpp"
            source.write_text("int main() {\n    cudaFree(p);\n    f<<1>>(2);\n}\n", "utf-8")
            self.assertEqual(main([str(source), "-o", str(output), "--host"]), 0)
            text = output.read_text("utf-8")
        self.assertIn('::emulator::discarded("cudaFree"', text)
        self.assertIn("\n    f<<1>>(2);\n", text)
        self.assertIn(f'#line 1 "{source}"\nint main()', text)

    def test_the_api_is_that_of_the_headers(self) -> None:
        self.assertGreater(len(API), 200)
        self.assertLessEqual({"cudaMalloc", "cudaMemcpy2DToArray", "cudaLaunchKernelExC"}, API)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
