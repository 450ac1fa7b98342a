# SPDX-License-Identifier: MIT
"""The devices whose limits give lower bounds (devices.toml)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import DataError, ToolError

PATH = Path(__file__).with_name("devices.toml")
DEFAULT = "h200"


@dataclass(frozen=True)
class Device:
    name: str
    architecture: str  # as nvcc calls it: sm_90
    multiprocessors: int
    clock: float  # Hz
    warps_per_clock: int  # instructions that a multiprocessor issues
    wavefronts_per_clock: int  # of a multiprocessor's L1 cache and shared memory
    l2_bytes: int
    memory_bytes_per_second: float
    host_bytes_per_second: float  # in one direction
    lanes: dict[str, int]  # results per clock and multiprocessor
    source: str
    l2_bytes_per_clock: int | None = None  # no source states it
    emulated: bool = False  # whether the engine has its properties and limits


def read_devices(path: Path = PATH) -> dict[str, Device]:
    tables = parse_toml(read_text(path), path)
    needed = {one.name for one in fields(Device)} - {"l2_bytes_per_clock", "emulated"}
    devices = {}
    for key, table in tables.items():
        missing = sorted(needed - table.keys())
        if missing:
            raise DataError(f"{path}: [{key}] has no {missing[0]}")
        try:
            devices[key] = Device(**table)
        except TypeError as error:
            raise DataError(f"{path}: [{key}]: {error}") from None
    return devices


def chosen_device(name: str, variable: str = "DEVICE") -> tuple[str, Device]:
    """`variable`: what named it, for messages."""
    devices = read_devices()
    key = name or DEFAULT
    if key not in devices:
        raise ToolError(f"{variable}={name}: no such device; choose one of {', '.join(devices)}")
    return key, devices[key]
