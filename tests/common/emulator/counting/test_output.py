#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The counters and the trace as a program writes them.

Usage: test_output.py PROGRAM NAMES (built from output_program.cu and names_program.cu)
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, NAMES = sys.argv.pop(1), sys.argv.pop(1)


def run(program=PROGRAM, **variables):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    return subprocess.run(
        [program], env=environment | variables, capture_output=True, text=True, check=False
    )


def count(program=PROGRAM, **variables):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "counters.json")
        result = run(program, EMULATOR_COUNTERS=str(path), **variables)
        return result, path.read_text(encoding="utf-8")


class Output(unittest.TestCase):
    def test_json(self):
        result, text = count()
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("2016\n", "", 0))
        report = json.loads(text)
        self.assertEqual(
            list(report), ["schema", "program", "device", "transfers", "kernels", "findings"]
        )
        self.assertEqual(report["schema"], 1)
        self.assertEqual(
            report["transfers"],
            {
                "host_to_device": {"calls": 1, "bytes": 256},
                "device_to_host": {"calls": 1, "bytes": 4},
                "device_to_device": {"calls": 0, "bytes": 0},
                "set": {"calls": 1, "bytes": 4},
            },
        )
        self.assertEqual(report["findings"], [])
        (kernel,) = report["kernels"]
        self.assertEqual(
            {key: kernel[key] for key in ("name", "launches", "blocks", "threads", "warps")},
            {"name": "reverse_kernel", "launches": 1, "blocks": 1, "threads": 64, "warps": 2},
        )
        totals = kernel["totals"]
        self.assertEqual(
            totals["global_load"], {"requests": 2, "lanes": 64, "sectors": 8, "ideal_sectors": 8}
        )
        self.assertEqual(
            totals["global_atomic"],
            {"requests": 2, "lanes": 64, "sectors": 64, "ideal_sectors": 8, "depth": 64},
        )
        self.assertEqual(
            totals["shared_load"],
            {"requests": 2, "lanes": 64, "wavefronts": 2, "ideal_wavefronts": 2},
        )
        self.assertEqual(totals["barriers"], 2)
        self.assertEqual(totals["alive_lanes"], 2 * 5 * 32)
        accesses = [
            (line["line"], line["operation"], line["space"], line["bytes"], line["requests"])
            for line in kernel["lines"]
            if line["operation"] != "block"
        ]
        self.assertEqual(
            accesses,
            [
                (9, "load", "global", 4, 2),
                (9, "store", "shared", 4, 2),
                (10, "barrier", "", 0, 2),
                (11, "load", "shared", 4, 2),
                (12, "store", "global", 4, 2),
                (13, "atomic", "global", 4, 2),
            ],
        )
        self.assertEqual({line["file"] for line in kernel["lines"]}, {"output_program.cu"})

    def test_kernels_have_the_names_of_their_functions(self):
        result, text = count(NAMES)
        self.assertEqual((result.stderr, result.returncode), ("", 0))
        self.assertEqual(
            [(kernel["name"], kernel["launches"]) for kernel in json.loads(text)["kernels"]],
            [
                ("step_kernel<1, true, (Mode)0>", 2),
                ("step_kernel<2, false, (Mode)1>", 2),
                ("fill_kernel<int>", 1),
                ("fill_kernel<double>", 1),
                ("copied_kernel", 1),
                ("empty_kernel", 1),
                ("outer::kernel", 1),
            ],
        )

    def test_same_to_the_byte(self):
        self.assertEqual(count()[1], count()[1])
        self.assertEqual(count()[1], count(EMULATOR_WORKERS="7")[1])

    def test_counters_are_the_same_under_every_schedule(self):
        self.assertEqual(count()[1], count(EMULATOR_SCHEDULE="reversed")[1])
        self.assertEqual(count()[1], count(EMULATOR_SCHEDULE="shuffled:3")[1])

    def test_table_and_standard_output(self):
        table = run().stderr
        self.assertIn("reverse_kernel: 1 launches, 1 blocks, 2 warps", table)
        self.assertIn("output_program.cu:13", table)
        self.assertEqual(run(EMULATOR_COUNTERS="none").stderr, "")
        self.assertIn('{"schema": 1,', run(EMULATOR_COUNTERS="-").stdout)

    def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.csv")
            result = run(EMULATOR_COUNTERS="none", EMULATOR_TRACE=str(path))
            self.assertEqual((result.stdout, result.stderr), ("2016\n", ""))
            with path.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 5 * 64)
        self.assertEqual(
            rows[5],
            {
                "grid": "1",
                "kernel": "reverse_kernel",
                "block": "0",
                "step": "0",
                "warp": "0",
                "lane": "5",
                "line": "output_program.cu:9",
                "operation": "load",
                "space": "global",
                "object": "a1",
                "offset": "20",
                "bytes": "4",
                "value": "5",
            },
        )
        shared = [row for row in rows if row["space"] == "shared"]
        self.assertEqual({row["object"] for row in shared}, {"s_values"})
        self.assertEqual(
            [row["value"] for row in shared if row["operation"] == "load"][:3], ["63", "62", "61"]
        )
        self.assertEqual({row["step"] for row in shared if row["operation"] == "load"}, {"1"})

    def test_a_skipped_barrier_is_a_race(self):
        result, text = count(EMULATOR_SKIP="output_program.cu:10")
        self.assertEqual(result.returncode, 1)
        report = json.loads(text)
        self.assertEqual(report["kernels"][0]["totals"]["barriers"], 0)
        self.assertEqual({finding["kind"] for finding in report["findings"]}, {"race_in_block"})

        self.assertNotIn("EMULATOR_SKIP", result.stderr)

    def test_a_first_finding_ends_the_program(self):
        """Then it prints no sum, and the JSON has what was found until then."""
        for findings, has_sum in (("all", True), ("first", False)):
            with self.subTest(findings):
                result, text = count(
                    EMULATOR_SKIP="output_program.cu:10", EMULATOR_FINDINGS=findings
                )
                self.assertEqual((result.stdout != "", result.returncode), (has_sum, 1))
                self.assertIn("race: kernel reverse_kernel", result.stderr)
                kinds = {finding["kind"] for finding in json.loads(text)["findings"]}
                self.assertEqual(kinds, {"race_in_block"})
        with tempfile.TemporaryDirectory() as folder:
            names = {
                kind: str(pathlib.Path(folder, kind)) for kind in ("TRACE", "VIEW", "TIMELINE")
            }
            settings = {f"EMULATOR_{kind}": path for kind, path in names.items()}
            count(EMULATOR_SKIP="output_program.cu:10", EMULATOR_FINDINGS="first", **settings)
            self.assertEqual(sorted(os.listdir(folder)), sorted(names))  # none is half written
        result, _ = count(EMULATOR_FINDINGS="first")
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("2016\n", "", 0))

    def test_a_line_that_is_not_reached_is_said(self):
        for setting, line, what in (("SKIP", 9, "barrier"), ("SHIFT", 10, "access")):
            result, text = count(**{f"EMULATOR_{setting}": f"output_program.cu:{line}"})
            said = f"output_program.cu:{line}: no {what} of that line was reached"
            self.assertEqual(
                (result.stdout, result.stderr, result.returncode),
                ("2016\n", f"emulator: EMULATOR_{setting}={said}\n", 0),
            )
            self.assertEqual(json.loads(text)["findings"], [])

    def test_settings_that_mean_nothing(self):
        for name, value in (
            ("EMULATOR_RACES", "maybe"),
            ("EMULATOR_FINDINGS", "some"),
            ("EMULATOR_SKIP", "nowhere"),
            ("EMULATOR_SHIFT", "output_program.cu:1x"),
            ("EMULATOR_TRACE", "/no/such/folder/trace.csv"),
            ("EMULATOR_TRACE_SPACES", "global,nowhere"),
            ("EMULATOR_TIMELINE", "/no/such/folder/timeline.csv"),
            ("EMULATOR_COUNTERS", "/no/such/folder/counters.json"),
        ):
            with self.subTest(name):
                result = run(**{name: value})
                self.assertEqual(result.returncode, 1)
                self.assertIn(value, result.stderr)


if __name__ == "__main__":
    unittest.main()
