# SPDX-License-Identifier: MIT
"""An installation in a temporary folder, and running its commands as a stranger would: without the
checkout, without its environment, and with an installation that cannot be written."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import BUILD, ROOT

INSTALL = ROOT / "common" / "tools" / "setup" / "install.sh"

# A sum over a block; line 9 ends a round of the loop without a barrier.
RACING = r"""#include <cstdio>
__global__ void sum_kernel(const int* values, int* sum) {
    __shared__ int s_partial[256];
    const int i = threadIdx.x;
    s_partial[i] = values[i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (i < step) {
            s_partial[i] += s_partial[i + step];
        }
    }
    if (i == 0) {
        *sum = s_partial[0];
    }
}

int main(int argc, char**) {
    int h_values[256], h_sum = 0, *values, *sum;
    for (int i = 0; i < 256; ++i) {
        h_values[i] = argc;
    }
    cudaMalloc(&values, sizeof(h_values));
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(values, h_values, sizeof(h_values), cudaMemcpyHostToDevice);
    sum_kernel<<<1, 256>>>(values, sum);
    cudaMemcpy(&h_sum, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", h_sum);
    cudaFree(values);
    cudaFree(sum);
}
"""
RIGHT = RACING.replace(
    "        }\n    }\n    if", "        }\n        __syncthreads();\n    }\n    if"
)
RACE = r"race: kernel sum_kernel, sum\.cu:9: .*; add __syncthreads\(\)"

# In a mount namespace of its own: the checkout is empty, and the installation cannot be written.
HIDE = """mount -t tmpfs none "$0" && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99
shift && exec "$@"
"""


def configured_prefix() -> str:
    """Another one would configure the build anew."""
    options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())
    return next(one["value"] for one in options if one["name"] == "prefix")


@functools.cache
def can_hide() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        words = ["unshare", "-rm", "sh", "-c", HIDE, str(ROOT), folder, "true"]
        try:
            return subprocess.run(words, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            return False


def run_script(
    task: str, destination: Path | str, prefix: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [INSTALL, task],
        env=os.environ | {"DESTDIR": str(destination), "PREFIX": prefix or configured_prefix()},
        text=True,
        capture_output=True,
        check=False,
    )


@functools.cache
def installation() -> Path:
    """The folder before the prefix. It has a blank in its path, and lies in a folder for tests."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    made = run_script("install", folder / "a stranger's")
    assert made.returncode == 0, made.stdout + made.stderr
    return folder / "a stranger's"


class InstalledTest(unittest.TestCase):
    """`work`: an empty folder per test."""

    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        if not (BUILD / "emulator.json").exists() or BUILD != ROOT / "build":
            raise unittest.SkipTest("the CPU engine is not built in build/")
        cls.destination = installation()
        cls.folder = cls.destination.parent
        cls.prefix = Path(f"{cls.destination}{configured_prefix()}")
        cls.root = cls.prefix / "lib" / "gpu-algorithms"

    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp(dir=self.folder))
        self.temporary = self.work / "tmp"
        self.temporary.mkdir()
        (self.work / "sum.cu").write_text(RACING, encoding="utf-8")
        self.path = f"{self.prefix / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"

    def run_installed(
        self, *words: str | Path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """No variable of the course, no home, no terminal. Whatever a command writes besides its
        output lies in TMPDIR, and is gone when it ends."""
        hidden = ["unshare", "-rm", "sh", "-c", HIDE, str(ROOT), str(self.prefix)]
        made = subprocess.run(
            [*(hidden if can_hide() else []), *map(str, words)],
            env={"PATH": self.path, "TMPDIR": str(self.temporary), "HOME": "/none"} | environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            text=True,
            capture_output=True,
            check=False,
            timeout=300,
        )
        self.assertEqual(list(self.temporary.iterdir()), [])
        return made

    def assert_refused(self, words: list[str], status: int, part: str, **environment: str) -> None:
        made = self.run_installed(*words, **environment)
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        self.assertEqual(len(made.stderr.splitlines()), 1, made.stderr)
        self.assertIn(part, made.stderr)
