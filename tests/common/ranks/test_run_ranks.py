#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make run RANKS=…: what it refuses, and what it says if a rank ends.

test_run_ranks.py [PROGRAM]    Monte Carlo's program for many GPUs; without one, only words
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path
from unittest import mock

from common.tools.lib.measuring import measure
from common.tools.lib.ranks import chosen_ranks, readable, run_ranks
from common.tools.lib.stages import ToolError
from tests.common.tools.made_up_stages import made_up_stage

PROGRAM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
RULE = "-" * 74 + "\n"
ABORT = [RULE, "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n", "…\n", RULE]
PRIMARY = [RULE, "Primary job  terminated normally, but 1 process returned\n", "a …\n", RULE]
STATUS = [
    RULE,
    "mpirun detected that one or more processes exited with non-zero status, thus causing\n",
    "the job to be terminated. The first process to do so was:\n",
    "\n",
    "  Process name: [[9962,1],1]\n",
    "  Exit code:    3\n",
    RULE,
]


class WordsTest(unittest.TestCase):
    def chosen(self, value: str, *libraries: str) -> int:
        with mock.patch.dict(os.environ, {"RANKS": value}):
            return chosen_ranks(made_up_stage("a", "01", libraries=libraries))

    def test_numbers(self) -> None:
        self.assertEqual(self.chosen(""), 1)
        self.assertEqual(self.chosen("1"), 1)
        self.assertEqual(self.chosen("8", "nccl"), 8)

    def test_refusals(self) -> None:
        for value in ("0", "65", "-1", "two", "2.5", "99999999999"):
            with self.assertRaisesRegex(ToolError, "RANKS=.*not a number from 1 to 64"):
                self.chosen(value, "nccl")
        with self.assertRaisesRegex(ToolError, "a/01 runs on one GPU"):
            self.chosen("2", "cub")

    def said(self, *lines: str) -> str:
        return "".join(readable(lines))

    def test_what_a_rank_says_is_enough(self) -> None:
        self.assertEqual(self.said("rank 1 of 4: no\n", *ABORT, *PRIMARY, *STATUS),
                         "rank 1 of 4: no\n")  # fmt: skip

    def test_a_rank_that_ends_without_a_word(self) -> None:
        self.assertEqual(self.said(*PRIMARY, *STATUS),
                         "rank 1 ended with exit status 3, and all ranks with it\n")  # fmt: skip

    def test_a_rank_that_is_killed(self) -> None:
        noticed = "mpirun noticed that process rank 2 with PID 0 on node vm exited on signal 9 (Killed).\n"
        self.assertEqual(self.said(*PRIMARY, RULE, noticed, RULE),
                         "rank 2 was ended by signal 9 (Killed), and all ranks with it\n")  # fmt: skip

    def test_what_mpirun_could_not_say_is_left_out(self) -> None:
        self.assertEqual(
            self.said(
                "[vm:7] [[9,0],0] ORTE_ERROR_LOG: Out of resource in file ../orte/util/show_help.c at line 501\n"
            ),
            "",
        )

    def test_other_messages_of_mpirun_stay(self) -> None:
        self.assertEqual(
            self.said(RULE, "There are not enough slots.\n", RULE), "There are not enough slots.\n"
        )
        self.assertEqual(self.said(RULE, "cut off\n"), "cut off\n")


def rank_process(number: int, mark: str) -> int:
    """The process of a rank, by what its environment says."""
    wanted = {f"OMPI_COMM_WORLD_RANK={number}".encode(), f"TEST_MARK={mark}".encode()}
    for _ in range(400):
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if wanted <= set((path / "environ").read_bytes().split(b"\0")):
                    return int(path.name)
            except OSError:
                continue
        time.sleep(0.05)
    raise AssertionError(f"rank {number} has not started")


@unittest.skipUnless(PROGRAM, "needs a stage")
class EndsTest(unittest.TestCase):
    def test_a_killed_rank_ends_all_and_leaves_no_file(self) -> None:
        assert PROGRAM is not None
        mark = uuid.uuid4().hex
        code = (
            "import sys; from pathlib import Path; from common.tools.lib.ranks import run_ranks; "
            "sys.exit(run_ranks(Path(sys.argv[1]), sys.argv[2:], 3)[0])"
        )
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--n", "3e9", "--force", "--csv", f"{folder}/rows.csv"]
            with subprocess.Popen(
                [sys.executable, "-c", code, str(PROGRAM), *arguments],
                env=os.environ | {"TEST_MARK": mark},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as run:
                killed = rank_process(1, mark)
                time.sleep(1)
                begin = time.monotonic()
                os.kill(killed, signal.SIGKILL)
                out, said = run.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, 15)
            self.assertEqual((run.returncode, out), (1, ""))
            self.assertIn("rank 1 was ended by signal 9 (Killed), and all ranks with it\n", said)
            self.assertEqual(os.listdir(folder), [])

    def test_the_rows_say_how_many_ranks_there_were(self) -> None:
        assert PROGRAM is not None
        words = ["--n", "1000", "--repeats", "2", "--warmup", "0"]
        made = measure(PROGRAM, words, 3)
        self.assertEqual(
            [row["parameters"].rpartition(";")[2] for row in made.rows], ["ranks=3"] * 2
        )
        with self.assertRaisesRegex(ToolError, "not a flag of this program: --bad"):
            measure(PROGRAM, ["--bad"], 3)

    def test_a_run_beyond_the_time_limit_ends_all_with_one_line(self) -> None:
        assert PROGRAM is not None
        begin = time.monotonic()
        found, said = run_ranks(
            PROGRAM,
            ["--n", "3e9", "--force", "--quiet"],
            3,
            {"RANKS_TIME_LIMIT": "1"},
            subprocess.DEVNULL,
        )
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual((found, said.count("\n")), (1, 1), said)
        self.assertRegex(said, r"^rank [012] of 3: the run has taken 1 s: .*RANKS_TIME_LIMIT=")

    def test_a_wrong_time_limit_is_one_line(self) -> None:
        assert PROGRAM is not None
        found, said = run_ranks(
            PROGRAM, ["--n", "1000"], 2, {"RANKS_TIME_LIMIT": "soon"}, subprocess.DEVNULL
        )
        self.assertEqual((found, said.count("\n")), (2, 1), said)
        self.assertIn("RANKS_TIME_LIMIT=soon: not a number of seconds", said)

    def test_bad_flags_and_files_are_one_line(self) -> None:
        assert PROGRAM is not None
        for words, status, line in (
            (["--bad"], 2, "not a flag of this program: --bad"),
            (["--n", "10", "--csv", "/no/folder/rows.csv"], 1, "rank 0 of 3: /no/folder/rows.csv"),
        ):
            found, said = run_ranks(PROGRAM, words, 3, stdout=subprocess.DEVNULL)
            self.assertEqual((found, said.count("\n")), (status, 1), said)
            self.assertIn(line, said)


if __name__ == "__main__":
    unittest.main()
