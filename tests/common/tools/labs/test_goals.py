# SPDX-License-Identifier: MIT
"""Goals are about the idea: right solutions of other kinds get all points, cheats do not.

Each file of goal_programs/ has programs that students could hand in, for some kinds of goal: for
each kind three right solutions of different kinds, and three cheats. A right program gets all
points of its lab, so it is one for each kind of goal of this lab. A cheat names the goals that it
must not meet. A few programs are drawn anew each time (tests/drawn.py).
"""

import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from common.tools.labs.lab import Edit, Lab, Program
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import load_stages
from tests.common.tools.labs.lab_programs import SEED, LabTest
from tests.drawn import drawn

DATA = Path(__file__).parent / "goal_programs"
DRAWN = 4
EACH = 3  # right programs of a kind of goal, and cheats


def all_programs() -> list[dict[str, Any]]:
    return [
        one
        for path in sorted(DATA.glob("*.toml"))
        for one in parse_toml(read_text(path), path)["program"]
    ]


def text_of(lab: Lab, one: dict[str, Any]) -> str:
    """Of the lab's start or solution, or of another stage, after some edits."""
    edits = tuple(Edit(edit["old"], edit["new"]) for edit in one.get("edits", []))
    if one["of"] in ("start", "solution"):
        base = lab.start if one["of"] == "start" else lab.solution
        return Program(base.stage, (*base.edits, *edits)).text()
    stages = {stage.stage: stage for stage in load_stages()}
    return Program(stages[one["of"]], edits).text()


class Goals(LabTest):
    def kinds_of(self, one: dict[str, Any]) -> list[str]:
        goals = [goal.counter for goal in self.labs[one["lab"]].goals]
        if one["is"] == "right":
            return goals
        self.assertIn(one["is"], ("cheat", "refused"))
        self.assertLessEqual(set(one["goals"]), set(goals), one["what"])
        return list(one["goals"])

    def test_each_kind_has_programs(self) -> None:
        found = Counter(
            (goal, "right" if one["is"] == "right" else "cheat")
            for one in all_programs()
            for goal in self.kinds_of(one)
        )
        few = {
            (goal.counter, kind): found[goal.counter, kind]
            for lab in self.labs.values()
            for goal in lab.goals
            for kind in ("right", "cheat")
            if not lab.is_question and found[goal.counter, kind] < EACH
        }
        self.assertEqual(few, {})

    def test_programs(self) -> None:
        for one in drawn(all_programs(), DRAWN, "programs"):
            lab = self.labs[one["lab"]]
            with self.subTest(f"{lab.name}: {one['what']}"):
                result = self.check_text(lab, text_of(lab, one), SEED)
                said = str(result.to_json())
                if one["is"] == "right":
                    self.assertEqual(result.points, lab.of, said)
                    continue
                if one["is"] == "refused":
                    self.assertTrue(result.messages[0].startswith("refused: "), said)
                    continue
                # A cheat is right and clean, and is seen by its counters alone.
                self.assertTrue(result.right and result.clean_points == lab.clean_points, said)
                for goal, found in zip(lab.goals, result.goals, strict=True):
                    if goal.counter in one["goals"]:
                        self.assertFalse(found.met, said)


if __name__ == "__main__":
    unittest.main()
