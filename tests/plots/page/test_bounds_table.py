# SPDX-License-Identifier: MIT
"""The table of bounds: scaling, its check, the binding resource, and refusals."""

import csv
import unittest
from dataclasses import replace

from common.tools.explain.devices import read_devices
from common.tools.lib.stages import DataError
from plots.page.bounds_table import Counted, Profile, bounds_table, moved, scaled, stage_bounds
from plots.page.chapters import all_chapters, load_chapter
from plots.records.counters import read_counters
from plots.records.folders import COUNTERS, DATA, device_folder
from plots.records.rows import Metric, Row

H200 = read_devices()["h200"]


def sizes(*work: float, unit: str = "operations") -> dict[int, dict[str, float]]:
    """Three sizes with 1, 2 and 4 operations, and so many wavefronts."""
    none = {"operations": 0.0, "bytes": 0.0, "instructions": 0.0, "l2_sectors": 0.0}
    return {
        n: none | {unit: float(n), "wavefronts": value, "blocks": float(n), "threads": 256.0}
        for n, value in zip((1, 2, 4), work)
    }


def row(stage: str, kernels_ms: float, operations: float, grid: str = "1000x256") -> Row:
    return Row(
        "", "", "nbody", stage, "gpu", "NVIDIA H200", 1000, {"steps": "0"}, "plummer", 1,
        kernels_ms, kernels_ms, operations=operations, grid=grid,
    )  # fmt: skip


class ScalingTest(unittest.TestCase):
    def test_work_grows_with_the_operations(self) -> None:
        work, difference = scaled(sizes(3, 6, 12), 400, 0)
        self.assertEqual((work["wavefronts"], difference), (1200, 0))
        work, _ = scaled(sizes(3, 6, 12, unit="bytes"), 0, 400)
        self.assertEqual(work["wavefronts"], 1200)

    def test_a_constant_part_is_taken_out(self) -> None:
        """Of 3 n + 2, per operation 5, 4 and 3.5, the bound is 3 n."""
        work, difference = scaled(sizes(5, 8, 14), 400, 0)
        self.assertEqual(work["wavefronts"], 1200)
        self.assertAlmostEqual(difference, 1 - 3 / 3.5)

    def test_work_that_rises_is_scaled_as_it_is(self) -> None:
        """3 n - 1 rises to 3 n: its last value, 2.75 n, is a bound."""
        self.assertEqual(scaled(sizes(2, 5, 11), 400, 0)[0]["wavefronts"], 1100)

    def test_work_that_does_not_follow_has_no_bound(self) -> None:
        self.assertNotIn("wavefronts", scaled(sizes(16, 16, 16), 400, 0)[0])  # constant
        self.assertNotIn("wavefronts", scaled(sizes(1, 2, 3), 400, 0)[0])  # less than predicted
        self.assertNotIn("wavefronts", scaled(sizes(1, 4, 20), 400, 0)[0])  # much more


