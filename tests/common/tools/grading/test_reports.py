# SPDX-License-Identifier: MIT
"""What the teacher gets: tables that no submission can abuse, and the list of similar files."""

import csv
import io
import re
import unittest
from unittest import mock

from common.tools.grading import duplicates
from common.tools.grading.duplicates import Alike, find_alike, has_tester
from common.tools.grading.reports import (
    Student,
    canvas_table,
    grades_table,
    moodle_table,
    similar_table,
    student_page,
)
from common.tools.labs.catalogue import load_labs
from common.tools.labs.result import Finding, GoalResult, Result
from tests.common.tools.course_tools import run_tool
from tests.common.tools.grading.attacks import RIGHT, need_cage, with_code

need_cage()  # the tool that compares runs in one
LAB = load_labs()[RIGHT]
OWN = """
__device__ int add_pairs(const int* values, int count) {
    int total = 0;
    for (int place = 0; place < count; place += 2) {
        total += values[place] * 3;
        if (place + 1 < count) total -= values[place + 1] * 5;
        if (total > 1000) total = total % 17 + place;
    }
    return total;
}
"""


def grade(points: int = 4, message: str = "", note: str = "") -> dict[str, object]:
    result = Result(LAB.name, compiles=True, right=True, points=points, of=LAB.of)
    result.messages = [message] if message else []
    result.goals = [GoalResult(goal.counter, 1.0, 2.0, False, True, 1, 2) for goal in LAB.goals]
    result.findings = [Finding("race", "a.cu", 1, "race: <b>", "add <i>")]
    return result.to_json() | {"notes": [note] if note else []}


class ReportTest(unittest.TestCase):
    def test_grades(self) -> None:
        anna = Student("anna", "anna", {LAB.name: grade(7, "refused: x", "look here")})
        bob = Student("bob", "bob", problems={"": "b.zip: cannot be read"})
        carl = Student("carl", "carl", not_graded={LAB.name: "the disk is full"})
        students = [anna, bob, carl]
        rows = list(csv.reader(io.StringIO(grades_table([LAB], students))))
        self.assertEqual(rows[0], ["student", "points", "of", LAB.name, "remarks"])
        remarks = f"{LAB.name} refused; {LAB.name} look here"
        self.assertEqual(rows[1], ["anna", "7", str(LAB.of), "7", remarks])
        self.assertEqual(
            rows[2], ["bob", "0", str(LAB.of), "", "not readable: b.zip: cannot be read"]
        )
        remarks = f"{LAB.name} not graded: the disk is full"
        self.assertEqual(rows[3], ["carl", "0", str(LAB.of), "", remarks])

    def test_tables_for_learning_platforms(self) -> None:
        """The points that were given, 0 for what was not handed in, nothing for what nobody knows."""
        students = [
            Student("anna", "anna", {LAB.name: grade(7)}),
            Student("=bob", "bob"),
            Student("carl", "carl", not_graded={LAB.name: "the disk is full"}),
            Student("dora", "dora", problems={"": "d.zip: cannot be read"}),
        ]
        moodle = list(csv.reader(io.StringIO(moodle_table([LAB], students))))
        self.assertEqual(moodle[1:], [["anna", "7"], ["'=bob", "0"], ["carl", ""], ["dora", ""]])
        self.assertEqual(moodle[0], ["ID number", LAB.name])
        address = Student("anna@example.org", "anna")
        self.assertTrue(moodle_table([LAB], [address]).startswith("Email address,"))
        canvas = list(csv.reader(io.StringIO(canvas_table([LAB], students))))
        head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", LAB.name]
        self.assertEqual(canvas[0], head)
        self.assertEqual(canvas[1], ["    Points Possible", "", "", "", "", str(LAB.of)])
        self.assertEqual(canvas[2], ["anna", "", "", "anna", "", "7"])
        self.assertEqual([row[5] for row in canvas[3:]], ["0", "", ""])

    def test_an_unknown_platform_is_one_line(self) -> None:
        result = run_tool("grading.grade", DIR="submissions", FORMAT="ilias")
        said = "FORMAT=ilias: no such format; choose one of moodle, canvas\n"
        self.assertEqual((result.returncode, result.stderr), (2, said))

    def test_no_cell_is_a_formula(self) -> None:
        signs = ("=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠A1", ";=1+1", ' "=1', "\t1")
        for name in signs:
            students = [Student(name, "anna")]
            rows = list(csv.reader(io.StringIO(grades_table([LAB], students))))
            self.assertEqual(rows[1][0], "'" + name)
            alike = [Alike(LAB.name, name, name, 100, "how")]
            rows = list(csv.reader(io.StringIO(similar_table(alike))))
            self.assertEqual(rows[1][1:3], ["'" + name] * 2)

    def test_a_page_shows_text_as_text(self) -> None:
        evil = "<script>alert(1)</script>"
        student = Student(evil, "anna", {LAB.name: grade(1, evil)}, {"": evil})
        page = student_page(student, [LAB])
        self.assertNotIn("<script", page)
        self.assertNotIn("<b>", page)
        self.assertEqual(page.count("&lt;script&gt;alert(1)&lt;/script&gt;"), 4)
        self.assertIn("default-src 'none'", page)

    def test_a_page_says_what_is_missing(self) -> None:
        page = student_page(Student("anna", "anna"), [LAB])
        self.assertIn(f"Not handed in: 0 of {LAB.of} points", page)
        student = Student("anna", "anna", not_graded={LAB.name: "the disk is full"})
        self.assertIn("Not graded yet: the disk is full", student_page(student, [LAB]))


