# SPDX-License-Identifier: MIT
"""Stages with one fault each: the verifier finds every fault, and not only at one odd size.

    test_faults.py PROGRAM…
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PREFIX = "nbody_fault_"
PROGRAMS = {Path(word).name.removeprefix(PREFIX): word for word in sys.argv[1:]}
del sys.argv[1:]
MASSLESS = "1 0 0 0 0 0 0\n0 1 0 0 0 1 0\n0 0 2 0 1 0 0\n"
# Runs that must fail, and runs in which the fault does nothing.
FAILING = {
    "opposite_groups_twice": (["--n", "512"], ["--n", "1000"]),
    "own_group_twice": (["--n", "33"], ["--n", "1000"]),
    "wrong_way_round": (["--n", "257"], ["--n", "1000"]),
    "parts_overlap": (["--n", "257"], ["--n", "1000"]),
    "sums_kept": (["--n", "257", "--steps", "1"],),
    "light_fillers": (["--input", "solar"],),
    "no_floor": (["--input", "massless.txt"],),
    "slices_overlap": (["--n", "1000"],),
    "last_warp_lost": (["--n", "1000"], ["--n", "225"]),
    "too_few_for_all": (["--n", "1001"],),
}
PASSING = {
    "opposite_groups_twice": (["--n", "700"],),  # an odd number of groups
    "own_group_twice": (),
    "wrong_way_round": (["--n", "256"],),  # within a group, the travelling sums are not used
    "parts_overlap": (),
    "sums_kept": (["--n", "257"],),
    "light_fillers": (["--n", "256"],),  # there are none
    "no_floor": (["--n", "257"],),
    "slices_overlap": (["--n", "128"],),  # one slice
    "last_warp_lost": (
        ["--n", "224"],
        ["--n", "4097"],
    ),  # the last warp has no body; another kernel
    "too_few_for_all": (["--n", "1000"],),
}


class FaultsTest(unittest.TestCase):
    def check(self, fault: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "massless.txt").write_text(MASSLESS, encoding="utf-8")
            return subprocess.run(
                [PROGRAMS[fault], "--check", *arguments],
                capture_output=True,
                text=True,
                cwd=folder,
                check=False,
            )

    def test_all_are_built(self) -> None:
        self.assertEqual(PROGRAMS.keys(), FAILING.keys())

    def test_each_is_found(self) -> None:
        for fault, runs in FAILING.items():
            for arguments in runs:
                with self.subTest(fault=fault, arguments=arguments):
                    result = self.check(fault, arguments)
                    self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                    self.assertRegex(result.stdout + result.stderr, "accelerations|not finite")

    def test_where_it_does_nothing_the_result_is_right(self) -> None:
        for fault, runs in PASSING.items():
            for arguments in runs:
                with self.subTest(fault=fault, arguments=arguments):
                    result = self.check(fault, arguments)
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
