# SPDX-License-Identifier: MIT
"""Launches that cannot fill the device: the size of the grid, of the block, and what a block
takes."""

from __future__ import annotations

import re

from common.tools.explain.context import Context, counted
from common.tools.explain.finding import Finding
from common.tools.explain.samples import WARP, Shape
from common.tools.lib.counting import bare

LOW_OCCUPANCY = 0.5
IDLE_LANES = 0.1  # of a block's last warp, by all its lanes
ROUNDS = 16  # of a loop that more threads could share


def place_of(context: Context) -> tuple[str, int]:
    """The file and line where the kernel begins; the program itself if its text is not found."""
    name = bare(context.kernel.name) or context.kernel.name
    pattern = re.compile(rf"(?<!\w){re.escape(name)}\s*\(")
    for file, lines in context.texts.items():
        for number, text in enumerate(lines, 1):
            before = " ".join(lines[max(0, number - 3) : number - 1]) + " " + text
            if pattern.search(text) and "__global__" in before and "<<<" not in text:
                return file, number
    return next(iter(context.texts), ""), 0


def warps_of(shape: Shape) -> int:
    return -(-shape.threads // WARP)


def idle_last_warp(context: Context, shape: Shape) -> Finding | None:
    lanes = WARP * warps_of(shape)
    idle = lanes - shape.threads
    if idle < IDLE_LANES * lanes:
        return None
    file, line = place_of(context)
    return context.finding(
        "block_size",
        {"file": file, "line": line},
        f"a block has {counted(shape.threads, 'thread')}: {idle} of the {lanes} lanes of its "
        f"{counted(warps_of(shape), 'warp')} have nothing to do",
        f"choose a multiple of {WARP} threads per block",
        idle / lanes,
    )


def shared_bytes(context: Context, shape: Shape) -> int:
    """Of a block. Without nvcc, the size of its `__shared__` arrays is that of those that it was
    seen to use."""
    arrays = {
        owner
        for one in context.samples.instructions
        if one.kernel == context.kernel.name and one.space == "shared"
        for sample in one.samples
        for owner in sample.objects
    }
    objects = [context.samples.objects[index] for index in arrays]
    static = sum(one["bytes"] for one in objects if one["name"] not in ("", "dynamic"))
    return shape.dynamic_shared + max(shape.static_shared, static)


def low_occupancy(context: Context, shape: Shape) -> Finding | None:
    device = context.samples.device
    most = device["threads"]
    used = shared_bytes(context, shape)
    granularity = device["shared_granularity"]
    per_block = -(-(used + device["reserved_shared"]) // granularity) * granularity
    by_shared = device["shared"] // per_block if per_block else shape.resident
    resident = min(shape.resident, by_shared)
    threads = resident * WARP * warps_of(shape)
    if resident < 1 or threads >= LOW_OCCUPANCY * most:
        return None
    if by_shared == resident:
        why = f"a block takes {used} bytes of shared memory"
        cure = "use a smaller tile, or let more threads share one"
    elif device["blocks"] == resident:
        why = f"a block has {counted(shape.threads, 'thread')}, and no more blocks fit"
        cure = "choose larger blocks: 128 to 256 threads"
    else:
        why = f"each thread takes {shape.registers} registers"
        cure = "keep fewer values per thread, or limit the registers (__launch_bounds__)"
    file, line = place_of(context)
    return context.finding(
        "occupancy",
        {"file": file, "line": line},
        f"a multiprocessor holds {counted(resident, 'block')} of this kernel, {threads} of {most} "
        f"threads, because {why}; few warps hide little latency",
        cure,
        (1 - threads / most) / 2,
    )


def few_blocks(context: Context, shape: Shape) -> Finding | None:
    """Few blocks are no mistake of a small input. They are one if each thread works through many
    elements: more threads could share them."""
    multiprocessors = context.samples.device["multiprocessors"]
    warps = context.kernel.count("warps")
    if shape.blocks >= multiprocessors or not warps:
        return None
    rounds = context.kernel.count("loop.iterations") / warps
    stepped = grid_stride_line(context)
    if not stepped or rounds < ROUNDS:
        return None
    file, line = stepped
    idle = multiprocessors - shape.blocks
    return context.finding(
        "few_blocks",
        {"file": file, "line": line},
        f"the threads of {counted(shape.blocks, 'block')} pass this loop {rounds:.0f} times each, "
        f"while {idle} of {multiprocessors} multiprocessors have no block",
        "launch more blocks, so that each thread has fewer rounds",
        idle / multiprocessors,
    )


def grid_stride_line(context: Context) -> tuple[str, int] | None:
    """A loop whose step is the number of all threads: any number of blocks gives the same
    result."""
    names = {"gridDim"}
    for file, lines in context.texts.items():
        for number, text in enumerate(lines, 1):
            made = re.search(r"\b(\w+)\s*=[^=;]*gridDim", text)
            if made and "for" not in text:
                names.add(made[1])
            step = re.search(r"\bfor\s*\([^;]*;[^;]*;\s*\w+\s*\+=\s*(.*)", text)
            if step and any(re.search(rf"\b{name}\b", step[1]) for name in names):
                return file, number
    return None


def launch_findings(context: Context) -> list[Finding]:
    own = context.own
    if own is None or not own.shapes:
        return []
    # The launches of the most frequent shape stand for the kernel.
    shape = max(own.shapes, key=lambda one: one.launches * one.blocks)
    found = [check(context, shape) for check in (idle_last_warp, low_occupancy, few_blocks)]
    return [one for one in found if one]
