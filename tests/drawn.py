# SPDX-License-Identifier: MIT
"""A few of many cases, drawn anew in each run: all of them would take too long for every commit.
Programs that are drawn are built then.

    ALL_CASES=1     all of them
    SEED=7          those that a run has printed
"""

import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from common.tools.lib.stages import BUILD, build_folder

Case = TypeVar("Case")


def drawn(cases: Sequence[Case], count: int, what: str) -> list[Case]:
    """`count` of the cases, in their order."""
    if os.environ.get("ALL_CASES") or count >= len(cases):
        return list(cases)
    seed = int(os.environ.get("SEED", 0)) or random.SystemRandom().randrange(1, 10_000)
    print(f"{count} of {len(cases)} {what}, by SEED={seed}", flush=True)
    chosen = sorted(random.Random(seed).sample(range(len(cases)), count))
    return [cases[at] for at in chosen]


def build(programs: Sequence[Path]) -> None:
    """Brings these programs of the build folder up to date."""
    names = [str(path.relative_to(build_folder())) for path in programs]
    subprocess.run([BUILD, *names], check=True)
