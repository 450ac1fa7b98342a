# SPDX-License-Identifier: MIT
"""Submissions that cheat or crash, graded as a teacher does. Those with the policy switched off
show that the judge and the sandbox hold without it."""

import dataclasses
import os
import tempfile
import time
import unittest
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from common.tools.grading import judge, sandbox
from common.tools.grading.grade import build_judges
from common.tools.grading.sandbox import Cage
from common.tools.labs import checking
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import load_labs
from common.tools.labs.result import Result
from tests.common.tools.grading.attacks import RIGHT, need_cage, with_code

need_cage()
LAB = load_labs()[RIGHT]
SEED = 4242


@contextmanager
def without_policy() -> Iterator[None]:
    """Neither the source nor the names of its object are looked at."""
    with (
        mock.patch.object(judge, "caged_policy", return_value=lambda request: []),
        mock.patch.object(checking, "needless_names", return_value=[]),
    ):
        yield


class JudgeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        build_libraries([LAB.chapter])
        build_judges([LAB])

    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.secret = self.home / "secret"
        self.secret.write_text("mine", encoding="utf-8")

    def is_left(self) -> bool:
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:  # it has ended
                continue
            if str(self.home).encode() in command:
                return True
        return False

    def tearDown(self) -> None:
        """Nothing is left running. Bubblewrap's own process may take a moment to end."""
        end = time.monotonic() + 20
        while self.is_left() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(self.is_left())

    def grade(self, text: str | bytes, seconds: int = 60) -> Result:
        source = self.home / LAB.file_name
        source.write_bytes(text if isinstance(text, bytes) else text.encode())
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            with mock.patch.object(judge, "SECONDS", seconds):
                return judge.grade(LAB, source, seed=SEED, folder=Path(folder))

    def assert_nothing(self, result: Result, part: str) -> None:
        self.assertEqual((result.points, result.right), (0, False), result)
        self.assertIn(part, " ".join(result.messages))
        self.assertEqual(self.secret.read_text(encoding="utf-8"), "mine")

    def attack(self, part: str, seconds: int = 60, **code: str) -> Result:
        """With the policy it is refused; without, it gets nothing, by the reason `part`."""
        text = with_code(LAB, **code)
        self.assert_nothing(self.grade(text), "refused: ")
        with without_policy():
            result = self.grade(text, seconds)
        self.assert_nothing(result, part)
        return result

    # --- What honest files get --------------------------------------------------------------------

    def test_start_and_solution(self) -> None:
        start, solution = self.grade(LAB.start.text()), self.grade(LAB.solution.text())
        self.assertEqual((start.points, start.messages), (LAB.start_points, []))
        self.assertEqual((solution.points, solution.messages), (LAB.of, []))

    def test_the_solution_in_each_way(self) -> None:
        for way in sandbox.WAYS:
            if way != sandbox.best_way() and sandbox.works(way):
                with self.subTest(way), mock.patch.object(sandbox, "best_way", return_value=way):
                    result = self.grade(LAB.solution.text())
                    self.assertEqual((result.points, result.messages), (LAB.of, []))

    def test_a_wrong_result_gets_nothing(self) -> None:
        text = LAB.solution.text().replace("sum +=", "sum -=")
        self.assertNotEqual(text, LAB.solution.text())
        self.assert_nothing(self.grade(text), "sums are wrong")

    def test_a_race_costs_its_points(self) -> None:
        kernel = "__global__ void race_kernel(int* sum) { *sum += 1; }"
        call = "DeviceBuffer<int> d_one(1); cuda_check(cudaMemset(d_one.data(), 0, 4));"
        call += "race_kernel<<<2, 64>>>(d_one.data()); cuda_check(cudaGetLastError());"
        text = with_code(LAB, inside=call)
        stage = "void add_cells("
        result = self.grade(text.replace(stage, f"{kernel}\n{stage}", 1))
        self.assertTrue(result.right, result.messages)
        self.assertEqual(result.clean_points, 0)
        self.assertIn("race", result.findings[0].kind)

    def test_a_race_that_is_not_printed(self) -> None:
        kernel = "__global__ void race_kernel(int* sum) { *sum += 1; }"
        call = "close(2); DeviceBuffer<int> d_one(1); cuda_check(cudaMemset(d_one.data(), 0, 4));"
        call += "race_kernel<<<2, 64>>>(d_one.data()); cuda_check(cudaGetLastError());"
        text = with_code(LAB, inside=call, headers="#include <unistd.h>")
        stage = "void add_cells("
        with without_policy():
            result = self.grade(text.replace(stage, f"{kernel}\n{stage}", 1))
        self.assertEqual((result.right, result.clean_points), (True, 0), result)
        self.assertIn("race", result.findings[0].kind)

    def test_files_that_are_no_program(self) -> None:
        self.assert_nothing(self.grade(b"\xff\xfe\x00"), "cannot be read as a text in UTF-8")
        self.assert_nothing(self.grade(""), "refused: ")
        with without_policy():
            self.assert_nothing(self.grade(""), "")

    # --- Forging the verdict ----------------------------------------------------------------------

    def test_printing_the_verdict(self) -> None:
        lines = "\\n".join(
            f"OK {LAB.start.stage.stage} n={n} all sums are right" for n in LAB.sizes
        )
        self.attack("left no result", inside=f'std::puts("{lines}"); std::exit(0);',
                    headers="#include <cstdio>\n#include <cstdlib>")  # fmt: skip

    def test_the_exit_status(self) -> None:
        self.attack("left no result", inside="_exit(0);", headers="#include <unistd.h>")

    def test_a_result_of_its_own(self) -> None:
        code = 'std::ofstream("result") << "right"; std::ofstream("findings.json")'
        code += ' << "{\\"findings\\": []}"; _exit(0);'
        self.attack(
            "ends too early", inside=code, headers="#include <fstream>\n#include <unistd.h>"
        )

    def test_a_result_without_findings(self) -> None:
        # It ends after its result was saved, and before the engine writes what it found.
        code = "struct Quit { ~Quit() { _exit(0); } } quit;"
        self.attack("left no result", before=code, headers="#include <unistd.h>")

    def test_a_result_that_is_a_link(self) -> None:
        code = f'(void)!symlink("{self.secret}", "result"); _exit(0);'
        self.attack("left no result", inside=code, headers="#include <unistd.h>")

    def test_a_memcpy_of_its_own(self) -> None:
        code = 'extern "C" void* memcpy(void* to, const void* from, unsigned long bytes) {'
        code += " for (unsigned long i = 0; i < bytes; ++i) ((char*)to)[i] = ((char*)from)[i];"
        self.attack("defines memcpy", before=code + " return to; }")

    def test_main_with_other_flags(self) -> None:
        text = LAB.solution.text().replace("run_stage(argc,", "run_stage(argc - 2,")
        self.assertNotEqual(text, LAB.solution.text())
        self.assert_nothing(self.grade(text), "main() must stay")

    def test_switching_the_checks_off(self) -> None:
        self.assert_nothing(
            self.grade(with_code(LAB, inside="timer.backend().set_counting({});")),
            "backend: a part of the harness",
        )

    # --- Reading what is secret -------------------------------------------------------------------

    def test_calling_the_oracle(self) -> None:
        code = "if (basics::count_wrong(input, output) > 0) {}"
        self.assert_nothing(self.grade(with_code(LAB, inside=code)), "refused: ")

    def test_reading_the_teachers_files(self) -> None:
        code = ""
        for path in (self.secret, Path(__file__).resolve(), judge.ROOT / LAB.solution.stage.source):
            self.assertTrue(path.is_file())
            code += f'if (std::ifstream("{path}")) std::abort();'
        text = with_code(LAB, inside=code, headers="#include <fstream>\n#include <cstdlib>")
        with without_policy():
            result = self.grade(text)
        self.assertTrue(result.right, result.messages)  # it found nothing to abort for

    def test_including_the_teachers_files(self) -> None:
        for path in (self.secret, Path("/etc/passwd"), judge.ROOT / "Makefile"):
            result = self.attack("No such file", before=f'#include "{path}"')
            self.assertNotIn("mine", " ".join(result.messages))

    # --- Harm, in every phase ---------------------------------------------------------------------

    def test_endless_loops(self) -> None:
        loop = "volatile int x = 1; while (x) {}"
        result = self.grade(with_code(LAB, inside=loop), seconds=1)
        self.assert_nothing(result, "did not end within 1 seconds of")
        kernel = "__global__ void loop_kernel(volatile int* go) { while (*go == 0) {} }"
        call = "DeviceBuffer<int> d_go(1); cuda_check(cudaMemset(d_go.data(), 0, 4));"
        call += "loop_kernel<<<1, 32>>>(d_go.data());"
        text = with_code(LAB, inside=call).replace(
            "void add_cells(", f"{kernel}\nvoid add_cells(", 1
        )
        self.assert_nothing(self.grade(text, seconds=1), "--n 1: the program ")

    def test_a_fork_bomb(self) -> None:
        # One fork: should it be allowed, the result is right, and the test fails.
        code = "if (fork() < 0) std::abort();"
        self.attack(
            "ended by signal 6", inside=code, headers="#include <unistd.h>\n#include <cstdlib>"
        )

    def test_filling_the_disk(self) -> None:
        code = "for (int i = 0;; ++i) { std::ofstream f(std::to_string(i)); "
        code += "std::string s(1 << 20, 'x'); for (int k = 0; k < 8; ++k) f << s; }"
        self.attack("too many or too large files", inside=code,
                    headers="#include <fstream>\n#include <string>")  # fmt: skip

    def test_huge_output(self) -> None:
        code = 'for (;;) std::puts("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");'
        self.attack("printed too much", inside=code, headers="#include <cstdio>")

    def test_using_all_memory(self) -> None:
        code = "std::vector<std::vector<char>> all; for (;;) all.emplace_back(1 << 26, 'x');"
        text = with_code(LAB, inside=code, headers="#include <vector>")

        def run(
            command: Sequence[str | Path], *, cage: Cage = Cage(), **more: Any
        ) -> sandbox.Ended:
            if not cage.may_fork:
                cage = dataclasses.replace(cage, memory_bytes=512 << 20)  # sooner reached
            return sandbox.run_caged(command, cage=cage, **more)

        with mock.patch.object(judge, "run_caged", run):
            self.assert_nothing(self.grade(text), "used too much memory")

    def test_deleting_files(self) -> None:
        code = f'std::remove("{self.secret}"); std::remove("{Path(__file__).resolve()}");'
        text = with_code(LAB, inside=code, headers="#include <cstdio>")
        with without_policy():
            self.assertTrue(self.grade(text).right)
        self.assertTrue(self.secret.exists() and Path(__file__).exists())

    def test_a_crash_while_compiling(self) -> None:
        bombs = (
            "template <int n> struct T { T<n - 1> a; T<n - 2> b; }; T<100000> x;",
            "constexpr int f() { int x = 0; for (;;) ++x; return x; } static_assert(f() == 0);",
            "this is no program",
        )
        for code in bombs:
            with without_policy():
                result = self.grade(with_code(LAB, before=code))
            self.assert_nothing(result, "")
            self.assertFalse(result.compiles)
            self.assertTrue(result.messages)

    def test_a_huge_executable(self) -> None:
        code = "int table[200'000'000] = {1};"
        with without_policy():
            result = self.grade(with_code(LAB, before=code))
        self.assert_nothing(result, "")

    def test_a_crash_at_the_start(self) -> None:
        code = "struct Crash { Crash() { throw 1; } } crash;"
        self.assert_nothing(self.grade(with_code(LAB, before=code)), "--n 1: the program ")

    def test_a_crash_in_a_kernel(self) -> None:
        kernel = "__global__ void crash_kernel(int* p) { p[1 << 30] = 1; }"
        call = "crash_kernel<<<1, 1>>>(nullptr); cuda_check(cudaDeviceSynchronize());"
        text = with_code(LAB, inside=call)
        text = text.replace("void add_cells(", f"{kernel}\nvoid add_cells(", 1)
        self.assert_nothing(self.grade(text), "--n 1: the program ")

    def test_a_crash_at_the_end(self) -> None:
        code = "struct Crash { ~Crash() { *static_cast<volatile int*>(nullptr) = 1; } } crash;"
        # Its result was saved before.
        self.assert_nothing(self.grade(with_code(LAB, before=code)), "--n 1: the program ")

    def test_global_variables_may_have_any_name(self) -> None:
        code = "__device__ int d_total; __constant__ float c_table[4]; int counter = 3;"
        inside = "static int runs = 0; if (runs++ > 100) return;"
        text = with_code(LAB, before=code, inside=inside)
        self.assertEqual(self.grade(text).points, LAB.of)


if __name__ == "__main__":
    unittest.main()
