# SPDX-License-Identifier: MIT
"""What a check found, as data: the tools that print, grade and remember it read nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A mistake that the engine's checks named."""

    kind: str  # "race"
    file: str  # "" where no line is named
    line: int
    text: str
    cure: str  # "" where there is none


@dataclass(frozen=True)
class GoalResult:
    name: str
    yours: float | None  # None: nothing was counted
    goal: float | None  # None: hidden, the answer of a question
    at_least: bool
    met: bool
    points: int
    of: int


@dataclass(frozen=True)
class KernelResources:
    """What a kernel takes of a multiprocessor. For information: it costs no points."""

    kernel: str
    registers: int  # of a thread
    shared_bytes: int  # of a block
    occupancy: float  # a share of the multiprocessor's threads


@dataclass
class Result:
    lab: str
    compiles: bool = False
    right: bool = False
    findings: list[Finding] = field(default_factory=list)
    goals: list[GoalResult] = field(default_factory=list)
    points: int = 0
    of: int = 0
    messages: list[str] = field(default_factory=list)
    right_points: int = 0
    clean_points: int = 0
    seed: int | None = None
    resources: list[KernelResources] = field(default_factory=list)
    gpu_ms: list[tuple[str, float]] = field(default_factory=list)  # of the kernels, by name

    @property
    def all_met(self) -> bool:
        return self.points == self.of

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
