#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program writes about the order of its work: the timeline, and the exchanges of a trace.

Usage: test_timeline.py PROGRAM (built from timeline_program.cu)
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
SUM = 10 * sum(range(31)) + 200  # lane 0 keeps its own 0; the child grid has two blocks


def rows_of(variable, **variables):
    """The rows of the file that a variable names."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.csv")
        result = subprocess.run(
            [PROGRAM],
            env=environment | {variable: str(path), "EMULATOR_COUNTERS": "none"} | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.stdout, result.stderr) == (f"{SUM} {SUM}\n", ""), result
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows_of("EMULATOR_TIMELINE")

    def of_kind(self, kind):
        return [row for row in self.rows if row["kind"] == kind]

    def task(self, stream, name):
        return next(
            row for row in self.of_kind("task") if (row["stream"], row["name"]) == (stream, name)
        )

    def test_the_device(self):
        (row,) = self.of_kind("device")
        self.assertEqual(row["name"], "NVIDIA H200 (emulated)")
        self.assertIn("multiprocessors=132;threads=2048;blocks=32;", row["detail"])
        (row, *_) = rows_of("EMULATOR_TIMELINE", EMULATOR_DEVICE="gtx980")
        self.assertIn("multiprocessors=16;", row["detail"])

    def test_times_are_an_order(self):
        spans = [
            (int(row["begin"]), int(row["end"])) for row in self.rows if row["kind"] != "device"
        ]
        times = [time for span in spans for time in span]
        times += [int(row["queued"]) for row in self.rows if row["queued"]]
        self.assertEqual(sorted(times), list(range(1, len(times) + 1)))
        self.assertTrue(all(begin < end for begin, end in spans))

    def test_tasks_and_what_they_are_ordered_after(self):
        copies = [row for row in self.of_kind("task") if row["name"] == "host to device 128"]
        first, beside = (row["stream"] for row in copies)
        kernels = [row for row in self.of_kind("task") if row["name"] == "shift_kernel"]
        second = next(row["stream"] for row in kernels if row["stream"] != beside)
        self.assertEqual(len({first, second, beside, "0"}), 4)
        before = self.task(second, "shift_kernel")["after"].split()
        event = f"{first}:2"  # the event's record comes after the copy
        self.assertIn(event, before)
        self.assertFalse(any(one.startswith(f"{beside}:") for one in before))
        self.assertIn(f"{beside}:1", self.task(beside, "shift_kernel")["after"].split())
        last = self.of_kind("task")[-1]
        self.assertEqual(last["name"], "device to host 8")
        self.assertLessEqual({second, beside}, {one.split(":")[0] for one in last["after"].split()})

    def test_grids_and_blocks(self):
        grids = {row["id"]: row for row in self.of_kind("grid")}
        self.assertEqual(
            [row["name"] for row in grids.values()],
            2 * ["shift_kernel", "child_kernel"],
        )
        tasks = {row["id"]: row for row in self.of_kind("task")}
        for row in grids.values():
            if row["name"] == "shift_kernel":
                self.assertEqual(tasks[row["parent"]]["name"], "shift_kernel")
                self.assertEqual(row["queued"], "")
                self.assertIn("grid=1x1x1;block=32x1x1;shared=0;resident=32", row["detail"])
                continue
            parent, block, thread = row["parent"].split(":")
            self.assertEqual((grids[parent]["name"], block, thread), ("shift_kernel", "0", "3"))
            launched, begun = int(row["queued"]), int(row["begin"])
            self.assertLess(int(grids[parent]["begin"]), launched)
            self.assertLess(launched, int(grids[parent]["end"]))
            self.assertLess(int(grids[parent]["end"]), begun)
        blocks = [row["id"] for row in self.of_kind("block")]
        expected = [
            f"{number}:{block}"
            for number, row in grids.items()
            for block in range(1 if row["name"] == "shift_kernel" else 2)
        ]
        self.assertEqual(sorted(blocks), sorted(expected))
        self.assertEqual({row["worker"] for row in self.of_kind("block")}, {"0"})

    def test_a_child_that_starts_at_its_launch(self):
        self.rows = rows_of("EMULATOR_TIMELINE", EMULATOR_SCHEDULE="reversed")
        grids = {row["id"]: row for row in self.of_kind("grid")}
        children = [row for row in grids.values() if row["name"] == "child_kernel"]
        for row in children:
            parent = grids[row["parent"].split(":")[0]]
            self.assertLess(int(parent["begin"]), int(row["begin"]))
            self.assertLess(int(row["end"]), int(parent["end"]))
        blocks = [
            row["id"]
            for row in self.of_kind("block")
            if row["id"].startswith(children[0]["id"] + ":")
        ]
        self.assertEqual([one.split(":")[1] for one in blocks], ["1", "0"])

    def test_the_same_again(self):
        self.assertEqual(self.rows, rows_of("EMULATOR_TIMELINE"))


class Exchanges(unittest.TestCase):
    def test_each_lane_s_value_and_where_it_takes_one(self):
        rows = rows_of("EMULATOR_TRACE")
        own = [row for row in rows if row["space"] == "warp"]
        self.assertEqual(len(own), 2 * 2 * 32)
        shuffle = own[:32]
        self.assertEqual({row["operation"] for row in shuffle}, {"shuffle_up"})
        self.assertEqual({row["line"] for row in shuffle}, {"timeline_program.cu:14"})
        self.assertEqual([int(row["value"]) for row in shuffle], [10 * i for i in range(32)])
        self.assertEqual(
            [row["object"] for row in shuffle], [f"lane{max(0, i - 1)}" for i in range(32)]
        )
        self.assertEqual({row["offset"] for row in shuffle}, {"1"})
        ballot = own[32:64]
        self.assertEqual({(row["operation"], row["object"]) for row in ballot}, {("ballot", "")})
        self.assertEqual({row["value"] for row in ballot}, {"1"})
        # They stand where they happened: after the loads, before the atomics.
        spaces = [row["operation"] for row in rows if row["grid"] == own[0]["grid"]]
        self.assertEqual(list(dict.fromkeys(spaces)), ["load", "shuffle_up", "ballot", "atomic"])

    def test_only_some_spaces(self):
        for spaces in ("warp", "global", "global,warp", "shared"):
            rows = rows_of("EMULATOR_TRACE", EMULATOR_TRACE_SPACES=spaces)
            every = [row for row in rows_of("EMULATOR_TRACE") if row["space"] in spaces.split(",")]
            self.assertEqual(rows, every)
        self.assertEqual(rows, [])


if __name__ == "__main__":
    unittest.main()
