# SPDX-License-Identifier: MIT
"""Each stage on the way from a source's last stage to today's hardware earns its place: it gains at
least a tenth, or it teaches a rule that no other stage teaches, which the glossary links. A stage
that `make stage` has just made is judged when it is recorded."""

import re
import unittest

from common.tools.lib.stages import ROOT, Stage, load_stages
from plots.page.recorded_gains import recorded_gains
from plots.records.stages import chapter_names

PATH = "limit"
LEAST_GAIN = 1.1
GLOSSARY = (ROOT / "chapters" / "README.md").read_text(encoding="utf-8")


def taught_by(rule: str) -> list[str]:
    """The stages that the glossary links at a term."""
    row = re.search(rf"^\| {re.escape(rule)} \|.*\| (.*) \|$", GLOSSARY, re.MULTILINE)
    return re.findall(r"\[([\w/]+)\]", row[1]) if row else []


def due(stages: list[Stage]) -> list[tuple[Stage, float | None]]:
    """The recorded stages of the path but its first, with their gains. None: the stage that it is
    compared with is not recorded at the same size."""
    found = []
    for chapter in chapter_names():
        own = [one for one in stages if one.chapter == chapter and one.path == PATH]
        times = recorded_gains(chapter).times
        for stage in own[1:]:
            if time := times.get(stage.name):
                found.append((stage, time.gain))
    return found


class EarnedPlacesTest(unittest.TestCase):
    def test_a_stage_gains_a_tenth_or_teaches_a_rule(self) -> None:
        for stage, gain in due(load_stages()):
            with self.subTest(stage=stage.stage, gain=gain):
                if gain is None or gain < LEAST_GAIN:
                    self.assertTrue(stage.rule, "it gains less than a tenth, and has no 'rule'")

    def test_a_rule_is_a_term_of_the_glossary(self) -> None:
        rules = [one for one in load_stages() if one.rule]
        self.assertEqual(len({one.rule for one in rules}), len(rules), "two stages teach one rule")
        for stage in rules:
            with self.subTest(stage=stage.stage, rule=stage.rule):
                self.assertIn(stage.stage, taught_by(stage.rule))


if __name__ == "__main__":
    unittest.main()
