# SPDX-License-Identifier: MIT
"""make check on a machine with a GPU, from the command to the printed times. The driver is a
stand-in that reports a GPU, and so is nvcc, which compiles for the CPU engine. The real nvcc, if
there is one, must accept and link what the tool tells it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common.tools.labs.catalogue import load_labs
from common.tools.labs.gpu_times import YOURS, compile_command
from common.tools.lib.stages import EXIT_NO_DEVICE, ROOT
from tests.common.tools.course_tools import BUILD, run_tool
from tests.common.tools.test_gpu_tools import DRIVER

LAB = load_labs()["basics/02"]

# Compiles what nvcc is told to compile, for the CPU engine. Kernels alone (-cubin) it refuses.
NVCC = """#!{python}
import os, subprocess, sys
words = sys.argv[1:]
if "-cubin" in words:
    sys.exit(1)
assert "-arch=native" in words and words[words.index("-o") + 1].endswith("/on_gpu"), words
libraries = [word.removeprefix("-Xlinker=") for word in words if word.startswith("-Xlinker=")]
assert all(os.path.isfile(name) for name in libraries if "cuda" not in name and "probe" not in name)
common = ["backend_emu", "emulated_backend", "common_host"]
kept = [word for word in words if word.startswith("-D") or word == "-rdc=true"]
kept += ["-o", words[words.index("-o") + 1]]
kept += [word for i, word in enumerate(words) if words[i - 1] == "-I" or word.endswith(".cu")
         for word in (["-I", word] if words[i - 1] == "-I" else [word])]
command = [sys.executable, "{root}/common/tools/commands/emucc", "-std=c++20", *kept, "-Wl,--start-group"]
command += [name for name in libraries if "/chapters/" in name]
command += ["{build}/common/lib" + name + ".a" for name in common] + ["-Wl,--end-group"]
sys.exit(subprocess.run(command, env=os.environ | {{"EMUCC_ENGINE": "emu"}}).returncode)
"""


class WithGpu(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.source = self.folder / "mine.cu"
        self.source.write_text(LAB.solution.text(), encoding="utf-8")

    def machine_with_gpu(self) -> dict[str, str]:
        """The environment: a driver, an nvcc, and a build whose stages have GPU executables."""
        source = self.folder / "driver.cpp"
        source.write_text(DRIVER, encoding="utf-8")
        library = self.folder / "libcuda.so.1"
        subprocess.run(["g++", "-shared", "-fPIC", "-o", library, source], check=True)
        build = self.folder / "build"
        build.mkdir()
        for path in BUILD.iterdir():
            (build / path.name).symlink_to(path)
        records = json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
        for record in records:
            if "emu" in record["executables"]:
                record["executables"]["gpu"] = record["executables"]["emu"]
        (build / "stages.json").unlink()
        (build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        nvcc = self.folder / "nvcc"
        nvcc.write_text(NVCC.format(python=sys.executable, root=ROOT, build=build), "utf-8")
        nvcc.chmod(0o755)
        self.build = build
        return {
            "LD_LIBRARY_PATH": str(self.folder),
            "PATH": f"{self.folder}:{os.environ['PATH']}",
        }

    def test_times_beside_start_and_solution(self) -> None:
        machine = self.machine_with_gpu()
        told = self.folder / "result.json"
        variables = {"LAB": LAB.name, "FILE": str(self.source), "SEED": "5", "JSON": str(told)}
        variables["COURSE_MY"] = str(self.folder / "my")
        result = run_tool("labs.check", self.build, **variables, **machine)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        times = json.loads(told.read_text(encoding="utf-8"))["gpu_ms"]
        names = [LAB.start.stage.stage, LAB.solution.stage.stage, YOURS]
        self.assertEqual([name for name, _ in times], names, result.stderr)
        self.assertTrue(all(ms > 0 for _, ms in times), times)
        table = result.stdout.split("for information, on this machine's GPU\n")[1]
        shown = [line.split()[0] for line in table.splitlines()[1:4]]
        self.assertEqual(shown, names, result.stdout)

    def test_nvcc_accepts_the_command(self) -> None:
        command = compile_command(LAB.start.stage, self.source, self.folder / "on_gpu")
        if shutil.which("nvcc") is None or not (BUILD / "common/libbackend_cuda.a").is_file():
            self.skipTest("nvcc or the libraries for a GPU are missing")
        compiled = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        ended = subprocess.run(
            [self.folder / "on_gpu", "--check", "--n", "33"], capture_output=True, check=False
        )
        self.assertIn(ended.returncode, (0, EXIT_NO_DEVICE))


if __name__ == "__main__":
    unittest.main()
