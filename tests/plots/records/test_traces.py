# SPDX-License-Identifier: MIT
"""The recorded traces are those of the chapters, and small."""

import unittest

from common.tools.lib.stages import DataError
from plots.records.folders import TRACES
from plots.records.stages import all_stages
from plots.records.traces import Trace, requests_of
from plots.maintain.traces import all_traces, chosen_traces

MOST_BYTES = 250_000


class TracesTest(unittest.TestCase):
    def test_every_trace_is_recorded_and_all_are_small(self) -> None:
        files = list(TRACES.glob("*.csv"))
        self.assertEqual({path.stem for path in files}, {one.name for one in all_traces()})
        self.assertLess(sum(path.stat().st_size for path in files), MOST_BYTES)

    def test_requests_are_put_together(self) -> None:
        def access(lane: int, line: str = "a.cu:1", operation: str = "load") -> dict[str, str]:
            return {
                "grid": "1",
                "block": "0",
                "step": "0",
                "warp": "0",
                "lane": str(lane),
                "line": line,
                "operation": operation,
                "object": "a1",
                "bytes": "4",
            }

        records = [access(0), access(2), access(3), access(0), access(1, "a.cu:2")]
        records += [access(2, "a.cu:2", "store"), access(5, "a.cu:2", "store")]
        found = [[one["lane"] for one in own] for own in requests_of(records)]
        self.assertEqual(found, [["0", "2", "3"], ["0"], ["1"], ["2", "5"]])
        self.assertEqual(list(requests_of([])), [])

    def test_lines_without_the_pattern_are_left_out(self) -> None:
        trace = Trace("none", "alchemy/01_lead", (), (), lambda records: [], only=",(3|5),")
        lines = ["a,b,c\n", "1,2,9\n", "1,3,9\n", "1,5,9\n", "3,4,5\n"]
        self.assertEqual(list(trace.wanted(lines)), [lines[0], lines[2], lines[3]])

    def test_their_stages_exist(self) -> None:
        stages = {stage.stage for stage in all_stages()}
        self.assertLessEqual({one.stage for one in all_traces()}, stages)

    def test_some_of_them_by_their_names(self) -> None:
        self.assertEqual(chosen_traces(None), all_traces())
        self.assertEqual([one.name for one in chosen_traces(["network"])], ["network"])
        with self.assertRaisesRegex(DataError, "netwerk: no such table; did you mean 'network'"):
            chosen_traces(["netwerk"])


if __name__ == "__main__":
    unittest.main()
