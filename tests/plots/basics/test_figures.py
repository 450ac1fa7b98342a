# SPDX-License-Identifier: MIT
"""The drawings of the basics chapter show what the runs did. Other runs are refused."""

import unittest

from common.tools.lib.stages import DataError
from plots.basics import hierarchy, machine, memories, requests, streams
from plots.basics.stages import STAGES
from plots.records.counters import read_counters
from plots.records.folders import COUNTERS
from tests.plots.fixtures import TraceTest


class MachineTest(TraceTest):
    """Figures 2.1 and 2.2."""

    def test_the_device_and_its_blocks(self) -> None:
        few = machine.read_machine(self.source, machine.FEW)
        many = machine.read_machine(self.source, machine.MANY)
        for one in (few, many):
            self.assertEqual(one.name, "NVIDIA H200")
            self.assertEqual((one.multiprocessors, one.threads), (132, 2048))
            self.assertEqual((one.registers, one.shared_bytes), (65_536, 233_472))
            placed = sum(one.blocks_of(i) for i in range(one.multiprocessors))
            self.assertEqual(placed, one.blocks)
            self.assertEqual(one.resident * one.block_threads, one.threads)
        # One thread per row, and 256 by 256 cells per block.
        self.assertEqual((few.blocks, few.block_threads), (machine.ROWS // 256, 256))
        self.assertEqual(many.blocks, (machine.ROWS // 256) ** 2)

    def test_another_shape_is_drawn(self) -> None:
        before = machine.prepare_machine(self.source)
        self.change("machine_few_blocks", "grid=12x1x1", "grid=14x1x1")
        after = machine.prepare_machine(self.source)
        self.assertIn("118 with no block, 14 with 1 block", str(after.tables))
        self.assertNotEqual(before.tables, after.tables)
        self.change("machine_few_blocks", "grid=14x1x1", "grid=14x1")
        with self.assertRaisesRegex(DataError, r"machine_few_blocks\.csv: ValueError"):
            machine.prepare_machine(self.source)


class MemoriesTest(TraceTest):
    def test_sizes_are_the_devices(self) -> None:
        self.change(
            "machine_few_blocks", "l2=62914560;memory=150109880320", "l2=2097152;memory=8589934592"
        )
        drawn = str(memories.prepare_memories(self.source).tables)
        self.assertIn("L2 cache: 2 MB", drawn)
        self.assertIn("device memory: 8 GB", drawn)

    def test_a_device_without_rates_is_refused(self) -> None:
        self.change("machine_few_blocks", "NVIDIA H200", "NVIDIA H2000")
        with self.assertRaisesRegex(DataError, "NVIDIA H2000: its rates are not in devices.toml"):
            memories.prepare_memories(self.source)


class HierarchyTest(TraceTest):
    """Figure 2.4."""

    def test_every_block_of_both_grids(self) -> None:
        program = hierarchy.read_program(self.source)
        rows, columns = (program.grids[place] for place in sorted(program.grids))
        self.assertEqual((rows.kernel, rows.columns, rows.rows), ("add_rows_kernel", 75, 1))
        self.assertEqual((columns.columns, columns.rows, columns.threads), (3, 3, 256))
        self.assertEqual(sorted(rows.order), list(range(75)))
        self.assertNotEqual(columns.order, sorted(columns.order))
        self.assertEqual(
            [program.tasks[place] for place in sorted(program.grids)],
            ["add_rows_kernel", "add_columns_kernel"],
        )

    def test_a_block_that_runs_twice_is_refused(self) -> None:
        self.change("hierarchy", "block,2:4,", "block,2:5,")
        with self.assertRaisesRegex(DataError, r"hierarchy\.csv: not every block of add_columns"):
            hierarchy.prepare_hierarchy(self.source)


class RequestsTest(TraceTest):
    def test_sectors_and_wavefronts_are_those_that_are_counted(self) -> None:
        counted = {
            (one.stage, one.kernel): one.counters
            for one in read_counters(COUNTERS / f"{STAGES.chapter}.csv")
        }
        for load in requests.read_loads(self.source, requests.LINES, requests.LANES):
            own = counted["01_thread_per_line", load.kernel]
            each = own["global_load.sectors"] / own["global_load.requests"]
            self.assertEqual(len(load.sectors), each)
        # The other half of the shared loads, which add columns, have no conflict.
        for trace, lanes in ((requests.CONFLICT, 16), (requests.PADDED, 16), (requests.WHOLE, 32)):
            (load,) = requests.read_loads(self.source, trace, lanes)
            own = counted[trace.stage.partition("/")[2], load.kernel]
            each = own["shared_load.wavefronts"] / own["shared_load.requests"]
            self.assertEqual((load.wavefronts + 1) / 2, each)
            self.assertEqual(own["shared_load.lanes"] / own["shared_load.requests"], lanes)

    def test_lanes_that_are_missing_are_refused(self) -> None:
        self.change("request_padded", "add_tiles_kernel,shared,2,33\n", "")
        with self.assertRaisesRegex(DataError, r"request_padded\.csv: .* is not one of 16 lanes"):
            requests.prepare_banks(self.source)


class StreamsTest(TraceTest):
    def test_columns_keep_the_order(self) -> None:
        for trace in (streams.ONE_STREAM, streams.TWO_STREAMS):
            tasks = streams.read_tasks(self.source, trace)
            column = streams.columns_of(tasks)
            named = {(one.stream, one.number) for one in tasks if one.name}
            for one in tasks:
                own = column[one.stream, one.number]
                for stream, last in one.after:
                    for number in range(1, last + 1):
                        if (stream, number) in named:
                            self.assertLess(column[stream, number], own)
            copies = [one for one in tasks if one.kind == "copy in"]
            places = [column[one.stream, one.number] for one in copies]
            self.assertEqual(len(set(places)), len(places))

    def test_two_streams_alternate(self) -> None:
        tasks = streams.read_tasks(self.source, streams.TWO_STREAMS)
        column = streams.columns_of(tasks)
        kernels = [one for one in tasks if one.name == "add_parts_kernel"]
        self.assertEqual(len(kernels), streams.SLICES)
        self.assertEqual({one.stream for one in kernels}, {1, 2})
        copies = {column[one.stream, one.number] for one in tasks if one.kind == "copy in"}
        beside = [one for one in kernels if column[one.stream, one.number] in copies]
        self.assertEqual(len(beside), streams.SLICES - 1)

    def test_an_order_that_is_missing_is_refused_or_drawn(self) -> None:
        self.change("streams_two", "1:2,add_parts_kernel,0:4 1:1", "1:2,add_parts_kernel,0:4")
        with self.assertRaisesRegex(DataError, r"streams_two\.csv: task 2 of stream 1"):
            streams.prepare_streams(self.source)


if __name__ == "__main__":
    unittest.main()
