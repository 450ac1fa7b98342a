# SPDX-License-Identifier: MIT
"""What pages say of the programs is true: the names of inputs, and what the CPU engine cannot run."""

import re
import unittest
from pathlib import Path

from common.tools.lib.stages import ROOT, load_stages
from plots.page.stage_pages import CHAPTERS, PAGE, REFERENCE

# The header that names a chapter's inputs, and the chapters whose pages explain them.
NAMES = re.compile(r"string_view k\w*InputNames\[\] = \{(.*?)\};", re.DOTALL)
SORTS = ("quicksort", "mergesort")


def headers() -> list[tuple[Path, tuple[str, ...]]]:
    own = [(path, (path.parents[1].name,)) for path in CHAPTERS.glob("*/problem/*.hpp")]
    return [*own, (ROOT / "common" / "sorting" / "keys.hpp", SORTS)]


class FactsTest(unittest.TestCase):
    def test_every_input_is_explained(self) -> None:
        looked_at = 0
        for path, chapters in headers():
            found = NAMES.findall(path.read_text(encoding="utf-8"))
            for name in re.findall(r'"([\w-]+)"', "".join(found)):
                for chapter in chapters:
                    pages = (CHAPTERS / chapter / page for page in (REFERENCE, PAGE))
                    said = "".join(page.read_text(encoding="utf-8") for page in pages)
                    with self.subTest(chapter=chapter, input=name):
                        self.assertTrue(f"`{name}`" in said)
                    looked_at += 1
        self.assertGreater(looked_at, 40)

    def test_what_the_engine_cannot_run_is_said(self) -> None:
        lacking = [one for one in load_stages() if one.has_kernels and "emu" not in one.executables]
        self.assertEqual({one.libraries for one in lacking}, {("thrust",)})
        said = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
        number = {3: "three", 4: "four", 5: "five"}[len(lacking)]
        self.assertTrue(f"Every stage but the {number} that call Thrust also runs" in said)


if __name__ == "__main__":
    unittest.main()
