# SPDX-License-Identifier: MIT
"""The tools on an OpenCL stage, which has one executable for all devices; without a device, too."""

import contextlib
import io
import json
import os
import unittest
from unittest import mock

from tests.common.tools.course_tools import ToolTest, run_tool

from plots.maintain import record
from common.tools.lib import stages
from plots.records.sweeps import read_sweeps

SWEEP = """
[[sweep]]
name = "other-device"
scope = "here"
engine = "opencl"
figures = ["sums"]
stages = ["opencl"]
n = [10, 20]
repeats = 3
[[sweep]]
name = "small"
scope = "here"
engine = "emu"
figures = ["sums"]
stages = ["plain"]
n = [10]
repeats = 3
"""


class OpenClTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.build / "stages.json"
        self.records = json.loads(self.path.read_text(encoding="utf-8"))
        (self.folder / "sums.cpp").write_text("host\n", encoding="utf-8")
        (self.folder / "sums.cl").write_text("a\nkernel\n", encoding="utf-8")
        self.own = self.stand_in("sums", "03_opencl", "opencl", 0.08) | {
            "source": str(self.folder / "sums.cpp"),
            "opencl": True,
        }
        self.records.insert(3, self.own)
        self.write()

    def write(self) -> None:
        self.path.write_text(json.dumps(self.records), encoding="utf-8")

    def not_built(self) -> None:
        self.own["executables"] = {}
        self.own["skipped"] = {"opencl": "the build found no OpenCL (package opencl-clhpp-headers)"}
        self.write()

    def compare(self, **variables: str):
        return run_tool("plots.commands.compare", self.build, CHAPTER="sums", **variables)

    def test_run_ignores_the_engine(self) -> None:
        for engine in ("", "gpu", "emu"):
            result = run_tool(
                "run",
                self.build,
                STAGE="sums/03_opencl",
                ENGINE=engine,
                ARGS="--platform pocl",
                STAND_IN_ECHO="1",
            )
            self.assertEqual(
                (result.returncode, result.stdout), (0, "--platform pocl\n"), result.stderr
            )

    def test_compare_puts_it_beside_the_others(self) -> None:
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stderr)
        # 1000 is the default of the last CUDA stage.
        self.assertIn("n = 1000", result.stdout)
        self.assertRegex(result.stdout, r"\n03_opencl +opencl +- ")
        self.assertIn("\nopencl: Stand-In 1\n", result.stdout)

    def test_compare_goes_on_without_a_device(self) -> None:
        result = self.compare(STAND_IN_WITHOUT_DEVICE="03_opencl")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("left out: stand-in: no usable OpenCL device\n", result.stdout)
        self.assertRegex(result.stdout, r"\n02_flags +emu +- ")
        self.not_built()
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(
            "left out: sums/03_opencl: no usable device: the build found no OpenCL", result.stdout
        )

    def test_compare_needs_the_engine_of_the_others(self) -> None:
        self.assert_refused(self.compare(ENGINE="gpu"), 77, "no usable device")

    def test_where_it_was_not_built(self) -> None:
        self.not_built()
        self.assert_refused(
            run_tool("run", self.build, STAGE="sums/03_opencl"), 77, "opencl-clhpp-headers"
        )
        self.assertEqual(len(run_tool("list_stages", self.build).stdout.splitlines()), 5)

    def test_diff_has_the_kernels_then_the_host(self) -> None:
        result = run_tool("diff_stages", self.build, A="sums/01_plain", B="sums/03_opencl")
        self.assertIn("\n a\n-b\n+kernel\n+host\n", result.stdout)

    def test_its_kernels_are_not_counted(self) -> None:
        self.assert_refused(
            run_tool("counters", self.build, A="sums/03_opencl"), 2, "OpenCL are not counted"
        )

    def record(self, **variables: str) -> tuple[record.Recorder, str]:
        path = self.folder / "sums" / "sweep.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SWEEP, encoding="utf-8")
        settings = variables | {"COURSE_BUILD": str(self.build)}
        with mock.patch.dict(os.environ, settings), contextlib.redirect_stdout(
            io.StringIO()
        ) as said:
            recorder = record.Recorder(stages.load_stages(), self.folder / "data")
            recorder.record_all(read_sweeps(path, "here", {"emu", "opencl"}))
        return recorder, said.getvalue()

    def test_records(self) -> None:
        recorder, _ = self.record()
        self.assertEqual((recorder.made, recorder.failures), (3, []))
        table = record.Table(self.folder / "data" / "sums.csv", record.ROW_COLUMNS)
        self.assertEqual([row["engine"] for row in table.rows], ["opencl"] * 6 + ["emu"] * 3)

    def test_records_go_on_without_a_device(self) -> None:
        recorder, said = self.record(STAND_IN_WITHOUT_DEVICE="03_opencl")
        self.assertEqual((recorder.made, recorder.failures), (1, []))
        self.assertIn("left out: sweep other-device: stand-in: no usable OpenCL device\n", said)
        self.assertTrue(said.endswith("run 3 of 3\n"), said)


if __name__ == "__main__":
    unittest.main()
