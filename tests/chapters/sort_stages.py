# SPDX-License-Identifier: MIT
"""Tests for every chapter whose stages sort keys: named inputs, orders of blocks, sizes at the
limits of segments and leaves, a random size, and bad input. A chapter's test imports these classes,
calls use_chapter() and adds its own:

    test_<chapter>.py STAGES_JSON ENGINE [--long]
        ENGINE: gpu, emu (with the serial stages), count or opencl

A random size is printed with its seed; COURSE_TEST_SEED=SEED runs it again.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from plots.records.against_library import INPUTS
from tests.chapters.stage_programs import is_tested, with_the_same_host_code
from tests.drawn import drawn
from tests.quick import QUICK

LONG = "--long" in sys.argv and bool(sys.argv.pop(sys.argv.index("--long")))
ENGINE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
# A GTX 980's segment is small enough that short lists are partitioned by many blocks.
SEGMENT = 6080
SMALL_SM = 52
SETTINGS = {} if ENGINE == "gpu" else {"EMULATOR_DEVICE": "gtx980"}


@dataclass(frozen=True)
class Sizes:
    """Enough keys for several blocks of every kernel; on the CPU engine not much more."""

    every_input: tuple[int, ...]
    every_order: int
    edges: tuple[int, ...]  # one more and one less than a leaf or a segment holds
    random: int  # at most
    long: int
    every_long_input: int = 0  # on the CPU engine; 0: `long`
    slow: tuple[str, ...] = ()  # the numbers of stages that take long on the CPU engine
    slow_long: int = 0  # replaces both for them


@dataclass(frozen=True)
class Stage:
    name: str
    program: Path
    largest_n: int  # 0: any
    has_kernels: bool  # of its own: those of a library are not counted
    sorts_pairs: bool  # each line of --output has a value, too: the place of the key in the input
    minimum_sm: int  # older GPUs are refused

    @property
    def settings(self) -> dict[str, str]:
        """Of the engine's device: the usual one, where the small one is too old for the stage."""
        return {} if self.minimum_sm > SMALL_SM else SETTINGS

    @property
    def sizes(self) -> Sizes:
        return SIZES[0]

    @property
    def long(self) -> int:
        slow = ENGINE != "gpu" and self.name.split("/")[1][:2] in self.sizes.slow
        return self.sizes.slow_long if slow else self.sizes.long

    @property
    def every_long_input(self) -> int:
        wanted = self.sizes.every_long_input if ENGINE != "gpu" else 0
        return min(wanted or self.long, self.long)

    def size(self, wanted: int) -> int:
        return min(wanted, self.largest_n or wanted)


STAGES: list[Stage] = []  # those of the chapter that run on ENGINE
SIZES: list[Sizes] = []  # one, once use_chapter() has been called


def use_chapter(chapter: str, sizes: Sizes) -> None:
    """Sets the stages that the tests of this module run."""
    for record in json.loads(STAGES_JSON.read_text(encoding="utf-8")):
        programs = record["executables"]
        engine = "cpu" if ENGINE == "emu" and "cpu" in programs else ENGINE
        if record["chapter"] == chapter and engine in programs and is_tested(record, engine):
            STAGES.append(
                Stage(
                    record["stage"],
                    STAGES_JSON.parent / programs[engine],
                    record["largest_n"],
                    engine != "cpu" and not record["libraries"],
                    record["name"].endswith("_pairs"),
                    record["minimum_sm"],
                )
            )
    SIZES.append(sizes)


def execute(stage: Stage, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")
    }
    return subprocess.run(
        [str(stage.program), *map(str, arguments)],
        env=environment | stage.settings | settings,
        text=True,
        capture_output=True,
        check=False,
        timeout=1500,
    )


