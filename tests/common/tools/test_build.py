# SPDX-License-Identifier: MIT
"""What the build says: nothing when there is nothing to do, and before much work how much it is."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import TOOLS

# A dry run plans as many compilations as FILES says, and always the version's header and what hangs on it.
NINJA = r"""#!/bin/sh
case " $* " in
    *" build.ninja "*) exit 0 ;;
    *" -n "*)
        echo "${NINJA_STATUS}Generating common/version.hpp"
        i=0
        while [ "$i" -lt 60 ]; do i=$((i + 1)) && echo "${NINJA_STATUS}Linking target Compiling_$i"; done
        i=0
        while [ "$i" -lt "$FILES" ]; do i=$((i + 1)) && echo "${NINJA_STATUS}Compiling C++ object $i"; done
        exit 0
        ;;
esac
echo "ninja $*" >>"$LOG"
[ "$FILES" -gt 0 ] || echo 'ninja: no work to do.'
[ "${STATUS:-0}" -eq 0 ] || echo "FAILED: a file"
exit "${STATUS:-0}"
"""


class BuildTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        tools, self.bin = self.root / "common" / "tools" / "setup", self.root / "bin"
        tools.mkdir(parents=True)
        self.bin.mkdir()
        self.script = shutil.copy(TOOLS / "setup" / "build.sh", tools)  # it builds beside itself
        self.log = self.root / "log"
        for name, text in (
            ("ninja", NINJA),
            ("meson", "#!/bin/sh\nmkdir -p build && : >build/build.ninja\n"),
        ):
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def build(self, files: int, status: int = 0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", self.script, "stages"],
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
            env={
                "PATH": f"{self.bin}:{os.environ['PATH']}",
                "LOG": str(self.log),
                "FILES": str(files),
                "STATUS": str(status),
            },
        )

    def test_says_how_much_there_is_to_do_each_time_that_it_is_much(self) -> None:
        for files in (
            245,
            300,
        ):  # of a folder that was built before, too: the tests, or after an interruption
            result = self.build(files)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(
                result.stdout, f"building, {files} files to compile: this takes minutes\n"
            )
        self.assertEqual(self.log.read_text(encoding="utf-8").count("stages"), 2)

    def test_is_silent_about_little_and_about_nothing(self) -> None:
        for files in (3, 0):
            result = self.build(files)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_what_fails_is_said_as_an_error(self) -> None:
        for files in (3, 245):
            result = self.build(files, status=1)
            self.assertEqual((result.returncode, result.stderr), (1, "FAILED: a file\n"))
            self.assertNotIn("FAILED", result.stdout)

    def test_a_folder_that_is_another_user_s(self) -> None:
        (self.root / "build").touch()  # root, too, can write nothing into it
        result = self.build(3)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(
            result.stderr,
            f"{self.root}/build: you cannot write to it; " "work in a clone of your own\n",
        )


if __name__ == "__main__":
    unittest.main()
