# SPDX-License-Identifier: MIT
"""The recorder on a full disk, ended by a signal at any moment, and beside another recorder."""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from tests.common.tools.course_tools import ROOT, SWEEP, RecorderTest

from plots.maintain import record
from common.tools.lib import stages
from common.tools.lib.columns import REPORT_COLUMNS
from plots.records import shared_table

PROGRAM = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {root!r})
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


class InterruptedRecordsTest(RecorderTest):
    def start(self, largest_file: int = 0, **variables: str) -> subprocess.Popen[str]:
        """A recorder of its own. No file may become larger than `largest_file` bytes, unless that
        is 0: the write that reaches the limit is short and the next one fails, as on a full disk.
        """
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        program = PROGRAM.format(root=str(ROOT), data=str(self.data), sweep=str(self.sweep_file))
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)

        def prepare() -> None:
            # A parent that runs in the background, or under nohup, ignores these, and so would we.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            if largest_file:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        return subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
            env=os.environ | {"TMPDIR": str(temporary)} | variables,
        )

    def fields(self) -> list[tuple[str, str]]:
        rows = record.Table(self.data / "sums_report.csv", REPORT_COLUMNS).rows
        return [(row["stage"], row["n"]) for row in rows]

    def assert_complete(self) -> None:
        """Every row and every field of the sweep exactly once, and nothing else in the folder but
        the locks."""
        self.assertEqual(len(self.keys()), 18)
        self.assertEqual(len(set(self.keys())), 18)
        self.assertEqual(len(self.fields()), 6)
        self.assertEqual(len(set(self.fields())), 6)
        self.assertEqual(
            {path.name for path in self.data.iterdir()},
            {"sums.csv", "sums_report.csv", ".claims", ".device-0", ".turn", ".running"},
        )

    def test_a_full_disk(self) -> None:
        self.record()
        whole = (self.data / "sums.csv").read_bytes()
        for limit in (len(whole) - 30, len(whole) // 2 + 7, len(whole) - 130 * 3 - 11):
            with self.subTest(limit=limit):
                for path in self.data.iterdir():
                    path.unlink()
                child = self.start(limit)
                _, said = child.communicate(timeout=60)
                self.assertEqual((child.returncode, len(said.splitlines())), (1, 1), said)
                self.assertIn("sums.csv: cannot be written: File too large", said)
                left = (self.data / "sums.csv").read_bytes()
                self.assertTrue(whole.startswith(left) and left.endswith(b"\n"))
                self.assertEqual(len(self.keys()) % 3, 0)
                self.record()
                self.assertEqual((self.data / "sums.csv").read_bytes(), whole)
                self.assert_complete()

    def test_a_short_write(self) -> None:
        self.record()
        whole = (self.data / "sums.csv").read_bytes()
        table = record.Table(self.data / "sums.csv", record.ROW_COLUMNS)
        with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")):
            with self.assertRaisesRegex(shared_table.TableError, "sums.csv: .*No space left"):
                table.append(table.rows[:3])
        self.assertEqual((self.data / "sums.csv").read_bytes(), whole)
        self.assertEqual(len(table.rows), 18)
        self.assert_complete()

    def test_parts_of_a_run_are_replaced(self) -> None:
        """Rows that are whole lines but not a whole run, and fields without rows."""
        self.record()
        whole = [(self.data / name).read_bytes() for name in ("sums.csv", "sums_report.csv")]
        for kept in (0, 1, 2):
            lines = whole[0].splitlines(keepends=True)
            (self.data / "sums.csv").write_bytes(b"".join(lines[: len(lines) - 3 + kept]))
            self.assertEqual(self.record().made, 1)
            self.assertEqual(
                [(self.data / name).read_bytes() for name in ("sums.csv", "sums_report.csv")], whole
            )

    def test_a_signal_at_any_moment(self) -> None:
        moments = random.Random(1)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number.name):
                with contextlib.suppress(FileNotFoundError):
                    for path in self.data.iterdir():
                        path.unlink()
                child = self.start(STAND_IN_SECONDS="0.1")
                assert child.stdout is not None
                child.stdout.readline()  # the first run is made
                time.sleep(moments.uniform(0, 0.2))
                child.send_signal(number)
                _, said = child.communicate(timeout=60)
                self.assertEqual(child.returncode, -number)
                if number != signal.SIGKILL:
                    self.assertEqual(said, "")
                    self.assertEqual(list((self.folder / "temporary").iterdir()), [])
                self.record()
                self.assert_complete()

    def test_two_recorders_of_the_same_sweep(self) -> None:
        children = [self.start(STAND_IN_SECONDS="0.1") for _ in range(3)]
        for child in children:
            _, said = child.communicate(timeout=60)
            self.assertEqual((child.returncode, said), (0, ""))
        self.assert_complete()
        lines = self.log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), len(set(lines)))  # no run was made twice

    def test_a_claim_ends_with_its_process(self) -> None:
        claims = shared_table.Claims(self.data)
        program = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
            "from plots.records import shared_table; from pathlib import Path\n"
            f"with shared_table.Claims(Path({str(self.data)!r})).claimed('run') as free:\n"
            "    print(free, flush=True); sys.stdin.read()\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        self.assertEqual(child.stdout.readline(), "True\n")
        for key, expected in (("run", False), ("other", True)):
            with claims.claimed(key) as free:
                self.assertEqual(free, expected)
        child.kill()
        child.communicate()
        with claims.claimed("run") as free:
            self.assertTrue(free)

    def test_a_folder_that_cannot_be_written(self) -> None:
        self.data.write_text("no folder", encoding="utf-8")
        with self.assertRaisesRegex(stages.ToolError, "data/.*: cannot be written: "):
            self.record()


if __name__ == "__main__":
    unittest.main()
