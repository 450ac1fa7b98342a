# SPDX-License-Identifier: MIT
"""The storms chapter: how its stages are compared, and what seed 002 prints of its versions."""

from __future__ import annotations

from functools import cache

from drawing import PLOTS, Figure
from measurements import TableCell, read_seed_times

CHAPTER = "storms"
WORKLOADS = ("dense", "long", "sparse")

# What plots/tables.py needs to know of a chapter.
COMPARED_RUN = {"input": WORKLOADS[0]}
FURTHER_RUNS = tuple({"input": name} for name in WORKLOADS[1:])

SEED_KEY = "seed 002, 2018"
SEED_FILE = PLOTS / "published" / "storms.csv"


@cache
def seed_cells() -> tuple[TableCell, ...]:
    return tuple(read_seed_times(SEED_FILE))


FIGURES: tuple[Figure, ...] = ()
