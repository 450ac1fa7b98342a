# SPDX-License-Identifier: MIT
"""What each line of a source asks of the memory, summed over its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Waste in times the ideal, from which a line gets the next colour.
LEVELS = (1.05, 1.5, 3.0, 8.0)


@dataclass
class Margin:
    """Sums over what a line asks, by whatever kernels."""

    requests: int = 0
    lanes: int = 0
    alive_lanes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    sector_requests: int = 0
    wavefront_requests: int = 0
    barriers: int = 0
    collectives: int = 0
    runs: int = 0  # executions of the line's basic blocks by warps

    def add(self, line: dict[str, Any]) -> None:
        count, operation = line["requests"], line["operation"]
        if operation == "block":
            self.runs += count
        elif operation == "barrier":
            self.barriers += count
        elif operation == "collective":
            self.collectives += count
        else:
            self.requests += count
        if operation != "block":
            self.lanes += line["lanes"]
            self.alive_lanes += line["alive_lanes"]
        if line["ideal_sectors"]:
            self.sector_requests += count
        if line["ideal_wavefronts"]:
            self.wavefront_requests += count
        for name in ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"):
            setattr(self, name, getattr(self, name) + line[name])

    @property
    def asks(self) -> int:
        """Whatever a warp does at this line besides arithmetic."""
        return self.requests + self.barriers + self.collectives

    @property
    def lane_share(self) -> float:
        return self.lanes / self.alive_lanes if self.alive_lanes else 1.0

    @property
    def waste(self) -> float:
        """In times the ideal: the larger of sectors and wavefronts."""
        ratios = [
            units / ideal
            for units, ideal in (
                (self.sectors, self.ideal_sectors),
                (self.wavefronts, self.ideal_wavefronts),
            )
            if ideal
        ]
        return max(ratios, default=1.0)

    @property
    def level(self) -> int:
        """0: no waste, 4: the most."""
        return sum(self.waste > bound for bound in LEVELS)

    def per_request(self, name: str) -> float | None:
        """Sectors or wavefronts per request, or their ideal; None: the line has no such request."""
        requests = self.sector_requests if "sector" in name else self.wavefront_requests
        return getattr(self, name) / requests if requests else None


def margins_of(counters: dict[str, Any]) -> dict[tuple[str, int], Margin]:
    margins: dict[tuple[str, int], Margin] = {}
    for kernel in counters["kernels"]:
        for line in kernel["lines"]:
            margins.setdefault((line["file"], line["line"]), Margin()).add(line)
    return margins
