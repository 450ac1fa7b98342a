# SPDX-License-Identifier: MIT
"""What make explain says about a line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`line` is 0 where the whole program is meant. `weight`: the wasted share of the kernel's
    sectors, wavefronts, lanes or threads, from 0 to 1; larger ones are said first."""

    kind: str
    file: str
    line: int
    kernel: str
    cause: str
    cure: str
    weight: float
    seconds: float = 0.0  # of the host, by its calls; 0: the finding is about a kernel
