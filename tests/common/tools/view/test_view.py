# SPDX-License-Identifier: MIT
"""make view: the page of a program with mistakes, the numbers in its margin, and what it
refuses."""

import base64
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from common.tools.explain.bounds import Bound
from common.tools.explain.kernel_bounds import KernelBounds
from common.tools.programs.own_program import OwnProgram
from common.tools.programs.stage_or_file import counted_program, own_stage
from common.tools.view.findings import outside_of
from common.tools.lib.hardware import Difference
from common.tools.lib.margins import Margin
from common.tools.view.occupancy import occupancy
from common.tools.view.programs import Run, run
from common.tools.pages.packages import missing_packages
from tests.common.tools.course_tools import BUILD, ROOT, run_tool
from tests.plots.page.reader import Reader

if missing_packages():
    print(f"no view: {', '.join(missing_packages())} missing")
    sys.exit(77)
from common.tools.view.least import Least
from common.tools.view.page import Explained, render, side_of

PROGRAM = Path(__file__).resolve().parent / "racy_transpose.cu"
H200 = {
    "threads": 2048,
    "blocks": 32,
    "shared": 233472,
    "reserved_shared": 1024,
    "shared_granularity": 128,
    "threads_with_registers": [[32, 2048], [40, 1536], [64, 1024], [128, 512], [255, 256]],
}


