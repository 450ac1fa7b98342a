# SPDX-License-Identifier: MIT
"""In each chapter, a stage's saved result passes another stage's oracle, and nothing else does."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.stages import Stage, chapters_of, executable, load_stages

STAGES = [one for one in load_stages() if "emu" in one.executables and not one.race_on_purpose]
SIZE = "257"
# What makes another input. Any good mesh of a domain is right, whatever the seed.
OTHER = {"distmesh": ["--seed", "3", "--domain", "ring"]}


def pair_of(chapter: str) -> tuple[Stage, Stage]:
    """The first two stages of a chapter that run on the CPU engine."""
    first, second, *_ = (stage for stage in STAGES if stage.chapter == chapter)
    return first, second


class ResultTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "result"

    def run_stage(self, stage: Stage, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(executable(stage, "emu")), "--n", SIZE, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def judge(self, stage: Stage, *words: str) -> tuple[int, str]:
        given = words or ("--seed", "3")
        ended = self.run_stage(stage, "--judge-result", str(self.file), *given)
        return ended.returncode, ended.stdout + ended.stderr

    def check_chapter(self, chapter: str) -> None:
        saver, judge = pair_of(chapter)
        saved = self.run_stage(saver, "--seed", "3", "--save-result", str(self.file))
        self.assertEqual(saved.returncode, 0, saved.stderr)
        status, said = self.judge(judge)
        self.assertEqual(status, 0, said)
        self.assertTrue(said.startswith(f"OK {judge.stage} n="), said)
        other = OTHER.get(chapter, ["--seed", "4"])
        self.assertEqual(self.judge(judge, *other)[0], 1, "the result of another input passes")
        whole = self.file.read_bytes()
        self.file.write_bytes(whole + b"x")
        self.assertEqual(self.judge(judge)[0], 1)
        # The first number of the result is wrong: behind the count that begins a list.
        changed = bytearray(whole)
        for place in range(8, 16) if len(whole) > 16 else (0,):
            changed[place] ^= 0x41
        self.file.write_bytes(changed)
        self.assertEqual(self.judge(judge)[0], 1, "a changed result passes")

    def test_chapters(self) -> None:
        for chapter in chapters_of(STAGES):
            with self.subTest(chapter=chapter):
                self.check_chapter(chapter)


if __name__ == "__main__":
    unittest.main()
