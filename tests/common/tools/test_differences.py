# SPDX-License-Identifier: MIT
"""make diff and the size of a stage: all files of both programs, what has moved, and what is no
code."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib import differences
from common.tools.lib.differences import changes, headers_of, size_of, source_diff
from common.tools.lib.stages import Stage
from tests.common.tools.made_up_stages import made_up_stage

BEFORE = """// A comment.
#include "common/low.hpp"
#include "01_first/tree.cuh"

int sum(int a) {
    return a + 1;
}
int twice(int a) {
    const int b = 2 * a;
    return b;
}
"""
AFTER = """// Another comment.
#include "common/low.hpp"
#include "01_first/tree.cuh"
#include "limit/01_more/twice.cuh"

int sum(int a) {
    return a + 2;  // changed
}
"""
TWICE = """#pragma once
#include "blocks/scan/scan.cuh"
// Doubles.
inline int twice(int a) {
    const int b = 2 * a;
    return b;
}
"""


class DifferencesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        patch = mock.patch.object(differences, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.write("common/low.hpp", "int low();\n")
        self.write("chapters/sums/01_first/tree.cuh", "int tree();\n")
        self.write("chapters/sums/blocks/scan/scan.cuh", "int scan();\nint more();\n")
        self.write("chapters/sums/limit/01_more/twice.cuh", TWICE)
        self.before = self.stage("01_first", BEFORE)
        self.after = self.stage("limit/01_more", AFTER)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def stage(self, name: str, text: str) -> Stage:
        self.write(f"chapters/sums/{name}/sums.cu", text)
        return made_up_stage("sums", name)

    def test_a_program_s_headers_are_followed(self) -> None:
        """Those of common/ are the same for all programs."""
        found = [
            str(path.relative_to(self.root / "chapters/sums")) for path in headers_of(self.after)
        ]
        self.assertEqual(
            found, ["01_first/tree.cuh", "limit/01_more/twice.cuh", "blocks/scan/scan.cuh"]
        )

    def test_what_is_added_and_what_has_moved(self) -> None:
        """`twice` has moved into a header, one line has changed, a block is new. Comments,
        includes and blank lines are no code."""
        found = changes(self.before, self.after)
        self.assertEqual(
            [one.after.removeprefix("chapters/sums/") for one in found],
            ["limit/01_more/sums.cu", "blocks/scan/scan.cuh", "limit/01_more/twice.cuh"],
        )
        size = size_of(found)
        self.assertEqual((size.added, size.moved, size.files), (4, 4, 3))  # with #pragma once
        self.assertEqual(str(size), "adds 4 lines in 3 files, and moves 4 lines")
        size = size_of(found, without=("/blocks/",))
        self.assertEqual((size.added, size.files), (2, 2))

    def test_few_lines_have_not_moved(self) -> None:
        """Two equal lines in a row stand in many programs."""
        after = self.stage("limit/02_other", "int other() {\n    return b;\n}\n")
        self.assertEqual(size_of(changes(self.before, after)).moved, 0)

    def test_the_diff_names_every_file(self) -> None:
        text = "\n".join(source_diff(self.before, self.after))
        self.assertTrue(text.startswith("sums/limit/01_more adds 4 lines in 3 files, and moves 4"))
        self.assertIn("--- /dev/null\n+++ chapters/sums/limit/01_more/twice.cuh\n", text)
        self.assertIn("-    return a + 1;\n+    return a + 2;  // changed\n", text)
        text = "\n".join(source_diff(self.after, self.before))
        self.assertIn("\nno longer includes chapters/sums/limit/01_more/twice.cuh", text)

    def test_equal_programs(self) -> None:
        self.assertEqual(changes(self.before, self.before), [])
        self.assertEqual(source_diff(self.before, self.before), [])


if __name__ == "__main__":
    unittest.main()
