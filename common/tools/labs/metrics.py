# SPDX-License-Identifier: MIT
"""The counters that goals and questions name, computed from the kernels of one run.

A counter of the first group is a ratio, which does not depend on the size of the run. One of the
second group is related to the lab's unit of work, for example "32 cells". One of the third group is
a plain number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from common.tools.lib.counting import GLOBAL, SHARED, Counters, Kernel
from common.tools.labs.lab import Unit


def total(kernels: Sequence[Kernel], *names: str) -> int:
    return sum(kernel.count(name) for kernel in kernels for name in names)


def parts(spaces: Sequence[str], part: str) -> list[str]:
    return [f"{space}.{part}" for space in spaces]


Value = Callable[[Sequence[Kernel]], float]


def ratio(above: Sequence[str], below: Sequence[str]) -> Value:
    """0 where there is nothing to divide by: a kernel without requests has no sectors either."""

    def value(kernels: Sequence[Kernel]) -> float:
        divisor = total(kernels, *below)
        return total(kernels, *above) / divisor if divisor else 0.0

    return value


def number(*names: str) -> Value:
    return lambda kernels: float(total(kernels, *names))


def conflicts(kernels: Sequence[Kernel]) -> float:
    return float(
        total(kernels, *parts(SHARED, "wavefronts"))
        - total(kernels, *parts(SHARED, "ideal_wavefronts"))
    )


def warps_of_smallest(kernels: Sequence[Kernel]) -> float:
    """A launch with few warps leaves most of a GPU idle."""
    return min(
        (kernel.count("warps") / max(1, kernel.count("launches")) for kernel in kernels),
        default=0.0,
    )


RATIOS: dict[str, Value] = {
    "sectors per load request": ratio(["global_load.sectors"], ["global_load.requests"]),
    "sectors per store request": ratio(["global_store.sectors"], ["global_store.requests"]),
    "sectors per atomic request": ratio(["global_atomic.sectors"], ["global_atomic.requests"]),
    "lanes per load request": ratio(["global_load.lanes"], ["global_load.requests"]),
    "lanes on one word per atomic request": ratio(
        ["global_atomic.depth"], ["global_atomic.requests"]
    ),
    "wavefronts per shared load": ratio(["shared_load.wavefronts"], ["shared_load.requests"]),
    "wavefronts per shared store": ratio(["shared_store.wavefronts"], ["shared_store.requests"]),
    "wavefronts per shared request": ratio(parts(SHARED, "wavefronts"), parts(SHARED, "requests")),
    "lanes per shared request": ratio(parts(SHARED, "lanes"), parts(SHARED, "requests")),
    "active lanes": ratio(["basic_block_lanes"], ["basic_blocks"]),
}
RELATED: dict[str, Value] = {
    "load requests": number("global_load.requests"),
    "store requests": number("global_store.requests"),
    "atomic requests": number("global_atomic.requests"),
    "requests": number(*parts(GLOBAL, "requests")),
    "sectors": number(*parts(GLOBAL, "sectors")),
    "load sectors": number("global_load.sectors"),
    "shared loads": number("shared_load.requests"),
    "shared stores": number("shared_store.requests"),
    "shared atomics": number("shared_atomic.requests"),
    "shared requests": number(*parts(SHARED, "requests")),
    "shared wavefronts": number(*parts(SHARED, "wavefronts")),
    "bank conflicts": conflicts,
    "barriers": number("barriers"),
    "warp functions": number("collectives"),
}
PLAIN: dict[str, Value] = {
    "launches": number("launches"),
    "warps of the smallest kernel": warps_of_smallest,
}
TRANSFERS = {
    "copies to the device": "host_to_device.calls",
    "bytes to the device": "host_to_device.bytes",
    "copies to the host": "device_to_host.calls",
    "bytes to the host": "device_to_host.bytes",
}
COUNTERS = (*RATIOS, *RELATED, *PLAIN, *TRANSFERS)


def is_whole(counter: str) -> bool:
    """Whether the counter of one run is always a whole number."""
    return counter in TRANSFERS or counter in PLAIN


def label(counter: str, unit: Unit) -> str:
    return f"{counter} per {unit.name}" if counter in RELATED else counter


def measure(
    counter: str, kernels: Sequence[Kernel], transfers: Counters, unit: Unit, kernel: str = ""
) -> float:
    """The value of a counter, over the kernels whose names contain `kernel`."""
    if counter in TRANSFERS:
        return float(transfers[TRANSFERS[counter]])
    chosen = [one for one in kernels if kernel in one.name]
    if counter in RELATED:
        return RELATED[counter](chosen) / unit.count
    return (RATIOS | PLAIN)[counter](chosen)
