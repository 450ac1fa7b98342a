#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GPU architectures by nvcc's numbers: 90 is compute capability 9.0.

As a program it answers Meson, one word per line:
    architectures.py flags 75 90        nvcc's flags for stages on these architectures
    architectures.py requirement 90     the words that follow "needs"
"""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

# Of CUDA 13, with cards that have them.
CARDS = {
    75: "T4, RTX 20",
    80: "A100",
    86: "RTX 30",
    89: "RTX 40, L4",
    90: "H100",
    100: "B200",
    120: "RTX 50",
}
REDUCING = 80  # older ones have no instruction that adds over a warp
# A multiprocessor of these holds 2048 threads, of others 1024 or 1536 (CUDA C++ Programming Guide,
# table "Technical Specifications per Compute Capability").
HOLDING_2048_THREADS = (70, 72, 80, 90, 100, 103)
REDUCTIONS = Path(__file__).resolve().parents[2] / "cuda" / "warp_reductions.cuh"


def number_of(architecture: str) -> int:
    """Of nvcc's name: 90a and 90 are both 90. Raises ValueError."""
    match = re.fullmatch(r"(\d{2,3})[af]?", architecture)
    if match is None:
        raise ValueError(
            f"{architecture!r} is no architecture such as {', '.join(map(str, CARDS))}"
        )
    return int(match[1])


def nvcc_flags(numbers: Iterable[int]) -> list[str]:
    """What nvcc needs to compile stages for these architectures; nothing for 80, 90 and 100."""
    chosen = list(numbers)
    flags = []
    if any(number < REDUCING for number in chosen):
        flags += ["-include", str(REDUCTIONS)]
    # A stage may ask by __launch_bounds__ for as many blocks as an H200's multiprocessor holds.
    # Where there is room for fewer, ptxas warns, and uses the first bound only.
    if any(number not in HOLDING_2048_THREADS for number in chosen):
        flags += ["-Xptxas=-w"]
    return flags


def capability(number: int) -> str:
    return f"{number // 10}.{number % 10}"


def requirement(minimum: int) -> str:
    """The words that follow "needs", for stages with this minimum."""
    return f"a GPU of compute capability {capability(minimum)} ({CARDS[minimum]}) or newer"


def main(words: Sequence[str]) -> str:
    try:
        what, *numbers = words[0], *map(number_of, words[1:])
        return requirement(*numbers) if what == "requirement" else "\n".join(nvcc_flags(numbers))
    except (ValueError, KeyError) as error:
        raise SystemExit(f"architectures.py: {error}") from None


if __name__ == "__main__":
    print(main(sys.argv[1:]))
