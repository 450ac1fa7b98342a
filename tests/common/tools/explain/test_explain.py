# SPDX-License-Identifier: MIT
"""make explain: its output, and what it refuses. test_causes.py has a program per cause."""

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from common.tools.explain.arithmetic import LITERAL, is_exact
from common.tools.explain.bounds import Bound
from common.tools.explain.costs import L1, main_lines, with_shares
from common.tools.explain.divergence import Part, distances, period, shrinks
from common.tools.explain.finding import Finding
from common.tools.explain.kernel_bounds import KernelBounds
from common.tools.explain.loops import active, body_of, loop_around
from common.tools.explain.samples import Sample, Step
from common.tools.explain.shared_memory import banks
from common.tools.lib.counting import Kernel
from tests.common.tools.course_tools import BUILD, run_tool
from tests.common.tools.explain.explained import explain, program


def sample(addresses: list[int], base: int = 0) -> Sample:
    lanes = tuple(range(len(addresses)))
    return Sample(1, (1, 0), 0, lanes, (0,) * len(lanes), tuple(addresses), base, 1, 1)


# What nvdisasm might list for the kernel of causes/plane.cu.
LISTING = """
\t.section\t.text._Z12scale_kernelPff,"ax",@progbits
_Z12scale_kernelPff:
\t//## File "plane.cu", line 10
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   LEA R2, R0, R1, 0x2 ;
        /*0020*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0030*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0040*/                   EXIT ;
"""


