# SPDX-License-Identifier: MIT
"""Figures 2.1 and 2.2: how many multiprocessors a grid can use, and what one of them holds, from
the timelines of two stages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.tools.lib.stages import DataError
from plots.basics.stages import STAGES
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PLAIN, Look, Scene, look_of
from plots.records.source import Source
from plots.records.traces import Kept, Record, Timeline, details_of

COLUMNS = ("kind", "name", "detail")
ROWS = 3072  # and as many columns
WARP, WORD = 32, 4


def kept_rows(records: Iterable[Record]) -> Kept:
    """The device, and the first grid."""
    rows: Kept = []
    for kind, one in ((one["kind"], one) for one in records):
        if kind in ("device", "grid") and kind not in [row[0] for row in rows]:
            rows.append(tuple(one[name] for name in COLUMNS))
    return rows


def timeline_of(name: str, stage: str) -> Timeline:
    return Timeline(name, STAGES[STAGES.named(stage)].stage, ("--n", str(ROWS)), COLUMNS, kept_rows)


FEW = timeline_of("machine_few_blocks", "thread_per_line")
MANY = timeline_of("machine_many_blocks", "occupancy")


def volume(shape: str) -> int:
    x, y, z = map(int, shape.split("x"))
    return x * y * z


@dataclass(frozen=True)
class Machine:
    """A device, and the first grid that ran on it. Sizes are those of one multiprocessor, but for
    the L2 cache and the device's memory."""

    name: str
    multiprocessors: int
    threads: int
    registers: int
    shared_bytes: int
    l2_bytes: int
    memory_bytes: int
    kernel: str
    blocks: int
    block_threads: int
    resident: int  # blocks that a multiprocessor holds

    def blocks_of(self, multiprocessor: int) -> int:
        """Where the blocks go in turn: which one goes where is the hardware's choice."""
        even, rest = divmod(self.blocks, self.multiprocessors)
        return min(self.resident, even + (multiprocessor < rest))


def read_machine(source: Source, trace: Timeline) -> Machine:
    path = source.trace_path(trace.name)
    records = source.trace(trace.name, COLUMNS)
    devices = [one for one in records if one["kind"] == "device"]
    grids = [one for one in records if one["kind"] == "grid"]
    if len(devices) != 1 or not grids:
        raise DataError(f"{path}: no device and no grid")
    device, grid = details_of(devices[0]), details_of(grids[0])
    try:
        return Machine(
            devices[0]["name"].removesuffix(" (emulated)"),
            int(device["multiprocessors"]),
            int(device["threads"]),
            int(device["registers"]),
            int(device["shared"]),
            int(device["l2"]),
            int(device["memory"]),
            grids[0]["name"],
            volume(grid["grid"]),
            volume(grid["block"]),
            int(grid["resident"]),
        )
    except (KeyError, ValueError) as error:
        raise DataError(f"{path}: {error!r}") from error


def draw_device(scene: Scene, machine: Machine, left: float, top: float) -> list[int]:
    """A box per multiprocessor. Returns how many of them get no block, one, two, …"""
    columns, width, height = 12, 46.0, 24.0
    found: dict[int, int] = {}
    looks: tuple[Look, ...] = (PLAIN, LIGHT, DARK)
    for i in range(machine.multiprocessors):
        count = machine.blocks_of(i)
        found[count] = found.get(count, 0) + 1
        x, y = left + i % columns * width, top + i // columns * height
        scene.bar(x, y, x + width - 4, y + height - 4, looks[min(count, 2)])
    return [found.get(count, 0) for count in range(max(found) + 1)]


def prepare_machine(source: Source) -> Drawing:
    """A core, the multiprocessors with the blocks of two grids, and one multiprocessor."""
    few, many = read_machine(source, FEW), read_machine(source, MANY)
    scene = Scene()
    # A core.
    scene.text(40, 140, "(a) a core of a CPU", 20, align="left")
    scene.box(40, 170, 260, 330, LIGHT)
    scene.box(130, 215, 170, 285, DARK, 1, 20)
    scene.text(40, 356, "one thread adds all", 17, GREY, "left")
    scene.text(40, 384, f"{ROWS} × {ROWS} cells", 17, GREY, "left")
    # The device, twice.
    said = []
    for machine, trace, letter, top in ((few, FEW, "b", 170.0), (many, MANY, "c", 545.0)):
        name = trace.stage.partition("/")[2]
        scene.text(340, top - 30, f"({letter}) {name}: {machine.blocks} blocks", 20, align="left")
        counts = draw_device(scene, machine, 340, top)
        words = [
            f"{number} with {count or 'no'} block{'s' * (count > 1)}"
            for count, number in enumerate(counts)
            if number
        ]
        said.append(f"{name}: {', '.join(words)}")
        scene.text(340, top + 284, ", ".join(words), 17, GREY, "left")
    # One multiprocessor.
    left = 990.0
    scene.text(left, 140, "(d) one multiprocessor", 20, align="left")
    warps = many.threads // WARP
    per_block = many.block_threads // WARP
    used = many.resident * per_block
    scene.text(left, 186, f"room for {many.threads} threads: {warps} warps", 17, align="left")
    for slot in range(warps):
        x, y = left + slot % 8 * 68, 206 + slot // 8 * 44
        block = slot // per_block
        look = look_of(block) if slot < used else PLAIN
        text = f"block {block}" if slot % per_block == 0 and slot < used else ""
        scene.box(x, y, x + 68, y + 44, look, text, 13)
    below = 206 + warps / 8 * 44 + 34
    scene.text(left, below, f"{many.resident} blocks of {per_block} warps fit", 17, align="left")
    sizes = (
        ("registers", many.registers * WORD // 1024),
        ("shared memory", many.shared_bytes // 1024),
    )
    for i, (name, kilobytes) in enumerate(sizes):
        top = below + 34 + i * 68
        scene.bar(left, top, left + kilobytes * 2.1, top + 46, LIGHT)
        scene.text(left + 14, top + 23, f"{name}: {kilobytes} KB", 17, align="left")
    scene.text(340, 870, "grey: no block; light: one; dark: two", 17, GREY, "left")
    share = many.registers // many.threads
    scene.text(left, below + 186, f"full: {share} registers per thread", 17, GREY, "left")
    return scene.drawing(
        subtitle=(
            f"The {few.name} of the CPU engine with the first grids of two stages, {ROWS} rows and"
            " columns: their shapes, from timelines."
        ),
        ours=(
            f"A GPU has many simple multiprocessors, here {few.multiprocessors}, each with room for"
            f" {many.threads} threads. A block runs on one of them. {'; '.join(said)}. (Which block"
            " goes where is the hardware's choice; they are drawn in turn.) The figure stands for"
            " the thesis' figures 2.1 and 2.2, which show a Fermi multiprocessor."
        ),
        alt=(
            f"Left a core of a CPU with one thread; in the middle twice {few.multiprocessors}"
            f" boxes, one per multiprocessor: of {few.blocks} and of {many.blocks} blocks; right"
            f" one multiprocessor with {warps} warps in the colours of {many.resident} blocks, and"
            " the sizes of its registers and of its shared memory."
        ),
        traces=[FEW, MANY],
    )
