# SPDX-License-Identifier: MIT
"""make try: several at the same time, and files with the same name in different folders."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.common.tools.course_tools import BUILD, run_tool

PROGRAM = """
#include <cstdio>
int main() { std::printf("%s\\n", "{}"); }
"""

KERNEL = """
__global__ void fill_kernel(int* out) { out[threadIdx.x] = 1; }
int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
"""


def limit_files() -> None:
    """A write beyond 100 bytes fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


class TryTwiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        if not (BUILD / "emulator.json").exists():
            self.skipTest("the CPU engine is not built")

    def source(self, folder: str) -> Path:
        path = self.folder / folder / "program_of_a_test.cu"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM.replace("{}", folder), encoding="utf-8")
        return path

    def test_at_the_same_time(self) -> None:
        """Each prints what its own file says, also where two build the same file."""
        folders = ("anna", "anna", "berta", "anna")
        sources = [self.source(folder) for folder in folders]
        with ThreadPoolExecutor(max_workers=len(folders)) as pool:
            results = list(
                pool.map(
                    lambda source: run_tool("try_program", FILE=str(source), ENGINE="emu"), sources
                )
            )
        for folder, result in zip(folders, results):
            self.assertEqual((result.returncode, result.stdout), (0, f"{folder}\n"), result.stderr)
            self.assertNotIn("Traceback", result.stderr)
        for path in (BUILD / "try").glob("program_of_a_test-*"):
            self.assertEqual([one.name for one in path.iterdir()], ["program_of_a_test.emu"])
            shutil.rmtree(path)

    def test_counters_on_a_full_disk(self) -> None:
        """The old file stays, and nothing lies beside it."""
        source = self.source("anna")
        source.write_text(KERNEL, encoding="utf-8")
        counters = self.folder / "counters.json"
        variables = {"FILE": str(source), "ENGINE": "count", "EMULATOR_COUNTERS": str(counters)}
        self.assertEqual(run_tool("try_program", **variables).returncode, 0)
        whole = counters.read_bytes()
        (program,) = (BUILD / "try").glob("program_of_a_test-*/program_of_a_test.count")
        self.addCleanup(shutil.rmtree, program.parent)
        result = subprocess.run(
            [program],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limit_files,
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("counters.json: cannot be written: File too large", result.stderr)
        self.assertEqual(counters.read_bytes(), whole)
        self.assertEqual(list(self.folder.glob("*.partial")), [])


if __name__ == "__main__":
    unittest.main()
