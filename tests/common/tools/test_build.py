# SPDX-License-Identifier: MIT
"""The messages of the build: none for little work, and the number of files for much work."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import TOOLS

# A dry run plans FILES compilations. It always lists the version's header and what depends on it.
NINJA = r"""#!/bin/sh
case " $* " in
    *" build.ninja "*) exit 0 ;;
    *" -n "*)
        echo "${NINJA_STATUS}Generating common/version.hpp"
        for kind in 'Linking target Compiling_' 'Compiling C++ object '; do
            count=60
            [ "$kind" = 'Compiling C++ object ' ] && count=$FILES
            i=0
            while [ "$i" -lt "$count" ]; do i=$((i + 1)) && echo "${NINJA_STATUS}$kind$i"; done
        done
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
        # A copy, because the script builds the repository that it lies in.
        self.script = shutil.copy(TOOLS / "setup" / "build.sh", tools)
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

    def test_the_number_of_files_is_printed_if_it_is_large(self) -> None:
        # The second time, the folder has been built before.
        for files in (245, 300):
            result = self.build(files)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(
                result.stdout, f"building, {files} files to compile: this takes minutes\n"
            )
        self.assertEqual(self.log.read_text(encoding="utf-8").count("stages"), 2)

    def test_a_small_build_prints_nothing(self) -> None:
        for files in (3, 0):
            result = self.build(files)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_failure_is_printed_as_an_error(self) -> None:
        for files in (3, 245):
            result = self.build(files, status=1)
            self.assertEqual((result.returncode, result.stderr), (1, "FAILED: a file\n"))
            self.assertNotIn("FAILED", result.stdout)

    def test_a_folder_that_cannot_be_written(self) -> None:
        (self.root / "build").touch()  # a file: even root cannot write into it
        result = self.build(3)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(
            result.stderr,
            f"{self.root}/build: you cannot write to it; " "work in a clone of your own\n",
        )


if __name__ == "__main__":
    unittest.main()
