# SPDX-License-Identifier: MIT
"""What the first GPU is doing: its clocks, power, temperature, what slows it down, and who uses it.

The driver's management library (NVML) says it. Some boards do not know everything: what is unknown
is 0, and nothing is said of it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from typing import Any

from common.tools.lib.gpus import gpu_name, pci_bus_id

# Of nvml.h.
GRAPHICS_CLOCK, SM_CLOCK = 0, 1
OF_THE_GPU = 0  # the sensor of its temperature
VERSION_BYTES = 80
MOST_PROCESSES = 64
# What slows a GPU down under load. That it is idle, or that somebody has chosen its clocks, is none.
REASONS = {
    0x4: "power limit",
    0x8: "hardware slowdown",
    0x20: "temperature",
    0x40: "temperature (hardware)",
    0x80: "power brake",
}
IDLE = 0x1
# A power limit is part of many boards' normal work. These are not.
HARMFUL = tuple(name for name in REASONS.values() if name != "power limit")


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t of the calls that end in _v3."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


@dataclass(frozen=True)
class State:
    """Of one moment. Clocks in MHz, power in W, temperature in degrees Celsius."""

    clock_mhz: int = 0
    base_mhz: int = 0  # what the maker promises under load; 0: the board does not say
    most_mhz: int = 0
    power_w: float = 0.0
    limit_w: float = 0.0
    temperature_c: int = 0
    reasons: tuple[str, ...] = ()
    idle: bool = False
    others: int = 0  # processes that compute on this GPU, without this one


class Sensors:
    """The first GPU's. Opening them fails with OSError where the library or the GPU is missing."""

    def __init__(self, library: Any = None, bus_id: str | None = None) -> None:
        self._nvml = library if library is not None else ctypes.CDLL("libnvidia-ml.so.1")
        wanted = pci_bus_id() if bus_id is None else bus_id
        self._device = ctypes.c_void_p()
        if (
            not wanted
            or self._nvml.nvmlInit_v2() != 0
            or self._nvml.nvmlDeviceGetHandleByPciBusId_v2(
                wanted.encode(), ctypes.byref(self._device)
            )
            != 0
        ):
            raise OSError("NVML does not know the GPU")

    def _number(self, call: str, *words: int, kind: Any = ctypes.c_uint) -> int:
        value = kind()
        function = getattr(self._nvml, call, None)  # an old driver lacks new calls
        if function is None or function(self._device, *words, ctypes.byref(value)) != 0:
            return 0
        return int(value.value)

    def _others(self) -> int:
        function = getattr(self._nvml, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        count = ctypes.c_uint(MOST_PROCESSES)
        found = (_Process * MOST_PROCESSES)()
        if function is None or function(self._device, ctypes.byref(count), found) != 0:
            return 0
        return sum(found[place].pid != os.getpid() for place in range(count.value))

    def driver(self) -> str:
        """The driver's version."""
        text = ctypes.create_string_buffer(VERSION_BYTES)
        if self._nvml.nvmlSystemGetDriverVersion(text, len(text)) != 0:
            return ""
        return text.value.decode("ascii", errors="replace")

    def state(self) -> State:
        active = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong)
        return State(
            self._number("nvmlDeviceGetClockInfo", SM_CLOCK),
            self._number("nvmlDeviceGetDefaultApplicationsClock", GRAPHICS_CLOCK),
            self._number("nvmlDeviceGetMaxClockInfo", SM_CLOCK),
            self._number("nvmlDeviceGetPowerUsage") / 1000,
            self._number("nvmlDeviceGetEnforcedPowerLimit") / 1000,
            self._number("nvmlDeviceGetTemperature", OF_THE_GPU),
            tuple(name for bit, name in REASONS.items() if active & bit),
            bool(active & IDLE),
            self._others(),
        )


def warning_of(state: State) -> str:
    """What makes times of this GPU too long now; "" if nothing does. An idle GPU has low clocks
    without need."""
    found = []
    if state.others:
        many = state.others > 1
        found.append(f"{state.others} other {'processes use' if many else 'process uses'} it")
    harmful = [name for name in state.reasons if name in HARMFUL]
    if harmful:
        found.append(f"it is slowed down: {', '.join(harmful)}")
    elif not state.idle and 0 < state.clock_mhz < state.base_mhz:
        found.append(f"its clock is {state.clock_mhz} MHz, its base is {state.base_mhz} MHz")
    return "; ".join(found)


def warn(command: str) -> None:
    """Says the same of the first GPU on stderr, where somebody can know it."""
    try:
        said = warning_of(Sensors().state())
    except OSError:
        return
    if said:
        print(f"{command}: {gpu_name()}: {said}", file=sys.stderr, flush=True)
