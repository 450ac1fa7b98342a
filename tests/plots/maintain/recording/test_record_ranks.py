# SPDX-License-Identifier: MIT
"""The recorder on several GPUs: a column for their number, and no run that the machine cannot make.
"""

import contextlib
import dataclasses
import io
import json
from pathlib import Path
from unittest import mock

from tests.common.tools.course_tools import SWEEP, RecorderTest

from plots.maintain import record
from common.tools.lib import stages
from common.tools.lib.columns import LIMITS_COLUMNS, RANK_COLUMNS
from common.tools.lib.measuring import Measurement, measure
from plots.records import sweeps


class RanksTest(RecorderTest):
    def test_runs_on_ranks_have_a_table_and_a_column(self) -> None:
        text = SWEEP.replace("n = [10, 20, 40]", "n = [10]\nranks = [1, 2, 3]")
        started = []

        def on_ranks(program: Path, words: list[str], ranks: int) -> Measurement:
            started.append(ranks)
            made = measure(program, words)
            rows = [
                {**row, "parameters": f"{row['parameters']};ranks={ranks}"} for row in made.rows
            ]
            return dataclasses.replace(made, rows=rows)

        # They are those of all GPUs together, so they are not the device's.
        self.set_environment("STAND_IN_LIMITS", json.dumps(dict.fromkeys(LIMITS_COLUMNS[1:], 1.0)))
        with mock.patch.object(record, "measure", on_ranks):
            self.assertEqual(self.record(text).made, 6)
            self.assertEqual(self.record(text).made, 0)
        self.assertEqual(set(started), {1, 2, 3})
        table = record.Table(self.data / "sums_ranks.csv", RANK_COLUMNS)
        self.assertEqual(
            sorted((row["stage"], row["ranks"], row["repeat"]) for row in table.rows),
            sorted(
                (stage, str(ranks), str(repeat))
                for stage in {row["stage"] for row in table.rows}
                for ranks in (1, 2, 3)
                for repeat in (1, 2, 3)
            ),
        )
        self.assertEqual(self.keys(), [])
        self.assertFalse((self.data / "limits.csv").exists())

    def test_more_ranks_than_gpus_are_left_out(self) -> None:
        text = SWEEP.replace("n = [10, 20, 40]", "n = [10]\nranks = [1, 2, 4]")
        self.sweep_file.write_text(text, encoding="utf-8")
        (sweep,) = sweeps.read_sweeps(self.sweep_file, "here", {"emu"})
        recorder = record.Recorder(stages.load_stages(), self.data)
        printed, made = io.StringIO(), []
        with contextlib.redirect_stdout(printed), mock.patch.object(
            record, "gpu_count", lambda: 2
        ), mock.patch.object(recorder, "make", lambda run, _: made.append(run.ranks)):
            recorder.record_all([dataclasses.replace(sweep, engine="gpu")])
        self.assertEqual(set(made), {1, 2})
        self.assertEqual(printed.getvalue().count("not measured, this machine has 2 GPUs"), 2)

    def test_a_sweep_on_ranks_lists_its_stages(self) -> None:
        for text, words in (
            (SWEEP.replace('["plain..flags"]', '"kernels"') + "ranks = [1]", "must be a list"),
            (SWEEP + "ranks = [0]", "integers from 1 to 64"),
            (SWEEP + "ranks = [65]", "integers from 1 to 64"),
        ):
            self.sweep_file.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(stages.DataError, words):
                sweeps.read_sweeps(self.sweep_file, "here", {"emu"})


if __name__ == "__main__":
    import unittest

    unittest.main()
