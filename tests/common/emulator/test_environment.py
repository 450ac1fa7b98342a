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

    def test_registers(self):
        without = run("occupancy").stdout
        self.assertIn("log: 0 registers, 1024 threads, 8 blocks of 256, best: 1024\n", without)
        self.assertIn("cudaSuccess", without)
        # As nvcc 13.0 prints them. The second kernel is in an unnamed namespace.
        report = """ptxas info    : Compiling entry function '_Z16log_block_kernelPiS_' for 'sm_90'
ptxas info    : Function properties for _Z16log_block_kernelPiS_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 70000 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_ZN36_GLOBAL__N__0ab822c1_8_names_cu_main13hidden_kernelEPi'
ptxas info    : Used 72 registers, used 0 barriers
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "registers.txt")
            path.write_text(report, encoding="utf-8")
            result = run("occupancy", EMULATOR_REGISTERS=str(path))
            # 64 registers allow 32 warps, the shared memory 3 blocks; 72 registers 28 warps.
            self.assertIn("log: 64 registers, 1024 threads, 3 blocks of 256", result.stdout)
            self.assertIn("hidden: 72 registers, 896 threads, 3 blocks of 256", result.stdout)
            self.assertIn("cudaErrorLaunchOutOfResources", result.stdout)
            self.assertIn("with 72 registers each", result.stderr)
            path.write_text("no kernel\n", encoding="utf-8")
            for name in (str(path), folder + "/missing"):
                result = run("occupancy", EMULATOR_REGISTERS=name)
                self.assertEqual(result.returncode, 1)
                self.assertIn("expected a file with what nvcc -Xptxas -v printed", result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)

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
