# SPDX-License-Identifier: MIT
"""The least time that counted work takes on a device, resource by resource.

A bound is no forecast: no kernel can be faster, and most are slower. Each resource is counted as if
it worked without a pause at the highest clock, on as many multiprocessors as the grid can use, and
all resources at the same time. The slowest resource binds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from common.tools.explain.devices import Device
from common.tools.explain.samples import SECTOR
from common.tools.lib.counting import Counters, Kernel, Line
from common.tools.lib.numbers import whole_or_three_digits

SECTORS_PER_WAVEFRONT = 4  # 128 bytes
TO_L2 = ("store", "atomic", "bulk_store")  # L1 keeps no store back
WORK = ("instructions", "wavefronts", "l2_sectors")


@dataclass(frozen=True)
class Bound:
    resource: str
    amount: str  # what was counted
    seconds: float


def wavefronts(line: Line) -> float:
    """The passes through L1 and shared memory that a line needs at least."""
    if line["space"] == "shared":
        return float(line["requests"] if is_added_up(line) else line["wavefronts"])
    if line["space"] == "global" and line["operation"] in ("load", "store", "atomic"):
        return max(float(line["requests"]), sectors(line) / SECTORS_PER_WAVEFRONT)
    return 0.0


def is_added_up(line: Line) -> bool:
    """Whether lanes of an atomic operation meet on a word. nvcc may add up their values first, and
    then one lane goes for all."""
    return line["operation"] == "atomic" and line["depth"] > line["requests"]


def sectors(line: Line) -> int:
    return int(line["requests"] if is_added_up(line) else line["sectors"])


def work_of(kernels: Iterable[Kernel]) -> dict[str, float]:
    """Of these kernels: warp instructions (each access, barrier and collective is at least one),
    wavefronts, and sectors that must go to L2."""
    work = dict.fromkeys(WORK, 0.0)
    for kernel in kernels:
        for line in kernel.lines:
            if line["operation"] == "block":
                continue
            work["instructions"] += line["requests"]
            work["wavefronts"] += wavefronts(line)
            if line["space"] == "global" and line["operation"] in TO_L2:
                work["l2_sectors"] += sectors(line)
    return work


def on_multiprocessors(work: Mapping[str, float], device: Device, used: int) -> list[Bound]:
    """The bounds of a kernel that runs on so many multiprocessors at most."""
    per_second = min(used, device.multiprocessors) * device.clock
    bounds = [
        Bound(
            "issue",
            f"{whole_or_three_digits(work['instructions'])} warp instructions at least",
            work["instructions"] / device.warps_per_clock / per_second,
        ),
        Bound(
            "L1 and shared memory",
            f"{whole_or_three_digits(work['wavefronts'])} wavefronts",
            work["wavefronts"] / device.wavefronts_per_clock / per_second,
        ),
    ]
    if device.l2_bytes_per_clock:
        bounds.append(
            Bound(
                "L2",
                f"{whole_or_three_digits(work['l2_sectors'])} sectors of stores and atomics",
                work["l2_sectors"] * SECTOR / device.l2_bytes_per_clock / device.clock,
            )
        )
    return bounds


def arithmetic(operations: float, device: Device) -> Bound:
    """Operations that the algorithm does at least; a multiply-add is two."""
    per_second = 2 * device.lanes["float"] * device.multiprocessors * device.clock
    return Bound(
        "arithmetic", f"{whole_or_three_digits(operations)} operations", operations / per_second
    )


def memory(moved: float, working_set: float, device: Device) -> Bound:
    """Bytes that the kernels move at least. Of each pass over the working set, L2 can keep as much
    as it holds."""
    missed = max(0.0, 1 - device.l2_bytes / working_set) * moved if working_set else 0.0
    return Bound(
        "memory",
        f"{whole_or_three_digits(missed)} bytes past L2",
        missed / device.memory_bytes_per_second,
    )


def host_link(moved: float, device: Device) -> Bound:
    """Bytes between host and device, in one direction."""
    return Bound(
        "host link", f"{whole_or_three_digits(moved)} bytes", moved / device.host_bytes_per_second
    )


def transfers(counted: Counters, device: Device) -> Bound:
    """Copies in both directions may overlap."""
    ways = ("host_to_device", "device_to_host")
    return host_link(max(counted.get(f"{way}.bytes", 0) for way in ways), device)


# ---- Instructions that a profiler counted

# The execution unit of an opcode. What is not listed needs an issue slot only.
SPECIAL = ("MUFU",)
INTEGER = tuple(
    "IADD3 LOP3 SHF ISETP FSETP FMNMX VIMNMX VIADDMNMX IMNMX SEL FSEL PRMT LEA PLOP3 SGXT".split()
)
LANES_PER_WARP = 32


def opcodes(counts: Mapping[str, float], device: Device, used: int) -> list[Bound]:
    """The bounds of warp instructions by opcode."""
    per_second = min(used, device.multiprocessors) * device.clock

    def of_unit(names: Sequence[str], lanes: int) -> tuple[float, float]:
        total = sum(count for opcode, count in counts.items() if opcode.partition(".")[0] in names)
        return total, total * LANES_PER_WARP / lanes / per_second

    total = sum(counts.values())
    bounds = [
        Bound(
            "issue",
            f"{whole_or_three_digits(total)} warp instructions",
            total / device.warps_per_clock / per_second,
        )
    ]
    for resource, names, lanes in (
        ("integer and comparison", INTEGER, device.lanes["integer"]),
        ("special functions", SPECIAL, device.lanes["special"]),
    ):
        count, seconds = of_unit(names, lanes)
        bounds.append(Bound(resource, f"{whole_or_three_digits(count)} warp instructions", seconds))
    return bounds


def binding(bounds: Iterable[Bound]) -> Bound:
    return max(bounds, key=lambda one: one.seconds)
