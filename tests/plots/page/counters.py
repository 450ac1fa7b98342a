# SPDX-License-Identifier: MIT
"""Made-up counters of one kernel in several stages."""

from collections.abc import Sequence


def counter_records(stages: Sequence[str]) -> list[list[object]]:
    """The loads of each stage, first from global memory, later from shared memory."""
    records: list[list[object]] = []
    for i, stage in enumerate(stages):
        space, loads = ("global", 4 if i == 0 else 1) if i < 2 else ("shared", 1)
        counters = {
            "launches": 1,
            "warps": 32,
            "global_store.requests": 96,
            "global_store.sectors": 384,
            "global_store.ideal_sectors": 384,
            f"{space}_load.requests": 32768 * loads + 64,
            f"{space}_load.sectors": 32768 * loads + 256,
            f"{space}_load.ideal_sectors": 32768 * loads + 256,
            "basic_blocks": 33000,
            "loop.iterations": 32768,
            "loop.basic_blocks": 32768,
            f"loop.{space}_load.requests": 32768 * loads,
        }
        if space == "shared":
            counters["barriers"] = 256
        records.append([stage, "--n 1024", "", "host_to_device.bytes", 4096])
        records += [
            [stage, "--n 1024", "melt_kernel", name, value] for name, value in counters.items()
        ]
    return records
