# SPDX-License-Identifier: MIT
"""Marks on pages: filled from rows and sources, and refused in one line where something is missing.
"""

import unittest
from pathlib import Path

from common.tools.lib.columns import (
    COUNTER_COLUMNS,
    PROFILE_COLUMNS,
    REPORT_COLUMNS,
    ROW_COLUMNS,
)
from common.tools.lib.marks import marks_of, refill, without_marks
from common.tools.lib.stages import ROOT, DataError
from plots.maintain.tables import with_marks
from plots.page.excerpts import excerpt
from plots.page.measured import BUSY, Chapters, Measured, number_of, percent
from plots.records.stages import stages_of
from tests.plots.fixtures import GPU, PlotsTest, row, write_table

PAGE = ROOT / "chapters" / "nbody" / "03_shared_tiles" / "README.md"
RSQRT, FLUSH = (stages_of("nbody").named(name) for name in ("rsqrt", "flush_denormals"))
RUN = "steps=0"
KERNEL = "compute_accelerations_kernel"


class SyntaxTest(unittest.TestCase):
    def test_marks_are_found_and_filled(self) -> None:
        text = "A <!-- measured:x 1 -->old<!-- end --> b.\n<!-- table:t -->\nold\n<!-- end -->\n"
        path = Path("page.md")
        self.assertEqual(
            [(mark.kind, mark.words, mark.place) for mark in marks_of(text, path)],
            [("measured", "x 1", "page.md:1"), ("table", "t", "page.md:2")],
        )
        filled = refill(text, path, lambda mark: ["new"] if mark.is_block else "×2")
        self.assertEqual(
            filled,
            "A <!-- measured:x 1 -->×2<!-- end --> b.\n<!-- table:t -->\nnew\n<!-- end -->\n",
        )
        self.assertEqual(without_marks(filled), "A ×2 b.\nnew\n")

    def test_inline_code_has_no_marks(self) -> None:
        self.assertEqual(marks_of("`<!-- a:b -->` and `<!-- end -->`", Path("page.md")), [])

    def test_wrong_marks_are_refused(self) -> None:
        for text, said in (
            ("\na <!-- measured:x -->1", "page.md:2: '<!-- measured:x -->' has no <!-- end -->"),
            ("<!-- a:b -->1 <!-- c:d -->2<!-- end -->", "page.md:1: '<!-- a:b -->' has no"),
            ("1<!-- end -->", "page.md:1: <!-- end --> closes no mark"),
            ("a\n- <!-- measured:x -->1<!-- end -->", "page.md:2: .* begins a line"),
        ):
            with self.subTest(text), self.assertRaisesRegex(DataError, said):
                refill(text, Path("page.md"), lambda mark: mark.text)


class MeasuredTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        self.device, self.counters = self.folder / "device", self.folder / "counters"
        write_table(
            self.device / "nbody.csv",
            ROW_COLUMNS,
            [
                row("nbody", stage, "gpu", n, ms, repeat, RUN)
                for stage, n, times in (
                    ("02_float4", 1000, (4.0, 6.0, 5.0)),
                    ("03_shared_tiles", 1000, (2.0, 2.0, 2.0)),
                    ("03_shared_tiles", 2000, (3.0,)),
                )
                for repeat, ms in enumerate(times, 1)
            ],
        )
        write_table(
            self.device / "nbody_profile.csv",
            PROFILE_COLUMNS,
            [
                ["2026-01-01", "nbody", stage, GPU, 64, KERNEL, f"opcode:{name}", "inst", value]
                for stage, name, value in (
                    ("02_float4", "FADD", 256),
                    ("03_shared_tiles", "FADD", 128),
                    ("03_shared_tiles", "LDS", 64),
                )
            ]
            + [
                ["2026-01-01", "nbody", "03_shared_tiles", GPU, 64, KERNEL, name, "%", value]
                for name, value in ((BUSY[""][1], 81.4), (BUSY["alu"][0], 95.6))
            ],
        )
        write_table(
            self.counters / "nbody.csv",
            COUNTER_COLUMNS,
            [
                [stage, "--n 64", KERNEL, counter, value]
                for stage, counter, value in (
                    ("02_float4", "global_load.requests", 640),
                    ("02_float4", "global_load.sectors", 1280),
                    ("03_shared_tiles", "global_load.requests", 64),
                    ("03_shared_tiles", "barriers", 8),
                )
            ],
        )

    def filled(self, text: str, stage: str = "03_shared_tiles") -> str:
        data = Chapters(self.device, self.counters)
        return without_marks(with_marks(text, PAGE, data, stage))

    def word(self, words: str, kind: str = "measured") -> str:
        return self.filled(f"a <!-- {kind}:{words} -->old<!-- end -->").removeprefix("a ")

    def test_numbers_follow_the_rows(self) -> None:
        for words, said in (
            ("kernels 02_float4 1000", "5 ms"),
            ("run nbody/02_float4 1k", "5 ms"),
            ("copies 02_float4 1000", "0.2 ms"),
            ("rate 03_shared_tiles 2000", "1.33 G"),
            ("gain 03_shared_tiles 1000", "×2.50"),
            ("kernels 03_shared_tiles 2000 / kernels 03_shared_tiles 1000", "×1.50"),
            ("kernels 02_float4 1000 / 4", "1.25 ms"),
            ("kernels 03_shared_tiles 1000 % kernels 02_float4 1000", "40 %"),
            ("instructions 03_shared_tiles", "1.5"),
            ("instructions 03_shared_tiles memory", "0.5"),
            ("instructions 02_float4 / instructions 03_shared_tiles", "×1.33"),
            (f"counter 02_float4 {KERNEL} global_load.sectors/global_load.requests", "2"),
            ("busy 03_shared_tiles", "81 %"),  # by the second name of the metric
            ("busy 03_shared_tiles alu", "96 %"),
        ):
            with self.subTest(words):
                self.assertEqual(self.word(words), said)
        self.assertEqual(self.word(f"utilisation {RSQRT}", "thesis"), "90 %")
        self.assertEqual(self.word("6.4.1", "source"), "old")
        self.assertEqual(number_of("3.2M"), 3_200_000)

    def test_then_and_now_of_another_source(self) -> None:
        """Its own lines of the table of that source's times."""
        copied, before, last = map(
            stages_of("storms").named, ("copy_kernel", "resident_layer", "max_reduction")
        )
        write_table(
            self.device / "storms.csv",
            ROW_COLUMNS,
            [
                row("storms", stage, "gpu", 1000, ms, 1, "", "long")
                for stage, ms in ((before, 8.0), (last, 2.0))
            ],
        )
        page = ROOT / "chapters" / "storms" / last / "README.md"
        text, data = "<!-- table:then -->\n<!-- end -->", Chapters(self.device, self.counters)
        said = without_marks(with_marks(text, page, data, last)).splitlines()
        self.assertEqual(len(said), 3)
        self.assertRegex(said[2], rf"version 4 \| {last} \| 43\.4 s .*×4\.00 at 1 k")
        with self.assertRaisesRegex(DataError, "no source prints a number of this stage"):
            with_marks(text, page, data, copied)

    def test_a_mark_may_name_another_run_of_a_stage(self) -> None:
        stage = "peers/curand_host"
        write_table(
            self.device / "montecarlo.csv",
            ROW_COLUMNS,
            [
                row("montecarlo", stage, "gpu", 1000, ms, 1, f"generator={name};chunk=16777216")
                for name, ms in (("xorwow", 4.0), ("philox", 2.0))
            ],
        )
        self.assertEqual(self.word(f"run montecarlo/{stage} 1000"), "4 ms")
        self.assertEqual(self.word(f"run montecarlo/{stage} 1000 generator=philox"), "2 ms")

    def test_marks_of_the_run_that_is_shown(self) -> None:
        """Of k-means 16 clusters, where a mark says no k."""
        stage = stages_of("kmeans").named("fused_sums")
        run = "k={};init=random;max-iterations={};all-iterations=1;max-coordinate=1000000"
        write_table(
            self.device / "kmeans.csv",
            ROW_COLUMNS,
            [
                row("kmeans", stage, "gpu", 1000, ms, 1, run.format(k, iterations), "uniform")
                for k, iterations, ms in ((16, 20, 90.0), (16, 1, 14.0), (4, 20, 50.0))
            ],
        )
        for words, said in (
            (f"run kmeans/{stage} 1000", "90 ms"),
            (f"run kmeans/{stage} 1000 k=4", "50 ms"),
            (f"iteration kmeans/{stage} 1000", "4 ms"),
        ):
            with self.subTest(words):
                self.assertEqual(self.word(words), said)
        with self.assertRaisesRegex(DataError, f"kmeans.csv has no row of {stage}"):
            self.word(f"iteration kmeans/{stage} 1000 k=4")
        with self.assertRaisesRegex(DataError, "nbody has no runs of several iterations"):
            self.word("iteration 03_shared_tiles 1000")

    def test_numbers_of_a_report(self) -> None:
        run, stage = "max-iterations=10000", stages_of("distmesh").named("shared_atomics")
        write_table(
            self.device / "distmesh.csv",
            ROW_COLUMNS,
            [row("distmesh", stage, "gpu", 1000, 8.0, 1, run, "circle")],
        )
        write_table(
            self.device / "distmesh_report.csv",
            REPORT_COLUMNS,
            [
                ["distmesh", stage, "gpu", GPU, 1000, parameters, 1, field, value]
                for parameters, field, value in (
                    (run, "iterations", 400),
                    (f"{run};grading=2", "iterations", 7),
                    (run, "converged", "yes"),
                )
            ],
        )
        self.assertEqual(self.word(f"report distmesh/{stage} 1000 iterations"), "400")
        self.assertEqual(self.word(f"kernels distmesh/{stage} 1000 per iterations"), "20 µs")
        for words, said in (
            ("1000 holes", f"no report of {stage} with n = 1000 has 'holes'"),
            ("1000 converged", "is 'yes', no number"),
            ("2000 iterations", "no report .* n = 2000"),
        ):
            with self.subTest(words), self.assertRaisesRegex(DataError, said):
                self.word(f"report distmesh/{stage} {words}")

    def test_shares_below_one_percent_keep_a_digit(self) -> None:
        self.assertEqual(
            [percent(value) for value in (0, 0.127, 0.96, 5.4)], ["0 %", "0.1 %", "1 %", "5 %"]
        )

    def test_what_is_missing_is_one_line(self) -> None:
        for words, said in (
            ("kernels 03_shared_tiles 7", r"README.md:1: .*nbody.csv has no row of .* n = 7"),
            ("gain 03_shared_tiles 2000", "no row of 02_float4 with n = 2000"),
            ("gain 03_shared_tiles", "which n"),
            ("kernels 03_shared_tils 7", "did you mean '03_shared_tiles'"),
            ("kernel 03_shared_tiles 7", "'kernel' is no quantity; did you mean 'kernels'"),
            (f"instructions {RSQRT}", f"the profile of nbody has no {RSQRT}"),
            ("instructions 02_float4 memories", "did you mean 'memory'"),
            ("busy 03_shared_tiles alus", "'alus' is no pipe; did you mean 'alu'"),
            (f"counter 02_float4 {KERNEL} barrier", "did you mean 'barriers'"),
            ("counter 02_float4 none_kernel barriers", "has no barriers in none_kernel"),
        ):
            with self.subTest(words), self.assertRaisesRegex(DataError, said) as caught:
                self.word(words)
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(DataError, "did you mean 'measured'"):
            self.word("gain 03_shared_tiles 1000", "measure")
        with self.assertRaisesRegex(DataError, "says no section or device"):
            self.word(" ", "source")
        with self.assertRaisesRegex(DataError, "has 0 such numbers"):
            self.word("utilisation 03_shared_tiles", "thesis")

    def test_a_metric_of_several_kernels_needs_their_name(self) -> None:
        path = self.device / "nbody_profile.csv"
        name = "launch__registers_per_thread"
        with path.open("a", encoding="utf-8") as file:
            for kernel, value in ((KERNEL, 40), ("kick_kernel", 16)):
                words = (
                    "2026-01-01",
                    "nbody",
                    "03_shared_tiles",
                    GPU,
                    "64",
                    kernel,
                    name,
                    "",
                    value,
                )
                file.write(",".join(map(str, words)) + "\n")
        with self.assertRaisesRegex(DataError, "registers_per_thread of 2 kernels, not one"):
            self.word("registers 03_shared_tiles")
        data = Chapters(self.device, self.counters)
        cell = Measured(data, PAGE).cell("nbody/03_shared_tiles", KERNEL, "registers")
        self.assertEqual(cell, "40")

    def test_counters_before_and_after(self) -> None:
        said = self.filled(
            f"<!-- counters:{KERNEL} global_load.requests, barriers, instructions fp32 -->\n<!-- end -->"
        )
        self.assertIn("| counter | 02_float4 | 03_shared_tiles |", said)
        self.assertIn("| global load requests | 640 | 64 |", said)
        self.assertIn("| barriers | 0 | 8 |", said)
        self.assertIn("| fp32 arithmetic instructions per pair | 2 | 1 |", said)
        self.assertIn(f"by Nsight Compute on an {GPU}", said)
        with self.assertRaisesRegex(DataError, "neither stage has barriers in none"):
            self.filled("<!-- counters:none barriers -->\n<!-- end -->")

    def test_counters_name_the_run_of_each_stage(self) -> None:
        path = self.counters / "nbody.csv"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("03_shared_tiles,--n 64", "03_shared_tiles,--n 128"))
        said = self.filled("<!-- counters:all barriers -->\n<!-- end -->")
        self.assertIn("counted on the CPU engine for `--n 64` (02), `--n 128` (03).", said)

    def test_counters_of_one_run(self) -> None:
        """Two stages are compared in one run: their own one, or the one that the mark names."""
        path = self.counters / "nbody.csv"
        with path.open("a", encoding="utf-8") as file:
            for stage, run, counter, value in (
                ("02_float4", "--n 7", "barriers", 70),
                ("03_shared_tiles", "--n 7", "barriers", 7),
            ):
                file.write(f"{stage},{run},{KERNEL},{counter},{value}\n")
            file.write("02_float4,--n 7,,host_to_device.bytes,112\n")
        named = self.filled(f"<!-- counters:{KERNEL} `--n 7` barriers -->\n<!-- end -->")
        self.assertIn("| barriers | 70 | 7 |", named)
        self.assertIn(f"Of `{KERNEL}`, counted on the CPU engine for `--n 7`.", named)
        copies = "<!-- counters:all `--n 7` barriers, host_to_device.bytes -->\n<!-- end -->"
        self.assertIn("| host to device bytes | 112 | 0 |", self.filled(copies))
        self.assertIn(
            "| 640 | 64 |", self.filled("<!-- counters:all global_load.requests -->\n<!-- end -->")
        )
        with self.assertRaisesRegex(DataError, "02_float4 was not counted for `--n 8`"):
            self.filled(f"<!-- counters:{KERNEL} `--n 8` barriers -->\n<!-- end -->")

    def test_flags(self) -> None:
        flags = "<!-- flags: -->\n<!-- end -->"
        self.assertIn("+-ftz=true", self.filled(flags, FLUSH))
        with self.assertRaisesRegex(DataError, "no compiler flag differs"):
            self.filled(flags)