class SortTest(unittest.TestCase):
    """On a GPU a short run is nearly all start-up, so the checks of a stage share a process."""

    def setUp(self) -> None:
        self.checks: dict[tuple[Stage, tuple[tuple[str, str], ...]], list[str]] = {}

    def tearDown(self) -> None:
        self.finish()

    def check(self, stage: Stage, *arguments: object, **settings: str) -> None:
        """Adds a check. finish() runs it, with the stage's other checks under the same settings."""
        words = self.checks.setdefault((stage, tuple(settings.items())), [])
        words += [*(["--then"] if words else []), "--check", "--quiet", *map(str, arguments)]

    def finish(self) -> None:
        """An error's line names the flags of its check."""
        checks, self.checks = self.checks, {}
        with ThreadPoolExecutor(
            min(4, os.cpu_count() or 1) if ENGINE in ("gpu", "opencl") else 1
        ) as pool:
            runs = {
                key: pool.submit(execute, key[0], *words, **dict(key[1]))
                for key, words in checks.items()
            }
            for (stage, settings), run in runs.items():
                with self.subTest(f"{stage.name} {dict(settings)}"):
                    self.assertEqual((run.result().returncode, run.result().stderr), (0, ""))

    def refuse(self, stage: Stage, status: int, said: str, *arguments: object) -> None:
        """The run must print one line that contains `said`, exit with `status` and write no
        file."""
        with self.subTest(
            f"{stage.name} {' '.join(map(str, arguments))}"
        ), tempfile.TemporaryDirectory() as folder:
            written = [
                word
                for name in ("csv", "json", "output")
                for word in (f"--{name}", f"{folder}/{name}")
            ]
            result = execute(stage, *arguments, *written)
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(said, result.stderr)
            self.assertEqual(list(Path(folder).iterdir()), [])


