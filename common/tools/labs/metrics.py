# SPDX-License-Identifier: MIT
"""The counters that goals and questions name, computed from the kernels of one run.

A goal is a total over all kernels and all kinds of access: bytes that move, requests, steps. So a
kernel of another name, a decoy, or an atomic addition of 0 in place of a load gains nothing. A
ratio can be made small by more of what it is divided by, so only questions ask for ratios.

RELATED counters are divided by the lab's unit of work, for example "32 cells". PLAIN ones are
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from common.tools.lib.counting import GLOBAL, SHARED, Counters, Kernel, executions
from common.tools.labs.lab import Unit

SECTOR = 32  # bytes


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


def number(*names: str, factor: int = 1) -> Value:
    return lambda kernels: float(factor * total(kernels, *names))


def conflicts(kernels: Sequence[Kernel]) -> float:
    return float(
        total(kernels, *parts(SHARED, "wavefronts"))
        - total(kernels, *parts(SHARED, "ideal_wavefronts"))
    )


def writing_warps(kernel: Kernel) -> float:
    """In all launches. A warp that returns at once does no more than one that was not launched, so
    warps count that write to global memory."""
    writes = (
        executions(line)
        for line in kernel.lines
        if line["space"] == "global" and line["operation"] in ("store", "atomic", "bulk_store")
    )
    return max(1.0, min(kernel.count("warps"), max(writes, default=0)))


def one_after_another(kernels: Sequence[Kernel]) -> float:
    """The requests of a warp that works, over all launches. A GPU hides the time of a request only
    behind other warps, so few warps with many requests leave it idle."""
    return sum(
        kernel.count("launches")
        * total([kernel], *parts((*GLOBAL, *SHARED), "requests"))
        / writing_warps(kernel)
        for kernel in kernels
    )


RATIOS: dict[str, Value] = {
    "sectors per load request": ratio(["global_load.sectors"], ["global_load.requests"]),
    "sectors per store request": ratio(["global_store.sectors"], ["global_store.requests"]),
    "wavefronts per shared load": ratio(["shared_load.wavefronts"], ["shared_load.requests"]),
    "wavefronts per shared store": ratio(["shared_store.wavefronts"], ["shared_store.requests"]),
}
BYTES = "bytes moved"
WAVEFRONTS = "shared wavefronts"
RELATED: dict[str, Value] = {
    BYTES: number(*parts(GLOBAL, "sectors"), factor=SECTOR),
    "bytes stored": number(
        "global_store.sectors", "global_atomic.sectors", "global_bulk_store.sectors", factor=SECTOR
    ),
    "requests": number(*parts(GLOBAL, "requests")),
    "requests through registers": number(
        *parts(("global_load", "global_store", "global_atomic"), "requests")
    ),
    "load requests": number("global_load.requests"),
    "atomic requests": number("global_atomic.requests"),
    "turns of atomics": number("global_atomic.depth"),
    "shared loads": number("shared_load.requests"),
    "shared atomics": number("shared_atomic.requests"),
    "shared requests": number(*parts(SHARED, "requests")),
    WAVEFRONTS: number(*parts(SHARED, "wavefronts")),
    "bank conflicts": conflicts,
    "barriers": number("barriers"),
    "warp functions": number("collectives"),
    "steps": number("basic_blocks"),
}
PLAIN: dict[str, Value] = {
    "launches": number("launches"),
    "requests one after another": one_after_another,
}
TO_DEVICE, TO_HOST = "bytes to the device", "bytes to the host"
BESIDE, CHAIN = "bytes copied beside kernels", "launches one after another"
# A copy from unified memory counts as one within the device.
TRANSFERS = {
    BESIDE: ("beside_kernels.bytes",),  # of the timeline, as the next one: overlap.py
    CHAIN: ("in_a_row.launches",),
    TO_DEVICE: ("host_to_device.bytes",),
    "bytes copied for the device": ("host_to_device.bytes", "device_to_device.bytes"),
    TO_HOST: ("device_to_host.bytes",),
}
# Whatever the goals are, these are no worse than in both start and solution.
GUARDS = (BYTES, WAVEFRONTS, TO_DEVICE, TO_HOST)
COUNTERS = (*RATIOS, *RELATED, *PLAIN, *TRANSFERS)


def is_whole(counter: str) -> bool:
    """Whether the counter of one run is always a whole number."""
    return counter in TRANSFERS or counter == "launches"


def label(counter: str, unit: Unit) -> str:
    return f"{counter} per {unit.name}" if counter in RELATED else counter


def measure(
    counter: str, kernels: Sequence[Kernel], transfers: Counters, unit: Unit, kernel: str = ""
) -> float:
    """The value of a counter, over the kernels whose names contain `kernel`."""
    if counter in TRANSFERS:
        return float(sum(transfers.get(name, 0) for name in TRANSFERS[counter]))
    chosen = [one for one in kernels if kernel in one.name]
    if counter in RELATED:
        return RELATED[counter](chosen) / unit.count
    return (RATIOS | PLAIN)[counter](chosen)
