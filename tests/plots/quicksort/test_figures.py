# SPDX-License-Identifier: MIT
"""The drawings of what quicksort's kernels did, its tables and its sweeps: the network of figure
3.6 is the bitonic one and sorts; the partition of figure 3.2 moves every key once. Other traces
are refused."""

import itertools
import re
import unittest
from dataclasses import replace
from types import SimpleNamespace
from unittest import mock

from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.stages import ROOT, DataError
from plots.quicksort import beyond, bitonic_merge, launches, network, partition, scan, tree
from plots.quicksort.counting import PRINTED, memory_table, printed_runs_table
from plots.quicksort.figures import BIG_RUNS, INPUTS, RECORDED, inputs_table, median_ms
from plots.quicksort.stages import (
    BEST,
    BIG,
    BITONIC,
    SAMPLE,
    SAMPLE_SIZES,
    SMALL,
    STAGES,
    TWO_KERNELS,
)
from plots.records import against_library
from plots.records.limits import Limits
from plots.records.folders import PLOTS
from plots.records.rows import Row, read_reports, read_rows
from plots.records.sweeps import FILE, all_sweeps
from tests.plots.fixtures import GPU, PlotsTest, TraceTest, recorded_folders, timed
from tests.plots.quicksort.data import reports, rows


def bitonic_steps(count: int) -> list[set[tuple[int, int]]]:
    """Each step's pairs (Batcher 1968, all exchanges in one direction)."""
    steps = []
    size = 2
    while size <= count:
        steps.append({(i, i ^ (size - 1)) for i in range(count) if i < i ^ (size - 1)})
        stride = size // 4
        while stride > 0:
            steps.append({(i, i + stride) for i in range(count) if not i & stride})
            stride //= 2
        size *= 2
    return steps


def sorts(pairs: list[tuple[int, int]], count: int) -> bool:
    """By the 0-1 principle: all lists of zeros and ones, one a bit of each wire's number."""
    lists = 2**count
    wires = [sum(1 << number for number in range(lists) if number >> i & 1) for i in range(count)]
    for low, high in pairs:
        wires[low], wires[high] = wires[low] & wires[high], wires[low] | wires[high]
    return not any(wires[i] & ~wires[i + 1] for i in range(count - 1))


