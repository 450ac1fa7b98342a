# SPDX-License-Identifier: MIT
"""Stages that are marked not_recorded: the recorder leaves them out until it is asked for them, and
needs no executable that its sweeps do not run."""

import contextlib
import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from tests.common.tools.course_tools import BUILD, ROOT, SWEEP, RecorderTest

from plots.maintain import record
from common.tools.lib import stages
from plots.records import recorded_runs, sweeps


class MarksTest(RecorderTest):
    def test_stages_that_are_not_recorded_yet_are_left_out(self) -> None:
        """One line names them. Without the mark, the same sweep measures them."""
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        for waits in (True, False):
            for one in records:
                one["not_recorded"] = waits and one["name"] == "02_flags"
            path.write_text(json.dumps(records), encoding="utf-8")
            os.utime(path, (1e9 + waits, 1e9 + waits))  # the stages are read anew
            self.sweep_file.write_text(SWEEP, encoding="utf-8")
            recorder = record.Recorder(stages.load_stages(), self.data)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                recorder.record_all(sweeps.read_sweeps(self.sweep_file, "here", {"emu"}))
            self.assertEqual(recorder.made, 3)
            said = "sweep small leaves out 02_flags: not_recorded (SWEEPS=small measures them)"
            self.assertEqual(said in printed.getvalue().splitlines(), waits)
            self.assertEqual({key[0] for key in self.keys()} == {"01_plain"}, waits)

    def mark(self, name: str, waits: bool = True) -> None:
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        for one in records:
            if one["name"] == name:
                one["not_recorded"] = waits
        path.write_text(json.dumps(records), encoding="utf-8")
        os.utime(path, (1e9 + waits + 2, 1e9 + waits + 2))  # the stages are read anew

    def test_a_stage_that_is_not_recorded_yet_is_measured_on_request(self) -> None:
        """When all of its rows are there, a line says that its mark can go."""
        self.mark("02_flags")
        self.sweep_file.write_text(SWEEP.replace('"here"', '"record"'), encoding="utf-8")

        def measured(text: str) -> tuple[set[str], list[str]]:
            self.sweep_file.write_text(text.replace('"here"', '"record"'), encoding="utf-8")
            recorder = record.Recorder(stages.load_stages(), self.data)
            with contextlib.redirect_stdout(io.StringIO()):
                found = sweeps.read_sweeps(self.sweep_file, "record", {"emu"}, marked=True)
                recorder.record_all(found)
            with mock.patch.object(recorded_runs, "RECORDED_ENGINES", ("emu",)):
                needless = recorded_runs.needless_marks(
                    stages.load_stages(), self.data, self.sweep_file.parents[1]
                )
            return {key[0] for key in self.keys()}, [one.stage for one in needless]

        self.set_environment("STAND_IN_FAILS_AT", "40")
        both = {"01_plain", "02_flags"}
        self.assertEqual(measured(SWEEP), (both, []))
        self.set_environment("STAND_IN_FAILS_AT", "-1")
        self.assertEqual(measured(SWEEP), (both, ["sums/02_flags"]))
        # A sweep that may fail is not waited for.
        more = SWEEP[SWEEP.index("[[sweep") :].replace("small", "more").replace("40", "50")
        self.set_environment("STAND_IN_FAILS_AT", "50")
        self.assertEqual(measured(SWEEP + more), (both, []))
        self.assertEqual(measured(f"{SWEEP}{more}optional = true\n"), (both, ["sums/02_flags"]))
        self.mark("02_flags", False)
        self.assertEqual(measured(SWEEP), (both, []))

    def test_only_what_the_sweeps_run_is_needed(self) -> None:
        """The other executables may be missing."""
        for path in (self.build / "chapters").rglob("*"):
            if path.is_file() and not path.name.endswith("01_plain"):
                path.unlink()
        recorder = self.record(SWEEP.replace("plain..flags", "plain"))
        self.assertEqual((recorder.made, recorder.failures), (3, []))

    def test_the_stages_of_chosen_sweeps(self) -> None:
        command = [sys.executable, "-m", "plots.maintain.record", "--list-stages", "beyond-small"]
        listed = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | {"COURSE_BUILD": str(BUILD), "CHAPTER": "nbody"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        self.assertIn("small_systems", [name.partition("_")[2] for name in listed])
        self.assertNotIn("float3", [name.partition("_")[2] for name in listed])


if __name__ == "__main__":
    unittest.main()
