#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the EMULATOR_* variables do to a program, and its messages for invalid values.

Usage: test_environment.py PROGRAM (built from environment_program.cu)
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def run(*arguments, **variables):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    return subprocess.run(
        [PROGRAM, *arguments],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


class Environment(unittest.TestCase):
    def test_defaults(self):
        result = run(EMULATOR_WORKERS="1")
        self.assertEqual(result.stdout, "NVIDIA H200 (emulated)\n0 1 2 3 4 5 6 7\n")
        self.assertEqual(result.returncode, 0)

    def test_device_and_schedule(self):
        result = run(EMULATOR_WORKERS="1", EMULATOR_DEVICE="gtx980", EMULATOR_SCHEDULE="reversed")
        self.assertEqual(result.stdout, "NVIDIA GeForce GTX 980 (emulated)\n7 6 5 4 3 2 1 0\n")

    def test_shuffles_are_reproducible(self):
        orders = {
            seed: run(EMULATOR_WORKERS="1", EMULATOR_SCHEDULE=f"shuffled:{seed}").stdout
            for seed in range(6)
        }
        self.assertGreater(len(set(orders.values())), 3)
        for seed, order in orders.items():
            again = run(EMULATOR_WORKERS="1", EMULATOR_SCHEDULE=f"shuffled:{seed}").stdout
            self.assertEqual(again, order)

    def test_timeline(self):
        for workers, schedule in (("1", "reversed"), ("4", "in-order")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "timeline.csv")
                result = run(
                    EMULATOR_WORKERS=workers,
                    EMULATOR_SCHEDULE=schedule,
                    EMULATOR_TIMELINE=str(path),
                )
                self.assertEqual(result.returncode, 0)
                rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
            order = result.stdout.splitlines()[1].split()
            blocks = [row for row in rows if row["kind"] == "block"]
            if workers == "1":
                self.assertEqual([row["id"] for row in blocks], [f"1:{block}" for block in order])
            self.assertEqual(len({row["id"] for row in blocks}), 8)
            self.assertLessEqual({int(row["worker"]) for row in blocks}, set(range(int(workers))))
            (grid,) = (row for row in rows if row["kind"] == "grid")
            for row in blocks:
                self.assertLess(int(grid["begin"]), int(row["begin"]))
                self.assertLess(int(row["begin"]), int(row["end"]))
                self.assertLess(int(row["end"]), int(grid["end"]))

    def test_a_host_that_waits_for_ever_ends_after_its_kernel(self):
        result = run("loop", EMULATOR_TIME_LIMIT="0.05")
        self.assertEqual(result.returncode, 1)
        kernel, program = result.stderr.splitlines()
        self.assertIn(
            "kernel wait_kernel, block (0,0,0), thread (0,0,0): the block has run", kernel
        )
        self.assertIn("1000000 calls since a kernel ended with cudaErrorLaunchTimeout", program)

    def test_values_that_mean_nothing(self):
        for name, value, expected in (
            ("EMULATOR_SCHEDULE", "random", "in-order, reversed or shuffled:SEED"),
            ("EMULATOR_WORKERS", "0", "a number from 1 to 1024"),
            ("EMULATOR_WORKERS", "two", "a number from 1 to 1024"),
            ("EMULATOR_DEVICE", "a100", "h200 or gtx980"),
            (
                "EMULATOR_APPROXIMATIONS",
                "none",
                "exact, bounded or bounded:SEED with a seed from 1",
            ),
            ("EMULATOR_DEVICES", "0", "a number from 1 to 16"),
            ("EMULATOR_DEVICES", "17", "a number from 1 to 16"),
            ("EMULATOR_DEVICES", "two", "a number from 1 to 16"),
        ):
            with self.subTest(name=name, value=value):
                result = run(**{name: value})
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr, f"emulator: {name}={value}: expected {expected}\n")


if __name__ == "__main__":
    unittest.main()