class SimilarTest(unittest.TestCase):
    def alike(self, **texts: str) -> list[tuple[str, str]]:
        sources = {student: text.encode() for student, text in texts.items()}
        found = find_alike(LAB, sources)
        self.assertEqual(found, find_alike(LAB, dict(reversed(sources.items()))))
        return [(one.student, one.other) for one in found]

    def test_renamed_copies_are_found(self) -> None:
        text = with_code(LAB, before=OWN)
        renamed = re.sub(r"\b(total|place|add_pairs)\b", r"my_\1", text)
        changed = renamed.replace("my_total", "  /* sum */\n my_total")
        with mock.patch.object(duplicates, "has_tester", return_value=False):
            self.assertEqual(self.alike(anna=text, bob=changed), [("anna", "bob")])

    def test_start_and_solution_are_not_listed(self) -> None:
        start, solution = LAB.start.text(), LAB.solution.text()
        self.assertEqual(self.alike(a=start, b=start, c=solution, d=solution), [])

    def test_different_files_are_not_listed(self) -> None:
        other = "__device__ float halve(float x) { return x < 0 ? -x / 2 : x * 0.5f + 7; }\n"
        text, second = with_code(LAB, before=OWN), with_code(LAB, before=other * 3)
        self.assertEqual(self.alike(anna=text, bob=second), [])

    @unittest.skipUnless(has_tester(), "the package similarity-tester is missing")
    def test_files_that_share_most_lines_are_found(self) -> None:
        text = with_code(LAB, before=OWN)
        more = with_code(LAB, before=OWN + "__device__ int own(int x) { return x * x - 1; }")
        self.assertEqual(self.alike(anna=text, bob=more), [("anna", "bob")])
        renamed = re.sub(r"\b(total|place|add_pairs)\b", r"my_\1", more)
        pairs = [("anna", "bob"), ("anna", "carl"), ("bob", "carl")]
        self.assertEqual(self.alike(anna=text, bob=more, carl=renamed), pairs)

    def test_files_that_are_no_text_are_left_out(self) -> None:
        found = find_alike(LAB, {"a": b"\xff\xfe", "b": b"/* no end"})
        self.assertEqual(found, [])
        self.assertEqual(similar_table(found), "lab,student,other,percent,how\n")


if __name__ == "__main__":
    unittest.main()
