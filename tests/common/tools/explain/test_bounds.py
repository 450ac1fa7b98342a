# SPDX-License-Identifier: MIT
"""Lower bounds of make explain: each resource by hand, and the devices' figures."""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from common.tools.explain.bounds import (
    arithmetic,
    binding,
    memory,
    on_multiprocessors,
    opcodes,
    transfers,
    work_of,
)
from common.tools.explain.devices import DEFAULT, chosen_device, read_devices
from common.tools.lib.counting import Kernel
from common.tools.lib.stages import DataError, ToolError

H200 = read_devices()["h200"]
CLOCK = 1.98e9


def line(operation: str, space: str, **counts: int) -> dict[str, Any]:
    nothing = dict.fromkeys(("requests", "sectors", "wavefronts", "depth"), 0)
    return {"operation": operation, "space": space} | nothing | counts


def kernel(*lines: dict[str, Any]) -> Kernel:
    return Kernel("kernel", {}, list(lines))


class BoundTest(unittest.TestCase):
    def test_counted_work(self) -> None:
        work = work_of(
            [
                kernel(
                    line("block", "", requests=1000),  # no instruction of its own
                    line("load", "global", requests=10, sectors=320),
                    line("load", "global", requests=10, sectors=10),  # one word for all lanes
                    line("store", "shared", requests=10, wavefronts=40),
                    line("store", "global", requests=5, sectors=20),
                    line("barrier", "", requests=7),
                )
            ]
        )
        self.assertEqual(work, {"instructions": 42, "wavefronts": 135, "l2_sectors": 20})

    def test_atomics_may_be_added_up_first(self) -> None:
        """If lanes meet on a word, nvcc may send one lane for all of them."""
        met = line("atomic", "global", requests=10, sectors=320, depth=320)
        alone = line("atomic", "global", requests=10, sectors=320, depth=10)
        self.assertEqual(work_of([kernel(met)])["l2_sectors"], 10)
        self.assertEqual(work_of([kernel(alone)])["l2_sectors"], 320)

    def test_resources(self) -> None:
        work = {"instructions": 4e9, "wavefronts": 1e9, "l2_sectors": 160.0}
        bounds = {one.resource: one.seconds for one in on_multiprocessors(work, H200, 132)}
        self.assertAlmostEqual(bounds["issue"], 1e9 / (132 * CLOCK))
        self.assertAlmostEqual(bounds["L1 and shared memory"], 1e9 / (132 * CLOCK))
        self.assertAlmostEqual(bounds["L2"], 1 / CLOCK)
        # A launch of 4 blocks uses 4 multiprocessors; one of many blocks not more than there are.
        few = on_multiprocessors(work, H200, 4)
        self.assertAlmostEqual(few[1].seconds, 1e9 / (4 * CLOCK))
        self.assertEqual(on_multiprocessors(work, H200, 10**6)[1].seconds, bounds["issue"])
        self.assertEqual(binding(few).resource, "issue")  # the first of equal ones

    def test_other_resources(self) -> None:
        self.assertAlmostEqual(arithmetic(66.9e12, H200).seconds, 1.0, places=3)
        # All of a set that L2 holds may stay there; of one twice as large, half.
        self.assertEqual(memory(1e12, H200.l2_bytes / 2, H200).seconds, 0)
        self.assertAlmostEqual(memory(9.6e12, 2 * H200.l2_bytes, H200).seconds, 1.0)
        copies = {"host_to_device.bytes": 64 * 10**9, "device_to_host.bytes": 1}
        self.assertAlmostEqual(transfers(copies, H200).seconds, 1.0)

    def test_profiled_instructions(self) -> None:
        found = {
            one.resource: one.seconds
            for one in opcodes({"FFMA": 6e9, "MUFU.RSQ": 1e9, "IADD3": 1e9}, H200, 132)
        }
        second = 1 / (132 * CLOCK)
        self.assertAlmostEqual(found["issue"], 2e9 * second)
        self.assertAlmostEqual(found["special functions"], 2e9 * second)
        self.assertAlmostEqual(found["integer and comparison"], 0.5e9 * second)

    def test_a_device_without_a_figure_has_no_such_bound(self) -> None:
        work = {"instructions": 1.0, "wavefronts": 1.0, "l2_sectors": 1.0}
        resources = [one.resource for one in on_multiprocessors(work, read_devices()["gtx980"], 1)]
        self.assertEqual(resources, ["issue", "L1 and shared memory"])


class DeviceTest(unittest.TestCase):
    def test_every_device_names_its_source(self) -> None:
        devices = read_devices()
        self.assertTrue(devices[DEFAULT].emulated)
        for key, device in devices.items():
            with self.subTest(key):
                self.assertIn("NVIDIA", device.source)
                self.assertEqual(set(device.lanes), {"float", "integer", "special"})
                self.assertTrue(5e8 < device.clock < 3e9)
        self.assertEqual(chosen_device("")[0], "h200")

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(ToolError, "DEVICE=x: no such device; choose one of h200,"):
            chosen_device("x")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "devices.toml"
            for text, said in (
                ("[a]\nname = 1\narchitecture = 'sm_90'\n", r"\[a\] has no clock"),
                ("[a\n", "devices.toml"),
            ):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(DataError, said):
                    read_devices(path)


if __name__ == "__main__":
    unittest.main()
