# SPDX-License-Identifier: MIT
"""nvcc accepts some stages for the oldest architecture, and fewer for one that is drawn. The stages
are drawn, too. The build itself compiles all of them for the architecture of this machine's GPU, or
for 90; `python3 -m tests.lint.architectures` compiles all for all.

    test_drawn_architectures.py [--seed S]
"""

import random
import unittest

from tests.lint import architectures as check_architectures
from common.tools.lib.architectures import CARDS
from tests.common.fuzz.rounds import taken_flag

SEED = taken_flag("--seed", 0) or random.SystemRandom().randrange(1, 10_000)
OLDEST, BUILT = 75, 90
# A stage takes two seconds of a processor. What is too new is mostly too new for the oldest one.
OF_OLDEST, OF_DRAWN = 50, 20


class ArchitecturesTest(unittest.TestCase):
    def compile_some(self, architecture: int, sample: int) -> None:
        print(f"seed {SEED}: {architecture}", flush=True)
        words = ["--architectures", str(architecture), "--sample", str(sample), "--seed", str(SEED)]
        self.assertEqual(check_architectures.main(words), 0)

    def test_some_stages_for_the_oldest_one(self) -> None:
        self.compile_some(OLDEST, OF_OLDEST)

    def test_some_stages_for_a_drawn_one(self) -> None:
        drawn = random.Random(SEED).choice([one for one in CARDS if one not in (OLDEST, BUILT)])
        self.compile_some(drawn, OF_DRAWN)


if __name__ == "__main__":
    unittest.main()
