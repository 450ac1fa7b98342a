# SPDX-License-Identifier: MIT
"""The tables of Herrero and Troiani 2024 (MultiSort), and the least time that memory allows for
them."""

from __future__ import annotations

import math

from common.tools.lib.stages import DataError
from plots.drawing.chapter import PrintedTables
from plots.mergesort.stages import STAGES
from plots.records.folders import PUBLISHED
from plots.records.limits import Limits, reachable_seconds
from plots.records.published import TableCell, read_cells

SAID_BY = "Herrero and Troiani 2024"
KEY = "RTX 3080, 2024"
FILE = PUBLISHED / "multisort.csv"
# GeForce RTX 3080: 760 GB/s (3.6.1 of the report), 5 MB of L2 (NVIDIA, Ampere GA102 white paper).
# Nobody prints the rate of its L2: hits take no time here, so that the least time is a safe bound.
CARD = Limits(KEY, 760e9, l2_bytes=5 * 2**20)
INPUTS = {"sorted": "sorted", "uniform": "random (seed 21364)", "reverse": "reversed"}
CELLS = tuple(read_cells(FILE, STAGES))


def merge_levels(n: int, size_i: int) -> int:
    return math.ceil(math.log2(math.ceil(n / size_i)))


def moved_bytes(n: int, size_i: int) -> float:
    """The bytes that the chapter's multisort.cpp declares. The insertion sorts read each key and
    write all but each run's first. A level of merges reads and writes every key."""

    def insertions(keys: int) -> int:
        return 2 * keys - 1 if keys > 1 else 0

    return 4.0 * (
        n // size_i * insertions(size_i) + insertions(n % size_i) + 2 * n * merge_levels(n, size_i)
    )


def least_ms(limits: Limits, n: int, size_i: int) -> float:
    """The time for moving the keys alone; 0 where all of them stay in a cache of unknown rate."""
    return 1000 * reachable_seconds(limits, moved_bytes(n, size_i), 8.0 * n)


def cells_of(figure: int) -> list[TableCell]:
    found = [one for one in CELLS if one.figure == str(figure)]
    if not found:
        raise DataError(f"{FILE}: no table {figure}")
    return found


def varied_value(cell: TableCell, varied: str) -> int:
    return cell.n if varied == "n" else int(cell.parameters[varied])


def beyond_reach(cell: TableCell) -> bool:
    """Whether a kernel time is shorter than the card needs to move the keys."""
    return cell.quantity == "kernels_time" and cell.value < least_ms(
        CARD, cell.n, int(cell.parameters["size-i"])
    )


def impossible(figure: int) -> list[TableCell]:
    """The cells of a table whose time is shorter than the card needs to move the keys."""
    return [one for one in cells_of(figure) if beyond_reach(one)]


def impossible_words(figure: int) -> str:
    found = len(impossible(figure))
    return (
        f"{found} of the report's {len(cells_of(figure))} times are shorter than its card allows."
        if found
        else ""
    )


def printed_copies_ms(n: int, name: str) -> float:
    """The time that table 13 leaves for the copies: the serial time over the speed-up, less the
    kernels."""
    cell = {
        figure: next(one.value for one in cells_of(figure) if (one.n, one.input) == (n, name))
        for figure in (3, 10, 13)
    }
    return cell[3] / cell[13] - cell[10]


PRINTED = PrintedTables(SAID_BY, KEY, FILE, CELLS, beyond_reach)
