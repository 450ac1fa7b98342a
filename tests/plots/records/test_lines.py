# SPDX-License-Identifier: MIT
"""The counters of lines: they stand at the lines that were counted, or nowhere."""

import unittest

from common.tools.lib.columns import LINE_COLUMNS
from common.tools.lib.files import read_text
from plots.page.chapters import all_chapters
from plots.records.folders import LINES
from plots.records.lines import placed, read_lines
from tests.plots.fixtures import PlotsTest

COUNTED = """first = a[i];
__syncthreads();
a[i] = first;
__syncthreads();
"""


class LinesTest(PlotsTest):
    def lines(self) -> list:
        path = self.write(
            "alchemy.csv",
            LINE_COLUMNS,
            [
                ["01_iron", "alchemy.cu", 1, "first = a[i];", 8, 256, 96, 32, 0, 0, 8, 0, 0, 0],
                ["01_iron", "alchemy.cu", 2, "__syncthreads();", *[0] * 8, 4, 0],
                ["01_iron", "alchemy.cu", 4, "__syncthreads();", *[0] * 8, 5, 0],
                ["02_gold", "alchemy.cu", 1, "x", *[0] * 8, 9, 0],
            ],
        )
        return read_lines(path)["01_iron", "alchemy.cu"]

    def test_margins(self) -> None:
        found = placed(self.lines(), COUNTED)
        assert found is not None
        self.assertEqual(list(found), [1, 2, 4])
        self.assertEqual(found[1].per_request("sectors"), 12)
        self.assertEqual((found[1].waste, found[1].level), (3, 2))
        self.assertEqual([found[i].barriers for i in (2, 4)], [4, 5])

    def test_lines_are_found_again(self) -> None:
        moved = placed(self.lines(), "// more\n\n" + COUNTED.replace("first", "  first", 1))
        assert moved is not None
        self.assertEqual([one.barriers for one in moved.values()], [0, 4, 5])
        self.assertEqual(list(moved), [3, 4, 6])

    def test_counters_of_another_source_are_not_shown(self) -> None:
        for other in (
            COUNTED.replace("a[i];", "b[i];"),
            COUNTED.replace("__syncthreads();\n", "", 1),
            "",
        ):
            self.assertIsNone(placed(self.lines(), other))

    def test_damaged_numbers(self) -> None:
        path = self.write("a.csv", LINE_COLUMNS, [["01", "a.cu", "x", "t", *[0] * 10]])
        with self.refuses("a.csv:2: .*line"):
            read_lines(path)


class RecordedTest(unittest.TestCase):
    def test_recorded_lines_are_those_of_the_sources(self) -> None:
        looked_at = 0
        for chapter in all_chapters():
            path = LINES / f"{chapter.name}.csv"
            for (stage, file), lines in (read_lines(path) if path.exists() else {}).items():
                if stage not in chapter.stages:
                    continue
                source = chapter.stages[stage].path_of(file)
                with self.subTest(chapter=chapter.name, stage=stage, file=file):
                    again = f"python3 -m plots.maintain.record_counters {chapter.name}/{stage}"
                    self.assertIsNotNone(placed(lines, read_text(source)), f"run {again}")
                looked_at += 1
        self.assertGreater(looked_at, 250)


if __name__ == "__main__":
    unittest.main()