class DrawingsTest(TraceTest):
    def test_the_network_is_bitonic(self) -> None:
        found = network.read_network(self.source)
        self.assertEqual(len(found.keys), 16)
        steps = found.steps()
        self.assertEqual(
            [{(one.low, one.high) for one in step} for step in steps], bitonic_steps(16)
        )
        self.assertTrue(all(len(step) == 8 for step in steps))

    def test_the_network_sorts(self) -> None:
        found = network.read_network(self.source)
        pairs = [(one.low, one.high) for one in found.comparisons]
        self.assertTrue(sorts(pairs, 16))
        self.assertFalse(sorts(pairs[:-1], 16))
        self.assertFalse(sorts(pairs[1:], 16))

    def test_exchanges_are_those_that_the_keys_ask_for(self) -> None:
        found = network.read_network(self.source)
        keys = list(found.keys)
        for one in found.comparisons:
            self.assertEqual(one.exchanged, keys[one.high] < keys[one.low])
            if one.exchanged:
                keys[one.low], keys[one.high] = keys[one.high], keys[one.low]
        self.assertEqual(keys, found.sorted_keys)
        self.assertEqual(keys, sorted(found.keys))
        self.assertTrue(any(key < 0 for key in keys) and any(key > 0 for key in keys))

    def test_no_two_lines_of_a_step_overlap(self) -> None:
        for step in network.read_network(self.source).steps():
            columns = network.in_columns(step)
            self.assertEqual(
                sorted(map(id, step)), sorted(id(one) for column in columns for one in column)
            )
            for column in columns:
                ends = sorted((one.low, one.high) for one in column)
                self.assertTrue(all(first[1] < second[0] for first, second in zip(ends, ends[1:])))

    def test_a_trace_that_is_no_network_is_refused(self) -> None:
        self.change("network", "1,0,load,shared,4,", "1,0,store,shared,4,")
        with self.assertRaisesRegex(
            DataError, r"network\.csv: no compare-exchange in step 1, lane 0"
        ):
            network.read_network(self.source)

    def test_the_partition_moves_every_key_once(self) -> None:
        step = partition.read_partition(self.source)
        self.assertEqual(sorted(share.block for share in step.shares), [0, 1, 2, 3])
        tiles = sorted(share.tile for share in step.shares)
        self.assertEqual([tiles[0][0], tiles[-1][1]], [1, step.count])
        self.assertTrue(all(first[1] == second[0] for first, second in zip(tiles, tiles[1:])))
        places = sorted(run for share in step.shares for run in (share.left, share.right))
        self.assertEqual([places[0][0], places[-1][1]], [0, step.count])
        gaps = [
            (first[1], second[0])
            for first, second in zip(places, places[1:])
            if first[1] != second[0]
        ]
        self.assertEqual(gaps, [(step.pivot, step.pivot + 1)])
        for share in step.shares:
            self.assertLessEqual(share.left[1], step.pivot)
            self.assertGreater(share.right[0], step.pivot)
            moved = share.left[1] - share.left[0] + share.right[1] - share.right[0]
            self.assertEqual(moved, share.tile[1] - share.tile[0])

    def test_the_order_of_asking_decides_not_the_block_s_number(self) -> None:
        step = partition.read_partition(self.source)
        self.assertNotEqual([share.block for share in step.shares], [0, 1, 2, 3])
        lefts = [share.left for share in step.shares]
        self.assertEqual(lefts, sorted(lefts))
        self.assertEqual([share.left_before for share in step.shares], [run[0] for run in lefts])

    def test_writes_beside_the_room_are_refused(self) -> None:
        self.change("partition", "0,store,a3,3072,4,730", "0,store,a3,3076,4,730")
        with self.assertRaisesRegex(DataError, "block 0 does not write where it was given room"):
            partition.read_partition(self.source)

    def test_neighbouring_accesses_are_joined(self) -> None:
        def access(
            block: str, operation: str, name: str, offset: int, line: str = "q.cu:1"
        ) -> dict[str, str]:
            return {
                "grid": "1",
                "space": "global",
                "block": block,
                "operation": operation,
                "object": name,
                "offset": str(offset),
                "bytes": "4",
                "line": line,
                "value": str(offset + 100),
            }

        records = [access("2", "load", "a1", offset) for offset in (8, 0, 4, 16)]
        records += [
            access("2", "atomic", "a2", 0, "q.cu:7"),
            access("2", "atomic", "a2", 0, "q.cu:8"),
            access("0", "store", "a1", 12),
            {**access("0", "store", "a1", 4), "grid": "2"},
            {**access("0", "store", "a1", 4), "space": "shared"},
        ]
        self.assertEqual(
            partition.kept_rows(records),
            [
                ("2", "load", "a1", 0, "4", 3, ""),
                ("2", "load", "a1", 16, "4", 1, "116"),
                ("2", "atomic", "a2", 0, "4", 1, "100"),
                ("2", "atomic", "a2", 0, "4", 1, "100"),
                ("0", "store", "a1", 12, "4", 1, "112"),
            ],
        )


class LaunchesTest(TraceTest):
    """Figure 2.3."""

    def test_children_are_launched_while_their_parents_run(self) -> None:
        for trace, waits in ((launches.AFTER, True), (launches.DURING, False)):
            spans = {one.grid: one for one in launches.read_launches(self.source, trace)}
            self.assertEqual(sorted(spans), list(range(8)))
            children = [one for one in spans.values() if one.launched]
            self.assertEqual(len(children), 6)
            for one in children:
                parent = spans[one.parent]
                self.assertEqual(parent.kernel, tree.PARTITION)
                self.assertEqual(parent.end < one.begin, waits)

    def test_a_launch_by_a_grid_that_has_ended_is_refused(self) -> None:
        self.change("launches_after", ",1,0,10,14,", ",1,0,14,15,")
        with self.assertRaisesRegex(DataError, r"launches_after\.csv: grid 2 is not launched"):
            launches.prepare_launches(self.source)


class PartsTest(TraceTest):
    """Figure 3.1."""

    def test_the_parts_of_a_list_are_those_that_its_pivot_leaves(self) -> None:
        segments = tree.read_tree(self.source)
        self.assertEqual((segments[0].begin, segments[0].count), (0, 9000))
        for i, one in enumerate(segments):
            children = [other for other in segments if other.parent == i]
            if one.pivot_place is None:
                self.assertLessEqual(one.count, 2048)
                self.assertEqual(children, [])
                continue
            self.assertGreater(one.count, 2048)
            expected = [(one.begin, one.pivot_place), (one.pivot_place + 1, one.end)]
            self.assertEqual([(other.begin, other.end) for other in children], expected)
            self.assertEqual({other.depth for other in children}, {one.depth + 1})
        # The pivots stand in the order of their sizes.
        pivots = sorted((one.pivot_place, one.pivot) for one in segments if one.pivot is not None)
        keys = [key for _, key in pivots]
        self.assertEqual(keys, sorted(keys))

    def test_another_pivot_is_drawn_or_refused(self) -> None:
        before = tree.prepare_tree(self.source)
        self.change("quicksort_tree", "0,3355,1036,", "0,3355,1039,")
        with self.assertRaisesRegex(DataError, r"quicksort_tree\.csv: grid 5 sorts the pivot"):
            tree.prepare_tree(self.source)
        self.change("quicksort_tree", "0,3355,1039,", "0,3355,1036,")
        self.change("quicksort_tree", "8504,496", "8504,490")
        self.assertIn("490", str(tree.prepare_tree(self.source).tables))
        self.assertNotIn("490", str(before.tables))


