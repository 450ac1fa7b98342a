# SPDX-License-Identifier: MIT
"""Which mutants a line has, and how they are applied and drawn."""

import tempfile
import unittest
from pathlib import Path

from common.tools.lib.stages import load_stages
from tests.chapters.mutants.edits import find_mutants, of_line
from tests.chapters.mutants.mutants import chosen


class MutantsTest(unittest.TestCase):
    def test_lines(self) -> None:
        for code, changed in (
            ("    __syncthreads();", ["    ;"]),
            ("    if (x) __syncwarp();", ["    if (x) ;"]),
            ("    __threadfence();", ["    ;"]),
            ("    cuda_check(cudaStreamSynchronize(stream.get()));", ["    ;"]),
            ("    if (row >= n) return;", ["    if (row > n) return;"]),
            (
                "    if (a == b && c < d) f();",
                ["    if (a != b && c < d) f();", "    if (a == b && c <= d) f();"],
            ),
            (
                "    sum += s_tile[line][i];",
                ["    sum += s_tile[(line) + 1][i];", "    sum += s_tile[line][(i) + 1];"],
            ),
            (
                "    x = __shfl_down_sync(kAllLanes, x, 1);",
                ["    x = __shfl_down_sync((kAllLanes >> 1), x, 1);"],
            ),
            ("    __shared__ int s_tile[kTile][kTile + 1];", []),
            ("template <int K, bool kSmall = (K < 8)>", []),
            ("    constexpr bool kWide = K > 8;", []),
            ("    const auto f = [&](int i) { return i; };", []),
            ("    kernel<<<blocks, kBlockSize>>>(d_keys.data(), n);", []),
        ):
            made = [code[:at] + new + code[at + len(old) :] for at, _, old, new in of_line(code)]
            self.assertEqual(made, changed, code)

    def test_texts_and_comments_stay(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            room = Path(name) / "01_first"
            room.mkdir()
            text = 'check(a < b, "c < d");  // e < f\n'
            (room / "sums.cu").write_text(text, encoding="utf-8")
            (mutant,) = find_mutants(Path(name), room)
            self.assertEqual(mutant.applied(text), text.replace("a < b", "a <= b"))
            self.assertEqual(mutant.place, "01_first/sums.cu:1:8")

    def test_a_seed_draws_the_same(self) -> None:
        stages = load_stages()
        draws = [chosen(stages, [], seed, 60) for seed in (5, 5, 6)]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])
        self.assertEqual(len(draws[0]), 60)


if __name__ == "__main__":
    unittest.main()
