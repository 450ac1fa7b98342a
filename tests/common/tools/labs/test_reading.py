# SPDX-License-Identifier: MIT
"""What is read from texts: the engine's findings, compiler messages, answers, and resources. And
the counters that goals name."""

import contextlib
import io
import subprocess
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path
from unittest import mock

from common.tools.grading.reports import goal_row
from common.tools.lib.counting import Counted, Kernel
from common.tools.labs import building, counted_run
from common.tools.labs.answers import read_answer
from common.tools.labs.building import MOST_LINES, own_messages
from common.tools.labs.catalogue import load_labs
from common.tools.labs.checking import verify
from common.tools.labs.findings import mistakes, read_findings
from common.tools.labs.lab import Unit
from common.tools.labs.metrics import COUNTERS, label, measure
from common.tools.labs.resources import read_resources
from common.tools.labs.report import print_result
from common.tools.labs.result import GoalResult, Result
from common.tools.labs.running import Finished

RACE = (
    "race: kernel add_kernel, basics.cu:47: block 0 thread 4 reads shared memory that thread 0"
    " wrote at basics.cu:39, without a barrier between the two; add __syncthreads()."
)
WARNING = "warning: writes of the same value: kernel k, f.cu:3: block 0 thread 1 writes it."


class Findings(unittest.TestCase):
    def test_place_and_cure(self) -> None:
        (one,) = read_findings(f"stage: text\nemulator: {RACE}\nemulator: {RACE}\n")
        self.assertEqual((one.kind, one.file, one.line), ("race", "basics.cu", 47))
        self.assertEqual(one.cure, "add __syncthreads()")
        self.assertTrue(one.text.endswith("without a barrier between the two"), one.text)

    def test_without_place_or_cure(self) -> None:
        (one,) = read_findings("emulator: launch refused: the block has 2048 threads\n")
        self.assertEqual((one.kind, one.file, one.line, one.cure), ("launch refused", "", 0, ""))

    def test_a_warning_costs_nothing(self) -> None:
        found = read_findings(f"emulator: {WARNING}\nemulator: {RACE}\n")
        self.assertEqual([one.kind for one in mistakes(found)], ["race"])
        self.assertEqual(len(found), 2)


class Messages(unittest.TestCase):
    source = Path("/scratch/made/basics.cu")

    def test_only_own_lines_stay(self) -> None:
        said = (
            "/course/common/cuda/device_buffer.hpp:9: note: declared here\n    9 | DeviceBuffer\n"
            "/scratch/made/basics.cu:5: error: no such thing\n    5 | thing\n      | ^\n"
            "/scratch/made/basics.cu: cannot be compiled\n"
        )
        self.assertEqual(
            own_messages(said, self.source)[:3],
            ["basics.cu:5: error: no such thing", "    5 | thing", "      | ^"],
        )

    def test_linker(self) -> None:
        said = (
            "(.text): error: main is defined in no file\n/scratch/made/program: cannot be linked\n"
        )
        self.assertEqual(
            own_messages(said, self.source),
            ["(.text): error: main is defined in no file", "program: cannot be linked"],
        )

    def test_many(self) -> None:
        said = "".join(f"/scratch/made/basics.cu:{i}: error: e\n" for i in range(100))
        lines = own_messages(said, self.source)
        self.assertEqual(len(lines), MOST_LINES + 1)
        self.assertEqual(lines[-1], "... and 75 more lines")


class Libraries(unittest.TestCase):
    def test_all_that_is_linked_is_built(self) -> None:
        """An archive is not built because another one needs it: ninja must be told of each."""
        done = subprocess.CompletedProcess([], 0)
        with mock.patch.object(building.subprocess, "run", return_value=done) as run:
            building.build_libraries(["basics", "nbody"])
        asked = run.call_args.args[0]
        for chapter in ("basics", "nbody"):
            self.assertLessEqual(set(building.chapter_libraries(chapter)), set(asked))
        self.assertIn("engine", asked)
        self.assertEqual(len(asked), len(set(asked)))


class Answers(unittest.TestCase):
    def test_numbers(self) -> None:
        for text, value in (
            ("answer = 8.5\n", 8.5),
            ("# my notes\n\n  answer=17/2  # half\n", 8.5),
            ("answer = -1e3", -1000.0),
        ):
            self.assertEqual(read_answer(text), value)

    def test_mistakes(self) -> None:
        for text in ("", "8.5", "answer = ?", "answer = 1/0", "answer = nan", "answer = 1\n" * 2):
            self.assertIsInstance(read_answer(text), str, text)


