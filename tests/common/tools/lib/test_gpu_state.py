# SPDX-License-Identifier: MIT
"""What is said of a GPU that another program uses, or that is slowed down, from a stand-in for the
driver's library."""

import contextlib
import ctypes
import io
import os
import unittest
from typing import Any
from unittest import mock

from common.tools.lib import gpu_state
from common.tools.lib.gpu_state import Sensors, State, warning_of

ACTIVE = 0x4 | 0x20


class Nvml:
    """Answers as the library does: the last argument points to the value."""

    numbers = {
        "nvmlDeviceGetClockInfo": 1400,
        "nvmlDeviceGetDefaultApplicationsClock": 1500,
        "nvmlDeviceGetMaxClockInfo": 1980,
        "nvmlDeviceGetPowerUsage": 612_500,
        "nvmlDeviceGetEnforcedPowerLimit": 700_000,
        "nvmlDeviceGetTemperature": 71,
        "nvmlDeviceGetCurrentClocksThrottleReasons": ACTIVE,
    }

    def __init__(self, lacks: tuple[str, ...] = (), fails: tuple[str, ...] = ()) -> None:
        self.lacks, self.fails = lacks, fails

    def __getattr__(self, name: str) -> Any:
        if name in self.lacks:
            raise AttributeError(name)
        if name in self.fails:
            return lambda *_: 3  # not supported
        if name in self.numbers:
            return lambda *words: self.put(words[-1], self.numbers[name])
        return {
            "nvmlInit_v2": lambda: 0,
            "nvmlDeviceGetHandleByPciBusId_v2": lambda bus, _: int(bus != b"0000:01:00.0"),
            "nvmlSystemGetDriverVersion": self.version,
            "nvmlDeviceGetComputeRunningProcesses_v3": self.processes,
        }[name]

    @staticmethod
    def put(pointer: Any, value: int) -> int:
        pointer._obj.value = value
        return 0

    @staticmethod
    def version(text: Any, length: int) -> int:
        assert length > 10
        text.value = b"580.65.06"
        return 0

    @staticmethod
    def processes(_: object, count: Any, found: Any) -> int:
        found[0].pid, found[1].pid = os.getpid(), 1
        count._obj.value = 2
        return 0


class StateTest(unittest.TestCase):
    def test_all_of_it(self) -> None:
        sensors = Sensors(Nvml(), "0000:01:00.0")
        self.assertEqual(sensors.driver(), "580.65.06")
        seen = State(1400, 1500, 1980, 612.5, 700.0, 71, ("power limit", "temperature"), False, 1)
        self.assertEqual(sensors.state(), seen)

    def test_what_a_board_or_a_driver_does_not_know(self) -> None:
        names = ("nvmlDeviceGetDefaultApplicationsClock", "nvmlDeviceGetPowerUsage")
        processes = "nvmlDeviceGetComputeRunningProcesses_v3"
        for library in (Nvml(fails=(*names, processes)), Nvml(lacks=(*names, processes))):
            state = Sensors(library, "0000:01:00.0").state()
            self.assertEqual((state.base_mhz, state.power_w, state.others), (0, 0.0, 0))

    def test_another_gpu_or_none(self) -> None:
        for bus in ("0000:02:00.0", ""):
            with self.assertRaises(OSError):
                Sensors(Nvml(), bus)

    def test_structure(self) -> None:
        """As nvml.h has it."""
        from common.tools.lib.gpu_state import _Process

        self.assertEqual(ctypes.sizeof(_Process), 24)


class WarningTest(unittest.TestCase):
    def test_nothing_is_wrong(self) -> None:
        for state in (
            State(),
            State(1800, 1500, 1980),
            State(210, 1500, 1980, idle=True),  # clocks rise under load
            State(1600, 1500, 1980, reasons=("power limit",)),
        ):
            self.assertEqual(warning_of(state), "")

    def test_what_is_wrong(self) -> None:
        self.assertEqual(
            warning_of(State(1400, 1500)), "its clock is 1400 MHz, its base is 1500 MHz"
        )
        hot = State(600, 1500, reasons=("power limit", "temperature"))
        self.assertEqual(warning_of(hot), "it is slowed down: temperature")
        self.assertEqual(warning_of(State(others=1)), "1 other process uses it")
        self.assertEqual(warning_of(State(others=2)), "2 other processes use it")

    def test_it_is_said_where_somebody_knows_it(self) -> None:
        sensors = mock.Mock()
        sensors.return_value.state.return_value = State(others=1)
        for open_sensors, said in (
            (sensors, "make run: Stand-In GPU: 1 other process uses it\n"),
            (mock.Mock(side_effect=OSError), ""),  # no GPU, or no library
        ):
            with (
                mock.patch.object(gpu_state, "Sensors", open_sensors),
                mock.patch.object(gpu_state, "gpu_name", lambda: "Stand-In GPU"),
                contextlib.redirect_stderr(io.StringIO()) as printed,
            ):
                gpu_state.warn("make run")
            self.assertEqual(printed.getvalue(), said)


if __name__ == "__main__":
    unittest.main()
