# SPDX-License-Identifier: MIT
"""How many random cases a test tries, and from which seed: what all fuzzing tests share.

    test_….py [--count N] [--seed S] …      N cases of each kind, instead of the test's own number

`make test-all` runs each of these tests with its own number and seed, so that it always tries the
same cases. Another seed tries others. A failure names its case.
"""

import random
import sys
from collections.abc import Iterator


def taken_flag(flag: str, default: int) -> int:
    """The flag's value. It is removed from the command line, which unittest reads, too."""
    if flag not in sys.argv:
        return default
    at = sys.argv.index(flag)
    value = int(sys.argv[at + 1])
    del sys.argv[at : at + 2]
    return value


COUNT = taken_flag("--count", 0)
SEED = taken_flag("--seed", 1)


def cases(kind: str, usual: int) -> Iterator[tuple[str, random.Random]]:
    """The cases of one kind, `usual` of them unless --count says otherwise: the name of each, and
    its random numbers, which depend on nothing but the name."""
    for number in range(COUNT or usual):
        name = f"{kind}, case {number} of seed {SEED}"
        yield name, random.Random(name)
