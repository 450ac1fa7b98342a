#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that exceed EMULATOR_BUDGET: their results are right, some blocks are counted and
checked.

Usage: test_sampling.py PROGRAM (built from sampling_program.cu)
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
SMALL = "20000"  # accesses and basic blocks of single threads: about 60 blocks of fill_kernel
NOTE = (
    f"emulator: this program has more accesses than the budget of {SMALL}: some blocks were "
    "neither counted nor checked; EMULATOR_BUDGET=0 records all\n"
)


def run(case, budget=SMALL, **variables):
    """The process, and the counters' JSON."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counters.json")
        variables = {"EMULATOR_COUNTERS": str(path), "EMULATOR_BUDGET": budget} | variables
        result = subprocess.run(
            [PROGRAM, case],
            env=environment | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return result, report


def kernels(report):
    return {kernel["name"]: kernel for kernel in report["kernels"]}


class Sampling(unittest.TestCase):
    def assert_right(self, case, **variables):
        result, report = run(case, **variables)
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)
        self.assertEqual(report["findings"], [])
        sampled = any("sampled" in kernel for kernel in report["kernels"])
        self.assertEqual(result.stderr, NOTE if sampled else "")
        return kernels(report)

    def assert_found(self, case, kind, budget=SMALL):
        result, report = run(case, budget)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual({finding["kind"] for finding in report["findings"]}, {kind})

    def test_without_a_limit_all_is_recorded(self):
        for budget in ("0", ""):
            for kernel in self.assert_right("blocks", budget=budget).values():
                self.assertNotIn("sampled", kernel)
                self.assertEqual(kernel["totals"]["global_store"]["requests"], 2000)

    def test_every_kth_block_and_the_last(self):
        kernel = self.assert_right("blocks")["fill_kernel"]
        self.assertEqual((kernel["launches"], kernel["blocks"], kernel["warps"]), (1, 1000, 2000))
        blocks = kernel["sampled"]["blocks"]
        self.assertEqual(kernel["sampled"]["launches"], 1)
        self.assertTrue(4 <= blocks <= 20, blocks)
        # Two warps per block, one store each: the numbers are not scaled.
        self.assertEqual(kernel["totals"]["global_store"]["requests"], 2 * blocks)

    def test_textures_of_blocks_that_are_not_recorded(self):
        kernel = self.assert_right("texture")["fetch_kernel"]
        self.assertLess(kernel["sampled"]["blocks"], 1000)

    def test_launches_by_powers_of_two(self):
        kernel = self.assert_right("launches")["fill_kernel"]
        self.assertEqual((kernel["launches"], kernel["blocks"]), (100, 1000))
        launches = kernel["sampled"]["launches"]
        self.assertTrue(5 <= launches <= 12, launches)

    def test_nothing_is_accused_because_a_block_was_left_out(self):
        for schedule in ("in-order", "reversed", "shuffled:3"):
            for case in ("blocks", "launches", "sum", "launching", "atomics"):
                for workers in ("1", "4"):
                    self.assert_right(case, EMULATOR_SCHEDULE=schedule, EMULATOR_WORKERS=workers)
        self.assert_right("chain")
        self.assert_right("chain", budget="0")

    def test_launches_by_blocks_that_are_left_out(self):
        kernel = self.assert_right("launching")["add_kernel"]
        self.assertEqual((kernel["launches"], kernel["blocks"]), (800, 800))
        self.assertLess(kernel["sampled"]["launches"], 100)

    def test_checks_of_what_is_recorded(self):
        self.assert_found("race", "race_in_block")
        self.assert_found("race-in-last-block", "race_in_block")
        self.assert_found("unwritten", "uninitialised_global")
        # Not this one: the block is left out, and the table says so.
        self.assert_found("race-in-a-block", "race_in_block", budget="0")
        self.assertIn("sampled", self.assert_right("race-in-a-block")["racy_kernel"])

    def test_an_endless_block_that_is_not_recorded_ends(self):
        for case in ("endless", "endless-barrier"):
            with self.subTest(case=case):
                result, _ = run(case, EMULATOR_TIME_LIMIT="0.2")
                self.assertEqual(result.returncode, 1)
                kernel = case.replace("-", "_") + "_kernel"
                self.assertIn(f"kernel {kernel}, block (500,0,0)", result.stderr)
                self.assertIn("the block has run for 0.2 s", result.stderr)

    def test_settings_that_mean_nothing_are_one_line(self):
        for name in ("DEVICE", "DEVICES", "SCHEDULE", "WORKERS", "TIME_LIMIT", "BUDGET", "RACES"):
            with self.subTest(name=name):
                result, _ = run("blocks", **{f"EMULATOR_{name}": "x"})
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertRegex(result.stderr, rf"^emulator: EMULATOR_{name}=x: expected .*\n$")

    def test_launches_without_an_end(self):
        result, _ = run("runaway", EMULATOR_TIME_LIMIT="0.05")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(
            result.stderr, r"kernel runaway_kernel, .*device code has launched have run"
        )

    def test_the_table_says_so(self):
        result, _ = run("launches", EMULATOR_COUNTERS="")
        self.assertIn("fill_kernel: 100 launches, 1000 blocks, 2000 warps", result.stderr)
        self.assertRegex(
            result.stderr,
            r"  sampled: \d+ of 100 launches, \d+ of 1000 blocks; the requests are those of these",
        )
        self.assertIn("EMULATOR_BUDGET", result.stderr)

    def test_a_wrong_budget_is_refused(self):
        for budget in ("many", "-1", "1.5", "99999999999999999999"):
            result, _ = run("blocks", budget)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(
                result.stderr,
                f"emulator: EMULATOR_BUDGET={budget}: expected a number of accesses, 0 for no "
                "limit\n",
            )


if __name__ == "__main__":
    unittest.main()
