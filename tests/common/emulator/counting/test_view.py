#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What EMULATOR_VIEW writes: the addresses of a warp's lanes, a bounded sample of requests, the
steps of one block, the shapes of launches.

Usage: test_view.py PROGRAM SAMPLING (built from output_program.cu and sampling_program.cu)
"""
import json
import os
import subprocess
import sys
import unittest

PROGRAM, SAMPLING = sys.argv.pop(1), sys.argv.pop(1)
ALL_LANES = 0xFFFFFFFF


def run(*command, **variables):
    kept = {name: value for name, value in os.environ.items() if "EMULATOR_" not in name}
    return subprocess.run(
        command,
        env=kept | {"EMULATOR_COUNTERS": "none"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def view(*command, **variables):
    """The document, which follows what the program prints."""
    out = run(*command, EMULATOR_VIEW="-", **variables).stdout
    return json.loads(out[out.index('{"schema"') :])


def by_line(document):
    return {(one["line"], one["operation"]): one for one in document["instructions"]}


class View(unittest.TestCase):
    def test_nothing_is_written_unless_it_is_asked_for(self):
        self.assertEqual(run(PROGRAM).stdout, "2016\n")

    def test_the_addresses_of_lanes(self):
        document = view(PROGRAM)
        names = [(one["name"], one["bytes"]) for one in document["objects"]]
        self.assertEqual(names, [("a1", 256), ("s_values", 256), ("a2", 4)])
        load = by_line(document)[9, "load"]
        self.assertEqual((load["space"], load["bytes"], load["requests"]), ("global", 4, 2))
        first, second = load["kept"]
        self.assertEqual((first["warp"], first["lanes"], first["interval"]), (0, ALL_LANES, 0))
        self.assertEqual((first["units"], first["ideal"], first["objects"]), (4, 4, [0]))
        self.assertEqual(first["offsets"], [4 * lane for lane in range(32)])
        self.assertEqual((second["warp"], second["offsets"][0]), (1, 128))
        reversed_load = by_line(document)[11, "load"]["kept"][0]
        self.assertEqual(reversed_load["interval"], 1)  # after the barrier
        self.assertEqual(reversed_load["objects"], [1])
        self.assertEqual(reversed_load["offsets"], [252 - 4 * lane for lane in range(32)])
        atomic = by_line(document)[13, "atomic"]["kept"][0]
        self.assertEqual((atomic["units"], atomic["ideal"], atomic["depth"]), (32, 4, 32))

    def test_the_steps_of_a_block(self):
        (kernel,) = view(PROGRAM)["kernels"]
        self.assertEqual(
            (kernel["name"], kernel["grid"], kernel["block"]), ("reverse_kernel", 1, 0)
        )
        self.assertEqual(len(kernel["warps"]), 2)
        for warp in kernel["warps"]:
            self.assertEqual(warp["left_out"], 0)
            said = [
                (step[0], kernel["places"][step[1]]["operation"], kernel["places"][step[1]]["line"])
                for step in warp["steps"]
                if kernel["places"][step[1]]["operation"] != "block"
            ]
            self.assertEqual(
                said,
                [
                    (0, "load", 9),
                    (0, "store", 9),
                    (0, "barrier", 10),
                    (1, "load", 11),
                    (1, "store", 12),
                    (1, "atomic", 13),
                ],
            )
            self.assertEqual(
                {tuple(step[2:]) for step in warp["steps"]}, {(ALL_LANES, ALL_LANES, 1)}
            )

    def test_the_shapes_of_launches(self):
        (kernel,) = view(PROGRAM)["kernels"]
        (shape,) = kernel["shapes"]
        self.assertEqual((shape["grid"], shape["block"]), ([1, 1, 1], [64, 1, 1]))
        self.assertEqual((shape["launches"], shape["resident"]), (1, 32))
        self.assertEqual(view(PROGRAM, EMULATOR_DEVICE="gtx980")["device"]["shared"], 96 * 1024)

    def test_the_files_of_the_lines(self):
        ((name, paths),) = view(PROGRAM)["files"].items()
        self.assertEqual(name, "output_program.cu")
        with open(paths[0], encoding="utf-8") as file:
            self.assertIn("__syncthreads();", file.read().splitlines()[10 - 1])

    def test_a_long_run_is_a_bounded_sample(self):
        document = view(SAMPLING, "launches")
        kernel = next(one for one in document["kernels"] if one["name"] == "fill_kernel")
        self.assertEqual([shape["launches"] for shape in kernel["shapes"]], [100])
        (store,) = [one for one in document["instructions"] if one["operation"] == "store"]
        self.assertEqual(store["requests"], 100 * 10 * 2)
        numbers = [request["number"] for request in store["kept"]]
        self.assertEqual(numbers, [1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 128, 256, 512, 1024])

    def test_the_first_steps_are_kept_and_the_others_counted(self):
        (kernel,) = view(SAMPLING, "loop")["kernels"]
        for warp in kernel["warps"]:
            self.assertEqual(len(warp["steps"]), 1500)
            self.assertGreater(warp["left_out"], 2000)

    def test_a_request_with_a_finding_is_kept(self):
        document = view(SAMPLING, "race-in-last-block")
        found = [
            (one["operation"], request["block"])
            for one in document["instructions"]
            for request in one["kept"]
            if request["found"]
        ]
        # Each of both accesses follows the other one of another warp.
        self.assertEqual(found, [("store", 999), ("load", 999)])

    def test_same_to_the_byte(self):
        self.assertEqual(view(PROGRAM), view(PROGRAM, EMULATOR_WORKERS="7"))


if __name__ == "__main__":
    unittest.main()
