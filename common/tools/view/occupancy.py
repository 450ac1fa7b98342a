# SPDX-License-Identifier: MIT
"""Occupancy against block size: how many blocks a multiprocessor holds, and which resource is the
first to run out. The rules are the engine's (device/properties/properties.cpp), which are those of
the toolkit's cuda_occupancy.h."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WARP = 32
LARGEST_BLOCK = 1024
# What a kernel may use where nvcc has not said how many registers it needs.
ASSUMED_REGISTERS = (24, 32, 40, 48, 64, 80, 96, 128, 168, 255)


@dataclass(frozen=True)
class Occupancy:
    threads: int  # of a block
    blocks: int  # on a multiprocessor
    limit: str  # the resource that allows no further block
    share: float  # of the multiprocessor's threads


def threads_with(device: dict[str, Any], registers: int) -> int:
    """How many threads may run with so many registers each. The device's list has every eighth
    number; registers are given out in such steps."""
    table: list[tuple[int, int]] = device["threads_with_registers"]
    return next(threads for most, threads in table if most >= registers)


def occupancy(device: dict[str, Any], threads: int, registers: int, shared: int) -> Occupancy:
    """`shared`: bytes of a block, static and dynamic."""
    warps = -(-threads // WARP)
    step = device["shared_granularity"]
    block_shared = -(-(shared + device["reserved_shared"]) // step) * step
    allowed = {
        "threads": device["threads"] // WARP // warps,
        "blocks": device["blocks"],
        "registers": threads_with(device, registers) // WARP // warps,
    }
    if block_shared:
        allowed["shared memory"] = device["shared"] // block_shared
    blocks = min(allowed.values())
    limit = next(name for name, value in allowed.items() if value == blocks)
    return Occupancy(threads, blocks, limit, blocks * warps * WARP / device["threads"])


def curve(device: dict[str, Any], registers: int, shared: int) -> list[Occupancy]:
    return [
        occupancy(device, threads, registers, shared)
        for threads in range(WARP, LARGEST_BLOCK + 1, WARP)
    ]


def named_shared(view: dict[str, Any], kernel: str) -> int:
    """The bytes of the __shared__ variables that a kernel uses. g++ does not tell how many bytes a
    kernel has; those that it never touches are missing here."""
    used = {
        index
        for one in view["instructions"]
        if one["kernel"] == kernel and one["space"] == "shared"
        for request in one["kept"]
        for index in request["objects"]
    }
    objects = {view["objects"][index]["name"]: view["objects"][index]["bytes"] for index in used}
    return sum(size for name, size in objects.items() if name not in ("", "dynamic"))


def kernel_occupancy(view: dict[str, Any], kernel: dict[str, Any]) -> dict[str, Any] | None:
    """For the kernel's most frequent launch: one curve per number of registers. None: it has no
    launch."""
    if not kernel["shapes"]:
        return None
    shape = max(kernel["shapes"], key=lambda one: int(one["launches"]))
    device = view["device"]
    static = shape["static_shared"] or named_shared(view, kernel["name"])
    shared = static + shape["dynamic_shared"]
    known = shape["registers"]
    threads = shape["block"][0] * shape["block"][1] * shape["block"][2]
    return {
        "launched": threads,
        "grid": shape["grid"],
        "block": shape["block"],
        "launches": shape["launches"],
        "other_launches": kernel["other_shapes"]
        + sum(one["launches"] for one in kernel["shapes"] if one is not shape),
        "static_shared": static,
        "dynamic_shared": shape["dynamic_shared"],
        "registers_known": bool(known),
        "curves": [
            {
                "registers": registers,
                "points": [
                    [one.threads, one.blocks, one.limit, round(100 * one.share, 1)]
                    for one in curve(device, registers, shared)
                ],
            }
            for registers in ((known,) if known else ASSUMED_REGISTERS)
        ],
    }
