# SPDX-License-Identifier: MIT
"""nvcc accepts every stage for the oldest architecture, and some stages for one that is drawn. The
build itself compiles all of them for the architecture of this machine's GPU, or for 90.

    test_drawn_architectures.py [--seed S]
"""

import random
import unittest

from tests.lint import architectures as check_architectures
from common.tools.lib.architectures import CARDS
from tests.common.fuzz.rounds import taken_flag

SEED = taken_flag("--seed", 0) or random.SystemRandom().randrange(1, 10_000)
OLDEST, BUILT = 75, 90
SAMPLE = 40  # two seconds of a processor each


class ArchitecturesTest(unittest.TestCase):
    def test_every_stage_for_the_oldest_one(self) -> None:
        self.assertEqual(check_architectures.main(["--architectures", str(OLDEST)]), 0)

    def test_some_stages_for_a_drawn_one(self) -> None:
        drawn = random.Random(SEED).choice([one for one in CARDS if one not in (OLDEST, BUILT)])
        print(f"seed {SEED}: {drawn}", flush=True)
        words = ["--architectures", str(drawn), "--sample", str(SAMPLE), "--seed", str(SEED)]
        self.assertEqual(check_architectures.main(words), 0)


if __name__ == "__main__":
    unittest.main()
