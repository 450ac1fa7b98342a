# SPDX-License-Identifier: MIT
"""The drawings of what merge sort's kernels did, its tables and its sweeps: the path of figure 4.5
merges. Other traces are refused."""

import itertools
import unittest

from common.tools.lib.columns import LIMITS_COLUMNS, REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.stages import DataError
from plots.mergesort import passes, search, selection
from plots.mergesort.merge_path import THREADS, read_merge_path
from plots.mergesort.overlap import Chunk, by_order, prepare_overlap, read_chunks, sort_begin
from plots.mergesort.published import CELLS, SAID_BY
from plots.mergesort.stages import (
    BEST,
    MERGE_PATH,
    MULTISORT_CPU,
    OPENCL,
    STAGES,
    THESIS,
    THREAD_MERGE,
)
from plots.mergesort.tables import bounds_table, found_table, opencl_table
from plots.records.folders import PLOTS
from plots.records.limits import read_limits
from plots.records.rows import read_reports, read_rows
from plots.records.source import Source
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import GPU, LIMITS, DrawingTest, PlotsTest, TraceTest
from tests.plots.mergesort.data import reports, rows


class MergePathTest(TraceTest):
    def test_the_merge_path_merges(self) -> None:
        path = read_merge_path(self.source)
        self.assertEqual([one.number for one in path.diagonals], list(range(THREADS)))
        self.assertEqual((path.left, path.right), (sorted(path.left), sorted(path.right)))
        i = j = 0
        for one in path.diagonals:
            self.assertEqual(one.crossing, (i, j))
            takes_right = path.left[i] > path.right[j]  # of equal keys the left one
            self.assertEqual(one.stored, path.right[j] if takes_right else path.left[i])
            i, j = (i, j + 1) if takes_right else (i + 1, j)
        self.assertGreater(i, 3)  # it turns
        self.assertGreater(j, 3)

    def test_each_search_is_a_binary_one_along_its_diagonal(self) -> None:
        path = read_merge_path(self.source)
        for one in path.diagonals:
            low, high = 0, one.number
            for i, j, greater in one.probes:
                self.assertEqual((i, j), ((low + high) // 2, one.number - 1 - (low + high) // 2))
                low, high = (low, i) if greater else (i + 1, high)
            self.assertEqual((low, high), (one.crossing[0],) * 2)
            self.assertLessEqual(len(one.probes), one.number.bit_length())

    def test_a_trace_that_is_no_merge_is_refused(self) -> None:
        self.change("mergepath", "5,store,a2,5,", "5,store,a2,6,")
        with self.assertRaisesRegex(
            DataError, r"mergepath\.csv: thread 5 finds no crossing or stores elsewhere"
        ):
            read_merge_path(self.source)


class SelectionTest(TraceTest):
    """Figures 4.2 and 4.6 to 4.8."""

    def test_each_search_moves_the_smallest_key(self) -> None:
        rows = selection.read_selection(self.source)
        self.assertEqual(len(rows), selection.COUNT)
        for number, (keys, smallest) in enumerate(rows):
            self.assertEqual(keys[:number], sorted(keys)[:number])
            self.assertEqual(keys[smallest], min(keys[number:]))
        self.assertEqual(rows[-1][0], sorted(rows[0][0]))

    def test_the_reduction_halves(self) -> None:
        sweep = selection.read_sweep(self.source, selection.SELECTION, 0)
        self.assertEqual([len(step) for step in sweep.steps], [4, 2, 1])
        for step, stride in zip(sweep.steps, (4, 2, 1)):
            self.assertEqual(
                [(pair.thread, pair.partner) for pair in step],
                [(thread, thread + stride) for thread in range(stride)],
            )

    def test_the_padding_replaces_the_test(self) -> None:
        number = selection.SHORT_SWEEP
        tested = selection.read_sweep(self.source, selection.TESTED, number)
        padded = selection.read_sweep(self.source, selection.PADDED, number)
        self.assertEqual([len(step) for step in tested.steps], [1, 2, 1])
        self.assertEqual([len(step) for step in padded.steps], [4, 2, 1])
        self.assertEqual(tested.smallest, padded.smallest)
        beyond = {place for place in padded.keys if place >= selection.COUNT}
        self.assertEqual(len(beyond), 3)
        self.assertEqual({padded.keys[place] for place in beyond}, {selection.LARGEST_KEY})
        self.assertEqual(
            tested.keys, {place: padded.keys[place] for place in set(padded.keys) - beyond}
        )

    def test_a_search_for_another_key_is_refused(self) -> None:
        self.change("selection", "0,7,0,load,keys,4,3088575965", "0,7,0,load,keys,4,5")
        with self.assertRaisesRegex(DataError, r"selection\.csv: sweep 0 .*a key changes"):
            selection.prepare_reduction(self.source)

    def test_a_search_that_keeps_the_greater_key_is_refused(self) -> None:
        self.change("selection", "0,7,0,store,places,0,4\n", "")
        with self.assertRaisesRegex(DataError, r"selection\.csv: sweep 0 .*not find the smallest"):
            selection.prepare_reduction(self.source)


class PassesTest(TraceTest):
    """Figures 4.1 and 4.3."""

    def test_runs_are_merged_in_pairs(self) -> None:
        found = [passes.read_passes(self.source, one) for one in (passes.MERGES, passes.PHASES)]
        self.assertEqual([len(one.by_run()) for one in found[0]], [1, 8, 4, 2, 1])
        self.assertEqual([len(one.by_run()) for one in found[1]], [1, 4, 2, 1])
        for every in found:
            for earlier, later in zip(every[1:], every[2:]):
                before, after = earlier.by_run(), later.by_run()
                self.assertEqual(len(before), 2 * len(after))
        for earlier, later in zip(found[0][1:], found[0][2:]):
            before = earlier.by_run()
            for i, run in enumerate(later.by_run()):
                self.assertEqual(run, sorted(before[2 * i] + before[2 * i + 1]))

    def test_a_run_that_is_not_sorted_is_refused(self) -> None:
        self.change("merges", "merge_runs_kernel,0,0,", "merge_runs_kernel,0,0,9")
        with self.assertRaisesRegex(DataError, r"merges\.csv: .* leaves a run that is not sorted"):
            passes.prepare_merges(self.source)


class SearchTest(TraceTest):
    """Figure 4.4."""

    def test_each_search_is_a_binary_one(self) -> None:
        for one in search.read_searches(self.source):
            for (low, high), (place, _) in zip(one.intervals(), one.probes):
                self.assertEqual(place, (low + high) // 2)
            low, high = one.intervals()[-1]
            self.assertEqual((low, low + one.number), (high, one.stored))
            self.assertIn(len(one.probes), (9, 10))

    def test_a_key_that_is_stored_elsewhere_is_refused(self) -> None:
        self.change("merge_search", "513,store,74", "513,store,75")
        with self.assertRaisesRegex(DataError, r"merge_search\.csv: thread 513 does not store"):
            search.prepare_search(self.source)


class FiguresTest(DrawingTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_chapter(STAGES.chapter, self.device)
        self.source = Source("recorded", self.device, None, (), self.recorded / "counters")

    def test_chunks(self) -> None:
        chunks, n, engine = read_chunks(self.source)
        self.assertEqual((n, engine), (32 * 10**7, "gpu"))
        self.assertEqual(chunks, [Chunk(2.0 * i, 2.0 * i + 2, 3.0 * i + 5) for i in range(3)])
        self.assertEqual([sort_begin(chunks, i) for i in range(3)], [2, 5, 8])
        self.assertEqual(by_order(chunks), [Chunk(0, 1, 3), Chunk(1, 2, 5), Chunk(2, 4, 6)])
        said = prepare_overlap(self.source).ours
        # The second and the third of three copies overlap sorts.
        self.assertIn("67 % of the copies' 6 ms", said)

    def test_chunks_that_cannot_be_are_refused(self) -> None:
        path = self.device / "mergesort_report.csv"
        text = path.read_text(encoding="utf-8")
        for before, after in (
            ("2.0 4.0 8.0", "2.0 4.0"),
            ("2.0 4.0 8.0", "5.0 4.0 8.0"),
            ("chunk_1_ms", "chunk_7_ms"),
            ("2.0 4.0 8.0", "2.0 nan 8.0"),
        ):
            self.assertIn(before, text)
            path.write_text(text.replace(before, after), encoding="utf-8")
            with self.assertRaisesRegex(DataError, r"mergesort_report\.csv: .*chunk"):
                read_chunks(self.source)

    def test_cuda_beside_opencl_on_the_same_keys(self) -> None:
        """Reports do not name their input: those of sorted and reversed keys are seven times as
        long."""
        self.write_chapter(STAGES.chapter, self.device)
        status, _, said = self.draw("--only", "multisort_opencl")
        self.assertEqual((status, said), (0, ""))
        for part, ms in (("insertion", 1e-6), ("merges", 1e-5)):
            blocks = (
                (self.out / "data" / f"multisort_opencl_{part}.dat").read_text().split("\n\n\n")
            )
            for block, factor in zip(blocks, (1, 2), strict=True):
                for n, value in (map(float, line.split()) for line in block.splitlines()[1:]):
                    self.assertAlmostEqual(value, factor * ms * n)
        reports = self.device / "mergesort_report.csv"
        lines = [line for line in reports.read_text().splitlines() if ",merge_ms," in line]
        reports.write_text(reports.read_text().replace(lines[0] + "\n", "", 1))
        status, _, said = self.draw("--only", "multisort_opencl")
        self.assertEqual(status, 1)
        self.assertIn(f"merge_ms of {MERGE_PATH}, n = 33554432: 2 reports of 3 runs", said)


class TablesTest(PlotsTest):
    def test_bounds(self) -> None:
        self.write("mergesort.csv", ROW_COLUMNS, rows("gpu", [10**7]))
        self.write("limits.csv", LIMITS_COLUMNS, LIMITS)
        every = read_rows(self.folder / "mergesort.csv")
        lines = bounds_table(every, [], read_limits(self.folder / "limits.csv"))
        self.assertEqual(
            lines[0],
            (
                f"| keys | levels of merges | GB moved | RTX 3080, at least | {SAID_BY} | {GPU}, at"
                " least | here |"
            ),
        )
        self.assertEqual(len(lines), 2 + 8 + 2)
        self.assertIn("| 2²⁰ | 19 | 0.166 | 0.0817 ms | 0.124 ms | 14.9 ms | 33.1 ms |", lines)
        self.assertIn(
            "| 2²⁵ | 24 | 6.64 | 8.57 ms | 1.48 ms (impossible) | 662 ms | 1330 ms |", lines
        )
        self.assertIn("| not known |", bounds_table(every, [], {})[-3])
        with self.assertRaises(DataError):
            bounds_table([], [], {})

    def test_findings_beside_the_printed_ones(self) -> None:
        """A pass takes 8e3 n / 5e9 ms; The serial stage's times are 100 times as long, those of one
        thread per merge 50, OpenCL's 2. size_i changes how many passes there are."""
        self.write("mergesort.csv", ROW_COLUMNS, rows("gpu", [10**7]))
        self.write("mergesort_report.csv", REPORT_COLUMNS, reports("gpu", [10**7]))
        every = read_rows(self.folder / "mergesort.csv")
        said = read_reports(self.folder / "mergesort_report.csv")
        for line in (
            f"| kernels | {SAID_BY} (RTX 3080, 2024) | {GPU} |",
            f"| {MULTISORT_CPU}, best `size_i` | 64: 4.14 s | 4096: 75.2 s |",
            (
                f"| {THREAD_MERGE}, `size_i` 4, threads 1, 32, 1024 | 5.28, 7.84, 8.01 s | 64.1,"
                " 64.1, 64.1 s |"
            ),
            (
                f"| {MERGE_PATH}, `size_i` 2, 4, 8, 16, 1024 threads | 1.67, 2.79, 7.15, 17.9 ms | "
                "1.33, 1.28, 1.23, 1.18 s |"
            ),
            f"| {MERGE_PATH} over {THREAD_MERGE}, 2²⁷ keys | ×3790 | ×48.4 |",
        ):
            self.assertIn(line, found_table(every, [], {}))
        lines = opencl_table(every, said, {})
        self.assertEqual(
            lines[0],
            (
                "| keys | 2¹⁵ | 2¹⁶ | 2¹⁷ | 2¹⁸ | 2¹⁹ | 2²⁰ | 2²¹ | 2²² | 2²³ | 2²⁴ | 2²⁵ | 2²⁶ |"
                " 2²⁷ |"
            ),
        )
        self.assertEqual(lines[2], "| ratio" + 13 * " | 2.00" + " |")
        for make in (found_table, opencl_table):
            with self.assertRaises(DataError):
                make([], [], {})


class SweepsTest(unittest.TestCase):
    def test_sizes_of_the_thesis(self) -> None:
        found: dict[str, set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record" and dict(sweep.match).get("input", "uniform") == "uniform":
                for stage in sweep.stages:
                    found.setdefault(stage, set()).update(sweep.sizes)
        for stage in (*THESIS, STAGES.serial):
            self.assertLessEqual({10**7 * 2**i for i in range(6)}, found[stage])
        self.assertIn(10**9, found[BEST])

    def test_every_place_of_the_printed_tables(self) -> None:
        recorded = set()
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope != "record":
                continue
            names = [name for name, _ in sweep.vary]
            for n, *values in itertools.product(sweep.sizes, *(values for _, values in sweep.vary)):
                run = {"input": "uniform", **dict(sweep.match), **dict(zip(names, values))}
                given = dict(zip(sweep.args[::2], sweep.args[1::2]))
                for key, value in run.items():  # rows are recognised by what the run is told
                    if key not in names and f"--{key}" in given:
                        self.assertEqual(given[f"--{key}"], str(value), sweep.name)
                if sweep.seeds == (21364,):
                    place = sorted((key, str(value)) for key, value in run.items())
                    recorded |= {(stage, n, *place) for stage in sweep.stages}
        for cell in CELLS:
            place = sorted((cell.parameters | {"input": cell.input}).items())
            self.assertIn((cell.stage, cell.n, *place), recorded, cell)
        for n in (2**15, 2**27):  # with CUDA's block size, for the comparison
            place = (("input", "uniform"), ("size-i", "2"), ("threads", "32"))
            self.assertIn((OPENCL, n, *place), recorded)


if __name__ == "__main__":
    unittest.main()
