# SPDX-License-Identifier: MIT
"""The executables of quicksort's stages: the tests of all sorts, and the cost of bad pivots.

    test_quicksort.py STAGES_JSON ENGINE [--long]
        ENGINE: gpu, emu (with the serial stage) or count
"""

import json
import random
import tempfile
import unittest
from array import array
from pathlib import Path

from tests.chapters.sort_stages import (
    ENGINE,
    LONG,
    SEGMENT,
    STAGES,
    DeclaredWork,
    EveryStage,
    LongLists,
    Refusals,
    Sizes,
    SortTest,
    Stage,
    execute,
    use_chapter,
)
from tests.quick import QUICK

# unittest runs them as if they stood here.
SHARED_TESTS = (DeclaredWork, EveryStage, LongLists, Refusals)

# Inputs whose pivots cost a quicksort the most, and inputs whose pivots cost little.
BAD_PIVOTS, GOOD_PIVOTS = ("sorted", "reverse", "all-equal", "few-unique"), ("uniform",)
LEAF = 2048
use_chapter(
    "quicksort",
    Sizes(
        (20000,),
        13000,
        (
            2,
            3,
            LEAF - 1,
            LEAF,
            LEAF + 1,
            SEGMENT - 1,
            SEGMENT,
            SEGMENT + 1,
            SEGMENT + 2,
            2 * SEGMENT + 1,
        ),
        30000,
        1 << 18,
        # 11 segments of a GTX 980, and as many rounds of a sample sort as 2^18 keys need.
        every_long_input=1 << 16,
    ),
)


