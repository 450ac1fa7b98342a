# SPDX-License-Identifier: MIT
"""make stage and make chapter: the text that they write and the names that they refuse.

Nothing is built.
"""

import re
import unittest

from plots.commands import new_chapter, new_stage
from common.tools.lib.stages import ROOT, Stage, ToolError
from tests.common.tools.made_up_stages import made_up_stage
from tests.common.tools.course_tools import ToolTest, run_tool

RECORDS = """# SPDX-License-Identifier: MIT
checks = ['--n 7']
chapter = {
    'counter_args': '--n 10',
    'stages': [
        {
            'name': '00_cpu',
            'technique': 'one thread',
        },
        {
            'name': '01_first',
            'technique': 'one thread per number',
            'begins_part': 'sums',
            'compared_with': '00_cpu',
            'race_on_purpose': true,
            'largest_n': 2048,
            'cuda_args': ['-ftz=true'],
            'more_checks': [
                '--n 7 --input sorted',
                '--n 9',
            ],
            'libraries': ['cub'],
        },
        {
            'name': '02_second',
            'technique': 'four numbers per thread',
        },
    ],
}
"""
NEW_RECORD = """        {
            'name': '03_my_idea',
            'technique': 'my idea',
            'compared_with': '01_first',
            'largest_n': 2048,
            'cuda_args': ['-ftz=true'],
            'more_checks': [
                '--n 7 --input sorted',
                '--n 9',
            ],
            'libraries': ['cub'],
            'not_recorded': true,
        },
"""
SOURCE = """// SPDX-License-Identifier: MIT
// Sums, stage 01: a first kernel.
// Idea: one thread per number.
// Compared with 00_cpu: the loop becomes the grid.
#include <cstdio>
// A comment of the code.
int main() {}
"""


def stage(name: str, chapter: str = "sums") -> Stage:
    path = name.rpartition("/")[0]
    return made_up_stage(chapter, name, path=path)


FIRST = stage("01_first")
STAGES = [stage("00_cpu"), FIRST, stage("02_second"), stage("07_last", "other")]


class HeadTest(unittest.TestCase):
    def test_the_head_is_new_and_the_code_is_kept(self) -> None:
        lines = new_stage.new_head(SOURCE, FIRST, "03_my_idea").splitlines()
        self.assertEqual(lines[0], "// SPDX-License-Identifier: MIT")
        self.assertEqual(lines[1], "// Sums, stage 03: my idea.")
        self.assertTrue(lines[2].startswith("// Idea: none yet."))
        self.assertTrue(lines[3].startswith("// Compared with 01_first: "))
        self.assertEqual(lines[-3:], SOURCE.splitlines()[-3:])
        self.assertNotIn("one thread per number", "\n".join(lines))

    def test_a_source_without_a_title_is_refused(self) -> None:
        with self.assertRaisesRegex(ToolError, "chapters/sums/01_first/sums.cu: line 2 is not"):
            new_stage.new_head(SOURCE.replace(", stage 01", ""), FIRST, "03_my_idea")

    def test_the_head_fits_into_100_columns(self) -> None:
        for line in new_stage.new_head(SOURCE, FIRST, "03_my_idea").splitlines():
            self.assertLessEqual(len(line), 100)


