# SPDX-License-Identifier: MIT
"""A stage with a race on purpose: its result is wrong on the CPU engine, and the counting engine
names the race alone.

    test_race_on_purpose.py STAGES_JSON STAGE ENGINE     ENGINE: emu or count

Its --check succeeds if only cells within the reach of the race are wrong, and says how many there
are.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ENGINE = sys.argv.pop(3)
STAGE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
ROOT = Path(__file__).resolve().parents[3]
RECORD = next(
    one for one in json.loads(STAGES_JSON.read_text(encoding="utf-8")) if one["stage"] == STAGE
)
PROGRAM = STAGES_JSON.parent / RECORD["executables"][ENGINE]
SCHEDULES = ("in-order", "reversed", "shuffled:1", "shuffled:2", "shuffled:3")
ONE_BLOCK, MANY_BLOCKS = 250, 1000
WRONG = r"^OK \S+ n=\d+ wrong because of its race: (\d+) of \d+ cells"


def execute(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    return subprocess.run(
        [str(PROGRAM), *map(str, arguments)],
        env=environment | settings,
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )


def racing_lines() -> set[int]:
    """The lines that write the copy or read it from another block."""
    lines = (ROOT / RECORD["source"]).read_text(encoding="utf-8").splitlines()
    return {
        number
        for number, line in enumerate(lines, 1)
        if re.search(r"layer_copy\[k( [-+] 1)?\]", line)
    }


class RaceTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @unittest.skipIf(ENGINE == "count", "findings would end the run")
    def test_wrong_in_every_order_and_otherwise_in_some(self) -> None:
        layers = set()
        for schedule in SCHEDULES:
            path = self.folder / "layer"
            result = execute(
                "--check", "--n", MANY_BLOCKS, "--layer", path, EMULATOR_SCHEDULE=schedule
            )
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            found = re.match(WRONG, result.stdout)
            assert found is not None, result.stdout
            self.assertGreater(int(found[1]), 0)
            layers.add(path.read_text(encoding="utf-8"))
        self.assertGreater(len(layers), 1)

    @unittest.skipIf(ENGINE == "count", "findings would end the run")
    def test_right_in_one_block(self) -> None:
        for schedule in SCHEDULES:
            result = execute("--check", "--n", ONE_BLOCK, EMULATOR_SCHEDULE=schedule)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(" right: there is only one block, so nothing races", result.stdout)

    @unittest.skipIf(ENGINE == "count", "findings would end the run")
    def test_never_timed(self) -> None:
        for n in (ONE_BLOCK, MANY_BLOCKS):
            rows = self.folder / "rows.csv"
            result = execute("--n", n, "--csv", rows)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertIn("a race on purpose", result.stderr)
            self.assertFalse(rows.exists())

    @unittest.skipIf(ENGINE != "count", "the engine with counters names races")
    def test_the_race_is_named_and_nothing_else(self) -> None:
        path = self.folder / "counters.json"
        for schedule in SCHEDULES:
            for n in (ONE_BLOCK, MANY_BLOCKS):
                with self.subTest(f"{n} {schedule}"):
                    result = execute(
                        "--check",
                        "--quiet",
                        "--n",
                        n,
                        "--counters",
                        path,
                        EMULATOR_SCHEDULE=schedule,
                    )
                    findings = json.loads(path.read_text(encoding="utf-8"))["findings"]
                    if n == ONE_BLOCK:
                        self.assertEqual((result.returncode, findings), (0, []))
                        continue
                    self.assertEqual(result.returncode, 1)
                    self.assertEqual({one["kind"] for one in findings}, {"race_between_blocks"})
                    self.assertEqual(
                        {actor["line"] for one in findings for actor in one["actors"]},
                        racing_lines(),
                    )
                    self.assertEqual(
                        {Path(actor["file"]).name for one in findings for actor in one["actors"]},
                        {Path(RECORD["source"]).name},
                    )


if __name__ == "__main__":
    unittest.main()
