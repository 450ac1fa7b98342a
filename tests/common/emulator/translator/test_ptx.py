#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the translation of inline PTX: its text, what is refused, and the host's assembler."""

import contextlib
import io
import re
import tempfile
import unittest
from pathlib import Path

from common.emulator.translator import translation
from common.emulator.translator.ptx import HEADER


class PtxTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = Path(self.directory.name)

    def run_translator(self, text):
        """The exit status, the messages and the translation without its first lines."""
        self.source = self.root / "kernel.cu"
        self.source.write_text(text)
        output = self.root / "out.cpp"
        messages = io.StringIO()
        with contextlib.redirect_stderr(messages):
            status = translation.main([str(self.source), "-o", str(output)])
        return status, messages.getvalue(), output.read_text() if output.exists() else ""

    def translate(self, text):
        status, messages, result = self.run_translator(text)
        self.assertEqual(status, 0, messages)
        self.assertTrue(result.startswith(HEADER), result)
        result = result.removeprefix(HEADER).split("\n", 1)[1]
        self.assertEqual(result.count("\n"), text.count("\n"), "line numbers moved")
        return result

    def assert_unchanged(self, text):
        status, messages, result = self.run_translator(text)
        self.assertEqual(status, 0, messages)
        self.assertEqual(result.split("\n", 1)[1], text)

    def assert_refused(self, text, line, message):
        status, messages, _ = self.run_translator(text)
        self.assertEqual(status, 1)
        self.assertTrue(messages.startswith(f"{self.source}:{line}: "), messages)
        self.assertIn(message, messages)
        self.assertEqual(messages.count("\n"), 1, "one line")

    def test_an_instruction_with_operands(self):
        result = self.translate('asm("bfind.u32 %0, %1;" : "=r"(ret) : "r"(f(word, 1)));')
        self.assertEqual(
            result,
            "do { [[maybe_unused]] auto& emulator_0 = (ret); "
            "[[maybe_unused]] const auto emulator_1 = (f(word, 1)); "
            "emulator::ptx::put(emulator_0, emulator::ptx::highest_bit<std::uint32_t, false>"
            "(emulator::ptx::get<std::uint32_t>(emulator_1))); } while (false);",
        )

    def test_lines_and_literals_in_pieces(self):
        result = self.translate('asm volatile("vabsdiff4.u32.u32.u32.add"\n'
                                '    " %0, %1, %2, %3;"\n    : "=r"(d)\n'
                                '    : "r"(a), "r"(b), "r"(c));\nint x;\n')  # fmt: skip
        self.assertIn("video_lanes", result)
        self.assertTrue(result.endswith("\n\n\n;\nint x;\n"), result)

    def test_macros_keep_their_lines(self):
        result = self.translate('#define LANE(x) \\\n    asm("mov.u32 %0, %laneid;" \\\n'
                                '        : "=r"(x))\nint y;\n')  # fmt: skip
        self.assertIn("while (false)\\\n", result)

    def test_predicates_and_registers(self):
        result = self.translate(
            'asm("{ .reg .pred p; .reg .u32 t<2>; setp.ne.s32 p, %1, 0; mov.u32 t1, 5; '
            '@!p mov.u32 %0, t1; }" : "=r"(a) : "r"(b));'
        )
        self.assertIn("bool emulator_r_p{};", result)
        self.assertIn("if (!emulator::ptx::get<bool>(emulator_r_p))", result)

    def test_matrices_of_a_warp(self):
        result = self.translate(
            'asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, '
            '{%4, %5, %6, %7}, {%8, %9}, {0f3F800000, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), '
            '"+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));'
        )
        self.assertIn("multiply_fragments<8, emulator::MatrixElement::tf32, ", result)
        result = self.translate(
            'asm("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2 + 64];"'
            ' : "=r"(a), "=r"(b) : "r"(p));'
        )
        self.assertIn("load_matrices<2, true>(emulator_m, emulator::ptx::shared_bytes(", result)
        result = self.translate(
            'asm("stmatrix.sync.aligned.m8n8.x1.b16 [%0], {%1};" :: "l"(p), "r"(a));'
        )
        self.assertIn("store_matrices<1, false>(emulator::ptx::bytes(emulator_0), ", result)

    def test_matrices_of_other_shapes_are_refused(self):
        four = "{%0, %0, %0, %0}"
        for instruction in (
            f"mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {four}, {four}, {{%0, %0}}, {four}",
            f"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {four}, {four}, {{%0, %0}}, {four}",
            f"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {four}, {four}, {{%0, %0}}, {four}",
            f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {four}, {four}, {four}, {four}",
            f"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {four}, {four}, {{%0, %0}}, {four}",
            f"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {four}, [%0]",
            f"ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {four}, [%0]",
            f"ldmatrix.aligned.m8n8.x4.shared.b16 {four}, [%0]",
            "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%0, %0}",
        ):
            with self.subTest(instruction=instruction):
                text = f'asm volatile("{instruction};" : "+r"(a));'
                name = instruction.split(" ")[0]
                self.assert_refused(f"__global__ void k() {{\n    {text}\n}}\n", 2, name)

    def test_labels_are_different_in_each_statement(self):
        loop = (
            'asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 '
            'p, [%0], %1; @!p bra.uni AGAIN; }" :: "r"(bar), "r"(phase));'
        )
        result = self.translate(f"{loop} {loop}")
        labels = set(re.findall(r"goto (\w+);", result))
        self.assertEqual(len(labels), 2)
        for label in labels:
            self.assertEqual(result.count(f"{label}: "), 1)
        self.assertIn("emulator::barrier_test(reinterpret_cast<std::uint64_t*>(", result)

    def test_asynchronous_copies(self):
        for text, expected in (
            (
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                ".L2::cache_hint [%0], [%1, {%2, 3}], [%0], %1;",
                "emulator::load_tensor(emulator::ptx::shared_bytes(emulator_0), "
                "emulator::ptx::bytes(emulator_1), 2, emulator_first, ",
            ),
            (
                "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%1, {%2}], [%0];",
                "emulator::store_tensor(emulator::ptx::bytes(emulator_1), 1, emulator_first, ",
            ),
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                "[%0];",
                "emulator::load_bulk(",
            ),
            ("cp.async.bulk.global.shared::cta.bulk_group [%1], [%0], %2;", "store_bulk("),
            ("cp.async.bulk.wait_group.read 3;", "wait_for_bulk_copies("),
            ("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %2;", "barrier_arrive("),
            ("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];", "arrive_after_copies("),
            ("fence.proxy.async.shared::cta ;", "fence_for_bulk_copies()"),
        ):
            with self.subTest(text=text):
                result = self.translate(f'asm volatile("{text}" :: "r"(a), "l"(b), "r"(c));')
                self.assertIn(expected, result)

    def test_forms_of_clusters_are_refused(self):
        for text in (
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%2, 3}], [%0], %2",
            "mapa.shared::cluster.u32 %2, %0, %2",
            "barrier.cluster.arrive.aligned",
            "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%2, %2, %2, %2}, %1, %1, 1, 1, 1",
            "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%2, 3}], [%0]",
        ):
            with self.subTest(text=text):
                code = f'asm volatile("{text};" :: "r"(a), "l"(b), "r"(c));'
                name = text.split(" ")[0]
                self.assert_refused(f"__global__ void k() {{\n    {code}\n}}\n", 2, name)

    def test_products_of_warpgroups(self):
        result = self.translate(
            'asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, '
            '%4, %4, %5, 1, -1, 0, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) '
            ': "l"(a), "n"(1));'
        )
        self.assertIn(
            "emulator::ptx::multiply_late({{nullptr}, emulator::MatrixElement::bf16, 8", result
        )
        result = self.translate(
            'asm volatile("wgmma.wait_group.sync.aligned %0; setmaxnreg.inc.sync.aligned.u32 240;"'
            ' :: "n"(1));'
        )
        self.assertIn("wait_for_products(", result)

    def test_what_is_not_available_is_named(self):
        for text, name in (
            ('asm("wgmma.fence.aligned;");', "wgmma.fence.aligned"),
            ('asm("mov.u32 %0, %envreg1;" : "=r"(a));', "%envreg1"),
            ('asm volatile("bar.red.popc.u32 %0, 1, 64, 1;" : "=r"(a));', "bar.red.popc.u32"),
            ('asm volatile("bar.arrive 1;");', "bar.arrive"),
            ('asm("{ mov.u32 %0, 1; bra DONE; }" : "=r"(a));', "bra"),
            ('asm("ld.param.u32 %0, [%1];" : "=r"(a) : "l"(p));', "ld.param.u32"),
            ('asm("add.rn.f16x2 %0, %1, %1;" : "=r"(a) : "r"(b));', "add.rn.f16x2"),
            ('asm("exit;");', "exit"),
        ):
            with self.subTest(text=text):
                self.assert_refused(f"__global__ void k() {{\n    {text}\n}}\n", 2, name)

    def test_text_from_macros_is_refused_in_device_code(self):
        self.assert_refused(
            "__device__ int f() {\n    asm(OPERATION(add));\n}\n", 2, "one plain string"
        )

    def test_assembler_of_the_host_stays(self):
        self.assert_unchanged('int f() { asm volatile("pause" ::: "memory"); }\n')
        self.assert_unchanged('void g(int& x) { __asm__("bswap %0" : "+r"(x)); }\n')
        self.assert_unchanged('__device__ void h() { asm volatile("" ::: "memory"); }\n')
        self.assert_unchanged('void i() { __asm__ __volatile__("cpuid" : "=a"(a) : "a"(0)); }\n')


if __name__ == "__main__":
    unittest.main()
