# SPDX-License-Identifier: MIT
"""make explain on the course's own stages: what it says of a stage is what the next stage cures."""

import json
import unittest

from common.tools.lib.stages import executable, load_stages
from tests.common.tools.course_tools import ROOT, run_tool

# The wasting stage by its short name, the kind of its waste, a part of its line, and the
# stage that cures it.
LADDER = (
    ("basics/thread_per_line", "stride", "sum += cells[", "basics/warp_per_row"),
    ("basics/shared_tile", "bank_conflict", "s_tile[line][i]", "basics/padded_tile"),
    ("basics/padded_tile", "branch", "s_tile[line][i]", "basics/whole_warps"),
    ("nbody/float4", "reuse", "other = bodies[j]", "nbody/shared_tiles"),
    ("nbody/shared_tiles", "struct", "accelerations[i]", "nbody/soa_accelerations"),
    ("kmeans/separate_lists", "reuse", "centroids_x[c]", "kmeans/shared_centroids"),
    ("kmeans/int2", "branch", "", "kmeans/two_stage_reduction"),
)


class LadderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stages = {f"{stage.chapter}/{stage.name[3:]}": stage for stage in load_stages()}

    def kinds(self, stage: str) -> dict[str, str]:
        """The findings' kinds with the causes' first lines of source."""
        own = self.stages[stage]
        if "count" not in own.executables or not executable(own, "count").exists():
            self.skipTest(f"{stage} is not built")
        result = run_tool("explain", STAGE=own.stage, JSON="-")
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
