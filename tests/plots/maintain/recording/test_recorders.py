# SPDX-License-Identifier: MIT
"""Several recorders at the same time (plots/maintain/record.py): they share the runs and the tables,
take turns on a GPU, and leave the host to a run that is measured alone."""

import csv
import dataclasses
import os
import subprocess
import sys
import threading
from unittest import mock

from tests.common.tools.course_tools import ROOT, SWEEP, RecorderTest

from plots.maintain import record
from plots.records import shared_table, sweeps


class RecordersTest(RecorderTest):
    def test_several_recorders_fill_one_table(self) -> None:
        writers, appends, rows = 6, 30, 5
        path = self.data / "sums.csv"
        program = (
            f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT)!r})\n"
            "from plots.maintain import record; from pathlib import Path\n"
            f"for i in range({appends}):\n"
            "    row = dict.fromkeys(record.ROW_COLUMNS, 'x' * 40)\n"
            "    row |= {'stage': sys.argv[1], 'n': str(i)}\n"
            f"    record.Table(Path({str(path)!r}), record.ROW_COLUMNS).append([row] * {rows})\n"
        )
        children = [
            subprocess.Popen([sys.executable, "-c", program, str(number)])
            for number in range(writers)
        ]
        self.assertEqual([child.wait() for child in children], [0] * writers)
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        self.assertEqual(tuple(lines[0]), record.ROW_COLUMNS)
        keys = [
            (line[record.ROW_COLUMNS.index("stage")], line[record.ROW_COLUMNS.index("n")])
            for line in lines[1:]
        ]
        self.assertEqual(len(keys), writers * appends * rows)
        # All rows are there, and those of a run are together.
        self.assertEqual(keys, [key for key in keys[::rows] for _ in range(rows)])
        self.assertEqual(len(set(keys)), writers * appends)

    def test_a_recorder_waits_for_the_lock(self) -> None:
        path = self.data / "sums.csv"
        program = (
            f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT)!r})\n"
            "from plots.maintain import record; from pathlib import Path\n"
            f"record.Table(Path({str(path)!r}), ['a']).append([{{'a': '1'}}])\n"
        )
        with shared_table.locked(path) as file:
            child = subprocess.Popen([sys.executable, "-c", program])
            with self.assertRaises(subprocess.TimeoutExpired):
                child.wait(timeout=1)
            file.write(b"a\n0\n")
        self.assertEqual(child.wait(timeout=30), 0)
        self.assertEqual(path.read_text(encoding="utf-8"), "a\n0\n1\n")

    def test_recorders_of_one_gpu_take_turns(self) -> None:
        """A CPU needs no turn, and another GPU has its own."""
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        run = next(sweeps.runs_of(sweeps.read_sweeps(self.sweep_file, "here", {"emu"})[0]))
        on_cpu = dataclasses.replace(run, sweep=dataclasses.replace(run.sweep, engine="cpu"))
        made = []
        recorder = record.Recorder([], self.data)
        recorder.stages = {f"{run.sweep.chapter}/{run.stage}": None}
        with (
            mock.patch.object(record, "executable"),
            mock.patch.object(record, "pick_engine"),
            mock.patch.object(record, "measure", lambda *_: made.append(1)),
            mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "3,1"}),
        ):
            self.assertEqual(record.device_lock(), ".device-3")
            other = threading.Thread(target=recorder.measure, args=(run, 1, 0))
            with shared_table.locked(self.data / ".device-3"):
                other.start()
                other.join(timeout=0.5)
                self.assertEqual(made, [])
                recorder.measure(on_cpu, 1, 0)
                self.assertEqual(made, [1])
                with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": ""}):
                    recorder.measure(run, 1, 0)
                self.assertEqual(made, [1, 1])
            other.join(timeout=30)
            self.assertEqual(made, [1, 1, 1])

    def test_a_run_that_is_measured_alone_waits_and_is_waited_for(self) -> None:
        host = shared_table.Host(self.data)
        order: list[str] = []

        def measure(name: str, alone: bool) -> threading.Thread:
            def run() -> None:
                with host.measures(alone):
                    order.append(name)

            thread = threading.Thread(target=run)
            thread.start()
            thread.join(timeout=0.5)
            return thread

        with host.measures(False):
            measure("beside", False)
            self.assertEqual(order, ["beside"])
            threads = [measure("alone", True), measure("later", False)]
            self.assertEqual(order, ["beside"])  # none overtakes the one that waits to be alone
        for thread in threads:
            thread.join(timeout=30)
        self.assertEqual(order, ["beside", "alone", "later"])
        with host.measures(True):
            last = measure("last", False)
            self.assertNotIn("last", order)
        last.join(timeout=30)
        self.assertIn("last", order)

    def test_the_sweep_says_what_is_measured_alone(self) -> None:
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        run = next(sweeps.runs_of(sweeps.read_sweeps(self.sweep_file, "here", {"emu"})[0]))
        recorder = record.Recorder([], self.data)
        recorder.stages = {f"{run.sweep.chapter}/{run.stage}": None}
        with (
            mock.patch.object(record, "executable"),
            mock.patch.object(record, "pick_engine"),
            mock.patch.object(record, "measure"),
            mock.patch.object(recorder.host, "measures") as measures,
        ):
            for alone in (False, True):
                sweep = dataclasses.replace(run.sweep, alone=alone)
                recorder.measure(dataclasses.replace(run, sweep=sweep), 1, 0)
                measures.assert_called_with(alone)


if __name__ == "__main__":
    import unittest

    unittest.main()
