# SPDX-License-Identifier: MIT
"""make check: what a student's file gets, for right, wrong and broken files."""

import os
import unittest

from common.tools.lib.stages import ROOT
from tests.common.tools.labs.lab_programs import LabTest, digest

FIRST = "basics/02"


class Checking(LabTest):
    def setUp(self) -> None:
        self.lab = self.labs[FIRST]

    def test_start_and_solution(self) -> None:
        # The solution is compiled as a student's file is, whatever is built.
        self.run_once.built.pop(digest(ROOT / self.lab.solution.stage.source), None)
        self.assert_marks(self.lab)

    def test_question_shows_its_answer_to_those_who_know_it(self) -> None:
        lab = self.labs["basics/question1"]
        self.assert_marks(lab)
        wrong = self.check_text(lab, "answer = 31\n")
        self.assertEqual((wrong.right, wrong.points, wrong.goals[0].goal), (False, 0, None))
        self.assertEqual(wrong.messages, [])

    def test_what_make_grade_refuses_is_refused_here(self) -> None:
        text = self.lab.solution.text().replace(
            "int main(", "int own = system(nullptr);\nint main("
        )
        line = text[: text.index("system")].count("\n") + 1
        result = self.check_text(self.lab, text)
        self.assertEqual((result.compiles, result.points), (False, 0))
        refused = f"refused: basics.cu, line {line}: system: reaches the system"
        self.assertTrue(result.messages[0].startswith(refused), result.messages)

    def test_text_that_does_not_compile(self) -> None:
        text = self.lab.start.text().replace("int sum = 0;", "int sum = nothing;", 1)
        line = text[: text.index("nothing")].count("\n") + 1
        result = self.check_text(self.lab, text)
        self.assertFalse(result.compiles)
        self.assertEqual(result.points, 0)
        self.assertTrue(
            result.messages[0].startswith(f"basics.cu:{line}: error: "), result.messages
        )
        self.assertFalse(any("common/" in line for line in result.messages), result.messages)
        self.assertEqual([goal.yours for goal in result.goals], [None])


@unittest.skipUnless(os.environ.get("COUNTED_STAGES") == "all", "belongs to the long tests")
class UnusualPrograms(LabTest):
    def setUp(self) -> None:
        self.lab = self.labs[FIRST]

    def test_empty_file_and_binary_file(self) -> None:
        for text in ("", "\0\1\2"):
            result = self.check_text(self.lab, text)
            self.assertEqual((result.compiles, result.points), (False, 0))
            self.assertTrue(result.messages)

    def test_kernels_that_do_nothing_get_no_points_for_their_counters(self) -> None:
        text = self.lab.solution.text().replace("sum += cells", "sum += 0 * cells")
        self.assertNotEqual(text, self.lab.solution.text())
        result = self.check_text(self.lab, text)
        self.assertFalse(result.right)
        self.assertEqual(result.points, 0)
        self.assertTrue(any("WRONG RESULT" in line for line in result.messages), result.messages)

    def test_program_that_forgets_its_main(self) -> None:
        text = self.lab.start.text()
        result = self.check_text(self.lab, text[: text.index("int main(")])
        self.assertEqual((result.compiles, result.points), (False, 0))

    def test_endless_kernel(self) -> None:
        text = self.lab.start.text()
        text = text.replace(
            "int sum = 0;", "volatile int sum = 0;\n    while (sum == 0) sum = 0;", 1
        )
        result = self.check_text(self.lab, text)
        self.assertEqual((result.compiles, result.right, result.points), (True, False, 0))
        self.assertIn("endless kernel", [one.kind for one in result.findings])

    def test_crash(self) -> None:
        text = self.lab.start.text()
        begin = "timer.begin(Phase::kSetup);"
        self.assertIn(begin, text)
        text = text.replace(
            begin, f"{begin} volatile int* volatile place = nullptr; *place = 1;", 1
        )
        result = self.check_text(self.lab, text)
        self.assertEqual((result.compiles, result.right, result.points), (True, False, 0))
        self.assertTrue(any("signal 11" in line for line in result.messages), result.messages)


if __name__ == "__main__":
    unittest.main()
