#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Constructs and libraries that the engine lacks are one line each; words of a program stay."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator import translation


class RefusalsTest(unittest.TestCase):
    def messages(self, text):
        """What the translator says about a file with this text, without the file's name."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "kernel.cu"
            source.write_text(text)
            messages = io.StringIO()
            with contextlib.redirect_stderr(messages):
                translation.main([str(source), "-o", str(Path(folder) / "out.cpp")])
            return messages.getvalue().replace(f"{source}:", "")

    def assert_refused(self, text, line, message):
        said = self.messages(text)
        self.assertTrue(said.startswith(f"{line}: "), said)
        self.assertIn(message, said)
        self.assertEqual(said.count("\n"), 1, "one line")

    def assert_accepted(self, text):
        self.assertEqual(self.messages(text), "")

    def test_texture_and_surface_references(self):
        self.assert_refused("\n\ntexture<float, 2> t;", 3, "texture")
        self.assert_refused("\n\nsurface<void, 2> s;", 3, "use surface objects")
        self.assert_accepted("int texture = 1; int surface(int);")

    def test_library_headers(self):
        self.assert_refused("#include <vector>\n#include <cutlass/cutlass.h>\n", 2, "CUTLASS")
        self.assert_refused("  #  include <cub/device/device_topk.cuh>\n", 1, "CUB")
        self.assert_accepted(
            "#ifndef CUDA_EMULATOR\n#include <cub/cub.cuh>\n#endif\n"
            "#include <cuda_fp16.h>\n#include <cooperative_groups/scan.h>\n"
        )

    def test_own_headers_come_first(self):
        """A program may bring what the engine lacks; the toolkit's headers are not its own."""
        for name in ("cublas_v2.h", "cufft.h", "cutlass/cutlass.h"):
            for toolkit in (False, True):
                with self.subTest(name, toolkit=toolkit), tempfile.TemporaryDirectory() as folder:
                    own = Path(folder) / "own"
                    (own / name).parent.mkdir(parents=True)
                    (own / name).write_text("int f();")
                    if toolkit:
                        (own / "cuda_runtime.h").write_text("")
                    source, output = Path(folder) / "kernel.cu", Path(folder) / "out.cpp"
                    source.write_text(f"#include <{name}>\n")
                    messages = io.StringIO()
                    with contextlib.redirect_stderr(messages):
                        translation.main([str(source), "-o", str(output), "-I", str(own)])
                    refused = "CUTLASS" in messages.getvalue()
                    self.assertEqual(refused, toolkit and name.startswith("cutlass"))
                    if not refused:
                        used = str((own / name).resolve()) in output.read_text()
                        self.assertEqual(used, not toolkit)

    def test_clusters(self):
        self.assert_refused("__global__ void __cluster_dims__(2) k();", 1, "clusters")
        self.assert_refused("void f() {\n__cluster_barrier_arrive(); }", 2, "clusters")
        self.assert_refused("int f() { return __clusterRelativeBlockRank(); }", 1, "clusters")
        self.assert_refused("void f() { auto c = cg::this_cluster(); }", 1, "clusters")
        using = "using namespace cooperative_groups;\n"
        self.assert_refused(using + "void f() { cluster_group c; }", 2, "clusters")
        self.assert_accepted("int this_cluster = 0; int cluster_group(int cluster_dims);")
        self.assert_accepted("#ifndef CUDA_EMULATOR\nauto c = cg::this_cluster();\n#endif\n")

    def test_tensor_maps(self):
        self.assert_refused("void f() { cuTensorMapEncodeIm2col(); }", 1, "maps of images")
        self.assert_refused("void f() { ptx::cp_reduce_async_bulk_tensor(a); }", 1, "reductions")
        self.assert_refused("void f() { ptx::cp_async_bulk_prefetch_tensor(a); }", 1, "prefetches")
        self.assert_accepted("CUtensorMap map; void f() { cuTensorMapEncodeTiled(); }")
        self.assert_accepted("void f() { ptx::cp_async_bulk_tensor(a, b); }")


if __name__ == "__main__":
    unittest.main()