@unittest.skipIf(LONG, "the long tests")
class EveryStage(SortTest):
    def test_inputs_and_sizes(self) -> None:
        """Every input, sizes at the edges and a random one, in one process per stage."""
        for stage in STAGES:
            self.check_every_input(stage)
            if ENGINE != "count":  # the same as without counters
                self.check_sizes_at_the_edges(stage)
        self.check_a_random_size()

    def check_every_input(self, stage: Stage) -> None:
        for name in INPUTS if ENGINE != "count" else ("uniform", "all-equal", "staggered"):
            for n in stage.sizes.every_input[: 1 if ENGINE == "count" else None]:
                self.check(stage, "--n", stage.size(n), "--input", name)

    def check_sizes_at_the_edges(self, stage: Stage) -> None:
        for n in stage.sizes.edges:
            if stage.size(n) == n:
                self.check(stage, "--n", n)
                self.check(stage, "--n", n, "--input", "reverse")

    @unittest.skipIf(ENGINE == "gpu", "a GPU chooses its own order")
    def test_every_order(self) -> None:
        for stage in STAGES:
            for schedule in (
                ("reversed", "shuffled:1") if ENGINE == "emu" and stage.has_kernels else ()
            ):
                for name in ("uniform", "sorted", "few-unique"):
                    self.check(
                        stage,
                        "--n",
                        stage.size(stage.sizes.every_order),
                        "--input",
                        name,
                        EMULATOR_SCHEDULE=schedule,
                    )

    def check_a_random_size(self) -> None:
        seed = int(os.environ.get("COURSE_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
        chance = random.Random(seed)
        for stage in STAGES:
            n, name = chance.randint(1, stage.size(stage.sizes.random)), chance.choice(INPUTS)
            print(
                f"COURSE_TEST_SEED={seed}: {stage.name} --n {n} --input {name} --seed {seed}",
                flush=True,
            )
            self.check(stage, "--n", n, "--input", name, "--seed", seed)


@unittest.skipUnless(LONG, "the long tests")
class LongLists(SortTest):
    @staticmethod
    def cases(names: Sequence[str]) -> list[tuple[Stage, str]]:
        """Stages and inputs: all of them on a GPU, a third on the CPU engine (tests/drawn.py)."""
        every = [(stage, name) for stage in STAGES if stage.largest_n == 0 for name in names]
        return every if ENGINE == "gpu" else drawn(every, len(every) // 3, "lists")

    def test_long_lists(self) -> None:
        for stage, name in self.cases(("uniform", "sorted", "all-equal", "zipf")):
            # For quicksort 2^18, an odd size, and once 2^20. The tiles are as large as an
            # H200's. On the CPU engine, another test has 2^18 keys (large_n).
            sizes = [stage.long] * (ENGINE == "gpu") + [stage.long + 12345]
            for n in sizes + [4 * stage.long] * (name == "uniform"):
                self.check(stage, "--n", n, "--input", name, EMULATOR_DEVICE="h200")

    def test_long_lists_of_short_segments(self) -> None:
        for stage, name in self.cases(INPUTS):
            self.check(stage, "--n", stage.every_long_input, "--input", name)


@unittest.skipIf(LONG or ENGINE != "count", "only the engine with counters counts bytes")
class DeclaredWork(SortTest):
    """The harness refuses a time that is too short for the bytes that a stage declares: a run must
    move that many."""

    def count(self, stage: Stage, *arguments: object) -> tuple[float, dict[str, dict[str, int]]]:
        """The declared bytes, and the bytes that each kernel loads, stores or exchanges in global
        memory."""
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
                if "copied_bytes" in line:
                    stored = line["operation"] == "bulk_store"
                    sums["store" if stored else "load"] += line["copied_bytes"]
                elif line["space"] == "global":
                    sums[line["operation"]] += line["lanes"] * line["bytes"]
        return declared, counted

    def test_no_stage_declares_more_than_it_moves(self) -> None:
        for stage in STAGES:
            for n in (stage.size(1001 if QUICK else 3001), 2) if stage.has_kernels else ():
                for name in ("uniform", "sorted", "reverse"):
                    with self.subTest(f"{stage.name} --n {n} --input {name}"):
                        declared, counted = self.count(stage, "--n", n, "--input", name)
                        moved = sum(sum(sums.values()) for sums in counted.values())
                        self.assertLessEqual(declared, moved)
                        self.assertGreater(declared, 0)


@unittest.skipIf(LONG or ENGINE == "count", "the same as without counters")
class Refusals(SortTest):
    def file(self, name: str, content: bytes) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / name
        path.write_bytes(content)
        return str(path)

    def test_more_keys_than_the_stage_sorts(self) -> None:
        limited = [stage for stage in STAGES if stage.largest_n]
        for stage in limited:
            limit = stage.largest_n
            if ENGINE == "gpu":  # a segment is as long as the device's shared memory allows
                limit = int(execute(stage, "--n", 10**7).stderr.split("at most ")[1].split()[0])
            self.check(stage, "--n", limit)
            if stage not in with_the_same_host_code(limited, ENGINE):
                continue
            self.refuse(
                stage,
                2,
                f"--n {limit + 1}: this stage sorts at most {limit} keys",
                "--n",
                limit + 1,
            )
            keys = self.file("keys.i32", bytes(4 * (limit + 1)))
            self.refuse(
                stage,
                2,
                f"keys.i32: {limit + 1} keys: this stage sorts at most {limit}",
                "--input",
                keys,
            )

    def test_files(self) -> None:
        for content, said in (
            (b"1 2\n3 four\n", "keys.txt:2: "),
            (b"1\n\n2.5\n", "keys.txt:3: "),
            (b"1\n2147483648\n", "keys.txt:2: "),
            (b"-2147483649", "keys.txt:1: "),
            (b"", "keys.txt"),
            (b"# nothing\n", "keys.txt"),
        ):
            path = self.file("keys.txt", content)
            for stage in with_the_same_host_code(STAGES, ENGINE):
                self.refuse(stage, 1, said, "--input", path)
        for size in (0, 1, 7):
            path = self.file("keys.i32", bytes(size))
            for stage in with_the_same_host_code(STAGES, ENGINE):
                self.refuse(stage, 1, "keys.i32", "--input", path)

    def test_a_good_file(self) -> None:
        path = self.file("keys.txt", b"3 -2147483648\n2147483647 # the largest\n3\n")
        for stage in with_the_same_host_code(STAGES, ENGINE):
            with self.subTest(stage.name), tempfile.TemporaryDirectory() as folder:
                self.check(stage, "--input", path, "--output", f"{folder}/sorted.txt")
                self.finish()
                lines = Path(folder, "sorted.txt").read_text(encoding="utf-8").splitlines()
                if stage.sorts_pairs:
                    lines.sort(key=lambda line: tuple(map(int, line.split())))
                    said = ["-2147483648 1", "3 0", "3 3", "2147483647 2"]
                else:
                    said = ["-2147483648", "3", "3", "2147483647"]
                self.assertEqual(lines, said)
