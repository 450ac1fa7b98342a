# SPDX-License-Identifier: MIT
"""make explain: each program of causes/ gets its cause and cure at its line, and nothing else; with
CURED defined, it gets no finding."""

import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

from tests.common.tools.course_tools import BUILD
from tests.common.tools.explain.explained import CAUSES, FOLDER, findings, program


class CauseTest(unittest.TestCase):
    def setUp(self) -> None:
        if not (BUILD / "emulator.json").exists():
            self.skipTest("the CPU engine is not built")

    def test_every_program_has_its_cure(self) -> None:
        names = {one.relative_to(FOLDER).with_suffix("").as_posix() for one in FOLDER.rglob("*.cu")}
        self.assertEqual(names, set(CAUSES))
        for one in FOLDER.rglob("*.cu"):
            self.assertRegex(one.read_text(encoding="utf-8"), r"#ifn?def CURED\n")

    def test_each_cause_is_found_and_its_cure_leaves_none(self) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            wasting = pool.map(lambda name: findings(program("wasting", name)), CAUSES)
            cured = pool.map(lambda name: findings(program("cured", name)), CAUSES)
            for (name, wanted), found, left in zip(CAUSES.items(), wasting, cured, strict=True):
                kind, text, cause, cure = wanted
                with self.subTest(name):
                    self.assertEqual(left, [])
                    self.assertEqual({one["kind"] for one in found}, {kind})
                    lines = program("wasting", name).read_text(encoding="utf-8").splitlines()
                    self.assertIn(text, lines[found[0]["line"] - 1])
                    self.assertRegex(found[0]["cause"], cause)
                    self.assertRegex(found[0]["cure"], re.escape(cure))


if __name__ == "__main__":
    unittest.main()
