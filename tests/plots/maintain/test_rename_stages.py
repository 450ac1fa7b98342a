# SPDX-License-Identifier: MIT
"""Stages get other names: rows keep their values, texts name the new stages, and comments that grow
are wrapped."""

import tempfile
import unittest
from pathlib import Path

from common.tools.lib.stages import ToolError
from plots.maintain.rename_stages import (
    move_folders,
    read_plan,
    renamed_rows,
    renamed_text,
    reorder_records,
    wrapped,
)

PLAN = {
    "04_tiles": "limit/01_tiles",
    "05_slow": "",
    "06_rows": "limit/02_lines",
    "07_cub": "peers/cub",
    "08_many": "many_gpus",
}
ROWS = """date,chapter,stage,value
1,sums,04_tiles,"a, b"
2,sums,05_slow,3
3,sums,00_cpu,4
"""
RECORD = "        {{\n            'name': '{}',\n            'technique': 'x',\n        }},\n"


class TextTest(unittest.TestCase):
    def check(self, before: str, after: str, name: str = "chapters/sums/README.md") -> None:
        self.assertEqual(renamed_text(before, name, "sums", PLAN), after)

    def test_names(self) -> None:
        self.check("[04_tiles](04_tiles/sums.cu)", "[limit/01_tiles](limit/01_tiles/sums.cu)")
        self.check("sums/06_rows, other/06_rows", "sums/limit/02_lines, other/06_rows", "README.md")
        self.check("build/sums_06_rows.emu", "build/sums_limit_02_lines.emu", "README.md")
        self.check("04_tiles", "04_tiles", "chapters/other/README.md")
        self.check("05_slow", "05_slow")  # for a hand to mend
        self.check('named("rows")', 'named("lines")', "plots/sums/figures.py")

    def test_numbers(self) -> None:
        self.check(
            "Stage 04 and stages 03, 06 and 07",
            "Stage limit/01 and stages 03, limit/02 and peers/cub",
        )
        self.check("**03 → 04.** 06 of 07", "**03 → limit/01.** 06 of 07")
        self.check("sums/04 (lab), sums/04_x", "sums/limit/01 (lab), sums/04_x", "LABS.md")
        self.check('name = "06"\n', 'name = "limit/02"\n', "chapters/sums/labs.toml")

    def test_patterns(self) -> None:
        name = "tests/chapters/sums/mutations.toml"
        self.check('"sums/0[46]_*"', '"sums/limit/0[12]_*"', name)
        self.check('"sums/0[0-3]_*"', '"sums/0[0-3]_*"', name)
        self.check('"sums/05_*"', '"sums/gone_*"', name)
        every = {"00_cpu": "00_cpu", "03_rows": "03_rows"} | PLAN
        for before, after in (("0[0-3]", "0[0-3]_*"), ("0[3-5]", "03_* sums/limit/01_*")):
            made = renamed_text(f"sums/{before}_*", name, "sums", every)
            self.assertEqual(made, f"sums/{after}")

    def test_comments_are_wrapped(self) -> None:
        long = "// Idea: " + "word " * 18 + "last\n"
        made = wrapped(long + "// and more\n// Limit now: x\nint a;\n")
        self.assertTrue(all(len(line) <= 100 for line in made.splitlines()))
        self.assertIn("// last and more\n// Limit now: x\nint a;\n", made)
        self.assertIn("// last\n// Limit now: x\n", wrapped(long + "// Limit now: x\n"))


class TablesTest(unittest.TestCase):
    def test_rows_keep_their_values(self) -> None:
        self.assertEqual(
            renamed_rows(ROWS, "sums", PLAN, own=True),
            'date,chapter,stage,value\n1,sums,limit/01_tiles,"a, b"\n3,sums,00_cpu,4\n',
        )
        table = "program,value\nsums/06_rows,1\nsums/05_slow,2\nother/06_rows,3\n"
        self.assertEqual(
            renamed_rows(table, "sums", PLAN, own=False),
            "program,value\nsums/limit/02_lines,1\nother/06_rows,3\n",
        )
        self.assertEqual(renamed_rows("a,b\n04_tiles,1\n", "sums", PLAN, True), "a,b\n04_tiles,1\n")


class FoldersTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_new_name_may_be_another_stage_s_old_one(self) -> None:
        for name in ("01_a", "02_b", "03_c"):
            (self.folder / name).mkdir()
            (self.folder / name / "text").write_text(name, encoding="utf-8")
        move_folders(self.folder, {"01_a": "02_a", "02_b": "", "03_c": "limit/01_c"})
        found = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("text"))
        self.assertEqual(found, ["02_a/text", "limit/01_c/text"])
        self.assertEqual((self.folder / "02_a/text").read_text(encoding="utf-8"), "01_a")

    def test_records_follow_the_plan(self) -> None:
        path = self.folder / "meson.build"
        names = ["00_cpu", "01_a", "02_b", "03_c"]
        path.write_text("".join(map(RECORD.format, names)), encoding="utf-8")
        reorder_records(path, {"03_c": "limit/01_c", "02_b": "", "01_a": "peers/a"})
        kept = "".join(map(RECORD.format, ["00_cpu", "03_c", "01_a"]))
        self.assertEqual(path.read_text(encoding="utf-8"), kept)

    def test_a_plan_that_does_not_fit(self) -> None:
        path = self.folder / "plan.toml"
        for text, said in (
            ('[basics]\n"99_none" = "limit/01"\n', "99_none: there is no such stage"),
            ('[basics]\n"00_cpu" = "a"\n"01_thread_per_line" = "a"\n', "two stages get one name"),
        ):
            path.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(ToolError, said):
                read_plan(path)


if __name__ == "__main__":
    unittest.main()
