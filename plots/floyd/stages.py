# SPDX-License-Identifier: MIT
"""The stages of the Floyd-Warshall chapter: the thesis' ones, those after them, and their
rounds."""

from __future__ import annotations

from dataclasses import dataclass

from plots.records.stages import stages_of
from common.tools.lib.stages import words_of

STAGES = stages_of("floyd")
KERNELS = STAGES.between("thread_per_cell", "column_reuse")  # the thesis' stages
# Those after the thesis, and the fastest one before them. Only the latter, until they are recorded.
BEYOND = (STAGES.named("row_per_block"), *STAGES.kernels[len(KERNELS) :])


@dataclass(frozen=True)
class Round:
    """How a stage's launches follow one another with more than a few thousand vertices."""

    steps: int  # of a round
    launches: int  # of a round
    launches_before: int = 0  # of the first round


SINGLE_STEP = Round(steps=1, launches=1)
ROUNDS = {
    "blocked": Round(steps=32, launches=3),
    "register_tiles": Round(steps=32, launches=3),
    "tagged_keys": Round(steps=32, launches=4),
    "deep_rounds": Round(steps=128, launches=3),
    "async_copies": Round(steps=128, launches=3),
    # The cross, the next round's columns, all other tiles. Phases 1 and 2 of the first round come
    # before.
    "look_ahead": Round(steps=128, launches=3, launches_before=2),
    "tiles_by_size": Round(steps=128, launches=3, launches_before=2),
}


def round_of(stage: str) -> Round:
    return ROUNDS.get(words_of(stage), SINGLE_STEP)
