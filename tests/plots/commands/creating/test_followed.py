# SPDX-License-Identifier: MIT
"""chapters/adding.md, followed to the letter in a copy of the course: the new
chapter and the new stage pass what `make test` runs about them. Only they are built."""

import json
import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from tests.common.tools.course_tools import ROOT
from tests.plots.commands.creating.copied_tree import copy_tree, shell
from tests.pages.checks import made_by
from tests.pages.commands import read_page

PAGE = "chapters/adding.md"
# Tests that look at all stages, chapters, pages and records without running other stages.
OF_ALL = (
    "stage files",
    "links",
    "tables of the READMEs",
    "tables of the bounds",
    "page commands",
    "forms of pages",
    "labs, catalogue",
    "test_directions",
    "test_new_stage",
    "test_undone",
    "test_tree",
    "map of the course",
    "page test_chapters",
    "page test_site",
    "plots test_figures",
)
# Commands of the page that need a GPU, or are the tests themselves.
NOT_FOLLOWED = re.compile(r"make (test|lint|record|session)\b")


class FollowedTest(unittest.TestCase):
    def run_in_copy(self, command: str, seconds: int = 1200) -> str:
        begun = time.monotonic()
        status, output = shell(self.root, command, seconds)
        print(f"{time.monotonic() - begun:6.1f} s  {command[:100]}", flush=True)
        last = "\n".join(output.splitlines()[-60:])
        self.assertEqual(status, 0, f"{command}\n{last}")
        return output

    def test_a_new_chapter_and_a_new_stage_pass_their_tests(self) -> None:
        # With a blank and an umlaut, as a folder of one's own may have.
        self.root = Path(tempfile.mkdtemp(prefix="für mich "))
        self.addCleanup(shutil.rmtree, self.root)
        copy_tree(self.root)
        read = read_page(PAGE, (ROOT / PAGE).read_text(encoding="utf-8"))[0]
        (chapter,), (stage,) = made_by(read)
        for command in dict.fromkeys(one.text for one in read):
            if not NOT_FOLLOWED.match(command):
                self.run_in_copy(command)
        self.run_in_copy(f"make run STAGE={chapter}/01_first_kernel ARGS=--check")
        self.run_tests(chapter, stage)

    def run_tests(self, chapter: str, stage: str) -> None:
        listed = self.run_in_copy("meson introspect --tests build")
        names = [
            test["name"]
            for test in json.loads(listed[listed.index("[") :])
            if test["name"] == f"{stage} count"  # a long test in a chapter that counts late
            or not any(suite.endswith("long") for suite in test["suite"])
            and (chapter in test["name"] or stage in test["name"] or test["name"] in OF_ALL)
        ]
        for wanted in (
            *OF_ALL,
            f"chapter {chapter}",
            f"{chapter}/01_first_kernel emu",
            f"{stage} count",
        ):
            self.assertIn(wanted, names)
        # All else that these tests run is built by now.
        self.run_in_copy(f"common/tools/setup/build.sh tests/chapters/test_{chapter}")
        said = self.run_in_copy(
            "meson test -C build --no-rebuild --timeout-multiplier 4 --print-errorlogs "
            + " ".join(f"'{name}'" for name in names),
            1200,
        )
        self.assertRegex(said, r"Fail: +0\b")
        print(*re.findall(r"(?:Ok|Skipped): +\d+", said), sep=", ")


if __name__ == "__main__":
    unittest.main()
