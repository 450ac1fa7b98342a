# SPDX-License-Identifier: MIT
"""Reads what the CPU engine counted in each kernel (data/counters)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.columns import COUNTER_COLUMNS
from common.tools.lib.csv_tables import integer, read_table


@dataclass(frozen=True)
class KernelCounters:
    """What the CPU engine counted in one kernel of one stage. Counters that are 0 are left out."""

    stage: str
    arguments: str
    kernel: str  # empty: transfers, which belong to no kernel
    counters: dict[str, int]

    def count(self, name: str) -> int:
        return self.counters.get(name, 0)

    def per_iteration(self, name: str) -> float:
        """A counter per iteration of the innermost loop; 0 where there is no loop."""
        iterations = self.count("loop.iterations")
        return self.count(f"loop.{name}") / iterations if iterations else 0.0


def read_counters(path: Path, run: str = "") -> list[KernelCounters]:
    """Counters by stage and kernel, in the order of the file: of each stage's own run, which comes
    first, or of the run with these arguments."""
    found: dict[tuple[str, str], KernelCounters] = {}
    own: dict[str, str] = {}
    for number, record in read_table(path, COUNTER_COLUMNS):
        if record["arguments"] != (run or own.setdefault(record["stage"], record["arguments"])):
            continue
        key = (record["stage"], record["kernel"])
        one = found.setdefault(
            key, KernelCounters(record["stage"], record["arguments"], record["kernel"], {})
        )
        one.counters[record["counter"]] = integer(
            record["value"], record["counter"], f"{path}:{number}"
        )
    return list(found.values())
