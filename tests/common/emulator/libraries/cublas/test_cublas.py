# SPDX-License-Identifier: MIT
"""cuBLAS on both engines, by OpenBLAS: its results, its place in streams, and its messages."""

import ctypes
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from common.tools.driver.engine import ENGINES
from tests.common.tools.course_tools import TOOLS

SOURCE = Path(__file__).with_name("cublas_program.cu")


def has_openblas() -> bool:
    try:
        ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return False
    return True


class CublasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for engine in ENGINES:
            words = [TOOLS / "commands" / "emucc", SOURCE, "-lcublas", "-o", cls.folder / engine]
            built = subprocess.run(
                list(map(str, words)),
                env=os.environ | {"EMUCC_ENGINE": engine},
                capture_output=True,
                text=True,
                check=False,
            )
            if (built.returncode, built.stderr) != (0, ""):
                raise AssertionError(built.stderr)

    def run_program(
        self, engine: str, *arguments: str, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / engine), *arguments],
            env=os.environ | {"EMULATOR_COUNTERS": "none"} | settings,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_results_are_those_of_loops(self) -> None:
        if not has_openblas():
            self.skipTest("OpenBLAS is not installed")
        for engine in ENGINES:
            with self.subTest(engine):
                result = self.run_program(engine)
                self.assertEqual((result.stdout, result.stderr), ("0 faults\n", ""))
                self.assertEqual(result.returncode, 0)

    def test_wrong_calls_are_explained(self) -> None:
        if not has_openblas():
            self.skipTest("OpenBLAS is not installed")
        for engine in ENGINES:
            with self.subTest(engine):
                result = self.run_program(engine, "leading")
                self.assertEqual(result.stdout, "CUBLAS_STATUS_INVALID_VALUE\n")
                self.assertIn("cublasSgemm: lda = 3 is less than the 4 rows", result.stderr)
                result = self.run_program(engine, "outside")
                self.assertEqual(result.stdout, "CUBLAS_STATUS_EXECUTION_FAILED\n")
                self.assertIn("cublasSgemm: the output", result.stderr)

    def test_a_machine_without_openblas_says_what_to_install(self) -> None:
        (self.folder / "hidden").mkdir()
        (self.folder / "hidden" / "libopenblas.so.0").write_bytes(b"")
        for engine in ENGINES:
            with self.subTest(engine):
                hidden = str(self.folder / "hidden")
                result = self.run_program(engine, LD_LIBRARY_PATH=hidden)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn("needs OpenBLAS, which is missing: sudo apt install", result.stderr)


if __name__ == "__main__":
    unittest.main()
