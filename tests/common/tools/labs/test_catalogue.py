# SPDX-License-Identifier: MIT
"""labs.toml: what is read from it, and the messages for mistakes in it."""

import difflib
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from common.tools.lib.stages import ROOT, DataError, ToolError, load_stages
from common.tools.labs.lab import without_comments
from common.tools.labs.catalogue import find_lab, load_labs, read_chapter

FILE = """
sizes = [1, 33]
unit = "32 cells"
units = 2
may_change = "all"
must_stay = "main()"
[[lab]]
name = "05"
kind = "pair"
stage = "05_padded_tile"
title = "title"
minutes = 10
idea = ["one", "two", "three"]
hints = ["hint"]
goals = [{ counter = "bytes moved", points = 6 }]
start_points = 4
"""


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.stages = {stage.stage: stage for stage in load_stages()}

    def read(self, text: str):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "labs.toml")
            path.write_text(text, encoding="utf-8")
            return read_chapter(path, "basics", self.stages)

    def test_what_is_read(self) -> None:
        (lab,) = self.read(FILE)
        self.assertEqual(lab.name, "basics/05")
        self.assertEqual(lab.start.stage.name, "04_shared_tile")
        self.assertEqual(lab.solution.stage.name, "05_padded_tile")
        self.assertEqual(lab.run, ("--n", "1024"))
        self.assertEqual(lab.of, 10)

    def test_mistakes_are_named(self) -> None:
        for old, new, part in (
            ('name = "05"', 'nam = "05"', "there is no key 'nam'"),
            ("minutes = 10", 'minutes = "10"', "'minutes' has a value of the wrong type"),
            ("minutes = 10", "minutes = true", "'minutes' has a value of the wrong type"),
            ("minutes = 10", "", "'minutes' is missing"),
            ('kind = "pair"', 'kind = "riddle"', "'kind' must be one of"),
            ("05_padded_tile", "05_other", "there is no stage basics/05_other"),
            ("05_padded_tile", "00_cpu", "has no CUDA kernels"),
            ("05_padded_tile", "01_thread_per_line", "has no CUDA kernels"),  # after 00_cpu
            ('"one", "two", ', '"one", ', "'idea' must have 3 sentences"),
            ('counter = "bytes moved"', 'counter = "sektors"', "'counter' must be one of"),
            ('counter = "bytes moved"', 'counter = "sectors per load request"', "is a total"),
            ("points = 6", 'points = 6, kernel = "add"', "is a total over all kernels"),
            ("points = 6", "points = 0", "'points' must be at least 1"),
            ("points = 6", "points = 6, tolerance = 1.5", "'tolerance' must be a share"),
            ("units = 2", "units = 0", "'units' above 0"),
            ("[[lab]]", "[[lab]", "is not TOML"),
            ('kind = "pair"', 'kind = "mistake"', "needs edits"),
            (
                'hints = ["hint"]',
                'hints = ["hint"]\nedits = [{ old = "a", new = "b" }]',
                "no edits",
            ),
        ):
            with self.subTest(part):
                self.assertIn(old, FILE)
                with self.assertRaises(DataError) as caught:
                    self.read(FILE.replace(old, new, 1))
                self.assertIn(part, str(caught.exception))
                self.assertIn("labs.toml", str(caught.exception))

    def test_two_labs_of_one_name(self) -> None:
        twice = FILE + FILE[FILE.index("[[lab]]") :]
        with self.assertRaisesRegex(DataError, "two labs of this name"):
            self.read(twice)

    def test_edit_that_does_not_fit(self) -> None:
        edited = FILE.replace('kind = "pair"', 'kind = "mistake"')
        (lab,) = self.read(edited + 'edits = [{ old = "no such text", new = "" }]\n')
        with self.assertRaisesRegex(DataError, "occurs 0 times, not once: 'no such text'"):
            lab.start.text()


class Course(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.labs = load_labs()

    def test_numbers_of_labs(self) -> None:
        kinds = Counter(lab.kind for lab in self.labs.values())
        self.assertGreaterEqual(len(self.labs), 40)
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertIn(f"# the labs: {len(self.labs)}, ", readme)
        self.assertGreaterEqual(kinds["mistake"], 10)
        self.assertGreaterEqual(kinds["question"], 10)
        self.assertEqual(next(iter(self.labs)), "basics/02")
        self.assertLessEqual(self.labs["basics/02"].minutes, 30)

    def test_every_lab(self) -> None:
        for lab in self.labs.values():
            with self.subTest(lab.name):
                self.assertEqual(lab.of, 10)
                self.assertLess(lab.start_points, lab.of)
                self.assertTrue(all(one.endswith((".", "?")) for one in lab.idea))
                self.assertIn("?", lab.hints[0])  # coarse first: a question, not a step
                self.assertEqual(lab.start.text() == lab.solution.text(), lab.is_question)

    def test_mistakes_do_not_tell(self) -> None:
        for lab in self.labs.values():
            if lab.kind != "mistake":
                continue
            with self.subTest(lab.name):
                start = lab.start.text()
                self.assertNotIn("//", start.replace("// SPDX", ""))
                stage = without_comments(lab.solution.text()).splitlines()
                same = difflib.SequenceMatcher(None, start.splitlines(), stage, autojunk=False)
                kept = sum(block.size for block in same.get_matching_blocks())
                # Far more lines differ than the mistake's.
                self.assertGreaterEqual(len(stage) - kept, 8)
                for old, new in lab.start.words:
                    self.assertEqual(len(re.findall(rf"\b{new}\b", "\n".join(stage))), 0, new)
                    self.assertEqual(len(re.findall(rf"\b{old}\b", start)), 0, old)

    def test_comments_go_and_texts_stay(self) -> None:
        given = "// Head.\n\nint a = 1 / 2;  // half\n"
        given += 'auto b = "http://x \\" // y";\n    // line\n'
        kept = "\nint a = 1 / 2;\n"
        self.assertEqual(without_comments(given), kept + 'auto b = "http://x \\" // y";\n')

    def test_finding_a_lab(self) -> None:
        self.assertIs(find_lab(self.labs, "nbody/03_shared_tiles"), self.labs["nbody/03"])
        for name, part in (
            ("", "LAB is missing"),
            ("nbody/99", "LAB=nbody/99: no such lab; choose one of nbody/"),
            ("x", "`make lab`"),
        ):
            with self.assertRaises(ToolError) as caught:
                find_lab(self.labs, name)
            self.assertIn(part, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
