# SPDX-License-Identifier: MIT
"""What the build says: nothing when there is nothing to do, and before much work how much it is."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from course_tools import TOOLS

# As many steps as STEPS says.
NINJA = r'''#!/bin/sh
case " $* " in
    *" build.ninja "*) exit 0 ;;
    *" -n "*) i=0; while [ "$i" -lt "${STEPS:-0}" ]; do i=$((i + 1)); echo "${STEPS} Compiling $i"; done; exit 0 ;;
esac
echo "ninja $*" >>"$LOG"
[ "${STEPS:-0}" -gt 0 ] || echo 'ninja: no work to do.'
exit "${STATUS:-0}"
'''


class BuildTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        tools, self.bin = self.root / "common" / "tools", self.root / "bin"
        tools.mkdir(parents=True)
        self.bin.mkdir()
        self.script = shutil.copy(TOOLS / "build.sh", tools)  # it builds beside itself
        self.log = self.root / "log"
        for name, text in (("ninja", NINJA), ("meson", "#!/bin/sh\nmkdir -p build && : >build/build.ninja\n")):
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def build(self, steps: int, status: int = 0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", self.script, "stages"], text=True, capture_output=True, check=False, timeout=60,
                              env={"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log),
                                   "STEPS": str(steps), "STATUS": str(status)})

    def test_says_how_much_there_is_to_do_each_time_that_it_is_much(self) -> None:
        for steps in (245, 300):  # of a folder that was built before, too: the tests, or after an interruption
            result = self.build(steps)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, f"building, {steps} steps: this takes a few minutes, once\n")
        self.assertEqual(self.log.read_text(encoding="utf-8").count("stages"), 2)

    def test_is_silent_about_little_and_about_nothing(self) -> None:
        for steps in (3, 0):
            result = self.build(steps)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_the_status_is_that_of_ninja(self) -> None:
        for steps in (3, 245):
            self.assertEqual(self.build(steps, status=1).returncode, 1)


if __name__ == "__main__":
    unittest.main()