class PatternTest(unittest.TestCase):
    def test_strides(self) -> None:
        self.assertEqual(sample([4 * lane for lane in range(32)]).stride, 4)
        self.assertEqual(sample([400 * lane for lane in range(32)]).stride, 400)
        # Two rows of 16 lanes have one jump between them.
        self.assertEqual(
            sample([(lane % 16) * 80 + lane // 16 * 4 for lane in range(32)]).stride, 80
        )
        self.assertIsNone(sample([lane * lane * 4 for lane in range(32)]).stride)

    def test_banks(self) -> None:
        self.assertEqual(banks(sample([128 * lane for lane in range(32)])), {0: 32})
        self.assertEqual(banks(sample([128 * lane for lane in range(32)], base=8)), {2: 32})
        self.assertEqual(set(banks(sample([132 * lane for lane in range(32)])).values()), {1})
        self.assertEqual(banks(sample([0] * 32)), {0: 1})  # one word for all is no conflict

    def test_masks(self) -> None:
        self.assertEqual(period([0x55555555, 0xAAAAAAAA]), 2)
        self.assertEqual(period([0x11111111]), 4)
        self.assertEqual(period([0x0000FFFF]), 0)
        self.assertEqual(distances([0x55555555, 0x11111111, 0x11, 0xF]), {1, 2, 4})
        self.assertEqual(distances([0x55555555, 0x10115]), set())

    def test_lanes_leave_a_loop_or_come_back(self) -> None:
        part = Part("a.cu", 5, 5, 0, 0)

        def steps(*masks: tuple[int, int]) -> list[Step]:
            return [Step(0, "a.cu", line, "block", mask, 1) for line, mask in masks]

        self.assertTrue(shrinks(steps((5, 0xF), (5, 0xF), (5, 0x7), (5, 0x3), (5, 0x1)), part))
        self.assertFalse(shrinks(steps((5, 0xF), (5, 0xF0), (5, 0xF), (5, 0xF0)), part))
        # All lanes meet at the loop's condition, in line 4, before each round.
        rounds = [(line, mask) for mask in (0x7, 0x3, 0x1) for line, mask in ((4, 0xF), (5, mask))]
        self.assertFalse(shrinks(steps(*rounds), part))
        self.assertTrue(shrinks(steps((4, 0xF), *(one for one in rounds if one[0] == 5)), part))

    def test_loops(self) -> None:
        lines = (
            "int main() {\n    for (;;) {\n#if A\n        if (x) {\n            copy();\n    }\n"
        )
        text = lines.split("\n")
        self.assertEqual(loop_around(text, 5), 2)
        self.assertEqual(body_of(text, 2), text[1:5])
        self.assertEqual(loop_around(["int main() {", "    copy();"], 2), 0)

    def test_what_is_compiled(self) -> None:
        text = ["#define A", "#ifdef A", "a", "#else", "b", "#endif", "#ifndef A", "c", "#endif"]
        self.assertEqual([one for one in active(text) if one.isalpha()], ["a"])
        unknown = ["#if B", "a", "#else", "b", "#endif", "#ifdef __CUDACC__", "c", "#endif"]
        self.assertEqual([one for one in active(unknown) if one.isalpha()], ["a", "b", "c"])

    def test_which_literals_are_double(self) -> None:
        found = LITERAL.findall("x = 0.5 * y + 2.f - 1e-3 * .25 + a1.0 + 3.0f + 7. / z[2]")
        self.assertEqual(found, ["0.5", ".25", "7."])
        self.assertTrue(is_exact("0.5"))
        self.assertFalse(is_exact("3.14159"))


class CostTest(unittest.TestCase):
    def finding(self, kind: str, line: int, weight: float, seconds: float = 0.0) -> Finding:
        return Finding(kind, "a.cu", line, "" if seconds else "k", "", "", weight, seconds)

    def test_the_costliest_comes_first(self) -> None:
        def line(number: int, space: str, requests: int) -> dict[str, object]:
            counted = dict.fromkeys(("requests", "wavefronts", "ideal_wavefronts"), requests)
            names = {"file": "a.cu", "line": number, "operation": "load", "space": space}
            return {**counted, **names, "sectors": 4 * requests, "depth": 0}

        kernel = Kernel("k", {}, [line(1, "global", 10), line(2, "shared", 90)])
        bounds = [KernelBounds("k", [Bound("issue", "", 1e-6), Bound(L1, "", 1e-5)])]
        sectors = self.finding("stride", 1, 0.8)
        conflict = self.finding("bank_conflict", 2, 0.5)
        slow = self.finding("allocations", 3, 1.0, 1e-3)
        costs = with_shares([sectors, conflict, slow], [kernel], bounds, True)
        self.assertEqual([one for one, _ in costs], [slow, conflict, sectors])
        self.assertEqual([part and round(part, 3) for _, part in costs], [None, 0.45, 0.08])
        # Without the machine code a branch may hold all of the arithmetic.
        branch = self.finding("branch", 1, 0.5)
        shares = [with_shares([branch], [kernel], bounds, exact)[0][1] for exact in (True, False)]
        self.assertEqual([round(part or 0.0, 3) for part in shares], [0.05, 0.5])
        self.assertEqual(main_lines(kernel, L1), [("a.cu", 2, 0.9), ("a.cu", 1, 0.1)])


class ExplainTest(unittest.TestCase):
    def setUp(self) -> None:
        if not (BUILD / "emulator.json").exists():
            self.skipTest("the CPU engine is not built")
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_names_line_cause_and_cure(self) -> None:
        path = self.folder / "findings.json"
        result = explain(program("wasting", "plane"), JSON=str(path))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(
            result.stdout,
            r"^plane\.cu:10  matrix\[x \* kSize \+ y\] \*= factor;\n"
            r"  kernel: scale_kernel\n  cause: neighbouring lanes are .*\.\n  cure:  swap x and y",
        )
        made = json.loads(path.read_text(encoding="utf-8"))
        (found,) = made["findings"]
        self.assertEqual((found["file"], found["line"], found["kind"]), ("plane.cu", 10, "stride"))
        # 512 loads and 512 stores of 32 sectors each, on 64 multiprocessors at most.
        (bound,) = made["lower_bounds"]
        self.assertEqual(bound["binding"], "L1 and shared memory")
        seconds = {one["resource"]: one["seconds"] for one in bound["bounds"]}
        self.assertAlmostEqual(seconds["L1 and shared memory"], 1024 * 8 / 64 / 1.98e9, delta=1e-12)
        self.assertRegex(result.stdout, r"\n    L1 and shared memory: 8192 wavefronts, .* binds")

    def test_the_view_shows_it(self) -> None:
        result = run_tool("view", FILE=str(program("wasting", "plane")))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        page = (BUILD / "view" / "plane.html").read_text(encoding="utf-8")
        self.assertIn("swap x and y: threadIdx.x must select", page)

    def test_a_device_of_a_name(self) -> None:
        result = explain(program("cured", "plane"), DEVICE="gtx980")
        self.assertIn("Lower bounds on NVIDIA GeForce GTX 980", result.stdout)
        result = explain(program("cured", "plane"), DEVICE="x")
        self.assertEqual(result.returncode, 2)
        self.assertIn("DEVICE=x: no such device", result.stderr)

    def test_says_so_where_nothing_is_wasted(self) -> None:
        result = explain(program("cured", "plane"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("no line wastes", result.stdout)

    def stand_ins(self, nvcc: str) -> dict[str, str]:
        """A PATH with an nvcc that does this, and an nvdisasm that lists a kernel of one block."""
        listing = self.folder / "listing"
        listing.write_text(LISTING, encoding="utf-8")
        for name, text in (("nvcc", nvcc), ("nvdisasm", f"cat {listing}")):
            path = self.folder / name
            path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_instructions_of_the_machine_code(self) -> None:
        path = self.folder / "findings.json"
        result = explain(program("wasting", "plane"), JSON=str(path), **self.stand_ins("true"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Instructions: the machine code for sm_90 times", result.stdout)
        made = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(made["instructions"], "machine code")
        # 512 warps execute the five instructions, one of which works with integers.
        amounts = {one["resource"]: one["amount"] for one in made["lower_bounds"][0]["bounds"]}
        self.assertEqual(amounts["issue"], "2560 warp instructions")
        self.assertEqual(amounts["integer and comparison"], "512 warp instructions")
        # On 64 multiprocessors at most, less a tenth, which the count may be too high.
        seconds = made["lower_bounds"][0]["bounds"][0]["seconds"]
        self.assertAlmostEqual(seconds, 0.9 * 2560 / 4 / 64 / 1.98e9, delta=1e-15)

    def test_an_estimate_without_machine_code(self) -> None:
        path = self.folder / "findings.json"
        result = explain(program("wasting", "plane"), JSON=str(path), **self.stand_ins("false"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(
            result.stdout,
            r"Instructions: estimated .* \(nvcc cannot compile it for sm_90\)\.\n",
        )
        made = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(made["instructions"], "estimated")
        amounts = {one["resource"]: one["amount"] for one in made["lower_bounds"][0]["bounds"]}
        self.assertEqual(amounts["issue"], "1024 warp instructions at least")

    def test_refusals(self) -> None:
        for variables, status, part in (
            ({}, 2, "name one program"),
            ({"FILE": "a.cu", "STAGE": "nbody/02_float4"}, 2, "name one program"),
            ({"FILE": "none.cu"}, 1, "FILE=none.cu: No such file"),
            ({"STAGE": "nbody/00_cpu"}, 2, "has no kernels"),
            ({"STAGE": "none"}, 2, "no such stage"),
        ):
            with self.subTest(part):
                result = run_tool("explain", **variables)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(part, result.stderr)


if __name__ == "__main__":
    unittest.main()