@unittest.skipIf(LONG or ENGINE != "count", "only the engine with counters counts launches")
class BadPivots(SortTest):
    """A benchmark without a clock: bad pivots in every partition must not cost one launch per
    key."""

    def count(self, stage: Stage, n: int, name: str) -> tuple[int, int]:
        """How many launches, from the host or from kernels, and how many requests of global
        loads."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counters.json"
            result = execute(
                stage, "--check", "--quiet", "--n", n, "--input", name, "--counters", path
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            kernels = json.loads(path.read_text(encoding="utf-8"))["kernels"]
        return (
            sum(kernel["launches"] for kernel in kernels),
            sum(kernel["totals"]["global_load"]["requests"] for kernel in kernels),
        )

    def test_launches_and_loads(self) -> None:
        for stage in STAGES:
            n = stage.size(7000 if QUICK else 20_000)
            log = (n - 1).bit_length()
            # These lists share no key and are longer than a leaf. Many blocks partition each at
            # most 2 log n times, one block as often; each partition leaves two leaves, and the list
            # may end in a network.
            lists = n // (LEAF + 1) + 1
            most = lists * (2 * log * 4 + log * (log + 1) // 2)
            for name in (*BAD_PIVOTS, *GOOD_PIVOTS):
                with self.subTest(f"{stage.name} --n {n} --input {name}"):
                    launches, loads = self.count(stage, n, name)
                    self.assertLessEqual(launches, most)
                    self.assertLessEqual(loads, 2 * n / 32 * log * log)


@unittest.skipIf(LONG or ENGINE == "count", "the same as without counters")
class CountingPartition(SortTest):
    def test_the_partition_that_counts(self) -> None:
        """The options of stage counting/01, after Gimeno and Velasco 2024."""
        stage = next(stage for stage in STAGES if stage.name.endswith("_counting_partition"))
        for words in (
            ["--threads", "0"],
            ["--threads", "1025"],
            ["--blocks", "-1"],
            ["--memory", "swap"],
            ["--pivot", "last"],
        ):
            self.refuse(stage, 2, words[0], *words)
        for threads in (1, 31, 257, 1024):
            for blocks in (1, 7):
                for pivot, memory in (
                    ("first", "pinned"),
                    ("random", "pageable"),
                    ("median-of-3", "pinned"),
                ):
                    self.check(
                        stage,
                        "--n",
                        254,
                        "--threads",
                        threads,
                        "--blocks",
                        blocks,
                        "--pivot",
                        pivot,
                        "--memory",
                        memory,
                    )


def hard_keys(n: int) -> dict[str, list[int]]:
    """Keys that a partition by splitters must not lose or misplace: the ends of the range, and
    heavy values."""
    chance = random.Random(n)
    low, high = -(1 << 31), (1 << 31) - 1
    some = [chance.randint(low, high) for _ in range(n)]
    return {
        "largest": [high] * n,
        "smallest": [low] * n,
        "both ends": [(low, high)[i % 2] for i in range(n)],
        "half largest": [high if i % 2 else some[i] for i in range(n)],
        "half smallest": [low if i % 2 else some[i] for i in range(n)],
        "one heavy": [7 if i % 8 else some[i] for i in range(n)],
        "organ pipe": [min(i, n - i) for i in range(n)],
        "bits reversed": [int(f"{i:017b}"[::-1], 2) for i in range(n)],
        "30 values": [some[i] % 30 for i in range(n)],
        "255 values": [some[i] % 255 - 127 for i in range(n)],
        "500 values": [some[i] % 500 * 1_000_003 for i in range(n)],
        "anded": [some[i] & some[i - 1] & some[i - 2] for i in range(n)],
    }


def sampling_killer(n: int, seed: int) -> list[int]:
    """Keys against the sample of a level of 64 parts with this seed: every sampled key is less than
    all others."""

    def mix(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % (1 << 64)
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % (1 << 64)
        return z ^ (z >> 31)

    chance = random.Random(seed)
    keys = [chance.randint(1 << 20, (1 << 31) - 1) for _ in range(n)]
    samples = min(4096, n // 4)
    for i in range(samples):
        keys[(i * n + (mix(seed ^ i) * n >> 64)) // samples] = i
    return keys


@unittest.skipUnless(LONG and ENGINE != "count", "the long tests")
class ManySeeds(SortTest):
    def test_many_seeds(self) -> None:
        """On a GPU a thousand, with as many keys as the stages are recorded with. On the CPU engine
        a sort of 10 000 keys takes a fifth of a second, and a quick test has 20 seeds for every
        stage."""
        for stage in STAGES:
            if stage in last_own_stages() and ENGINE != "gpu":
                self.check(stage, "--n", 10_000, "--seeds", 30, "--bits", 5)
            elif ENGINE == "gpu" and sorts_in_one_pass(stage):
                seeds = 1000 if stage in last_own_stages() else 50
                self.check(stage, "--n", 1 << 28, "--seeds", seeds)


def samples(stage: Stage) -> bool:
    """The many-GPU stage is one of them: it has the same options."""
    return stage.has_kernels and stage.name.split("/")[1] in ("limit", "pairs", "many_gpus")


def sorts_by_rounds(stage: Stage) -> bool:
    """It counts the keys of each part before it moves them."""
    return stage.name.startswith("quicksort/limit/0") and stage.name < "quicksort/limit/07"


def sorts_in_one_pass(stage: Stage) -> bool:
    return samples(stage) and not sorts_by_rounds(stage)


def last_own_stages() -> list[Stage]:
    """That of keys, and that of pairs."""
    own = [stage for stage in STAGES if stage.has_kernels]
    return [[stage for stage in own if stage.sorts_pairs == pairs][-1] for pairs in (False, True)]


@unittest.skipIf(LONG, "files of the quick tests")
class SampleSort(SortTest):
    """Stages limit/01 on: whatever the keys are, no part of a round loses one."""

    def test_hard_keys_and_sizes(self) -> None:
        """In one process per stage."""
        with tempfile.TemporaryDirectory() as folder:
            self.check_hard_keys(Path(folder))
            if ENGINE != "count":  # the same as without counters
                self.check_sizes_at_the_edges_of_tiles_and_leaves()
            self.finish()

    def check_hard_keys(self, folder: Path) -> None:
        # Two rounds: 20 000 keys and more have several parts that are too long for a leaf.
        n = 9000 if ENGINE == "count" else 40_000
        for name, keys in hard_keys(n).items():
            if ENGINE == "count" and name not in ("both ends", "half largest", "500 values"):
                continue
            path = folder / f"{name.replace(' ', '_')}.i32"
            path.write_bytes(array("i", keys).tobytes())
            for stage in STAGES:
                if samples(stage):
                    self.check(stage, "--input", path)
                    if name in ("both ends", "one heavy", "500 values"):
                        self.check(stage, "--input", path, "--rounds", 1)
                    if sorts_in_one_pass(stage):
                        self.check(stage, "--input", path, "--bits", 5)
                        self.check(stage, "--input", path, "--slack", 0)

    def report_of(self, stage: Stage, *arguments: object) -> dict[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            result = execute(stage, "--quiet", "--repeats", 1, "--json", path, *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            run = json.loads(path.read_text(encoding="utf-8"))
            self.assertTrue(run["verified"])
            return run["report"]

    @unittest.skipIf(ENGINE == "count", "the same as without counters")
    def test_an_overflow_is_reported(self) -> None:
        n, seed = 200_000, 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "killer.i32"
            path.write_bytes(array("i", sampling_killer(n, seed)).tobytes())
            for stage in STAGES:
                if not sorts_in_one_pass(stage):
                    continue
                for overflowed, words in (
                    ("0", ["--n", n]),
                    ("1", ["--n", n, "--slack", 0]),
                    ("1", ["--n", n, "--slack", 0, "--bits", 5]),
                    # Pairs of equal keys differ.
                    (
                        str(int(stage.sorts_pairs)),
                        ["--n", n, "--slack", 0, "--input", "all-equal"],
                    ),
                    ("1", ["--input", path, "--seed", seed]),
                    ("0", ["--input", path, "--seed", seed + 1]),
                ):
                    with self.subTest(f"{stage.name} {words}"):
                        self.assertEqual(self.report_of(stage, *words)["overflowed"], overflowed)

    @unittest.skipIf(ENGINE == "count", "the same as without counters")
    def test_a_long_leaf_is_sorted_in_turns(self) -> None:
        for stage in STAGES:
            if sorts_in_one_pass(stage):
                report = self.report_of(stage, "--n", 300_000, "--input", "zipf")
                with self.subTest(stage.name):
                    self.assertEqual(report["overflowed"], "0")
                    self.assertGreater(int(report["long_leaves"]), 0)

    @unittest.skipIf(ENGINE == "count", "the same as without counters")
    def test_equal_keys_are_done_after_one_round(self) -> None:
        """They have a part of their own. In an open part they would stay until the last round, and
        the network would sort them."""
        for stage in STAGES:
            if sorts_by_rounds(stage):
                for name in ("all-equal", "few-unique"):
                    report = self.report_of(stage, "--n", 20_000, "--input", name)
                    with self.subTest(f"{stage.name} {name}"):
                        self.assertEqual((report["rounds"], report["lists_left"]), ("1", "0"))

    @unittest.skipIf(ENGINE == "count", "the same as without counters")
    def test_other_seeds(self) -> None:
        """The same keys, other samples; an overflow's exact sort must not spoil the sorts that
        follow."""
        for stage in STAGES:
            if sorts_in_one_pass(stage):
                words = ("--n", 12_000, "--bits", 5, "--seeds", 20)
                self.assertEqual(self.report_of(stage, *words)["overflowed"], "0")
                words = ("--n", 12_000, "--bits", 5, "--seeds", 4, "--slack", 0)
                self.assertEqual(self.report_of(stage, *words)["overflowed"], "4")

    def check_sizes_at_the_edges_of_tiles_and_leaves(self) -> None:
        for stage in STAGES:
            if samples(stage):
                for n in (8191, 8192, 8193, 16_383, 16_385, 24_577):
                    self.check(stage, "--n", n)
                    self.check(stage, "--n", n, "--input", "zipf")
            if stage.has_kernels and stage.sorts_pairs:
                for n in (3071, 3072, 3073, 4095, 4096, 4097, 6145, 12_289, 614_401):
                    self.check(stage, "--n", n)
                    self.check(stage, "--n", n, "--input", "zipf")
            if sorts_in_one_pass(stage):
                # Parts that are longer than a tile: all of its keys belong to one of them.
                for name in ("sorted", "reverse", "sawtooth"):
                    self.check(stage, "--n", 500_000, "--bits", 5, "--input", name)


if __name__ == "__main__":
    unittest.main()
