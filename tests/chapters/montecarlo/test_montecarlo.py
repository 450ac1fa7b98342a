# SPDX-License-Identifier: MIT
"""The Monte Carlo stages' executables: which points they draw, what they refuse, and their
z-scores.

    test_montecarlo.py STAGES_JSON ENGINE
"""

import csv
import io
import sys
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.ranks import run_ranks
from tests.chapters.stage_programs import execute, load_programs

STAGES_JSON, ENGINE = Path(sys.argv[1]), sys.argv[2]
del sys.argv[1:]
PROGRAMS = load_programs(STAGES_JSON, ENGINE, "montecarlo")
# The stages of the thesis with kernels and limit/01 draw the same points.
FLUSHED = "limit/01_flushed_counts"
OWN_PATH = [name for name in PROGRAMS if name[0].isdigit() and name != "00_cpu"]
TWO_FLOATS = [*OWN_PATH, *(name for name in PROGRAMS if name == FLUSHED)]
ONE_WORD = [name for name in PROGRAMS if name.startswith("limit/") and name != FLUSHED]
LIBRARIES = [name for name in PROGRAMS if name.startswith("peers/")]
MANY_POINTS = "1e9" if ENGINE == "gpu" else "1000"  # of each seed


def fields_of(name: str, *arguments: object) -> dict[str, str]:
    """What --output writes."""
    result = execute(PROGRAMS[name], "--check", "--output", "-", *arguments)
    if result.returncode != 0:
        raise AssertionError(f"{name} {arguments}: {result.stderr}")
    (record,) = csv.DictReader(io.StringIO("\n".join(result.stdout.splitlines()[:2])))
    return record


class PointsTest(unittest.TestCase):
    def test_stages_of_one_generator_and_test_draw_the_same_points(self) -> None:
        counts = {
            name: fields_of(name, "--n", 10_001, "--blocks", 3)["inside"] for name in TWO_FLOATS
        }
        self.assertEqual(len(set(counts.values())), 1, counts)

    def test_the_bias_is_printed_and_grows_with_the_root_of_n(self) -> None:
        for name in ONE_WORD:
            with self.subTest(stage=name):
                small, large = (fields_of(name, "--n", n, "--blocks", 1) for n in (100, 10_000))
                self.assertEqual((small["bias"], small["words_per_point"]), (large["bias"], "1"))
                self.assertAlmostEqual(
                    float(large["bias_z"]) / float(small["bias_z"]), 10, delta=0.01
                )
                # Far below a standard error: at 10^13 points, the most that are allowed, 0.8.
                self.assertLess(abs(float(large["bias_z"])) * (10**13 / 10**4) ** 0.5, 0.81)

    def test_seeds_have_normal_scores(self) -> None:
        for name in [TWO_FLOATS[-1], *ONE_WORD, *LIBRARIES]:
            with self.subTest(stage=name):
                fields = fields_of(name, "--n", MANY_POINTS, "--seeds", 64)
                self.assertTrue(0.735 < float(fields["z_root_mean_square"]) < 1.28)


@unittest.skipUnless("many_gpus" in PROGRAMS and ENGINE != "gpu", "needs ranks on the engine")
class RanksTest(unittest.TestCase):
    def test_the_count_does_not_depend_on_the_number_of_ranks(self) -> None:
        points = ("--n", "100003", "--blocks", "3")
        right = fields_of("limit/04_four_tap", *points)
        self.assertEqual(fields_of("many_gpus", *points), right)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "count.csv"
            for ranks in (2, 3):
                run = ("--check", "--quiet", "--output", str(path), *points)
                quiet = {"EMULATOR_COUNTERS": "none"}
                self.assertEqual(run_ranks(PROGRAMS["many_gpus"], list(run), ranks, quiet), (0, ""))
                (found,) = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
                self.assertEqual(found, right, ranks)


class RefusalsTest(unittest.TestCase):
    def refuses(self, name: str, words: str, *arguments: object) -> None:
        if name not in PROGRAMS:
            self.skipTest(f"{name} has no such executable, or it is counted late")
        result = execute(PROGRAMS[name], "--check", *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(words, result.stderr)

    def test_more_points_than_the_bias_allows(self) -> None:
        for name in ONE_WORD:
            with self.subTest(stage=name):
                self.refuses(name, "at most 10000000000000 points", "--n", 10**13 + 1)

    def test_more_streams_than_the_sequence_has_room_for(self) -> None:
        self.refuses("limit/03_xoroshiro", "at most 72057 blocks", "--n", 1000, "--blocks", 72_058)

    def test_more_states_than_memory_holds(self) -> None:
        self.refuses("limit/04_four_tap", "memory", "--n", 1000, "--blocks", 2_097_152)

    def test_a_chunk_that_breaks_the_sequence(self) -> None:
        self.refuses("peers/curand_host", "not a multiple of 131072", "--n", 9, "--chunk", 131_073)
        self.refuses("peers/curand_host", "--generator", "--n", 9, "--generator", "mtgp32")


if __name__ == "__main__":
    unittest.main()
