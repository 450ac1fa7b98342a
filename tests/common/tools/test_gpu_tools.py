# SPDX-License-Identifier: MIT
"""make sanitize and the choice of an engine, with a stand-in driver that reports a GPU."""

import json
import os
import shutil
import subprocess
import sys
import unittest

from tests.common.tools.course_tools import ROOT, ToolTest, run_tool

DRIVER = """
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int* count) { *count = 2; return 0; }
extern "C" int cuDeviceGetName(char* name, int size, int) {
    for (int i = 0; i < size && (name[i] = "Stand-In 1"[i]) != 0; ++i) {}
    return 0;
}
extern "C" int cuDeviceGet(int* device, int number) { *device = number; return 0; }
extern "C" int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 75 ? 9 : 0;
    return 0;
}
"""

# Logs its arguments. If they contain SANITIZER_FINDS, it reports a finding.
SANITIZER = """#!/bin/sh
echo "$*" >> "$SANITIZER_LOG"
case "$*" in *"$SANITIZER_FINDS"*) echo "${SANITIZER_SAYS:-Potential hazard}"; exit 9 ;; esac
exit 0
"""


class GpuToolsTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        source = self.folder / "driver.cpp"
        source.write_text(DRIVER, encoding="utf-8")
        subprocess.run(
            ["g++", "-shared", "-fPIC", "-o", self.folder / "libcuda.so.1", source], check=True
        )
        sanitizer = self.folder / "compute-sanitizer"
        sanitizer.write_text(SANITIZER, encoding="utf-8")
        sanitizer.chmod(0o755)
        records = [
            self.stand_in("sums", "00_cpu", "cpu", 0.04),
            self.stand_in("sums", "01_plain", "gpu", 0.02),
            self.stand_in("sums", "02_flags", "gpu", 0.01),
        ]
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        self.log = self.folder / "sanitizer.log"

    def run_with_gpu(self, tool: str, finds: str = "nothing", **variables: str):
        return run_tool(
            tool,
            self.build,
            LD_LIBRARY_PATH=str(self.folder),
            PATH=f"{self.folder}:{os.environ['PATH']}",
            SANITIZER_LOG=str(self.log),
            SANITIZER_FINDS=finds,
            **variables,
        )

    def test_four_tools_over_every_stage_with_kernels(self) -> None:
        result = self.run_with_gpu("plots.maintain.sanitize")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        calls = self.log.read_text().splitlines()
        self.assertEqual(len(calls), 4 * 2)
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            self.assertEqual(sum(f"--tool {tool} " in call for call in calls), 2)
        self.assertTrue(all("--check --n 33,257,1000" in call for call in calls))
        self.assertIn("0 runs with findings", result.stdout)

    def test_a_finding_fails_and_is_shown(self) -> None:
        result = self.run_with_gpu(
            "plots.maintain.sanitize",
            finds="--tool racecheck --error-exitcode 9 "
            f"{self.build}/chapters/sums/sums_02_flags --check --n 33",
        )
        self.assertEqual(result.returncode, 1)
        self.assertIn("sums/02_flags, racecheck:\nPotential hazard", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^sums/02_flags +clean +found +clean +clean$")
        self.assertIn("1 runs with findings", result.stdout)

    def test_a_tool_that_cannot_follow_launches_inside_kernels(self) -> None:
        warning = "Warning: CUDA Dynamic Parallelism is not supported by the selected tool"
        not_supported, found = "not supported", "found"
        # initcheck does not see the writes of launched kernels, so it reports further errors.
        for tool, says, cell in (
            ("synccheck", f"{warning}\nERROR SUMMARY: 1 error", not_supported),
            ("synccheck", f"{warning}\nERROR SUMMARY: 2 errors", found),
            ("racecheck", f"{warning}\nRACECHECK SUMMARY: 2 hazards", found),
            ("initcheck", f"{warning}\nERROR SUMMARY: 36 errors", not_supported),
            ("initcheck", "ERROR SUMMARY: 1 error", found),
        ):
            with self.subTest(tool=tool, says=says):
                result = self.run_with_gpu(
                    "plots.maintain.sanitize", finds=f"--tool {tool}", SANITIZER_SAYS=says
                )
                self.assertEqual(
                    result.returncode, int(cell == found), result.stdout + result.stderr
                )
                cells = {
                    "racecheck": "clean",
                    "initcheck": "clean",
                    "synccheck": "clean",
                    tool: cell,
                }
                self.assertRegex(
                    result.stdout, rf"(?m)^sums/02_flags +clean +{' +'.join(cells.values())}$"
                )

    def test_bulk_copies_which_initcheck_does_not_see(self) -> None:
        header = self.folder / "sums" / "03_bulk" / "runs.cuh"
        header.parent.mkdir(parents=True)
        header.write_text("cuda::ptx::cp_async_bulk(to, from, 16);\n", "utf-8")
        records = [
            self.stand_in("sums", "01_plain", "gpu", 0.02),
            self.stand_in("sums", "03_bulk", "gpu", 0.02, '#include "runs.cuh"\n'),
        ]
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        result = self.run_with_gpu("plots.maintain.sanitize", finds="--tool initcheck")
        self.assertRegex(result.stdout, r"(?m)^sums/01_plain +clean +clean +found +clean$")
        self.assertRegex(result.stdout, r"(?m)^sums/03_bulk +clean +clean +not supported +clean$")
        for_memory = self.run_with_gpu("plots.maintain.sanitize", finds="--tool memcheck")
        self.assertRegex(for_memory.stdout, r"(?m)^sums/03_bulk +found +clean +clean +clean$")

    def test_the_gpu_is_the_machine_s_own_engine(self) -> None:
        result = self.run_with_gpu("run", STAGE="sums/01_plain", STAND_IN_ECHO="1")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_architectures_that_meson_builds_for(self) -> None:
        self.assertEqual(self.run_with_gpu("lib.gpus").stdout, "90\n")

    def test_one_stage_or_several(self) -> None:
        result = self.run_with_gpu("plots.maintain.sanitize", STAGE="sums/02_flags")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(self.log.read_text().splitlines()), 4)
        self.run_with_gpu("plots.maintain.sanitize", STAGE="sums/01_plain,sums/02_flags")
        self.assertEqual(len(self.log.read_text().splitlines()), 4 + 8)
        wrong = self.run_with_gpu("plots.maintain.sanitize", STAGE="sums/01_plain,sums/03_no")
        self.assert_refused(wrong, 2, "STAGE=sums/03_no: no such stage")

    def test_the_name_of_the_gpu(self) -> None:
        environment = os.environ | {"LD_LIBRARY_PATH": str(self.folder), "PYTHONPATH": str(ROOT)}
        program = "from common.tools.lib.gpus import gpu_name; print(gpu_name())"
        command = [sys.executable, "-c", program]
        printed = subprocess.check_output(command, env=environment, text=True)
        self.assertEqual(printed, "Stand-In 1\n")

    def test_without_the_sanitizer(self) -> None:
        (self.folder / "compute-sanitizer").unlink()
        if shutil.which("compute-sanitizer"):
            self.skipTest("it is installed")
        self.assert_refused(
            self.run_with_gpu("plots.maintain.sanitize"), 1, "compute-sanitizer is missing"
        )


if __name__ == "__main__":
    unittest.main()
