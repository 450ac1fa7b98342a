# SPDX-License-Identifier: MIT
"""How many bytes are copied beside kernels, from timelines like the engine's."""

import tempfile
import unittest
from pathlib import Path

from common.tools.labs.overlap import bytes_beside_kernels, read_tasks
from common.tools.lib.counting import Kernel

HEAD = "kind,id,name,stream,parent,after,worker,queued,begin,end,detail\n"


def kernel(name: str, launches: int, sectors: int) -> Kernel:
    return Kernel(name, {"launches": launches, "global_load.sectors": sectors}, [])


class Overlap(unittest.TestCase):
    def hidden(self, tasks: list[str], *kernels: Kernel) -> float:
        """Of tasks "1:2 name after 0:1 1:1"."""
        rows = ["device,0,H200,,,,,,,,", "grid,1,add_kernel,,1:2,,,,10,13,grid=1x1x1"]
        for task in tasks:
            place, _, rest = task.partition(" ")
            name, _, after = rest.partition(" after ")
            rows.append(f"task,{place},{name},{place[0]},,{after},,,1,2,")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timeline.csv"
            path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
            return bytes_beside_kernels(read_tasks(path), kernels)

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


if __name__ == "__main__":
    unittest.main()
