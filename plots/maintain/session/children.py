# SPDX-License-Identifier: MIT
"""A step's processes: they begin together, and none of them outlives the step."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

GRACE_SECONDS = 10.0  # from the request to end to the end by force


class Child:
    """A line of the shell with all processes that it starts, and the end that it must keep."""

    def __init__(self, line: str, log: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self.started = time.monotonic()
        self.asked_at = 0.0  # when it was asked to end; 0: it was not
        with log.open("ab") as file:
            # A session of its own: the processes stay together even if one makes a new group.
            # pylint: disable-next=consider-using-with
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", line],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def has_ended(self) -> bool:
        """Whether the shell has ended, and after a request to end, all others too or their time is
        over. The shell's number stays taken until status() is called."""
        flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
        if os.waitid(os.P_PID, self._process.pid, flags) is None:
            return False
        in_grace = self.asked_at and time.monotonic() - self.asked_at < GRACE_SECONDS
        return not (in_grace and self._members() != [self._process.pid])

    def ask_to_end(self) -> None:
        """Asks all processes once, and ends them if they take too long."""
        if not self.asked_at:
            self.asked_at = time.monotonic()
            self._signal(signal.SIGTERM)
        elif time.monotonic() - self.asked_at > GRACE_SECONDS:
            self._signal(signal.SIGKILL)

    def status(self) -> int:
        """The exit status of a child that has ended. Processes that it left behind are ended."""
        self._signal(signal.SIGKILL)
        return self._process.wait()

    def _signal(self, number: int) -> None:
        for member in self._members():
            with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                os.kill(member, number)

    def _members(self) -> list[int]:
        """All processes of the step."""
        found = []
        for name in os.listdir("/proc"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if name.isdigit() and os.getsid(int(name)) == self._process.pid:
                    found.append(int(name))
        return found