class BitonicMergeTest(TraceTest):
    """Figures 3.3 to 3.5."""

    def test_bitonic_lists(self) -> None:
        def is_bitonic(keys: tuple[int, ...]) -> bool:
            """As the thesis defines it: for some rotation, rising and then falling."""
            for begin in range(len(keys)):
                own = keys[begin:] + keys[:begin]
                top = own.index(max(own))
                if list(own) == sorted(own[:top]) + sorted(own[top:], reverse=True):
                    return True
            return False

        for count in range(1, 7):
            for keys in itertools.permutations(range(count)):
                self.assertEqual(bitonic_merge.is_bitonic(keys), is_bitonic(keys), keys)

    def test_each_step_leaves_bitonic_parts_in_order(self) -> None:
        moments = bitonic_merge.read_moments(self.source)
        self.assertEqual([one.part for one in moments], [16, 8, 8, 4, 2, 1])
        self.assertFalse(bitonic_merge.is_bitonic(moments[0].keys))
        for one in moments:
            self.assertEqual(sorted(one.keys), list(range(16)))
        for keys in bitonic_merge.parts_of(moments[1]):
            self.assertEqual(keys, sorted(keys))
        for one in moments[2:]:
            parts = bitonic_merge.parts_of(one)
            self.assertTrue(all(map(bitonic_merge.is_bitonic, parts)))
            self.assertTrue(all(max(a) < min(b) for a, b in zip(parts, parts[1:])))
        self.assertEqual(moments[-1].keys, list(range(16)))


class ScanTest(TraceTest):
    """Figures 3.7 and 3.8."""

    def test_the_shuffles_are_hillis_and_steele_s(self) -> None:
        levels = scan.read_scan(self.source)
        self.assertEqual([one.distance for one in levels], [1, 2, 4, 8, 16, 0])
        for one in levels[:-1]:
            for lane, taken in enumerate(one.sources):
                self.assertEqual(taken, lane - one.distance if lane >= one.distance else lane)
        first = levels[0].sums
        self.assertEqual(levels[-1].sums, list(itertools.accumulate(first)))
        self.assertEqual(len(set(first)) > 3, True)

    def test_other_sums_are_refused(self) -> None:
        self.change("scan", "0,1,5,4,3", "0,1,5,4,4")
        with self.assertRaisesRegex(DataError, r"scan\.csv: shuffle 1 does not give the sums"):
            scan.read_scan(self.source)


class TablesTest(PlotsTest):
    def test_tables_without_rows(self) -> None:
        with self.assertRaises(DataError):
            inputs_table([], [], {})
        with self.assertRaises(DataError):
            memory_table([], [], {})

    def test_runs_of_stage_14_that_are_missing(self) -> None:
        own = read_rows(self.write("quicksort.csv", ROW_COLUMNS, rows("gpu")))
        given = read_reports(self.write("reports.csv", REPORT_COLUMNS, reports("gpu")))

        def without(*run: str) -> list[Row]:
            names = ("threads", "blocks", "memory")
            return [row for row in own if tuple(map(row.parameters.get, names)) != run]

        with self.assertRaisesRegex(DataError, "n = 65536, pageable"):
            memory_table(without("256", "0", "pageable"), given, {})
        with self.assertRaisesRegex(DataError, "n = 65536, pinned"):
            memory_table(own, [], {})
        text = "\n".join(printed_runs_table(own, [], {}))
        self.assertIn("| CPU's two sorts | 0.999 | not measured | not measured |", text)
        text = "\n".join(printed_runs_table(without("7", "2", "pinned"), given, {}))
        self.assertIn("| 14 | 7, 2 | these three | 864 | not measured | 31.2 |", text)

    def test_the_printed_global_time_leaves_out_the_sort(self) -> None:
        runs: dict[int, dict[str, float]] = {}
        for cell in PRINTED.cells:
            runs.setdefault(cell.n, {})[cell.quantity] = cell.value
        self.assertEqual(sorted(runs), [14, 50, 254])
        for n in (14, 50):
            parts = [runs[n][name] for name in ("host_to_device", "kernel", "device_to_host")]
            self.assertAlmostEqual(sum(parts), runs[n]["global"], delta=1e-5)
            # The first copy of a process takes nine tenths of it, however few keys there are.
            self.assertGreater(parts[0] / runs[n]["global"], 0.9)


