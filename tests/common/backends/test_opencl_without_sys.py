# SPDX-License-Identifier: MIT
"""A stage in OpenCL where /sys is not mounted: PoCL sees no memory there, and ends the process.

    test_opencl_without_sys.py PROGRAM
"""

import shutil
import subprocess
import sys
import unittest

NO_SYS = [
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs none /sys && exec "$@"',
    "sh",
]


def may_hide_sys() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NO_SYS, "true"], capture_output=True, check=False).returncode == 0


class WithoutSysTest(unittest.TestCase):
    def test_it_is_skipped_with_the_reason(self) -> None:
        said = subprocess.run(
            [*NO_SYS, PROGRAM, "--check", "--n", "100"], capture_output=True, text=True, check=False
        )
        self.assertEqual((said.returncode, said.stdout), (77, ""), said.stderr)
        self.assertRegex(
            said.stderr,
            r"^mergesort_multisort_04_opencl: no usable OpenCL device: /sys is not mounted, [^\n]*\n$",
        )


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    listed = subprocess.run([PROGRAM, "--check", "--n", "1"], capture_output=True, check=False)
    if listed.returncode == 77 or not may_hide_sys():
        print("skipped: no OpenCL device, or /sys cannot be hidden here")
        sys.exit(77)
    unittest.main()
