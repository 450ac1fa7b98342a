# SPDX-License-Identifier: MIT
"""make session as a program: what it prints, its exit status, and a signal."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from plots.maintain.session.missing import missing_records
from tests.common.tools.course_tools import BUILD, ROOT, SWEEP, RecorderTest, run_tool

# A recorder of stand-ins.
RECORDER = """
from pathlib import Path
from plots.maintain import record
from common.tools.lib import stages
from plots.records import sweeps

def main():
    recorder = record.Recorder(stages.load_stages(), Path({data!r}))
    recorder.record_all(sweeps.read_sweeps(Path({sweep!r}), "here", {{"emu"}}))
    return record.finish(recorder)

stages.run_tool(main)
"""


class ProgramTest(RecorderTest):
    def setUp(self) -> None:
        super().setUp()
        self.plan, self.out = self.folder / "plan.toml", self.folder / "out"

    def write(self, *steps: str) -> None:
        text = "\n".join(f"[[step]]\n{one}\nsources = ['Makefile']\n" for one in steps)
        self.plan.write_text(text, encoding="utf-8")

    def session(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return run_tool(
            "plots.maintain.session",
            BUILD,
            **({"PLAN": str(self.plan), "DIR": str(self.out)} | variables),
        )

    def rows(self) -> list[tuple[str, str]]:
        with (self.out / "status.csv").open(encoding="utf-8") as file:
            return [(row["step"], row["outcome"]) for row in csv.DictReader(file)]

    def test_a_session_and_the_rest_of_it(self) -> None:
        bad = self.folder / "bad"
        bad.touch()
        self.write(
            "name = 'good'\ncommand = 'echo \"[$CHAPTER$MAKEFLAGS]\"'",
            f"name = 'bad'\ncommand = 'echo the reason; test ! -e {bad}'\nquiet = true",
        )
        result = self.session(MAKEFLAGS="w")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^bad +failed +\d+\.\d +600$")
        self.assertIn("\nbad: failed: the reason\n", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^1 ok, 1 failed; \d+ s; logs and status\.csv: ")
        self.assertTrue((self.out / "logs/good.log").read_text().endswith("\n[]\n"))
        bad.unlink()
        result = self.session()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^good +done before +600$")
        self.assertEqual(self.rows(), [("good", "ok"), ("bad", "failed"), ("bad", "ok")])

    def test_steps_that_do_not_fit_are_listed(self) -> None:
        self.write("name = 'a'\ncommand = 'true'\nlimit = 30", "name = 'b'\ncommand = 'true'")
        result = self.session(BUDGET="100")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^b +left out +0\.0 +600$")
        self.assertIn("1 left out, 1 ok;", result.stdout)

    def test_bad_calls(self) -> None:
        self.write("name = 'a'\ncommand = 'true'\nlimit = -1")
        self.assert_refused(self.session(), 1, f"{self.plan}:4: step a: limit = -1: it must be")
        for value in ("0", "-3", "nan", "inf", "soon"):
            self.assert_refused(self.session(BUDGET=value), 2, f"BUDGET='{value}': it must be")
        self.assert_refused(self.session(ARGS="--pirnt"), 2, "make session knows --print only")
        self.assert_refused(self.session(CHAPTER="nbody"), 2, "PLAN and CHAPTER cannot be combined")
        self.assertFalse(self.out.exists())

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_without_a_gpu_one_line_says_what_is_missing(self) -> None:
        self.write("name = 'a'\ncommand = 'true'")
        with self.plan.open("a", encoding="utf-8") as file:
            file.write(
                "[[step]]\nname = 'x'\nkind = 'sanitize'\n[[step]]\nname='y'\nkind='prove'\n"
            )
        self.assert_refused(self.session(), 77, "no usable device: step x needs a GPU, and 1 more")
        self.assert_refused(self.session(PLAN=""), 77, "no usable device")
        result = self.session(PLAN="", ARGS="--print", CHAPTER="nbody")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.plan.write_text(result.stdout, encoding="utf-8")
        self.assertEqual(self.session(ARGS="--print").returncode, 0)

    def start(self) -> subprocess.Popen[str]:
        environment = os.environ | {
            "PLAN": str(self.plan),
            "DIR": str(self.out),
            "COURSE_BUILD": str(BUILD),
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "plots.maintain.session"],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A parent in the background ignores SIGINT, and so would the child.
            preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (2, 15)] and None,
            start_new_session=True,
        )

    def test_a_signal_ends_the_steps_and_leaves_the_status_whole(self) -> None:
        pids = self.folder / "pids"
        self.write(
            "name = 'first'\ncommand = 'true'\nquiet = true",
            *(f"name = '{i}'\ncommand = 'echo $$ >>{pids}; sleep 60; true'" for i in range(2)),
        )
        for number, status in ((signal.SIGTERM, -15), (signal.SIGINT, 130)):
            pids.write_text("")
            child = self.start()
            while len(pids.read_text().split()) < 2:
                self.assertIsNone(child.poll(), "it ended by itself")
                time.sleep(0.05)
            child.send_signal(number)
            printed, said = child.communicate(timeout=60)
            self.assertEqual(child.returncode, status, said)
            self.assertIn("2 interrupted", printed)
            for pid in pids.read_text().split():
                self.assertFalse(Path("/proc", pid).exists())
        ends = [("first", "ok")] + [("0", "interrupted"), ("1", "interrupted")] * 2
        self.assertEqual(sorted(self.rows()), sorted(ends))

    def test_a_recorder_that_is_cut_off_keeps_its_rows(self) -> None:
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        program = self.folder / "recorder.py"
        program.write_text(RECORDER.format(data=str(self.data), sweep=str(self.sweep_file)))
        line = f"COURSE_BUILD={self.build} {sys.executable} {program}"
        self.set_environment("STAND_IN_SECONDS", "0.5")
        self.write(f"name = 'times'\ncommand = '{line}'\nlimit = 2.5")
        self.assertEqual(self.session().returncode, 1)
        self.assertEqual(self.rows(), [("times", "too long")])
        kept = self.keys()
        self.assertTrue(0 < len(kept) < 18 and len(kept) % 3 == 0, kept)
        self.set_environment("STAND_IN_SECONDS", "0")
        self.write(f"name = 'times'\ncommand = '{line}'\nlimit = 60")
        self.assertEqual(self.session().returncode, 0)
        self.assertEqual((len(self.keys()), self.keys()[: len(kept)]), (18, kept))


class MissingTest(unittest.TestCase):
    def test_a_new_gpu_lacks_every_sweep(self) -> None:
        steps = missing_records(["nbody"], ROOT / "plots/data/no-such-gpu")
        text = (ROOT / "plots/nbody/sweep.toml").read_text(encoding="utf-8")
        self.assertEqual(len(steps), len(re.findall(r'(?m)^scope = "record"', text)))
        self.assertEqual(len({one.name for one in steps}), len(steps))
        self.assertEqual({one.kind for one in steps}, {"record"})

    def test_what_is_recorded_is_not_missing(self) -> None:
        folder = ROOT / "plots/data/nvidia-h200"
        lacking = {one.sweeps[0] for one in missing_records(["nbody"], folder)}
        self.assertNotIn("force", lacking)


if __name__ == "__main__":
    unittest.main()
