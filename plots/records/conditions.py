# SPDX-License-Identifier: MIT
"""Under which conditions a GPU measured: conditions.csv, one row for each `make record`.

What a board does not say is 0, or empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.csv_tables import integer, read_table, real
from common.tools.lib.gpu_state import HARMFUL

FILE = "conditions.csv"
TEXTS = ("date", "device", "driver", "version")
COUNTS = ("samples", "others")
REALS = ("clock_mhz", "base_mhz", "most_mhz", "power_w", "limit_w", "temperature_c")
COLUMNS = (*TEXTS, *COUNTS, *REALS, "reasons")
SEPARATOR = "; "


@dataclass(frozen=True)
class Conditions:
    """Of one recorder: of the seconds in which the GPU was busy, the median clock, the greatest
    power and temperature, what slowed it down in any of them, and the most other processes on
    it."""

    date: str
    device: str
    driver: str
    version: str  # of the course
    samples: int
    clock_mhz: float
    base_mhz: float
    most_mhz: float
    power_w: float
    limit_w: float
    temperature_c: float
    reasons: tuple[str, ...]
    others: int

    @property
    def harmful(self) -> list[str]:
        """Without the power limit, which is part of many boards' normal work."""
        return [name for name in self.reasons if name in HARMFUL]

    @property
    def below_base(self) -> bool:
        return 0 < self.clock_mhz < self.base_mhz

    def record(self) -> dict[str, str]:
        """As a row of the table."""
        words = {name: str(getattr(self, name)) for name in COLUMNS}
        return words | {"reasons": SEPARATOR.join(self.reasons)}


def read_conditions(path: Path) -> list[Conditions]:
    found = []
    for number, one in read_table(path, COLUMNS):
        place = f"{path}:{number}"
        values: dict[str, Any] = {name: one[name] for name in TEXTS}
        values |= {name: integer(one[name], name, place) for name in COUNTS}
        values |= {name: real(one[name], name, place) for name in REALS}
        reasons = tuple(filter(None, one["reasons"].split(SEPARATOR)))
        found.append(Conditions(**values, reasons=reasons))
    return found
