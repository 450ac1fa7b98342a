# SPDX-License-Identifier: MIT
"""Every stage has its view, at the sizes of its recorded counters or smaller: test_view_stages.py
[CHAPTER]. A third of the stages is drawn anew each time (tests/drawn.py)."""

import sys
import unittest
from pathlib import Path

from common.tools.lib.stages import Stage, load_stages
from plots.page.inside import SMALLER
from tests.common.tools.course_tools import BUILD, ROOT, run_tool
from tests.common.tools.view.test_view import data_of
from tests.drawn import drawn
from tests.plots.page.reader import Reader

CHAPTER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
MOST_BYTES = 6_000_000
# Of the chapters whose views are smaller, one stage has the recorded size.
AS_RECORDED = "tiles_by_size"


class StageViews(unittest.TestCase):
    def check(self, stage: Stage) -> None:
        smaller = [] if stage.name.endswith(AS_RECORDED) else SMALLER.get(stage.chapter, [])
        result = run_tool("view", STAGE=stage.stage, ARGS=" ".join(smaller))
        self.assertEqual(result.returncode, 0, result.stderr)
        path = BUILD / "view" / f"{stage.stage.replace('/', '-')}.html"
        page = path.read_text(encoding="utf-8")
        self.assertLess(len(page), MOST_BYTES)
        Reader(page)
        (program,) = data_of(page)
        self.assertEqual(bool(program["findings"]), stage.race_on_purpose)
        self.assertIn(f'<tr id="p0-{Path(stage.source).name}-1"', page)
        self.assertEqual("has no kernels of its own" in page, not program["kernels"])
        if not program["kernels"]:
            self.assertTrue(stage.libraries)
            return
        self.assertTrue(any(one["kept"] for one in program["instructions"]))
        self.assertTrue(any(kernel["warps"] for kernel in program["kernels"]))
        self.assertEqual(len(program["occupancy"]), len(program["kernels"]))
        last = len((ROOT / stage.source).read_text(encoding="utf-8").splitlines())
        self.assertIn(f'<tr id="p0-{Path(stage.source).name}-{last}"', page)

    def test_each(self) -> None:
        stages = [
            one
            for one in load_stages()
            if CHAPTER in ("", one.chapter) and "count" in one.executables
        ]
        self.assertTrue(stages)
        for stage in drawn(stages, max(3, len(stages) // 3), "stages"):
            with self.subTest(stage.stage):
                self.check(stage)


if __name__ == "__main__":
    unittest.main()