class RecordTest(unittest.TestCase):
    def test_the_record_is_added_as_the_last_one_with_the_keys_of_the_first_stage(self) -> None:
        made = new_stage.new_record(RECORDS, FIRST, "03_my_idea", stage("02_second"))
        self.assertEqual(made, RECORDS.replace("    ],\n}\n", NEW_RECORD + "    ],\n}\n"))

    def test_compared_with_is_left_out_where_it_is_the_stage_before(self) -> None:
        second = stage("02_second")
        made = new_stage.new_record(RECORDS, second, "03_my_idea", second)
        added = made.removeprefix(RECORDS.removesuffix("    ],\n}\n"))
        self.assertEqual(
            added,
            "        {\n            'name': '03_my_idea',\n"
            "            'technique': 'my idea',\n            'not_recorded': true,\n        },\n    ],\n}\n",
        )

    def test_a_missing_record_or_an_unknown_form_is_refused(self) -> None:
        for meson, name in ((RECORDS, "05_none"), ("", "01_first")):
            with self.subTest(name), self.assertRaisesRegex(ToolError, f"{name} was not found"):
                new_stage.new_record(meson, stage(name), "06_my_idea", stage(name))
        with self.assertRaisesRegex(ToolError, "09_last was not found"):
            new_stage.new_record(RECORDS, FIRST, "10_my_idea", stage("09_last"))

    def test_the_record_stands_behind_those_of_its_path(self) -> None:
        more = RECORDS.replace("'02_second'", "'limit/01_second'")
        first, second = stage("01_first"), stage("limit/01_second")
        made = new_stage.new_record(more, second, "02_my_idea", first)
        self.assertLess(made.index("02_my_idea"), made.index("limit/01_second"))
        made = new_stage.new_record(more, first, "limit/02_my_idea", second)
        self.assertLess(made.index("limit/01_second"), made.index("limit/02_my_idea"))

    def test_every_stage_of_the_course_can_be_continued(self) -> None:
        paths = sorted((ROOT / "chapters").glob("*/meson.build"))
        self.assertGreaterEqual(len(paths), 8)
        for path in paths:
            text = path.read_text(encoding="utf-8")
            names = re.findall(r"^            'name': '([\w/]+)',$", text, re.MULTILINE)
            self.assertGreater(len(names), 1, path)
            for name in names:
                with self.subTest(f"{path.parent.name}/{name}"):
                    before, last = (stage(one, path.parent.name) for one in (name, names[-1]))
                    made = new_stage.new_record(text, before, "98_idea", last)
                    self.assertEqual(
                        re.findall(r"^            'name': '([\w/]+)',$", made, re.MULTILINE),
                        [*names, "98_idea"],
                    )
                    compared = f"            'compared_with': '{name}',\n"
                    self.assertEqual(compared in made[made.rindex("98_idea") :], name != names[-1])


class NameTest(unittest.TestCase):
    def test_the_next_number_is_accepted(self) -> None:
        for name in ("03_my_idea", "10_idea", "03_int4"):
            new_stage.check_name(name, "sums", STAGES)
        new_stage.check_name("08_idea", "other", STAGES)
        new_stage.check_name("limit/02_idea", "other", [*STAGES, stage("limit/01_x", "other")])

    def test_refusals(self) -> None:
        for name, said in (
            ("", "NAME is missing"),
            ("my_idea", "two digits"),
            ("3_my_idea", "two digits"),
            ("03-my-idea", "two digits"),
            ("03_My_Idea", "two digits"),
            ("03_", "two digits"),
            ("03__idea", "two digits"),
            ("03_x/../y", "two digits"),
            ("02_idea", "begins with 03$"),
            ("01_idea", "has number 02;"),
            ("limit/01_idea", "sums has no such path; those with numbers: none"),
        ):
            with self.subTest(name), self.assertRaisesRegex(ToolError, said) as caught:
                new_stage.check_name(name, "sums", STAGES)
            self.assertEqual(caught.exception.status, 2)


class RefusalTest(ToolTest):
    def test_a_stage_to_begin_with_must_exist_and_have_kernels(self) -> None:
        for first, name, said in (
            ("sums/09_none", "03_idea", "FROM=sums/09_none: no such stage"),
            ("", "03_idea", "FROM is missing"),
            ("sums/00_cpu", "03_idea", "FROM=sums/00_cpu"),
            ("sums/01_plain", "01_idea", "NAME=01_idea"),
        ):
            with self.subTest(first):
                result = run_tool("plots.commands.new_stage", self.build, FROM=first, NAME=name)
                self.assert_refused(result, 2, said)