class TableTest(unittest.TestCase):
    def setUp(self) -> None:
        self.chapter = load_chapter("nbody")
        self.names = ("02_float4", "03_shared_tiles")
        self.counted = {
            "02_float4": Counted({"steps": "0"}, sizes(4e9, 8e9, 16e9)),
            "03_shared_tiles": Counted({"steps": "0"}, sizes(1e9, 2e9, 4e9)),
        }

    def test_bound_against_measured(self) -> None:
        rows = [row(name, ms, 8.0) for name, ms in zip(self.names, (200.0, 100.0))]
        found = stage_bounds(self.chapter, rows, self.counted, Profile(), H200)
        self.assertEqual([one.stage for one in found], list(self.names))
        seconds = 8 * 4e9 / (132 * 1.98e9)
        self.assertAlmostEqual(found[0].binding.seconds, seconds)
        self.assertEqual(moved(*found), "L1 and shared memory ×0.25")
        other = replace(found[0], parameters={"steps": "1"})
        self.assertEqual(moved(other, found[1]), "")  # it did other work
        lines = bounds_table(self.chapter, found, H200)
        self.assertRegex(
            lines[3],
            r"^\| \[03_shared_tiles\]\(nbody/03_shared_tiles/nbody.cu\) \| 1 k \| 100 \| 30\.61 \| L1 and shared",
        )
        self.assertIn("| 3.27 | L1 and shared memory ×0.25 |", lines[3])
        self.assertIn("Without a bound: 01_float3, 04_soa", lines[-1])

    def test_profiled_instructions_replace_the_counted_ones(self) -> None:
        metric = Metric("", "02_float4", "NVIDIA H200", 500, "opcode:FFMA", "inst", 4e9)
        found = stage_bounds(
            self.chapter, [row("02_float4", 200.0, 8.0)], self.counted, Profile([metric], 2), H200
        )
        issue = [one.seconds for one in found[0].bounds if one.resource == "issue"]
        self.assertEqual(issue, [4 * 4e9 / 4 / (132 * 1.98e9)])

    def test_work_of_other_parameters_is_not_scaled(self) -> None:
        self.counted["02_float4"].parameters["steps"] = "1"
        rows = [row("02_float4", 200.0, 8.0)]
        found = stage_bounds(self.chapter, rows, self.counted, Profile(), H200)
        self.assertEqual([one.resource for one in found[0].bounds], ["arithmetic", "memory"])

    def test_work_of_fewer_or_other_blocks_is_not_scaled(self) -> None:
        """What each block does once is less work if the grid does not grow."""
        for grid, bounds in (("1000x256", 3), ("700x256", 2), ("1000x128", 2), ("", 2)):
            rows = [row("02_float4", 200.0, 8.0, grid)]
            found = stage_bounds(self.chapter, rows, self.counted, Profile(), H200)
            self.assertEqual(len(found[0].bounds), bounds, grid)

    def test_stages_about_copies_are_measured_by_whole_runs(self) -> None:
        """4000 bytes at 64 GB/s are 62.5 ns."""
        rules = replace(self.chapter.rules, with_copies={"02_float4": lambda n: 4.0 * n})
        chapter = replace(self.chapter, rules=rules)
        rows = [replace(row(name, 1e-5, 8.0), total_ms=1e-4) for name in self.names]
        found = stage_bounds(chapter, rows, {}, Profile(), H200)
        self.assertEqual([one.measured_ms for one in found], [1e-4, 1e-5])
        self.assertEqual(found[0].binding.resource, "host link")
        self.assertAlmostEqual(found[0].binding.seconds, 62.5e-9)
        self.assertNotIn("host link", [one.resource for one in found[1].bounds])
        said = bounds_table(chapter, found, H200)
        self.assertIn("Whole runs, with the copies: 02_float4.", said)
        self.assertNotIn("Whole runs", "".join(bounds_table(self.chapter, found, H200)))

    def test_a_time_below_its_bound_is_refused(self) -> None:
        rows = [row("02_float4", 100.0, 8.0)]
        with self.assertRaisesRegex(DataError, "nbody/02_float4: 100 ms at n = 1000 is below"):
            stage_bounds(self.chapter, rows, self.counted, Profile(), H200)


class RecordedTest(unittest.TestCase):
    def test_kernels_with_copies_among_them_are_known(self) -> None:
        """A run that copies its input outside of the phase for it does so while kernels run."""
        seen = []
        for chapter in all_chapters():
            path = device_folder(DATA, None) / f"{chapter.name}.csv"
            if not path.is_file():  # a new chapter
                continue
            copied: dict[str, float] = {}
            with path.open(encoding="utf-8", newline="") as file:
                for record in csv.DictReader(file):
                    if record["engine"] == "gpu":
                        milliseconds = float(record["copy_in_ms"])
                        copied[record["stage"]] = copied.get(record["stage"], 0.0) + milliseconds
            counted = {
                one.stage
                for one in read_counters(COUNTERS / f"{chapter.name}.csv")
                if not one.kernel and one.count("host_to_device.bytes")
            }
            for name in counted & {name for name, time in copied.items() if time == 0}:
                self.assertIn(name, chapter.rules.with_copies, chapter.name)
                seen.append(name)
        self.assertIn("11_streams", seen)


if __name__ == "__main__":
    unittest.main()
