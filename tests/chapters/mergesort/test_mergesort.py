# SPDX-License-Identifier: MIT
"""The executables of mergesort's stages: the tests of all sorts, multisort's options, and OpenCL.

    test_mergesort.py STAGES_JSON ENGINE [--long]
        ENGINE: gpu, emu (with the serial stages), count or opencl
"""

import json
import random
import struct
import sys
import tempfile
import unittest
from pathlib import Path

from tests.chapters import sort_stages
from tests.chapters.sort_stages import (
    ENGINE,
    LONG,
    STAGES,
    EveryStage,
    LongLists,
    Refusals,
    Sizes,
    SortTest,
    execute,
    use_chapter,
)

# unittest runs them as if they stood here.
SHARED_TESTS = (EveryStage, LongLists, Refusals)

# Stages 01 to 06 sort segments of 512 keys by selection, which takes a CPU 40 us per key. With
# 10 000 keys there are 20 segments and five passes of merges. Four times as many keys have 79
# segments: more merges in a pass than streams.
use_chapter(
    "mergesort",
    Sizes(
        (3001, 2560),
        3333,
        (2, 3, 511, 512, 513, 1023, 1024, 1025, 2049, 4097),
        6000,
        1 << 16,
        slow=("01", "02", "03", "04", "05", "06"),
        slow_long=10_000,
    ),
)


class DeclaredWork(sort_stages.DeclaredWork):
    def test_multisort_declares_every_level(self) -> None:
        """On sorted keys insertion moves the least. Of the merges' loads only the keys themselves
        are declared."""
        for stage in STAGES:
            for size_i in (1, 2, 3, 1000) if "/multisort/" in stage.name else ():
                with self.subTest(f"{stage.name} --size-i {size_i}"):
                    declared, counted = self.count(
                        stage, "--n", 3000, "--input", "sorted", "--size-i", size_i
                    )
                    inserted, merged = (
                        counted["insertion_sort_kernel"],
                        counted["merge_runs_kernel"],
                    )
                    keys = (
                        3000 if size_i > 1 else 0
                    )  # each is loaded once, however often it is compared
                    self.assertEqual(declared, 4 * keys + inserted["store"] + 2 * merged["store"])


@unittest.skipIf(LONG, "the long tests")
class Multisort(SortTest):
    """The options of the stages of multisort/, after Herrero and Troiani 2024."""

    def test_runs_and_blocks(self) -> None:
        for stage in STAGES:
            for size_i in (1, 2, 3, 7, 1000) if "/multisort/" in stage.name else ():
                for threads in (1, 3, 24, 1024) if stage.has_kernels else (0,):
                    words = ["--size-i", size_i, *(["--threads", threads] if threads else [])]
                    for n in sorted({size_i, size_i + 1, 3 * size_i - 1, 2 * size_i + 257}):
                        self.check(stage, "--n", n, *words)

    @unittest.skipIf(ENGINE == "count", "the same as without counters")
    def test_what_is_refused(self) -> None:
        for stage in STAGES:
            if "/multisort/" in stage.name:
                self.refuse(stage, 2, "--size-i '0' is below 1", "--size-i", 0)
                self.refuse(
                    stage,
                    2,
                    "--size-i 1001: there are only 1000 keys",
                    "--size-i",
                    1001,
                    "--n",
                    1000,
                )
                for threads in (0, 1025) if stage.has_kernels else ():
                    self.refuse(stage, 2, f"--threads '{threads}' is ", "--threads", threads)


@unittest.skipIf(LONG or ENGINE not in ("emu", "gpu"), "counters change nothing")
class NaturalRuns(unittest.TestCase):
    """What stage limit/08 finds in a list. Tiles of 2304 keys; the last one is short."""

    def orders(self, keys: list[int], ways: int) -> list[str]:
        """With cuts by the blocks, and by a launch."""
        found = []
        for stage in STAGES:
            for merge_keys, cuts in ((17, 1), (49, 2)) if "natural_runs" in stage.name else ():
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "keys.i32").write_bytes(struct.pack(f"<{len(keys)}i", *keys))
                    words = ["--input", f"{folder}/keys.i32", "--natural", 1, "--sort-keys", 9]
                    words += ["--merge-keys", merge_keys, "--cuts", cuts, "--ways", ways]
                    result = execute(stage, *words, "--repeats", 1, "--quiet", "--json", "-")
                self.assertEqual(result.returncode, 0, result.stderr)
                found.append(json.loads(result.stdout)["report"]["order"])
        self.assertTrue(found)
        return found

    def test_what_is_found(self) -> None:
        n = 9 * 2304 + 77
        up = [key // 3 for key in range(n)]
        two_runs = up[n // 3 :] + up[: n // 3]
        breaks = [2304 * tile + 9 for tile in (1, 2, 3, 4, 6)]  # tiles out of order
        torn = [-key if i in breaks else key for i, key in enumerate(up)]
        last = [*up[:-1], -1]
        for name, keys, ways, order in (
            ("sorted", up, 8, "sorted"),
            ("down", up[::-1], 8, "down"),
            ("all equal", [7] * n, 8, "sorted"),
            ("two runs", two_runs, 8, "runs"),
            ("two runs, three with the tile between", two_runs, 2, "none"),
            ("five of ten tiles, eight runs", torn, 16, "runs"),
            ("five of ten tiles, eight runs", torn, 4, "none"),
            ("the last key alone", last, 4, "runs"),
            ("down, but for the last key", [*up[:0:-1], n], 8, "none"),
            ("random", random.Random(1).sample(range(n), n), 8, "none"),
        ):
            with self.subTest(name):
                self.assertEqual(set(self.orders(keys, ways)), {order})


@unittest.skipIf(LONG or ENGINE != "opencl", "for OpenCL only")
class Platforms(SortTest):
    def test_platforms_and_devices_that_are_not_there(self) -> None:
        for stage in STAGES:
            self.refuse(
                stage,
                2,
                "--platform none-such: there is no such platform, only 0 (",
                "--platform",
                "none-such",
            )
            self.refuse(
                stage, 2, "--platform 1000: there is no such platform, only 0 (", "--platform", 1000
            )
            self.refuse(stage, 2, "--device 1000: platform ", "--device", 1000)
            self.check(stage, "--platform", 0, "--device", 0)

    def test_without_a_platform(self) -> None:
        for stage in STAGES:
            result = execute(stage, "--check", OCL_ICD_VENDORS="/nonexistent", OCL_ICD_FILENAMES="")
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
                self.assertEqual(
                    *(Path(folder, f"{name}.i32").read_bytes() for name in ("first", "second"))
                )

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
            # The device's clock against the host's, for the second run; the host's time includes
            # the launches.
            self.assertLessEqual(kernels, 1.1 * document["rows"][1]["kernels_ms"] + 0.1)


def has_platform() -> bool:
    return all(execute(stage, "--check", "--quiet").returncode != 77 for stage in STAGES)


if __name__ == "__main__":
    if ENGINE == "opencl" and not has_platform():
        print("skipped: no usable OpenCL device", file=sys.stderr)
        sys.exit(77)
    unittest.main()
