# SPDX-License-Identifier: MIT
"""make explain on the course's own stages: what it says of a stage is what the next stage cures."""

import json
import unittest

from common.tools.lib.stages import executable, load_stages
from tests.common.tools.course_tools import ROOT, run_tool

# The wasting stage, the kind of its waste, a part of its line, and the stage that cures it.
LADDER = (
    ("basics/01_thread_per_line", "stride", "sum += cells[", "basics/02_warp_per_row"),
    ("basics/04_shared_tile", "bank_conflict", "s_tile[line][i]", "basics/05_padded_tile"),
    ("basics/05_padded_tile", "branch", "s_tile[line][i]", "basics/06_whole_warps"),
    ("nbody/02_float4", "reuse", "other = bodies[j]", "nbody/03_shared_tiles"),
    ("nbody/03_shared_tiles", "struct", "accelerations[i]", "nbody/04_soa_accelerations"),
    ("kmeans/01_separate_lists", "reuse", "centroids_x[c]", "kmeans/02_shared_centroids"),
    ("kmeans/03_int2", "branch", "", "kmeans/04_two_stage_reduction"),
)


class LadderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stages = {stage.stage: stage for stage in load_stages()}

    def kinds(self, stage: str) -> dict[str, str]:
        """The findings' kinds with the causes' first lines of source."""
        own = self.stages[stage]
        if "count" not in own.executables or not executable(own, "count").exists():
            self.skipTest(f"{stage} is not built")
        result = run_tool("explain", STAGE=stage, JSON="-")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = {}
        for one in json.loads(result.stdout)["findings"]:
            with open(ROOT / own.source, encoding="utf-8") as source:
                found.setdefault(one["kind"], source.read().splitlines()[one["line"] - 1])
        return found

    def test_the_next_stage_cures(self) -> None:
        for stage, kind, text, cured in LADDER:
            with self.subTest(stage):
                found = self.kinds(stage)
                self.assertIn(kind, found)
                self.assertIn(text, found[kind])
                self.assertNotIn(kind, self.kinds(cured))


if __name__ == "__main__":
    unittest.main()