class Metrics(unittest.TestCase):
    kernels = [
        Kernel(
            "add_kernel",
            {"global_load.requests": 10, "global_load.sectors": 40, "warps": 8, "launches": 2},
            [],
        ),
        Kernel(
            "other_kernel",
            {
                "global_load.requests": 10,
                "global_load.sectors": 320,
                "shared_load.wavefronts": 9,
                "shared_load.ideal_wavefronts": 4,
                "warps": 3,
                "launches": 1,
            },
            [],
        ),
    ]
    unit = Unit("32 cells", 5)

    def value(self, counter: str, kernel: str = "") -> float:
        transfers = {"host_to_device.bytes": 7}
        return measure(counter, self.kernels, transfers, self.unit, kernel)

    def test_values(self) -> None:
        self.assertEqual(self.value("sectors per load request"), 18)
        self.assertEqual(self.value("sectors per load request", "add"), 4)
        self.assertEqual(self.value("load requests"), 4)
        self.assertEqual(self.value("bank conflicts"), 1)
        self.assertEqual(self.value("bytes moved"), 360 * 32 / 5)
        # No line of either kernel writes, so one warp has done all.
        self.assertEqual(self.value("requests one after another"), 2 * 10 + 10 + 0)
        self.assertEqual(self.value("launches"), 3)
        self.assertEqual(self.value("bytes to the device"), 7)
        self.assertEqual(self.value("sectors per store request"), 0)

    def test_every_counter_has_a_value_without_kernels(self) -> None:
        for counter in COUNTERS:
            if "the device" not in counter and "the host" not in counter:
                self.assertEqual(measure(counter, [], {}, self.unit), 0, counter)

    def test_labels(self) -> None:
        self.assertEqual(label("bytes moved", self.unit), "bytes moved per 32 cells")
        self.assertEqual(label("launches", self.unit), "launches")


class Verdicts(unittest.TestCase):
    def test_when_a_program_is_right(self) -> None:
        lab = load_labs()["basics/02"]
        runs = len(lab.sizes) + len(lab.checks)
        wrong = "program --check n=33: WRONG RESULT: 1 of 66 sums are wrong\n"
        for finished, is_right in (
            (Finished(0, "OK basics/02 n=1\n" * runs, ""), True),
            (Finished(0, "OK basics/02 n=1\n" * (runs - 1), ""), False),
            (Finished(0, "", ""), False),
            (Finished(1, "OK basics/02 n=1\n" * runs, f"emulator: {RACE}\n"), True),
            (Finished(1, "OK basics/02 n=1\n" * runs, ""), False),
            (Finished(-11, "OK basics/02 n=1\n" * runs, f"emulator: {RACE}\n"), False),
            (Finished(1, "OK basics/02 n=1\n" * runs, wrong), False),
        ):
            result = Result(lab.name, seed=1)
            verify(lab, Path("program"), Path(), result, lambda *_, f=finished, **__: f)
            self.assertEqual(result.right, is_right, finished)
            self.assertEqual(len(result.findings), finished.stderr.count("emulator: "))


class Report(unittest.TestCase):
    def test_a_goal_that_is_met_and_does_not_count_yet(self) -> None:
        lab = load_labs()["basics/02"]
        for points, word in ((0, "waits"), (6, "yes")):
            goal = GoalResult("bytes moved", 250.0, 290.0, False, True, points, 6)
            result = Result(lab.name, compiles=True, goals=[goal], of=lab.of)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                print_result(lab, result)
            (row,) = [line for line in said.getvalue().splitlines() if "bytes moved" in line]
            self.assertRegex(row, rf" {word} +{points} of 6$")
            self.assertEqual("waits: met, and counts when" in said.getvalue(), points == 0)
            self.assertEqual("free of mistakes" in goal_row(asdict(goal))[3], points == 0)


class KeptValues(unittest.TestCase):
    """A solution is counted once, and again if what its values depend on has changed."""

    def test_values_are_counted_again(self) -> None:
        lab = load_labs()["basics/02"]
        counters = {"global_load.requests": 1, "global_load.sectors": 4}
        kernels = [Kernel("add_rows_kernel", counters, [])]
        copied = {"host_to_device.bytes": 4, "device_to_host.bytes": 4}
        counted = Counted(lab.solution.stage, [], "", copied, kernels, [], False)
        finished = (counted, Finished(0, "", ""))
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(counted_run, "build_folder", return_value=Path(folder)),
            mock.patch.object(counted_run, "build_program"),
            mock.patch.object(counted_run, "count_run", return_value=finished) as count,
        ):
            for key, seed, calls in (  # start and solution, each time
                ("a", 1, 2),
                ("a", 1, 2),
                ("b", 1, 4),
                ("b", 2, 6),
                ("b", 1, 6),
            ):
                with mock.patch.object(counted_run, "fingerprint", return_value=key):
                    unit = counted_run.unit_of(lab, seed).count
                    self.assertEqual(counted_run.solution_values(lab, seed)[0], 4 * 32 / unit)
                self.assertEqual(count.call_count, calls)


class Resources(unittest.TestCase):
    def test_most_frequent_launch(self) -> None:
        shape = {
            "block": [64, 1, 1],
            "dynamic_shared": 100,
            "static_shared": 28,
            "registers": 32,
            "resident": 16,
            "launches": 5,
        }
        kernels = [
            {"name": "a", "shapes": [shape | {"launches": 1, "registers": 99}, shape]},
            {"name": "never launched", "shapes": []},
            {"name": "unknown to nvcc", "shapes": [shape | {"registers": 0}]},
        ]
        (one,) = read_resources({"device": {"threads": 2048}, "kernels": kernels})
        self.assertEqual((one.kernel, one.registers, one.shared_bytes), ("a", 32, 128))
        self.assertEqual(one.occupancy, 0.5)


if __name__ == "__main__":
    unittest.main()
