# SPDX-License-Identifier: MIT
"""Looks at the GPU once a second while a recorder measures: see plots/records/conditions.py."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timezone

from common.tools.lib.gpu_state import Sensors, State
from plots.records.conditions import Conditions
from plots.records.medians import quartiles

SECONDS = 1.0


def summary(device: str, driver: str, version: str, states: list[State]) -> Conditions | None:
    """Of the states in which the GPU was busy; None if there was none."""
    busy = [one for one in states if not one.idle]
    if not busy:
        return None
    reasons = dict.fromkeys(name for one in busy for name in one.reasons)
    return Conditions(
        datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        device,
        driver,
        version,
        len(busy),
        quartiles(one.clock_mhz for one in busy)[1],
        busy[0].base_mhz,
        busy[0].most_mhz,
        max(one.power_w for one in busy),
        busy[0].limit_w,
        max(one.temperature_c for one in busy),
        tuple(reasons),
        # The stage that is measured is one of them.
        max(0, max(one.others for one in busy) - 1),
    )


class Watch:
    """`with Watch(…) as watch:` looks until the block ends; then `watch.states` has what it saw.
    Where nobody can look, it stays empty."""

    def __init__(self, open_sensors: Callable[[], Sensors] = Sensors) -> None:
        self.states: list[State] = []
        self.driver = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        try:
            self._sensors: Sensors | None = open_sensors()
        except OSError:
            self._sensors = None

    def _look(self) -> None:
        assert self._sensors is not None
        while not self._ended.wait(SECONDS):
            self.states.append(self._sensors.state())

    def __enter__(self) -> Watch:
        if self._sensors is not None:
            self.driver = self._sensors.driver()
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._sensors is not None:
            self._ended.set()
            self._thread.join()