def line_of(text: str) -> int:
    """The number of the program's line that has this text."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


STORE = line_of("s_tile[threadIdx.x][threadIdx.y] = in")
LOAD = line_of("= s_tile[threadIdx.y]")
SUM = line_of("i <= count")


def data_of(page: str) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def row_of(page: str, line: int, file: str = PROGRAM.name) -> str:
    """A line of the source and the findings below it."""
    begin = page.index(f'<tr id="p0-{file}-{line}"')
    end = page.find(f'<tr id="p0-{file}-{line + 1}"', begin)
    return page[begin:end]


def cells_of(row: str) -> list[str]:
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in cells]


class ViewTest(unittest.TestCase):
    """The program is built and run once."""

    folder: Path
    page: str
    said: str

    @classmethod
    def setUpClass(cls) -> None:
        if not (BUILD / "emulator.json").exists():
            raise unittest.SkipTest("the CPU engine is not built")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        result = run_tool("view", FILE=str(PROGRAM))
        assert result.returncode == 0, result.stderr
        cls.said = result.stdout
        cls.page = (BUILD / "view" / "racy_transpose.html").read_text(encoding="utf-8")

    def run_again(self, **variables: str) -> Run:
        """Runs the program that is built."""
        program = OwnProgram([PROGRAM])
        with mock.patch.dict(os.environ, variables):
            return run(own_stage(program, {"count": str(program.executable("count"))}), [])

    def test_it_says_where_the_page_is(self) -> None:
        self.assertIn("racy_transpose.html: 3 findings", self.said)

    def test_its_elements_are_closed_and_its_headings_in_order(self) -> None:
        reader = Reader(self.page)
        self.assertEqual(reader.headings[0], 1)
        for before, after in zip(reader.headings, reader.headings[1:]):
            self.assertLessEqual(after, before + 1)
        self.assertTrue(all("scope" in found for tag, found in reader.tags if tag == "th"))

    def test_it_needs_no_network(self) -> None:
        outside = re.findall(r'(?:src|href)="(?!#|data:)[^"]*"|https?://[^"\s<]*', self.page)
        self.assertEqual(outside, [])

    def test_the_scripts_are_part_of_the_file(self) -> None:
        found = re.search(r'<script type="importmap">(.*?)</script>', self.page)
        assert found
        imports = json.loads(found[1])["imports"]
        folder = ROOT / "common" / "tools" / "view" / "modules"
        self.assertEqual(set(imports), {f"view/{path.stem}" for path in folder.glob("*.js")})
        for name, address in imports.items():
            text = base64.b64decode(address.partition("base64,")[2]).decode()
            self.assertEqual(text, (folder / f"{name[5:]}.js").read_text(encoding="utf-8"))
            for imported in re.findall(r' from "([^"]*)"', text):
                self.assertIn(imported, imports)

    def test_the_margin(self) -> None:
        row = row_of(self.page, STORE)
        self.assertIn("w4 asks", row)
        self.assertEqual(
            cells_of(row)[:7],
            [str(STORE), "256", "100 %", "32 ideal 4", "32 ideal 1", "", "×32"],
        )
        quiet = row_of(self.page, STORE + 1)
        self.assertIn('class="w0"', quiet)
        self.assertEqual(cells_of(quiet)[:7], [str(STORE + 1), "", "", "", "", "", ""])

    def test_instructions_and_the_least_time(self) -> None:
        bounds = [Bound("issue", "5 warp instructions", 2e-6), Bound("L2", "1 sector", 1e-9)]
        least = Least(
            "NVIDIA X",
            "Instructions: counted by hand.",
            [KernelBounds("transpose_kernel", bounds), KernelBounds("", bounds[1:])],
            {(PROGRAM.name, STORE + 1): 12345},
        )
        page = render([side_of(self.run_again(), (), least)])
        self.assertEqual(cells_of(row_of(page, STORE + 1))[7], "12\u2009345")
        self.assertEqual(cells_of(row_of(page, STORE))[7], "")
        found = re.search(r'<section class="least".*?</section>', page, re.DOTALL)
        assert found
        self.assertIn("Least time on NVIDIA X", found[0])
        self.assertIn("Instructions: counted by hand.", found[0])
        rows = [cells_of(row) for row in re.findall(r"<tr.*?</tr>", found[0], re.DOTALL)]
        self.assertEqual(
            rows[1:],
            [
                ["transpose_kernel", "issue (binds)", "5 warp instructions", "2 µs"],
                ["transpose_kernel", "L2", "1 sector", "0.001 µs"],
                ["copies between host and device", "L2", "1 sector", "0.001 µs"],
            ],
        )
        # A finding's row is as wide as the table.
        self.assertIn('<td colspan="9">', row_of(page, STORE))
        self.assertIn('<td colspan="8">', row_of(render([side_of(self.run_again())]), STORE))

    def test_what_a_gpu_counts_otherwise_is_marked(self) -> None:
        differing = {"shared_store.wavefronts": Difference("shared_store.wavefronts", "", 8192, 64)}
        with mock.patch("common.tools.view.page.differences", return_value=differing):
            page = render([side_of(self.run_again())])
        said = "shared store wavefronts: GPU: 64"
        self.assertIn(f'<abbr title="{said}">~</abbr>', row_of(page, STORE))
        self.assertIn(f"transpose_kernel: {said}</li>", page)
        self.assertNotIn("<abbr", row_of(page, LOAD))
        self.assertNotIn("<abbr", self.page)

    def test_the_addresses_of_the_lanes(self) -> None:
        (program,) = data_of(self.page)
        load = next(
            one
            for one in program["instructions"]
            if (one["line"], one["space"], one["operation"]) == (STORE, "global", "load")
        )
        first = load["kept"][0]
        self.assertEqual(first["offsets"], [lane * 64 * 4 for lane in range(32)])
        self.assertEqual((first["units"], first["ideal"]), (32, 4))
        self.assertEqual(program["objects"][first["objects"][0]]["bytes"], 64 * 64 * 4)

    def test_findings_are_at_their_lines(self) -> None:
        (program,) = data_of(self.page)
        races = [one["lines"] for one in program["findings"] if one["race"]]
        name = PROGRAM.name
        self.assertEqual(races, [[[name, STORE], [name, LOAD]], [[name, LOAD], [name, STORE]]])
        self.assertIn("race in block", row_of(self.page, STORE))
        self.assertIn("Add __syncthreads().", row_of(self.page, STORE))
        outside = row_of(self.page, SUM)
        self.assertIn("out of bounds", outside)
        self.assertIn("allocation 1: bytes 0 to 16383", outside)
        self.assertNotIn("out of bounds", row_of(self.page, LOAD))
        self.assertIn(f'href="#p0-{name}-{SUM}"', self.page)

    def test_occupancy_is_that_of_the_engine(self) -> None:
        (program,) = data_of(self.page)
        self.assertEqual(
            [
                (one["kernel"], one["launched"], one["static_shared"])
                for one in program["occupancy"]
            ],
            [("transpose_kernel", 1024, 4096), ("sum_kernel", 128, 512)],
        )
        for device in ("h200", "gtx980"):
            view = self.run_again(EMULATOR_DEVICE=device).view
            for kernel in view["kernels"]:
                (shape,) = kernel["shapes"]
                threads = shape["block"][0] * shape["block"][1]
                found = occupancy(view["device"], threads, 16, shape["dynamic_shared"])
                self.assertEqual(found.blocks, shape["resident"])

    def test_two_programs_side_by_side(self) -> None:
        right = self.folder / "racy_transpose.cu"
        text = PROGRAM.read_text(encoding="utf-8")
        right.write_text(
            text.replace("in[x * kSize + y]", "in[y * kSize + x]").replace(
                "i <= count", "i < count"
            ),
            encoding="utf-8",
        )
        page = render(
            [side_of(self.run_again()), side_of(run(counted_program(OwnProgram([right])), []))]
        )
        rows = Reader(page).rows
        self.assertIn(["sectors per request", "32", "4", "×0.125"], rows)
        self.assertEqual(len(data_of(page)), 2)
        for program in (0, 1):
            changed = re.findall(rf'id="p{program}-[^"]*-(\d+)"[^>]*class="[^"]*changed', page)
            self.assertEqual([int(line) for line in changed], [STORE, SUM])

    def test_a_long_run_says_what_was_left_out(self) -> None:
        page = render([side_of(self.run_again(EMULATOR_BUDGET="5000"))])
        self.assertRegex(page, r"Left out.*transpose_kernel: 1 of 1 launches and \d of 4 blocks")
        self.assertNotIn("Left out.</strong> The program", self.page)

    def test_causes_are_shown_at_their_lines(self) -> None:
        quiet = STORE - 1  # a line that asks for nothing
        explained = [
            Explained(PROGRAM.name, quiet, "lanes are <64> floats apart", "swap x and y"),
            Explained(PROGRAM.name, 0, "the grid is small", "launch more blocks"),
        ]
        page = render([side_of(self.run_again(), explained)])
        (program,) = data_of(page)
        self.assertEqual(program["explained"][0]["cause"], "lanes are <64> floats apart")
        self.assertNotIn("<64>", page)
        self.assertIn("Lanes are &lt;64&gt; floats apart. <em>Swap x and y.</em>", page)
        self.assertIn("<li>The grid is small.", page)
        self.assertIn("<button", row_of(page, quiet))
        self.assertNotIn("<button", row_of(self.page, quiet))

    def test_what_is_refused(self) -> None:
        broken = self.folder / "broken.cu"
        broken.write_text("int main() { return 0; }\n", encoding="utf-8")
        dies = self.folder / "dies.cu"
        dies.write_text("#include <cstdlib>\nint main() { std::abort(); }\n", encoding="utf-8")
        for variables, part in (
            ({}, "choose what to look at"),
            ({"STAGE": "nbody/03_shared_tiles", "FILE": str(PROGRAM)}, "choose what to look at"),
            ({"A": str(PROGRAM)}, "choose what to look at"),
            ({"STAGE": "nbody/00_cpu"}, "nbody/00_cpu: nothing can be counted: it has no kernels"),
            ({"STAGE": "nbody/none"}, "STAGE=nbody/none: no such stage"),
            ({"FILE": str(self.folder / "no.cu")}, "no.cu: No such file or directory"),
            ({"FILE": str(self.folder)}, "is a directory"),
            ({"FILE": str(broken)}, "ran no kernel"),
            ({"FILE": str(dies)}, "ended with status -6"),
        ):
            with self.subTest(**variables):
                result = run_tool("view", **variables)
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(part, result.stderr)
        for name in ("broken", "dies", "no"):
            self.assertFalse((BUILD / "view" / f"{name}.html").exists())


class PartsTest(unittest.TestCase):
    def test_the_resource_that_runs_out_first(self) -> None:
        for threads, registers, shared, blocks, limit in (
            (32, 32, 0, 32, "blocks"),
            (256, 32, 0, 8, "threads"),
            (256, 64, 0, 4, "registers"),
            (256, 32, 100_000, 2, "shared memory"),
            (1000, 32, 0, 2, "threads"),
            (1024, 128, 0, 0, "registers"),
        ):
            with self.subTest(threads=threads, registers=registers, shared=shared):
                found = occupancy(H200, threads, registers, shared)
                self.assertEqual((found.blocks, found.limit), (blocks, limit))
        self.assertEqual(occupancy(H200, 256, 64, 0).share, 0.5)

    def test_where_an_access_lies(self) -> None:
        past = outside_of("4 bytes past the end of allocation 3 (1024 bytes)")
        assert past
        self.assertEqual((past.name, past.bytes, past.distance), ("allocation 3", 1024, 4))
        before = outside_of("1 byte before s_tile (64 bytes)")
        assert before
        self.assertTrue(before.before)
        dynamic = outside_of(
            "8 bytes past the end of the block's 256 bytes of dynamic shared memory"
        )
        assert dynamic
        self.assertEqual((dynamic.bytes, dynamic.distance), (256, 8))
        self.assertIsNone(outside_of("at a null pointer"))

    def test_a_line_with_two_costs_has_the_colour_of_the_larger_one(self) -> None:
        margin = Margin()
        line = dict.fromkeys(("lanes", "alive_lanes", "sectors", "ideal_sectors"), 32)
        line |= {"wavefronts": 0, "ideal_wavefronts": 0, "requests": 1}
        margin.add(line | {"operation": "load"})
        self.assertEqual((margin.waste, margin.level), (1, 0))
        margin.add(
            line
            | {
                "operation": "store",
                "sectors": 0,
                "ideal_sectors": 0,
                "wavefronts": 9,
                "ideal_wavefronts": 2,
            }
        )
        self.assertEqual((margin.waste, margin.level), (4.5, 3))
        self.assertEqual(margin.per_request("sectors"), 32)
        self.assertEqual(margin.per_request("wavefronts"), 9)
        margin.add(line | {"operation": "barrier"})
        self.assertEqual((margin.requests, margin.barriers, margin.asks), (2, 1, 3))


if __name__ == "__main__":
    unittest.main()
