#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NCCL on the CPU engine: results, counters, and mistakes, each of which must be found.

test_nccl.py Quick|Long RIGHT RIGHT_COUNT WRONG WRONG_COUNT
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from common.tools.lib.ranks import run_ranks

RIGHT, RIGHT_COUNT, WRONG, WRONG_COUNT = map(Path, sys.argv[2:6])
QUIET = {"EMULATOR_COUNTERS": "none"}


class Quick(unittest.TestCase):
    def test_right_results(self) -> None:
        for ranks in (2, 3):
            status, said = run_ranks(RIGHT, [], ranks, stdout=subprocess.DEVNULL)
            self.assertEqual((status, said), (0, ""), ranks)

    def found(self, program: Path, name: str, ranks: int, *words: str) -> str:
        begin = time.monotonic()
        status, said = run_ranks(program, [name], ranks, QUIET, stdout=subprocess.DEVNULL)
        self.assertNotEqual(status, 0, said)
        self.assertLess(time.monotonic() - begin, 30)
        for word in words:
            self.assertRegex(said, word)
        return said

    def test_a_collective_of_another_size(self) -> None:
        said = self.found(
            WRONG,
            "other_count",
            2,
            r"rank 0 calls ncclAllReduce of 4 ncclInt32 with ncclSum, number 1, at "
            r"wrong_program.cu:\d+, but rank 1 calls ncclAllReduce of 3 ncclInt32",
        )
        self.assertEqual(len(re.findall("ncclAllReduce of 3", said)), 1, said)  # one rank says it


class Long(Quick):
    def test_one_rank_needs_no_mpirun(self) -> None:
        subprocess.run([RIGHT], check=True, stdout=subprocess.DEVNULL)

    def test_many_ranks(self) -> None:
        for ranks in (4, 8):
            self.assertEqual(run_ranks(RIGHT, [], ranks, stdout=subprocess.DEVNULL), (0, ""))

    def test_other_schedules(self) -> None:
        for schedule in ("reversed", "shuffled:1", "shuffled:2"):
            settings = {"EMULATOR_SCHEDULE": schedule}
            self.assertEqual(
                run_ranks(RIGHT, [], 3, settings, stdout=subprocess.DEVNULL), (0, ""), schedule
            )

    def test_right_programs_have_no_findings(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counters.json"
            settings = {"EMULATOR_COUNTERS": str(path)}
            status, said = run_ranks(RIGHT_COUNT, [], 2, settings, stdout=subprocess.DEVNULL)
            self.assertEqual((status, said), (0, ""))
            counted = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(counted["findings"], [])
        self.assertGreater(counted["transfers"]["sent"]["bytes"], 0)
        self.assertEqual(
            counted["transfers"]["sent"]["bytes"] > 0, counted["transfers"]["received"]["bytes"] > 0
        )

    def test_ranks_that_disagree(self) -> None:
        self.found(WRONG, "other_type", 3, "of 1 ncclInt32.*but rank 1 .* of 1 ncclFloat32")
        self.found(WRONG, "other_operation", 3, "rank 0 calls ncclBroadcast.*rank 1 .*ncclAllRed")
        self.found(WRONG, "other_root", 3, "with root 0.*but rank 1 calls .* with root 1")
        self.found(WRONG, "other_id", 2, "rank 1 has another id than rank 0")
        self.found(
            WRONG,
            "message_of_other_size",
            2,
            r"rank 1 calls ncclRecv of 3 .* from rank 0.*:\d+, but rank 0 calls ncclSend of 4",
        )

    def test_an_operation_that_a_rank_leaves_out(self) -> None:
        self.found(
            WRONG,
            "left_out",
            3,
            r"all ranks wait for one another: rank 0: ncclAllReduce .* wrong_program.cu:\d+; "
            "rank 1: has destroyed its communicator",
        )

    def test_messages_without_a_group(self) -> None:
        self.found(
            WRONG, "no_group", 3, "wait for one another: rank 0: ncclSend of 4 .* to rank 1.* at "
        )

    def test_a_rank_that_does_not_come(self) -> None:
        begin = time.monotonic()
        settings = QUIET | {"EMULATOR_TIME_LIMIT": "0.3"}
        status, said = run_ranks(WRONG, ["late"], 2, settings, stdout=subprocess.DEVNULL)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "rank 0 has waited for 3 s: ncclAllReduce of 4 .*does every rank")
        self.assertLess(time.monotonic() - begin, 20)

    def test_memory(self) -> None:
        self.found(WRONG, "host_memory", 2, "ncclAllReduce: the output .* is host memory")
        self.found(WRONG_COUNT, "too_long", 2, "ncclAllReduce")
        for name in ("registered_host_memory", "registered_too_long"):
            self.found(WRONG, name, 2, "rank 0: ncclCommRegister: .* not all in one piece")
        self.found(WRONG, "no_such_rank", 2, "rank 0: ncclSend, wrong_program.cu:.*are 2 ranks")

    def test_order(self) -> None:
        self.found(WRONG_COUNT, "no_synchronisation", 2, "missing synchronisation.*ncclAllReduce")
        self.found(WRONG_COUNT, "two_streams", 2, "race.*ncclAllReduce")

    def test_ranks_that_end(self) -> None:
        self.found(WRONG, "killed", 3, r"rank 1 was ended by signal 9 \(Killed\), and all ranks")
        self.found(WRONG, "ended", 3, "rank 1 ended with exit status 3, and all ranks with it")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], sys.argv[1]])