class BeyondTest(PlotsTest):
    """The tables of the sample sort, from made-up rows of made-up stages."""

    STAGES = ("20_old", "30_own", "31_library", "32_other_library")

    def setUp(self) -> None:
        super().setUp()

        class Known(dict[str, SimpleNamespace]):
            chapter = "quicksort"

        known = Known(
            (name, SimpleNamespace(libraries=("cub",) if "library" in name else ()))
            for name in self.STAGES
        )
        patch = mock.patch.object(beyond, "STAGES", known)
        patch.start()
        self.addCleanup(patch.stop)

    @staticmethod
    def row(stage: str, n: int, rate: float, name: str = "uniform") -> Row:
        return replace(timed(stage, n, 1.0, n / rate * 1e3), input=name)

    def test_rates(self) -> None:
        """Stage i sorts i + 1 G keys per second."""
        made = [
            self.row(stage, n, (i + 1) * 1e9)
            for i, stage in enumerate(self.STAGES)
            for n in SAMPLE_SIZES
        ]
        made.append(self.row(self.STAGES[0], 10**8, 5e9))  # the thesis' size
        lines = beyond.rates_table(made, {}, self.STAGES)
        columns = len(SAMPLE_SIZES)
        self.assertIn(f"| 31_library | {' | '.join(['3 G'] * columns)} |", lines)
        limits = {GPU: Limits(GPU, bytes_per_second=48e9, operations_per_second=256e9 * 73 / 32)}
        more = beyond.rates_table(made, limits, self.STAGES)
        self.assertEqual(len(more), len(lines) + 3)
        for words in ("memory | 2 G |", "shared memory | 1 G |", "instructions | 973 M |"):
            self.assertTrue(any(f"| limit: {words}" in line for line in more), words)
        few = [row for row in made if (row.stage, row.n) != ("30_own", 2**30)]
        slow = next(line for line in beyond.rates_table(few, {}, self.STAGES) if "30_own" in line)
        self.assertTrue(slow.endswith("| 2 G |  |"), slow)
        with self.refuses(f"no rows with {2**30} uniform keys"):
            beyond.rates_table([row for row in made if row.n != 2**30], {}, self.STAGES)

    def test_an_unknown_limit_is_left_out(self) -> None:
        known = beyond.limits_of(Limits(GPU, bytes_per_second=24e9))
        self.assertEqual([(one.words, one.rate) for one in known], [("memory", 1e9)])

    def test_the_last_own_stage_and_the_first_library_are_compared(self) -> None:
        self.assertEqual(beyond.compared(self.STAGES), ("30_own", "31_library"))
        with self.refuses("no stage to compare with a library's"):
            beyond.compared(self.STAGES[:2])

    def test_distributions(self) -> None:
        n = 2**28
        stages = ("30_own", "31_library")
        made = [
            self.row(stage, n, rate * (0.5 if name == "zipf" and stage == "30_own" else 1), name)
            for stage, rate in zip(stages, (3e9, 2e9))
            for name in ("uniform", "sorted", "zipf")
        ]
        made.append(self.row("30_own", n, 1e9, "reverse"))  # not of the library
        made.append(self.row("31_library", 2**30, 1e9, "reverse"))  # not of the own one
        made.append(self.row("30_own", 2**30, 9e9))
        lines = against_library.inputs_table(made, stages)
        self.assertEqual(
            [line.split(" | ")[0] for line in lines[2:-2]], ["| uniform", "| sorted", "| zipf"]
        )
        self.assertIn("| zipf | 1.5 G | 2 G | ×0.75 |", lines)
        (worst,) = against_library.worst_input(made, stages)
        self.assertIn("Of 3 inputs", worst)
        self.assertIn("`zipf`: ×0.75", worst)
        with self.refuses("for several inputs"):
            against_library.inputs_table([row for row in made if row.input == "uniform"], stages)

    def test_sizes(self) -> None:
        stages = ("30_own", "31_library")
        made = [
            self.row(stage, n, rate)
            for stage, rate in zip(stages, (3e9, 2e9))
            for n in (2**10, 2**20, 1000)
        ]
        made.append(self.row("30_own", 2**12, 3e9))  # not of the library
        lines = against_library.sizes_table(made, stages)
        self.assertEqual(
            lines[2:-2],
            ["| 1024 | 3 G | 2 G | ×1.50 |", "| 1 048 576 | 3 G | 2 G | ×1.50 |"],
        )
        with self.refuses("no rows of 30_own and 31_library"):
            against_library.sizes_table([], stages)

    def test_pairs(self) -> None:
        stages = ("31_library", "32_other_library", "30_own")  # the own one comes first
        made = [
            self.row(stage, n, rate / (1 + (name == "sorted")), name)
            for stage, rate in zip(stages, (2e9, 1e9, 3e9))
            for n, name in (
                (2**22, "uniform"),
                (2**28, "uniform"),
                (2**28, "sorted"),
            )
        ]
        made.append(self.row("30_own", 2**24, 3e9))  # not of the libraries
        lines = beyond.pairs_table(made, stages)
        self.assertEqual(
            lines[2:-2],
            [
                "| uniform | 4 194 304 | 3 G | 2 G | 1 G | ×1.50 |",
                "| uniform | 268 435 456 | 3 G | 2 G | 1 G | ×1.50 |",
                "| sorted | 268 435 456 | 1.5 G | 1 G | 500 M | ×1.50 |",
            ],
        )
        with self.refuses("no rows of 30_own and 31_library"):
            beyond.pairs_table([], stages)

    def test_every_named_input_and_size_is_in_the_sweeps(self) -> None:
        header = (ROOT / "common" / "sorting" / "keys.hpp").read_text(encoding="utf-8")

        def named(array: str) -> list[str]:
            text = header.partition(f"{array}[] = {{")[2].split("}")[0]
            return re.findall(r'"([a-z0-9-]+)"', text)

        inputs, merge_inputs = against_library.INPUTS, against_library.MERGE_INPUTS
        self.assertEqual(sorted(named("kInputNames")), sorted(inputs))
        self.assertEqual(sorted(named("kMergeInputNames")), sorted(merge_inputs))
        for chapter, first, wanted in (
            ("quicksort", "sample", inputs),
            ("mergesort", "tiles", (*inputs, *merge_inputs)),
        ):
            sweeps = {sweep.name: sweep for sweep in all_sweeps(PLOTS / chapter / FILE)}
            self.assertEqual(tuple(dict(sweeps[f"{first}-inputs"].vary)["input"]), wanted)
            self.assertEqual(tuple(sweeps[f"{first}-sizes"].sizes), against_library.SIZES)

    def test_the_thesis_figures_leave_out_the_sizes_of_the_sample_sort(self) -> None:
        self.assertEqual(BIG_RUNS.without, SAMPLE_SIZES)