class ExcerptTest(PlotsTest):
    def excerpt(self, words: str, source: str) -> list[str]:
        (self.folder / "a.cu").write_text(source, encoding="utf-8")
        mark = marks_of(f"<!-- code:{words} -->\n<!-- end -->", Path("page.md"))[0]
        return excerpt(mark, self.folder / "page.md")

    def test_lines_are_found_wherever_they_are(self) -> None:
        words = "a.cu `for (` to `}`"
        source = "int a;\n    for (;;) {\n        b();\n    }\n}\n"
        name = f"// {self.folder.name}/a.cu"
        code = ["```cpp", name, "for (;;) {", "    b();", "}", "```"]
        self.assertEqual(self.excerpt(words, source), code)
        self.assertEqual(self.excerpt(words, "\n\n" + source), code)
        self.assertEqual(self.excerpt("a.cu `b()`", source), ["```cpp", name, "b();", "```"])

    def test_the_margin_is_that_of_the_code(self) -> None:
        source = "    a {\n#pragma unroll\n        b();\n    }\n"
        self.assertEqual(
            self.excerpt("a.cu `a {` to `}`", source)[2:-1],
            ["a {", "#pragma unroll", "    b();", "}"],
        )

    def test_what_is_not_there_is_refused(self) -> None:
        source = "int a;\nint a;\nfor\n" + "x\n" * 20 + "}\n"
        for words, said in (
            ("a.cu `while` to `}`", "page.md:1: .*0 lines have `while`, not one"),
            ("a.cu `int a` to `}`", "2 lines have"),
            ("a.cu `for` to `end`", "no later line has `end`"),
            ("a.cu `for` to `}`", "22 lines, not 2 to 12"),
            ("b.cu `for`", "there is no source b.cu"),
            ("a.cu for", "write a path"),
        ):
            with self.subTest(words), self.assertRaisesRegex(DataError, said):
                self.excerpt(words, source)


if __name__ == "__main__":
    unittest.main()
