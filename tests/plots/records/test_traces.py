# SPDX-License-Identifier: MIT
"""The recorded traces are those of the chapters, and small."""

import unittest

from plots.records.folders import TRACES
from plots.records.stages import all_stages
from plots.traces import all_traces

MOST_BYTES = 200_000


class TracesTest(unittest.TestCase):
    def test_every_trace_is_recorded_and_all_are_small(self) -> None:
        files = list(TRACES.glob("*.csv"))
        self.assertEqual({path.stem for path in files}, {one.name for one in all_traces()})
        self.assertLess(sum(path.stat().st_size for path in files), MOST_BYTES)

    def test_their_stages_exist(self) -> None:
        stages = {stage.stage for stage in all_stages()}
        self.assertLessEqual({one.stage for one in all_traces()}, stages)


if __name__ == "__main__":
    unittest.main()
