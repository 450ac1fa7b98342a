# SPDX-License-Identifier: MIT
"""The stages of the distmesh chapter, its compared run, and the tables of Gaudiani 2012."""

from __future__ import annotations

from common.tools.lib.stages import DataError
from plots.drawing.chapter import PrintedTables
from plots.drawing.panels import Runs
from plots.records.folders import PUBLISHED
from plots.records.published import read_cells
from plots.records.stages import stages_of

STAGES = stages_of("distmesh")
KERNELS = STAGES.kernels
GLOBAL, SHARED = KERNELS[:2]
# The stages that charts and tables show: one of each kind, as ten lines cannot be told apart.
SHOWN = STAGES.chosen(
    ("global_atomics", "shared_atomics", "gather", "resident", "rows", "one_launch")
)
LAST = SHOWN[-1]
# Their triangulations are all the host's, and nearly all of a whole run.
ON_THE_HOST = STAGES.between("global_atomics", "device_lists")
CIRCLE = {"input": "circle", "max-iterations": "10000"}
LARGEST = 31_409  # the largest size of the printed tables
OTHER_FLAGS = ("h0", "plus", "minus", "grading", "fixed")
RUNS = Runs(STAGES, {**CIRCLE, **dict.fromkeys(OTHER_FLAGS, "0")}, "points", "points")

SAID_BY = "Gaudiani 2012"
FILE = PUBLISHED / "distmesh.csv"
PRINTED = PrintedTables(SAID_BY, f"{SAID_BY}, Tesla C2070", FILE, tuple(read_cells(FILE, STAGES)))
NAMES = {
    STAGES.serial: f"{SAID_BY}, CPU",
    GLOBAL: f"{SAID_BY}, v1",
    SHARED: f"{SAID_BY}, v2",
}


def cells_of(figure: str, quantity: str, stage: str = "") -> dict[int, float]:
    """The printed numbers of a stage by n; without a stage, of any stage that has them."""
    found = {
        one.n: one.value
        for one in PRINTED.cells
        if (one.figure, one.quantity) == (figure, quantity) and stage in ("", one.stage)
    }
    if not found:
        raise DataError(f"{FILE}: no {quantity} of {stage or 'any stage'} in table {figure}")
    return found
