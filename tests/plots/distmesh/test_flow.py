# SPDX-License-Identifier: MIT
"""Figures 6 and 7 of Gaudiani 2012: the tasks of a run, and the accesses of its kernels."""

import unittest

from common.tools.lib.stages import DataError
from plots.distmesh.flow import (
    ACCESSES,
    LISTS,
    LISTS_TRACE,
    LOOP,
    TASKS,
    kept_accesses,
    kept_tasks,
    prepare_lists,
    prepare_loop,
    read_accesses,
    read_tasks,
)
from plots.records.source import Source
from tests.plots.fixtures import PlotsTest, write_table

ITERATION = ["set 16", *(f"{name}_kernel" for name in ("sum_lengths", "move_points"))]
FIRST = ["host to device 32", "host to device 8", *ITERATION, "device to host 12"]


class FlowTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "counters").mkdir()
        self.source = Source("recorded", self.folder, None, [], self.folder / "counters")

    def tasks(self, *names: str) -> None:
        path = self.folder / "traces" / f"{LOOP.name}.csv"
        write_table(path, TASKS, [[name] for name in names])

    def accesses(self, *rows: tuple[str, str, str, int, int]) -> None:
        path = self.folder / "traces" / f"{LISTS_TRACE.name}.csv"
        write_table(path, ACCESSES, [list(row) for row in rows])

    def test_one_triangulation_is_drawn(self) -> None:
        self.tasks(*FIRST, *ITERATION, "device to host 12", "device to host 32")
        self.assertEqual(len(read_tasks(self.source)), 11)
        drawing = prepare_loop(self.source)
        self.assertIn("The first triangulation has 2 iterations", drawing.ours)
        self.assertIn("It takes 5 copies", drawing.ours)

    def test_another_run_is_refused(self) -> None:
        for names, said in (
            ([], "does not begin with a copy to the device"),
            (ITERATION, "does not begin with a copy to the device"),
            (FIRST[:3], "is not one triangulation with iterations"),
            ([*FIRST, *FIRST], "is not one triangulation with iterations"),
        ):
            self.tasks(*names)
            with self.assertRaisesRegex(DataError, f"{LOOP.name}.csv: {said}"):
                read_tasks(self.source)

    def test_what_is_kept(self) -> None:
        records = [
            {"kind": kind, "name": name}
            for kind, name in (("task", "set 16"), ("task", ""), ("grid", "a_kernel"))
        ]
        self.assertEqual(kept_tasks(records[1:]), [])
        every = [{"kind": "task", "name": name} for name in [*FIRST, *FIRST]]
        self.assertEqual(kept_tasks(every + records), [(name,) for name in FIRST])
        accesses = [
            {"grid": grid, "kernel": "a", "operation": "load", "object": "a1"}
            | {"offset": offset, "bytes": "8"}
            for grid, offset in (("1", "0"), ("1", "8"), ("5", "16"))
        ]
        self.assertEqual(kept_accesses(accesses), [("a", "load", "a1", 2, 16)])

    def test_lists_are_known_by_their_number_and_length(self) -> None:
        number = {name: f"a{i}" for i, name in enumerate(LISTS, 1)}
        rows = [
            ("sum_lengths_kernel", "load", number["bars"], 7, 56),
            ("sum_lengths_kernel", "load", number["points"], 14, 48),
            ("sum_lengths_kernel", "atomic", number["sums"], 14, 16),
            ("compute_forces_kernel", "store", number["pushes"], 7, 112),
            ("add_forces_kernel", "atomic", number["forces"], 28, 48),
            ("move_points_kernel", "store", number["points"], 3, 48),
        ]
        self.accesses(*rows)
        found = read_accesses(self.source)
        self.assertEqual(found["sum_lengths_kernel", "bars"], {"load": 7})
        self.assertIn("7 bars join 3 points. 14 additions", prepare_lists(self.source).ours)
        self.accesses(*rows[:-1])
        with self.assertRaisesRegex(DataError, "move_points has no store of points"):
            prepare_lists(self.source)
        self.accesses(*rows, ("add_forces_kernel", "load", number["lengths"], 7, 64))
        with self.assertRaisesRegex(DataError, "lists of bars or of points differ in length"):
            read_accesses(self.source)


if __name__ == "__main__":
    unittest.main()
