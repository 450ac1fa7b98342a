# SPDX-License-Identifier: MIT
"""The stages of the storms chapter, and the times that Blanco and González 2018 print for four of
them."""

from __future__ import annotations

from plots.drawing.chapter import PrintedTables
from plots.records.folders import PUBLISHED
from plots.records.published import read_printed_times
from plots.records.stages import stages_of

STAGES = stages_of("storms")
KERNELS = STAGES.kernels
WRONG = tuple(name for name in STAGES.names if STAGES.races(name))
SAID_BY = "Blanco and González 2018"
FILE = PUBLISHED / "storms.csv"
PRINTED = PrintedTables(SAID_BY, SAID_BY, FILE, tuple(read_printed_times(FILE, STAGES)))
