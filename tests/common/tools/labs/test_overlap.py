# SPDX-License-Identifier: MIT
"""Bytes that are copied beside kernels, and chains of launches, from timelines like the engine's."""

import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from common.tools.labs.overlap import Task, bytes_beside_kernels, launches_in_a_row, read_tasks
from common.tools.lib.counting import Kernel

HEAD = "kind,id,name,stream,parent,after,worker,queued,begin,end,detail\n"


def kernel(name: str, launches: int, sectors: int) -> Kernel:
    return Kernel(name, {"launches": launches, "global_load.sectors": sectors}, [])


def timeline(tasks: list[str], grids: Sequence[str] = ()) -> list[Task]:
    """Of tasks "1:2 name after 0:1 1:1" and grids "2 1:0:3", with their parents."""
    rows = ["device,0,H200,,,,,,,,"]
    for grid in grids:
        number, parent = grid.split()
        rows.append(f"grid,{number},add_kernel,,{parent},,,,10,13,grid=1x1x1")
    for task in tasks:
        place, _, rest = task.partition(" ")
        name, _, after = rest.partition(" after ")
        rows.append(f"task,{place},{name},{place[0]},,{after},,,1,2,")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "timeline.csv"
        path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
        return read_tasks(path)


class Overlap(unittest.TestCase):
    def hidden(self, tasks: list[str], *kernels: Kernel) -> float:
        return bytes_beside_kernels(timeline(tasks), kernels)

    def test_order_decides(self) -> None:
        add = kernel("add_kernel", 1, 10)  # 320 bytes
        copies = ["1:1 host to device 100 after 0:1", "2:1 host to device 100 after 0:1"]
        self.assertEqual(self.hidden([*copies, "1:2 add_kernel after 0:1 1:1"], add), 100)
        # By an event, the kernel waits for both.
        self.assertEqual(self.hidden([*copies, "1:2 add_kernel after 0:1 1:1 2:1"], add), 0)
        # Or the second copy waits for the kernel.
        late = ["1:1 add_kernel after 0:1", "2:1 host to device 100 after 0:1 1:1"]
        self.assertEqual(self.hidden(late, add), 0)

    def test_other_tasks_hide_nothing(self) -> None:
        add = kernel("add_kernel", 1, 10)
        for name in ("set 256", "device to host 100", "device to device 100"):
            self.assertEqual(
                self.hidden([f"1:1 {name} after ", "2:1 host to device 9 after "], add), 0
            )

    def test_a_kernel_hides_what_it_moves(self) -> None:
        copies = ["1:1 host to device 100 after ", "1:2 host to device 100 after 1:1"]
        tasks = [*copies, "2:1 add_kernel after "]
        for sectors, launches, bytes_hidden in ((10, 1, 200), (5, 1, 160), (5, 5, 32), (0, 1, 0)):
            hidden = self.hidden(tasks, kernel("add_kernel<4>", launches, sectors))
            self.assertEqual(hidden, bytes_hidden)


class Chains(unittest.TestCase):
    def in_a_row(self, tasks: list[str], *grids: str) -> int:
        return launches_in_a_row(timeline(tasks, grids))

    def test_order_decides(self) -> None:
        grids = ("1 1:1", "2 2:1", "3 1:2")
        begin = ["1:1 add after ", "2:1 add after "]
        self.assertEqual(self.in_a_row([*begin, "1:2 add after 1:1"], *grids), 2)
        self.assertEqual(self.in_a_row([*begin, "1:2 add after 1:1 2:1"], *grids), 2)
        # One stream waits for the other.
        late = ["1:1 add after ", "2:1 add after 1:1", "1:2 add after 1:1 2:1"]
        self.assertEqual(self.in_a_row(late, *grids), 3)
        self.assertEqual(self.in_a_row([], *grids), 0)

    def test_tasks_without_launches_pass_the_order_on(self) -> None:
        tasks = ["1:1 add after ", "0:1 device to host 4 after 1:1", "2:1 add after 0:1"]
        self.assertEqual(self.in_a_row(tasks, "1 1:1", "2 2:1"), 2)

    def test_what_kernels_launch_counts(self) -> None:
        tasks = ["1:1 add after ", "2:1 add after "]
        self.assertEqual(self.in_a_row(tasks, "1 1:1", "2 1:0:0", "3 2:5:31", "4 2:1"), 3)


if __name__ == "__main__":
    unittest.main()
