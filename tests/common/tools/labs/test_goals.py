# SPDX-License-Identifier: MIT
"""Goals are about the idea: right solutions of other kinds get all points, cheats do not.

A few programs of goal_programs.toml are drawn anew each time; ALL_PROGRAMS=1 checks all, SEED=7
draws those of that seed.
"""

import os
import random
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from common.tools.labs.lab import Edit, Program
from common.tools.lib.files import parse_toml, read_text
from tests.common.tools.labs.lab_programs import SEED, LabTest

DATA = Path(__file__).with_name("goal_programs.toml")
DRAWN = 4


def drawn(programs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if os.environ.get("ALL_PROGRAMS"):
        return programs
    seed = int(os.environ.get("SEED", 0)) or random.SystemRandom().randrange(1, 10_000)
    print(f"{DRAWN} of {len(programs)} programs, by SEED={seed}")
    return random.Random(seed).sample(programs, DRAWN)


class Goals(LabTest):
    def test_programs(self) -> None:
        programs = parse_toml(read_text(DATA), DATA)["program"]
        kinds = Counter((one["goal"], one["is"]) for one in programs)
        self.assertTrue(
            all(kinds[goal, kind] >= 3 for goal, _ in kinds for kind in ("right", "cheat"))
        )
        for one in drawn(programs):
            lab = self.labs[one["lab"]]
            self.assertIn(one["goal"], [goal.counter for goal in lab.goals])
            base = lab.start if one["of"] == "start" else lab.solution
            edits = tuple(Edit(edit["old"], edit["new"]) for edit in one["edits"])
            text = Program(base.stage, (*base.edits, *edits)).text()
            with self.subTest(f"{lab.name}: {one['what']}"):
                result = self.check_text(lab, text, SEED)
                said = str(result.to_json())
                if one["is"] == "right":
                    self.assertEqual(result.points, lab.of, said)
                    continue
                # A cheat is right and clean, and is seen by its counters alone.
                self.assertTrue(result.right and result.clean_points == lab.clean_points, said)
                met = {goal.name.partition(" per ")[0]: goal.met for goal in result.goals}
                self.assertFalse(met[one["goal"]], said)


if __name__ == "__main__":
    unittest.main()
