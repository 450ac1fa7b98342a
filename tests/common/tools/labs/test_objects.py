# SPDX-License-Identifier: MIT
"""What a file became when it was compiled: the names that its object uses, and what nvcc says."""

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.labs import nvcc
from common.tools.labs.building import build_libraries, build_program
from common.tools.labs.catalogue import load_labs
from common.tools.labs.rules import rules_of
from common.tools.labs.running import Finished, run_program
from common.tools.labs.symbols import TABLE, needless_names, used_names

LAB = load_labs()["basics/02"]
RIGHT = LAB.solution.text()
LOOP = "    int sum = 0;\n    for (int column = lane"


class Names(unittest.TestCase):
    def needless(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            built = build_program(LAB.start.stage, text, Path(folder), "program")
            assert built.program is not None, built.messages
            used = used_names(built.names.read_text(encoding="utf-8"), "basics")
        self.assertIn("cudaMalloc(void**, unsigned long)", used)
        return needless_names(used, rules_of(LAB), LAB.chapter)

    def test_names_of_a_program(self) -> None:
        build_libraries([LAB.chapter])
        self.assertEqual(self.needless(RIGHT), [])
        # The policy knows these names; an object may have them without the source.
        own = RIGHT.replace("#include <cstdint>", "#include <cstdint>\n#include <cstdlib>")
        own = own.replace(
            "    const int n = input.n;", "    const int n = getenv(input.row) ? 0 : input.n;"
        ).replace("input.row", '"N"')
        self.assertEqual(self.needless(own), ["getenv"])

    def test_what_may_be_used(self) -> None:
        names = [
            "memcpy", "fmaf", "__cxa_throw", "operator new(unsigned long)", "std::terminate()",
            "typeinfo for std::runtime_error", "typeinfo for unsigned long", "cudaMemcpy(void*, void const*)", "threadIdx",
            "emulator::block_barrier(emulator::BarrierKind, int)", "course::PhaseTimer::end()",
            "basics::run_stage(int, char**)",
        ]  # fmt: skip
        self.assertEqual(needless_names(names, rules_of(LAB), LAB.chapter), [])
        others = [
            "open", "system", "dlsym", "pthread_create", "cudaLaunchHostFunc(CUstream_st*)",
            "std::thread::_M_start_thread(int)", "emulator::counting::transfers(int)",
            "nbody::run_stage(int)", "std::filesystem::status(std::basic_string<char>)",
            "basics::check_sums(basics::Input const&)", "course::Backend::launch()",
        ]  # fmt: skip
        rules = rules_of(LAB) | {"oracle": ["check_sums"], "harness": ["launch"]}
        self.assertEqual(needless_names(others, rules, LAB.chapter), others)

    def test_the_linker_s_table(self) -> None:
        table = f"""map{TABLE}
Symbol                                            File
main                                              /scratch/0-basics.o
open                                              /lib/libc.so.6
                                                  /scratch/0-basics.o
a::very<long>(name, with, parameters) const /build/libx.a(part.o)
                                                  /build/liby.a(part.o)
                                                  /scratch/0-basics.o
close                                             /lib/libc.so.6
                                                  /build/libx.a(part.o)
"""
        found = ["open", "a::very<long>(name, with, parameters) const"]
        self.assertEqual(used_names(table, "basics"), found)
        self.assertIn("cannot be read", used_names("no table", "basics")[0])


class Nvcc(unittest.TestCase):
    def refused(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "basics.cu"
            source.write_text(text, encoding="utf-8")
            return nvcc.refused_by_nvcc(LAB, source, Path(folder), run_program)

    @unittest.skipIf(shutil.which("nvcc") is None, "nvcc is missing")
    def test_what_only_g_plus_plus_accepts(self) -> None:
        self.assertEqual(self.refused(RIGHT), [])
        array = RIGHT.replace(
            "constexpr unsigned kAll", "int zeros[4] = {};\nconstexpr unsigned kAll"
        )
        for text, line, part in (
            (
                array.replace(LOOP, LOOP.replace("= 0;", "= zeros[lane % 4];", 1)),
                "sum = zeros",
                "zeros",
            ),
            (
                RIGHT.replace(
                    LOOP, '    std::string text("x");\n    text += "y";\n' + LOOP
                ).replace("#include <cstdint>", "#include <cstdint>\n#include <string>"),
                "text += ",
                "__host__ function",
            ),
        ):
            with self.subTest(part):
                number = text[: text.index(line)].count("\n") + 1
                said = self.refused(text)
                self.assertTrue(said[0].startswith(f"line {number}: ") and part in said[0], said)
        large = "    __shared__ int s_large[20000];\n    s_large[lane] = row;\n    __syncwarp();\n"
        said = self.refused(
            RIGHT.replace(LOOP, large + LOOP.replace("= 0;", "= s_large[n % 20000];", 1))
        )
        self.assertRegex(" ".join(said), "too much shared data")

    def test_faults_of_the_machine_refuse_nothing(self) -> None:
        own = Path("/made/basics.cu")
        for said, found in (
            ("nvcc fatal   : Could not open output file 'a'", []),
            ("/usr/include/crt/host_config.h(143): error: #error -- unsupported GNU version!", []),
            ("cc1plus: fatal error: no space left on device", []),
            (
                f'{own}(7): error: identifier "a" is undefined',
                ['line 7: identifier "a" is undefined'],
            ),
            (
                f'/usr/include/x.h(9): error: no. More\n  detected at line 7 of "{own}"',
                ["x.h, line 9: no"],
            ),
        ):
            self.assertEqual(nvcc.faults(said, own), found)
        run = mock.Mock(return_value=Finished(1, "", "nvcc fatal   : nothing"))
        with mock.patch.object(shutil, "which", return_value="/usr/bin/nvcc"):
            self.assertEqual(nvcc.refused_by_nvcc(LAB, own, Path("/made"), run), [])
        with mock.patch.object(shutil, "which", return_value=None):
            self.assertEqual(nvcc.refused_by_nvcc(LAB, own, Path("/made"), run), [])
        self.assertEqual(run.call_count, 1)


if __name__ == "__main__":
    unittest.main()
