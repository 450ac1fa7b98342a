# SPDX-License-Identifier: MIT
"""The memories of a GPU, from a thread's registers to the host's memory: who uses each of them, how
large it is, and how fast at most. Sizes are those of the CPU engine's device, from a timeline;
rates are those of the data sheets (devices.toml)."""

from __future__ import annotations

from common.tools.explain.devices import Device, read_devices
from common.tools.lib.numbers import three_digits
from common.tools.lib.stages import DataError
from plots.basics.machine import FEW, WORD, read_machine
from plots.drawing.figure import Drawing
from plots.drawing.scene import DARK, GREY, LIGHT, PALE_MARK, PLAIN, RED, Scene
from plots.records.source import Source

WAVEFRONT = 128  # bytes, one word of each bank
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def device_of(name: str) -> Device:
    found = next((one for one in read_devices().values() if one.name == name), None)
    if found is None:
        raise DataError(f"{name}: its rates are not in devices.toml")
    return found


def terabytes(rate: float) -> str:
    return f"{three_digits(rate / 1e12)} TB/s"


def draw_multiprocessor(scene: Scene, left: float, number: int, rows: list[str]) -> None:
    top, width = 180.0, 350.0
    scene.text(left, top - 22, f"multiprocessor {number}", 20, align="left")
    scene.frame(left, top, left + width, top + 270)
    for i, (text, look) in enumerate(zip(rows, (DARK, LIGHT, LIGHT, PLAIN))):
        y = top + 14 + i * 62
        scene.box(left + 14, y, left + width - 14, y + 54, look, text, 17)


def prepare_memories(source: Source) -> Drawing:
    """Multiprocessors above, the caches and memories that they share below, the host beside."""
    machine = read_machine(source, FEW)
    device = device_of(machine.name)
    if device.multiprocessors != machine.multiprocessors:
        raise DataError(f"{machine.name}: devices.toml and the trace differ in multiprocessors")
    registers = f"registers: {machine.registers * WORD // KIB} KB"
    shared = f"shared memory: {machine.shared_bytes // KIB} KB"
    l2_size = f"{machine.l2_bytes // MIB} MB"
    memory_size = f"{round(machine.memory_bytes / GIB)} GB"
    cores = f"{device.lanes['float']} CUDA cores"
    inner = machine.multiprocessors * device.wavefronts_per_clock * WAVEFRONT * device.clock
    memory, link = device.memory_bytes_per_second, device.host_bytes_per_second
    scene = Scene()
    for left, number in ((40.0, 0), (430.0, 1), (880.0, machine.multiprocessors - 1)):
        draw_multiprocessor(scene, left, number, [cores, registers, shared, "L1 cache"])
        scene.arrow(left + 175, 520, left + 175, 454, GREY, width=2.5)
    scene.text(830, 315, "…", 34)
    scene.text(1250, 221, "one lane of a warp each", 17, GREY, "left")
    scene.text(1250, 283, "of one thread each", 17, GREY, "left")
    scene.text(1250, 333, "of one block each;", 17, GREY, "left")
    scene.text(1250, 359, f"in all {terabytes(inner)} at most", 17, GREY, "left")
    scene.text(1250, 407, "of one multiprocessor", 17, GREY, "left")
    scene.box(40, 524, 1230, 594, LIGHT, f"L2 cache: {l2_size}", 20)
    scene.text(1250, 559, "of all multiprocessors", 17, GREY, "left")
    scene.arrow(635, 676, 635, 598, RED, width=3)
    scene.text(655, 638, f"{terabytes(memory)} at most", 18, RED, "left")
    scene.box(40, 680, 1020, 800, PALE_MARK)
    scene.text(530, 716, f"device memory: {memory_size}", 20)
    scene.text(530, 762, "global memory of all threads, local memory of each thread", 17)
    scene.box(1260, 680, 1560, 800, PLAIN, "host memory", 20)
    scene.arrow(1256, 740, 1024, 740, RED, width=3)
    scene.text(1140, 714, f"{three_digits(link / 1e9)} GB/s at most", 17, RED)
    scene.text(40, 850, "red: the two ways on which a program waits most", 17, GREY, "left")
    return scene.drawing(
        subtitle=(
            f"{machine.name}: sizes of the CPU engine's device, from a timeline; rates of the data"
            " sheets."
        ),
        ours=(
            f"The nearer a memory is to the lanes, the faster and smaller it is. Shared memory of all"
            f" multiprocessors together delivers {terabytes(inner)}, device memory"
            f" {terabytes(memory)}, the host's link {three_digits(link / 1e9)} GB/s in one direction."
        ),
        alt=(
            f"Three of {machine.multiprocessors} multiprocessors, each with {cores}, {registers},"
            f" {shared} and an L1 cache; below them an L2 cache of {l2_size} for all, then device"
            f" memory of {memory_size} at {terabytes(memory)}, and beside it the host's memory behind"
            f" a link of {three_digits(link / 1e9)} GB/s."
        ),
        traces=[FEW],
    )
