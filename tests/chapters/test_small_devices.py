# SPDX-License-Identifier: MIT
"""Every stage on the engine's GTX 980, which lacks what some stages need: it is right, or one line
says what is missing and the status is 77. No other launch fails than a cooperative one: a GTX 980 has
none, every GPU from compute capability 6.0 on does.

    test_small_devices.py STAGES_JSON
"""

import json
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.chapters.stage_programs import execute

STAGES_JSON = Path(sys.argv.pop(1))
STAGES = [
    stage
    for stage in json.loads(STAGES_JSON.read_text(encoding="utf-8"))
    if "emu" in stage["executables"] and not stage["race_on_purpose"]
]
SIZE = 70
WITH_COOPERATIVE_LAUNCHES = ("distmesh",)
NEWER = r"\S+: this stage needs a GPU of compute capability \d+\.\d .*; .*GTX 980 \(emulated\) has 5\.2\n"
COOPERATIVE = r"\S+: \S+: .*: cudaErrorNotSupported: operation not supported\n"
SHARED = r"\S+: a block of this stage needs \d+ bytes of shared memory; on .*GTX 980 .*\n"


class SmallDeviceTest(unittest.TestCase):
    def test_every_stage_is_right_or_says_what_it_needs(self) -> None:
        def run(stage: dict[str, Any]) -> subprocess.CompletedProcess[str]:
            program = STAGES_JSON.parent / stage["executables"]["emu"]
            return execute(program, "--check", "--n", SIZE, EMULATOR_DEVICE="gtx980")

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(run, STAGES))
        seen = set()
        for stage, result in zip(STAGES, results, strict=True):
            with self.subTest(stage["stage"]):
                wanted = NEWER if stage["minimum_sm"] else SHARED
                if re.fullmatch(COOPERATIVE, result.stderr):
                    self.assertIn(stage["chapter"], WITH_COOPERATIVE_LAUNCHES)
                    self.assertEqual((result.returncode, result.stdout), (1, ""))
                    continue
                if stage["minimum_sm"] or result.returncode != 0:
                    self.assertEqual((result.returncode, result.stdout), (77, ""), result.stderr)
                    self.assertRegex(result.stderr, rf"\A{wanted}\Z")
                    seen.add(wanted)
        self.assertEqual(seen, {NEWER, SHARED})

    def test_a_newer_device_has_all(self) -> None:
        for stage in STAGES:
            if stage["minimum_sm"]:
                program = STAGES_JSON.parent / stage["executables"]["emu"]
                result = execute(program, "--check", "--n", SIZE, EMULATOR_DEVICE="h200")
                self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
