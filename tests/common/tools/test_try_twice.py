# SPDX-License-Identifier: MIT
"""make try: several at the same time, and files with the same name in different folders."""

import shutil
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.common.tools.course_tools import BUILD, run_tool

PROGRAM = """
#include <cstdio>
int main() { std::printf("%s\\n", "{}"); }
"""


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


if __name__ == "__main__":
    unittest.main()
