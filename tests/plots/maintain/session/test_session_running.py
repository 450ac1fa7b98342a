# SPDX-License-Identifier: MIT
"""Running the steps of a session, with lines of the shell that need no GPU."""

import os
import re
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from plots.maintain.session import children, running
from plots.maintain.session.plan import Step, new_step
from plots.maintain.session.running import Session
from plots.records.shared_table import TableError


def step(name: str, command: str, **values: object) -> Step:
    return new_step(name, "command", command=command, **values)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class SessionTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.events = self.folder / "events"
        self.said: list[str] = []

    def session(self, steps: list[Step], source: str = "1", **values: object) -> Session:
        return Session(
            self.folder / "out",
            {one.name: source for one in steps},
            say=self.said.append,
            environment=os.environ | {"EVENTS": str(self.events)},
            **({"cores": 4} | values),
        )

    def run_all(self, steps: list[Step], **values: object) -> dict[str, str]:
        session = self.session(steps, **values)
        todo = [one for one in steps if not session.has_succeeded(one)]
        return {one.step.name: one.outcome for one in session.run(todo)}

    def timed(self, name: str, seconds: float = 0.3, **values: object) -> Step:
        line = f"echo +{name} >>$EVENTS; sleep {seconds}; echo -{name} >>$EVENTS"
        return step(name, line, **values)

    def most_at_once(self) -> dict[str, int]:
        """How many steps ran when each of them did, at most."""
        now: set[str] = set()
        most: dict[str, int] = {}
        for event in self.events.read_text().split():
            (now.add if event[0] == "+" else now.discard)(event[1:])
            for one in now:
                most[one] = max(most.get(one, 0), len(now))
        return most

    def test_quiet_steps_run_alone_and_others_side_by_side(self) -> None:
        steps = [
            self.timed("a"),
            self.timed("b"),
            self.timed("c", cores=2),
            self.timed("d", cores=2),
            self.timed("quiet", quiet=True, priority=-1),
            self.timed("first", quiet=True, priority=1),
            self.timed("last", priority=-2),
            self.timed("huge", priority=-3, cores=9),
        ]
        found = self.run_all(steps)
        self.assertEqual(set(found.values()), {"ok"})
        most = self.most_at_once()
        self.assertEqual({most[name] for name in ("quiet", "first", "last", "huge")}, {1})
        self.assertGreaterEqual(most["a"], 3)  # a, b and c have four cores
        self.assertLessEqual(max(most.values()), 3)
        begun = [event for event in self.events.read_text().split() if event[0] == "+"]
        self.assertEqual((begun[0], begun[-3:]), ("+first", ["+quiet", "+last", "+huge"]))

    def test_steps_that_write_the_same_page_run_one_at_a_time(self) -> None:
        session = self.session([])
        one = new_step("one", "prove", chapter="nbody")
        session.running = {"one": (one, mock.Mock(), 0.0)}
        self.assertFalse(session.may_begin(new_step("two", "instructions", chapter="floyd")))
        self.assertTrue(session.may_begin(new_step("three", "command", command="true")))
        self.assertTrue(session.may_begin(new_step("four", "command", command="true", cores=3)))
        self.assertFalse(session.may_begin(new_step("five", "sanitize", chapter="floyd")))

    def test_a_failed_step_stops_no_other_and_runs_again(self) -> None:
        steps = [
            step("bad", "echo why; exit 3", quiet=True),
            step("good", "true"),
            step("no", "exit 77"),
        ]
        self.assertEqual(self.run_all(steps), {"bad": "failed", "good": "ok", "no": "no device"})
        self.assertEqual(self.run_all(steps), {"bad": "failed", "no": "no device"})
        log = (self.folder / "out/logs/bad.log").read_text()
        self.assertEqual(re.sub("# [0-9T:Z-]+ ", "# ", log), "# echo why; exit 3\nwhy\n" * 2)
        rows = self.session([]).table.rows
        self.assertEqual([row["status"] for row in rows if row["step"] == "bad"], ["3", "3"])

    def test_a_step_is_repeated_after_a_change(self) -> None:
        steps = [step("a", "true")]
        self.assertEqual(self.run_all(steps), {"a": "ok"})
        self.assertEqual(self.run_all(steps), {})
        self.assertEqual(self.run_all(steps, source="2"), {"a": "ok"})
        self.assertEqual(self.run_all(steps, source="2"), {})
        self.assertEqual(self.run_all(steps, source="2", device="Another GPU"), {"a": "ok"})
        # The last end counts.
        self.assertEqual(self.run_all([step("a", "exit 1")], source="3"), {"a": "failed"})
        self.assertEqual(self.run_all(steps, source="2", device="Another GPU"), {"a": "ok"})

    def test_a_step_that_takes_too_long_ends_with_all_its_processes(self) -> None:
        pids = self.folder / "pids"
        line = (
            f"sleep 60 & echo $! >{pids}; setsid -w true; (sleep 61; true) & echo $! >>{pids}; wait"
        )
        stubborn = f"trap '' TERM; echo $$ >>{pids}; while :; do sleep 0.1; done"
        steps = [step("long", line, limit=0.5), step("stubborn", stubborn, limit=0.5)]
        started = time.monotonic()
        with mock.patch.object(children, "GRACE_SECONDS", 1.0):
            found = self.run_all([*steps, step("good", "true", quiet=True)])
        self.assertEqual(found, {"long": "too long", "stubborn": "too long", "good": "ok"})
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual([pid for pid in map(int, pids.read_text().split()) if is_alive(pid)], [])

    def test_what_a_step_leaves_behind_is_ended(self) -> None:
        pids = self.folder / "pids"
        self.assertEqual(self.run_all([step("a", f"sleep 60 & echo $! >{pids}")]), {"a": "ok"})
        self.assertFalse(is_alive(int(pids.read_text())))

    def test_a_step_may_tidy_up_when_its_time_is_over(self) -> None:
        """Its shell ends at once, the program itself a little later."""
        line = f"sh -c \"trap 'sleep 0.5; echo tidy >{self.events}; exit 1' TERM; sleep 60 & wait\"; true"
        self.assertEqual(self.run_all([step("a", line, limit=0.5)]), {"a": "too long"})
        self.assertEqual(self.events.read_text(), "tidy\n")

    def test_steps_that_do_not_fit_the_budget_are_left_out(self) -> None:
        steps = [
            step("short", "true", limit=2, quiet=True),
            step("long", "true", limit=60, quiet=True),
            step("also", "true", limit=2),
            step("cut", "sleep 60", limit=100, may_be_cut=True, quiet=True, priority=-1),
        ]
        with mock.patch.object(running, "LEAST_SECONDS", 1.0):
            found = self.run_all(steps, budget=4.0)
        self.assertEqual(found, {"short": "ok", "long": "left out", "also": "ok", "cut": "cut off"})
        # They run when there is time.
        steps[3] = step("cut", "true", limit=100, may_be_cut=True)
        self.assertEqual(self.run_all(steps), {"long": "ok", "cut": "ok"})

    def test_a_damaged_status_file(self) -> None:
        self.run_all([step("a", "true"), step("b", "true")])
        path = self.folder / "out" / "status.csv"
        text = path.read_text()
        path.write_text(text[:-9])  # the machine went away in the middle of the last line
        steps = [step("a", "true"), step("b", "true")]
        self.assertEqual(len(self.run_all(steps)), 1)
        self.assertEqual(self.run_all(steps), {})
        path.write_text("no,table\n1,2\n")
        with self.assertRaisesRegex(TableError, r"status\.csv:1: the header is not date,step"):
            self.run_all(steps)


if __name__ == "__main__":
    unittest.main()