class ChapterTest(unittest.TestCase):
    def test_the_name_is_added_at_the_end_of_the_list(self) -> None:
        meson = "# A list.\nchapter_names = ['sums', 'other']\n\nchapter_keys = ['stages']\n"
        made = new_chapter.add_to_list(meson, "my_problem")
        self.assertEqual(
            made,
            "# A list.\nchapter_names = [\n  'sums',\n  'other',\n  'my_problem',\n]\n\n"
            "chapter_keys = ['stages']\n",
        )
        again = new_chapter.add_to_list(made, "third")
        self.assertEqual(
            re.findall(r"'(\w+)',", again.split("]")[0]), ["sums", "other", "my_problem", "third"]
        )

    def test_a_known_name_and_a_missing_list_are_refused(self) -> None:
        with self.assertRaisesRegex(ToolError, "NAME=sums: "):
            new_chapter.add_to_list("chapter_names = ['sums']\n", "sums")
        with self.assertRaisesRegex(ToolError, "chapter_names was not found"):
            new_chapter.add_to_list("names = ['sums']\n", "mine")

    def test_the_course_s_own_list_can_be_extended(self) -> None:
        text = (ROOT / "chapters" / "meson.build").read_text(encoding="utf-8")
        name = "z" * 20  # not the name of a reader's own chapter
        self.assertIn(f"  '{name}',\n]\n", new_chapter.add_to_list(text, name))

    def test_the_table_of_chapters_has_its_row_and_counts(self) -> None:
        row = "| [sums](chapters/sums/README.md) | to add | 9 |\n"
        readme = f"# Title\n\n| a | b | c |\n|---|---|---|\n{row}\nMore text.\n"
        made = new_chapter.with_row(readme, "mine", 2)
        added = "| [mine](chapters/mine/README.md) | say in a few words | 2 |\n"
        self.assertEqual(made, readme.replace(row, row + added))
        self.assertEqual(new_stage.one_more(made, "sums"), made.replace("| 9 |", "| 10 |"))
        self.assertEqual(new_stage.one_more(made, "mine"), made.replace("| 2 |", "| 3 |"))
        self.assertEqual(new_stage.one_more(readme, "mine"), readme)
        with self.assertRaisesRegex(ToolError, "README.md: the table of chapters was not found"):
            new_chapter.with_row("# Title\n", "mine", 2)

    def test_every_template_is_used_and_filled(self) -> None:
        templates = {path.name for path in new_chapter.TEMPLATES.iterdir()}
        self.assertEqual(templates, set(new_chapter.PLACES))
        for template, place in new_chapter.PLACES.items():
            with self.subTest(template):
                text = new_chapter.filled(
                    (new_chapter.TEMPLATES / template).read_text(encoding="utf-8"), "my_problem"
                )
                self.assertNotIn("@", text)
                self.assertIn("my_problem" if template != "meson.build.in" else "chapter = {", text)
                self.assertNotIn("@", new_chapter.filled(place, "my_problem"))

    def test_what_is_filled_in(self) -> None:
        self.assertEqual(
            new_chapter.filled("@Title@: @chapter@/@chapter@", "my_problem"),
            "My problem: my_problem/my_problem",
        )

    def test_refusals(self) -> None:
        new_chapter.check_name("my_problem")
        new_chapter.check_name("fft2")
        for name, said in (
            ("", "NAME is missing"),
            ("My_problem", "lower-case words"),
            ("2nd", "lower-case words"),
            ("a-b", "lower-case words"),
            ("mine/../x", "lower-case words"),
            ("std", "lower-case words"),
            ("plots", "lower-case words"),
        ):
            with self.subTest(name), self.assertRaisesRegex(ToolError, said) as caught:
                new_chapter.check_name(name)
            self.assertEqual(caught.exception.status, 2)


if __name__ == "__main__":
    unittest.main()
