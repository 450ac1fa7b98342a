#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the translation of inline PTX: its text, what is refused, and the host's assembler."""

import contextlib
import io
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

    def test_what_is_not_available_is_named(self):
        for text, name in (
            ('asm("wgmma.fence.sync.aligned;");', "wgmma.fence.sync.aligned"),
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
