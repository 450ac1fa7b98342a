# SPDX-License-Identifier: MIT
"""Stages that sort, through their executables: every named input, orders of blocks, sizes at the edges, a
random size, how many kernels bad pivots cost, and what is refused.

    test_sorts.py STAGES_JSON ENGINE [--long]     ENGINE: gpu, emu (with the serial stages), count or opencl

A random size is printed with its seed; COURSE_TEST_SEED=SEED runs it again.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LONG = "--long" in sys.argv and bool(sys.argv.pop(sys.argv.index("--long")))
ENGINE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
CHAPTERS = ("mergesort", "quicksort")
INPUTS = ("uniform", "gaussian", "sorted", "reverse", "nearly-sorted", "few-unique", "all-equal", "zipf", "bucket",
          "staggered", "g-group", "deterministic-duplicates", "permutation")
# What costs a quicksort the most, and what costs it little.
BAD_PIVOTS, GOOD_PIVOTS = ("sorted", "reverse", "all-equal", "few-unique"), ("uniform",)
# A GTX 980's segment is small enough that short lists are partitioned by many blocks.
SEGMENT = 6080
SETTINGS = {} if ENGINE == "gpu" else {"EMULATOR_DEVICE": "gtx980"}
LEAF = 2048


@dataclass(frozen=True)
class Sizes:
    """Several blocks of everything a stage has; on the CPU engine not much more than that."""

    every_input: tuple[int, ...]
    every_order: int
    edges: tuple[int, ...]  # one more and one less than what something holds
    random: int  # at most
    long: int


SIZES = {"mergesort": Sizes((3001, 2560), 3333, (2, 3, 511, 512, 513, 1023, 1024, 1025, 2049, 4097), 6000, 1 << 16),
         "quicksort": Sizes((20000,), 13000, (2, 3, LEAF - 1, LEAF, LEAF + 1, SEGMENT - 1, SEGMENT, SEGMENT + 1,
                                              SEGMENT + 2, 2 * SEGMENT + 1), 30000, 1 << 18)}


@dataclass(frozen=True)
class Stage:
    name: str
    program: Path
    largest_n: int  # 0: any
    has_kernels: bool

    @property
    def sizes(self) -> Sizes:
        return SIZES[self.name.split("/")[0]]

    def size(self, wanted: int) -> int:
        return min(wanted, self.largest_n or wanted)


def load_stages() -> list[Stage]:
    stages = []
    for record in json.loads(STAGES_JSON.read_text(encoding="utf-8")):
        programs = record["executables"]
        engine = "cpu" if ENGINE == "emu" and "cpu" in programs else ENGINE
        if record["chapter"] in CHAPTERS and engine in programs:
            stages.append(Stage(record["stage"], STAGES_JSON.parent / programs[engine], record["largest_n"],
                                engine != "cpu"))
    return stages


STAGES = load_stages()


def execute(stage: Stage, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
    return subprocess.run([str(stage.program), *map(str, arguments)], env=environment | SETTINGS | settings, text=True,
                          capture_output=True, check=False, timeout=300)


class SortTest(unittest.TestCase):
    """On a GPU nearly all of a short run is its start, half a second on one core: several at a time there."""

    def setUp(self) -> None:
        self.pool = ThreadPoolExecutor(min(8, os.cpu_count() or 1) if ENGINE in ("gpu", "opencl") else 1)
        self.runs: list[tuple[str, Future[subprocess.CompletedProcess[str]]]] = []

    def tearDown(self) -> None:
        self.finish()
        self.pool.shutdown()

    def check(self, stage: Stage, *arguments: object, **settings: str) -> None:
        """What it says is looked at in finish()."""
        self.runs.append((f"{stage.name} {' '.join(map(str, arguments))} {settings}",
                          self.pool.submit(execute, stage, "--check", "--quiet", *arguments, **settings)))

    def finish(self) -> None:
        for said, run in self.runs:
            with self.subTest(said):
                self.assertEqual((run.result().returncode, run.result().stderr), (0, ""))
        self.runs.clear()

    def refuse(self, stage: Stage, status: int, said: str, *arguments: object) -> None:
        """One line that says it, the status, and no file."""
        with self.subTest(f"{stage.name} {' '.join(map(str, arguments))}"), tempfile.TemporaryDirectory() as folder:
            written = [word for name in ("csv", "json", "output") for word in (f"--{name}", f"{folder}/{name}")]
            result = execute(stage, *arguments, *written)
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(said, result.stderr)
            self.assertEqual(list(Path(folder).iterdir()), [])


@unittest.skipIf(LONG, "the long tests")
class EveryStage(SortTest):
    def test_every_input(self) -> None:
        for stage in STAGES:
            for name in INPUTS if ENGINE != "count" else ("uniform", "all-equal", "staggered"):
                for n in stage.sizes.every_input[:1 if ENGINE == "count" else None]:
                    self.check(stage, "--n", stage.size(n), "--input", name)

    @unittest.skipIf(ENGINE == "gpu", "its order is its own")
    def test_every_order(self) -> None:
        for stage in STAGES:
            for schedule in ("reversed", "shuffled:1") if ENGINE == "emu" and stage.has_kernels else ():
                for name in ("uniform", "sorted", "few-unique"):
                    self.check(stage, "--n", stage.size(stage.sizes.every_order), "--input", name,
                               EMULATOR_SCHEDULE=schedule)

    @unittest.skipIf(ENGINE == "count", "as without counting")
    def test_sizes_at_the_edges(self) -> None:
        for stage in STAGES:
            for n in stage.sizes.edges:
                if stage.size(n) == n:
                    self.check(stage, "--n", n)
                    self.check(stage, "--n", n, "--input", "reverse")

    def test_a_random_size(self) -> None:
        seed = int(os.environ.get("COURSE_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
        chance = random.Random(seed)
        for stage in STAGES:
            n, name = chance.randint(1, stage.size(stage.sizes.random)), chance.choice(INPUTS)
            print(f"COURSE_TEST_SEED={seed}: {stage.name} --n {n} --input {name} --seed {seed}", flush=True)
            self.check(stage, "--n", n, "--input", name, "--seed", seed)


@unittest.skipUnless(LONG, "the long tests")
class LongLists(SortTest):
    def test_long_lists(self) -> None:
        for stage in STAGES:
            if stage.largest_n == 0:
                for name in ("uniform", "sorted", "all-equal", "zipf"):
                    # Quicksort from 2^18 to 2^20: the odd sizes too. Tiles as large as an H200's.
                    for n in (stage.sizes.long, stage.sizes.long + 12345, 4 * stage.sizes.long):
                        self.check(stage, "--n", n, "--input", name, EMULATOR_DEVICE="h200")

    def test_long_lists_of_short_segments(self) -> None:
        for stage in STAGES:
            if stage.largest_n == 0:
                for name in INPUTS:
                    self.check(stage, "--n", stage.sizes.long, "--input", name)


@unittest.skipIf(LONG or ENGINE != "count", "launches are counted by the engine with counters")
class BadPivots(SortTest):
    """A benchmark that needs no clock: a bad pivot each time must not cost a launch a key."""

    def count(self, stage: Stage, n: int, name: str) -> tuple[int, int]:
        """Launches, from the host or from kernels, and requests of global loads."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counters.json"
            result = execute(stage, "--check", "--quiet", "--n", n, "--input", name, "--counters", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            kernels = json.loads(path.read_text(encoding="utf-8"))["kernels"]
        return (sum(kernel["launches"] for kernel in kernels),
                sum(kernel["totals"]["global_load"]["requests"] for kernel in kernels))

    def test_launches_and_loads(self) -> None:
        for stage in STAGES:
            if not stage.name.startswith("quicksort/"):
                continue  # what has no pivots makes as many launches whatever the keys
            n = stage.size(20000)
            log = (n - 1).bit_length()
            # Lists that share no key and are longer than a leaf; each is partitioned 2 log n times at most by
            # many blocks and as often by one, leaves two leaves each time, and ends in a network of its own.
            lists = n // (LEAF + 1) + 1
            most = lists * (2 * log * 4 + log * (log + 1) // 2)
            for name in (*BAD_PIVOTS, *GOOD_PIVOTS):
                with self.subTest(f"{stage.name} --n {n} --input {name}"):
                    launches, loads = self.count(stage, n, name)
                    self.assertLessEqual(launches, most)
                    self.assertLessEqual(loads, 2 * n / 32 * log * log)


@unittest.skipIf(LONG or ENGINE != "count", "bytes are counted by the engine with counters")
class DeclaredWork(SortTest):
    """What a stage says that it moves at least is what a time is refused for: it must have moved that much."""

    def count(self, stage: Stage, *arguments: object) -> tuple[float, dict[str, dict[str, int]]]:
        """Bytes as declared, and as loaded, stored or exchanged in global memory by each kernel."""
        with tempfile.TemporaryDirectory() as folder:
            counters, rows = Path(folder) / "counters.json", Path(folder) / "rows.csv"
            result = execute(stage, "--quiet", "--counters", counters, "--csv", rows, *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            kernels = json.loads(counters.read_text(encoding="utf-8"))["kernels"]
            header, row = rows.read_text(encoding="utf-8").splitlines()
        declared = float(row.split(",")[header.split(",").index("bytes")])
        counted: dict[str, dict[str, int]] = {}
        for kernel in kernels:
            sums = counted.setdefault(kernel["name"], {"load": 0, "store": 0, "atomic": 0})
            for line in kernel["lines"]:
                if line["space"] == "global":
                    sums[line["operation"]] += line["lanes"] * line["bytes"]
        return declared, counted

    def test_no_stage_declares_more_than_it_moves(self) -> None:
        for stage in STAGES:
            for n in (stage.size(3001), 2):
                for name in ("uniform", "sorted", "reverse"):
                    with self.subTest(f"{stage.name} --n {n} --input {name}"):
                        declared, counted = self.count(stage, "--n", n, "--input", name)
                        moved = sum(sum(sums.values()) for sums in counted.values())
                        self.assertLessEqual(declared, moved)
                        self.assertGreater(declared, 0)

    def test_multisort_declares_every_level(self) -> None:
        """On sorted keys insertion moves the least; of the merges' loads only those of the keys themselves count."""
        for stage in STAGES:
            for size_i in (1, 2, 3, 1000) if "_multisort_" in stage.name else ():
                with self.subTest(f"{stage.name} --size-i {size_i}"):
                    declared, counted = self.count(stage, "--n", 3000, "--input", "sorted", "--size-i", size_i)
                    inserted, merged = counted["insertion_sort_kernel"], counted["merge_runs_kernel"]
                    keys = 3000 if size_i > 1 else 0  # each is loaded once, however often it is looked at
                    self.assertEqual(declared, 4 * keys + inserted["store"] + 2 * merged["store"])


@unittest.skipIf(LONG, "the long tests")
class Multisort(SortTest):
    """Seed 003's own options."""

    def test_runs_and_blocks(self) -> None:
        for stage in STAGES:
            for size_i in (1, 2, 3, 7, 1000) if "_multisort_" in stage.name else ():
                for threads in (1, 3, 24, 1024) if stage.has_kernels else (0,):
                    words = ["--size-i", size_i, *(["--threads", threads] if threads else [])]
                    for n in sorted({size_i, size_i + 1, 3 * size_i - 1, 2 * size_i + 257}):
                        self.check(stage, "--n", n, *words)

    @unittest.skipIf(ENGINE == "count", "as without counting")
    def test_what_is_refused(self) -> None:
        for stage in STAGES:
            if "_multisort_" in stage.name:
                self.refuse(stage, 2, "--size-i '0' is below 1", "--size-i", 0)
                self.refuse(stage, 2, "--size-i 1001: there are only 1000 keys", "--size-i", 1001, "--n", 1000)
                for threads in (0, 1025) if stage.has_kernels else ():
                    self.refuse(stage, 2, f"--threads '{threads}' is ", "--threads", threads)


@unittest.skipIf(LONG or ENGINE == "count", "as without counting")
class Refusals(SortTest):
    def file(self, name: str, content: bytes) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / name
        path.write_bytes(content)
        return str(path)

    def test_more_keys_than_the_stage_sorts(self) -> None:
        for stage in STAGES:
            if stage.largest_n:
                limit = stage.largest_n
                if ENGINE == "gpu":  # a segment is as long as the device's shared memory allows
                    limit = int(execute(stage, "--n", 10**7).stderr.split("at most ")[1].split()[0])
                self.check(stage, "--n", limit)
                self.refuse(stage, 2, f"--n {limit + 1}: this stage sorts at most {limit} keys", "--n", limit + 1)
                keys = self.file("keys.i32", bytes(4 * (limit + 1)))
                self.refuse(stage, 2, f"keys.i32: {limit + 1} keys: this stage sorts at most {limit}", "--input", keys)

    def test_files(self) -> None:
        for content, said in ((b"1 2\n3 four\n", "keys.txt:2: "), (b"1\n\n2.5\n", "keys.txt:3: "),
                              (b"1\n2147483648\n", "keys.txt:2: "), (b"-2147483649", "keys.txt:1: "),
                              (b"", "keys.txt"), (b"# nothing\n", "keys.txt")):
            path = self.file("keys.txt", content)
            for stage in STAGES:
                self.refuse(stage, 1, said, "--input", path)
        for size in (0, 1, 7):
            path = self.file("keys.i32", bytes(size))
            for stage in STAGES:
                self.refuse(stage, 1, "keys.i32", "--input", path)

    def test_a_good_file(self) -> None:
        path = self.file("keys.txt", b"3 -2147483648\n2147483647 # the largest\n3\n")
        for stage in STAGES:
            with self.subTest(stage.name), tempfile.TemporaryDirectory() as folder:
                self.check(stage, "--input", path, "--output", f"{folder}/sorted.txt")
                self.finish()
                self.assertEqual(Path(folder, "sorted.txt").read_text(encoding="utf-8"),
                                 "-2147483648\n3\n3\n2147483647\n")

    def test_the_partition_that_counts(self) -> None:
        """Seed 001's own options."""
        stage = next((stage for stage in STAGES if stage.name == "quicksort/14_counting_partition"), None)
        if stage is None:
            self.skipTest("not of this chapter")
        for words in (["--threads", "0"], ["--threads", "1025"], ["--blocks", "-1"], ["--memory", "swap"],
                      ["--pivot", "last"]):
            self.refuse(stage, 2, words[0], *words)
        for threads in (1, 31, 257, 1024):
            for blocks in (1, 7):
                for pivot, memory in (("first", "pinned"), ("random", "pageable"), ("median-of-3", "pinned")):
                    self.check(stage, "--n", 254, "--threads", threads, "--blocks", blocks, "--pivot", pivot,
                               "--memory", memory)


@unittest.skipIf(LONG or ENGINE != "opencl", "of OpenCL alone")
class Platforms(SortTest):
    def test_platforms_and_devices_that_are_not_there(self) -> None:
        for stage in STAGES:
            self.refuse(stage, 2, "--platform none-such: there is no such platform, only 0 (", "--platform", "none-such")
            self.refuse(stage, 2, "--platform 1000: there is no such platform, only 0 (", "--platform", 1000)
            self.refuse(stage, 2, "--device 1000: platform ", "--device", 1000)
            self.check(stage, "--platform", 0, "--device", 0)

    def test_without_a_platform(self) -> None:
        for stage in STAGES:
            result = execute(stage, "--check", OCL_ICD_VENDORS="/nonexistent")
            self.assertEqual((result.returncode, result.stdout), (77, ""))
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn("no usable OpenCL device", result.stderr)

    def test_without_memory(self) -> None:
        for stage in STAGES:
            self.refuse(stage, 2, "--n 1000000000000000 needs", "--n", 10**15)

    def test_two_runs_are_the_same(self) -> None:
        for stage in STAGES:
            with tempfile.TemporaryDirectory() as folder:
                for name in ("first", "second"):
                    self.check(stage, "--n", 3001, "--seed", 7, "--output", f"{folder}/{name}.i32")
                self.finish()
                self.assertEqual(*(Path(folder, f"{name}.i32").read_bytes() for name in ("first", "second")))

    def test_rows_and_report(self) -> None:
        for stage in STAGES:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.json"
                result = execute(stage, "--n", 5000, "--repeats", 2, "--quiet", "--json", path)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                document = json.loads(path.read_text(encoding="utf-8"))
            row, report = document["rows"][0], document["report"]
            self.assertEqual((row["engine"], row["parameters"]), ("opencl", "size-i=2;threads=32"))
            self.assertEqual(set(report), {"insertion_sort_ms", "merge_ms", "build_ms"})
            kernels = float(report["insertion_sort_ms"]) + float(report["merge_ms"])
            self.assertGreater(kernels, 0)
            # The device's clock and the host's, of the last of the two runs; the host's has the launches too.
            self.assertLessEqual(kernels, 1.1 * document["rows"][1]["kernels_ms"] + 0.1)


def has_platform() -> bool:
    return all(execute(stage, "--check", "--quiet").returncode != 77 for stage in STAGES)


if __name__ == "__main__":
    if ENGINE == "opencl" and not has_platform():
        print("skipped: no usable OpenCL device", file=sys.stderr)
        sys.exit(77)
    unittest.main()
