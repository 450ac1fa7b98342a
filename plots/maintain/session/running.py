# SPDX-License-Identifier: MIT
"""Runs the steps of a session: quiet ones alone, others side by side, each with its limit. A line
for each goes into the status file as soon as it has ended."""

from __future__ import annotations

import datetime
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.stages import EXIT_NO_DEVICE, ROOT, Terminated
from plots.maintain.session.children import Child
from plots.maintain.session.plan import KINDS, Step
from plots.records.shared_table import Table

COLUMNS = (
    "date",
    "step",
    "kind",
    "outcome",
    "seconds",
    "limit",
    "status",
    "device",
    "source",
    "line",
)
OK, FAILED, NO_DEVICE, TOO_LONG = "ok", "failed", "no device", "too long"
CUT_OFF, LEFT_OUT, INTERRUPTED = "cut off", "left out", "interrupted"
BAD = (FAILED, NO_DEVICE, TOO_LONG)
LEAST_SECONDS = 20.0  # a step that may be cut off begins only if so many are left
POLL_SECONDS = 0.05
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Result:
    step: Step
    outcome: str
    seconds: float = 0.0
    status: int | None = None


def in_order(steps: Sequence[Step]) -> list[Step]:
    """The largest priority first, otherwise in the plan's order."""
    return sorted(steps, key=lambda one: -one.priority)


class Session:
    """`sources`: of each step by its name. `budget`: seconds in all; 0: as many as it takes."""

    def __init__(
        self,
        folder: Path,
        sources: Mapping[str, str],
        device: str = "",
        budget: float = 0,
        cores: int = 0,
        say: Callable[[str], None] = print,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.sources, self.device = folder, sources, device
        self.budget, self.cores, self.say = budget, cores or len(os.sched_getaffinity(0)), say
        self.environment = os.environ if environment is None else environment
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        self.table = Table(folder / "status.csv", COLUMNS)
        self.started = time.monotonic()
        self.results: list[Result] = []
        self.running: dict[str, tuple[Step, Child, float]] = {}  # the last: when it must end
        self.stopped_by = 0

    def has_succeeded(self, step: Step) -> bool:
        """Whether its last end was a success on this device, with the same sources."""
        rows = [one for one in self.table.rows if one["step"] == step.name]
        wanted = (OK, self.device, self.sources[step.name])
        return any((one["outcome"], one["device"], one["source"]) == wanted for one in rows[-1:])

    def log_of(self, step: Step) -> Path:
        return self.folder / "logs" / step.log_name

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float:
        return self.budget - self.seconds if self.budget else float("inf")

    def fits(self, step: Step) -> bool:
        needed = min(step.limit, LEAST_SECONDS) if step.may_be_cut else step.limit
        return needed <= self.seconds_left

    def may_begin(self, step: Step) -> bool:
        """Whether it may run beside those that run now."""
        others = [one for one, _, _ in self.running.values()]
        if not others:
            return True
        if step.quiet or any(one.quiet for one in others):
            return False
        if KINDS[step.kind].writes_page and any(KINDS[one.kind].writes_page for one in others):
            return False
        return sum(one.cores for one in others) + step.cores <= self.cores

    def run(self, steps: Sequence[Step]) -> list[Result]:
        """The results in the order in which the steps ended. A signal ends all steps; then it is
        raised, as Terminated or KeyboardInterrupt."""
        before = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            for number in SIGNALS:
                if before[number] != signal.SIG_IGN:
                    signal.signal(number, self._stop)
            waiting = in_order(steps)
            while (waiting or self.running) and not self.stopped_by:
                self._begin_what_may(waiting)
                self._look()
                time.sleep(POLL_SECONDS)
        finally:
            self._end_all()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self.results

    def raise_signal(self) -> None:
        if self.stopped_by == signal.SIGINT:
            raise KeyboardInterrupt
        if self.stopped_by:
            raise Terminated(self.stopped_by)

    def _stop(self, number: int, _frame: object) -> None:
        self.stopped_by = number

    def _begin_what_may(self, waiting: list[Step]) -> None:
        for step in list(waiting):
            if not self.fits(step):
                waiting.remove(step)
                self._keep(Result(step, LEFT_OUT))
            elif self.may_begin(step):
                waiting.remove(step)
                self._begin(step)
            elif step.quiet:
                break  # nothing begins before it, or it would wait for ever

    def _begin(self, step: Step) -> None:
        log = self.log_of(step)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"# {now()} {step.line}\n")
        allowed = min(step.limit, self.seconds_left)
        child = Child(step.line, log, ROOT, self.environment)
        self.running[step.name] = (step, child, child.started + allowed)
        self.say(f"{self.seconds:7.1f} s  {step.name}: begins, at most {allowed:.0f} s")

    def _look(self) -> None:
        for step, child, end in list(self.running.values()):
            if child.has_ended():
                self._finish(step, child)
            elif time.monotonic() >= end:
                child.ask_to_end()

    def _finish(self, step: Step, child: Child) -> None:
        seconds = child.seconds
        status = child.status()
        del self.running[step.name]
        if status == 0:
            outcome = OK
        elif self.stopped_by:
            outcome = INTERRUPTED
        elif child.asked_at:
            outcome = TOO_LONG if child.asked_at - child.started >= step.limit else CUT_OFF
        else:
            outcome = NO_DEVICE if status == EXIT_NO_DEVICE else FAILED
        self._keep(Result(step, outcome, seconds, status))

    def _keep(self, result: Result) -> None:
        step = result.step
        self.results.append(result)
        self.say(f"{self.seconds:7.1f} s  {step.name}: {result.outcome}")
        row = (
            now(),
            step.name,
            step.kind,
            result.outcome,
            f"{result.seconds:.1f}",
            f"{step.limit:g}",
            "" if result.status is None else str(result.status),
            self.device,
            self.sources[step.name],
            step.line,
        )
        self.table.append([dict(zip(COLUMNS, row, strict=True))])

    def _end_all(self) -> None:
        while self.running:
            for step, child, _ in list(self.running.values()):
                if child.has_ended():
                    self._finish(step, child)
                else:
                    child.ask_to_end()
            time.sleep(POLL_SECONDS)


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
