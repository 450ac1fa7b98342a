# SPDX-License-Identifier: MIT
"""Shared by the tests of the recorder: a sweep of stand-in stages, recorded into a folder."""

import contextlib
import io
import os

from common.tools import record
from common.tools.lib import stages
from plots.records import sweeps
from tests.common.tools.course_tools import ToolTest

SWEEP = """
[[sweep]]
name = "small"
scope = "here"
engine = "emu"
figures = ["sums"]
stages = ["plain..flags"]
n = [10, 20, 40]
match = { input = "plummer", steps = 0 }
repeats = 3
"""


class RecorderTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.sweep_file = self.folder / "sums" / "sweep.toml"
        self.sweep_file.parent.mkdir()
        self.set_environment("COURSE_BUILD", str(self.build))
        self.set_environment("STAND_IN_LOG", str(self.log))

    def set_environment(self, name: str, value: str) -> None:
        before = os.environ.get(name)
        os.environ[name] = value
        self.addCleanup(
            lambda: os.environ.pop(name, None)
            if before is None
            else os.environ.__setitem__(name, before)
        )

    def record(self, text: str = SWEEP) -> record.Recorder:
        self.sweep_file.write_text(text, encoding="utf-8")
        recorder = record.Recorder(stages.load_stages(), self.data)
        with contextlib.redirect_stdout(io.StringIO()):
            recorder.record_all(sweeps.read_sweeps(self.sweep_file, "here", {"emu"}))
        return recorder

    def keys(self, name: str = "sums") -> list[tuple[str, str, str]]:
        table = record.Table(self.data / f"{name}.csv", record.ROW_COLUMNS)
        return [(row["stage"], row["n"], row["repeat"]) for row in table.rows]