class DataTest(unittest.TestCase):
    def test_sweeps_have_the_sizes_of_the_thesis(self) -> None:
        found: dict[tuple[str, object], set[int]] = {}
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            if sweep.scope == "record":
                for stage in sweep.stages:
                    found.setdefault((stage, dict(sweep.match).get("input")), set()).update(
                        sweep.sizes
                    )
        for stage in (*BITONIC, TWO_KERNELS):
            self.assertEqual({2048}, found[stage, "uniform"])
        for stage in SMALL:
            self.assertEqual({6080, 28_992}, found[stage, "uniform"])
        for stage in BIG:
            self.assertLessEqual({10**7 * 2**i for i in range(5)}, found[stage, "uniform"])
            for name in INPUTS:
                self.assertIn(2**20, found[stage, name])
        self.assertIn(10**9, found[BEST, "uniform"])
        for stage in SAMPLE:
            self.assertLessEqual(set(SAMPLE_SIZES[:-1]), found[stage, "uniform"])
        if RECORDED:  # the longest list only for ours and the library's
            for stage in beyond.compared(SAMPLE):
                self.assertIn(SAMPLE_SIZES[-1], found[stage, "uniform"])
        self.assertLessEqual({80_000_000, 160_000_000}, found[STAGES.serial, "uniform"])

    def test_bad_pivots_cost_twenty_times_as_much_at_most(self) -> None:
        for folder in recorded_folders("quicksort"):
            every = read_rows(folder / "quicksort.csv")
            own = [row for row in every if row.stage in BIG and row.n == 2**20]
            for stage in BIG:
                times = {
                    name: median_ms([row for row in own if (row.stage, row.input) == (stage, name)])
                    for name in INPUTS
                }
                for name, time in times.items():
                    with self.subTest(folder=folder, stage=stage, input=name):
                        self.assertLess(time, 20 * times["uniform"])


if __name__ == "__main__":
    unittest.main()
