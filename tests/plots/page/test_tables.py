# SPDX-License-Identifier: MIT
"""The READMEs' tables: made of rows, and refused where a place or data is missing."""

import contextlib
import io
import shutil
import unittest
from dataclasses import replace
from pathlib import Path

from common.tools.lib.columns import COUNTER_COLUMNS
from common.tools.lib.counting import bare
from common.tools.lib.stages import ROOT, DataError
from plots.maintain import tables
from plots.drawing.chapter import PrintedTables, Rate, Rules
from plots.page import speed_up_tables
from plots.page.chapters import all_chapters
from plots.page.comparison import comparable, rate_at, speed_up
from plots.page.counter_table import counted_runs, counters_table
from plots.page.path_tables import table_of
from plots.page.speed_up_tables import printed_table, published_table
from plots.page.stage_head import read_head
from plots.records.counters import KernelCounters, read_counters
from plots.records.folders import COUNTERS, THESIS
from plots.records.published import Published, TableCell, read_published
from plots.records.rows import Row
from plots.records.stages import Stages
from tests.plots.fixtures import (
    GPU,
    DrawingTest,
    PlotsTest,
    data_of,
    made_up_chapter,
    stage,
    stages,
    timed,
)
from tests.plots.page.counters import counter_records


class TablesTest(PlotsTest):
    def test_the_head_of_a_source(self) -> None:
        source = self.folder / "stage.cu"
        source.write_text(
            "// SPDX\n// Idea: x.\n// Limit now: loads of 4.5\n// bytes; more.\nint main;\n"
        )
        self.assertEqual(
            read_head(source), {"Idea": "x.", "Limit now": "loads of 4.5 bytes; more."}
        )
        source.write_text("// SPDX\n\n// Limit now: too late.\n")
        self.assertEqual(read_head(source), {})

    def test_a_table_needs_its_place(self) -> None:
        text = "before\n<!-- table:stages -->\nold\n<!-- end -->\nafter\n"
        self.assertEqual(
            tables.fill(text, "stages", ["new"], self.folder),
            "before\n<!-- table:stages -->\nnew\n<!-- end -->\nafter\n",
        )
        with self.assertRaises(DataError):
            tables.fill(text, "published", ["new"], self.folder)

    def rows(self, seconds: dict[tuple[str, int], float]) -> list[Row]:
        return [timed(stage, n, 1000 * time, 0.0) for (stage, n), time in seconds.items()]

    def test_speed_ups_are_taken_at_the_largest_common_n(self) -> None:
        rows = self.rows({("a", 1): 8, ("a", 2): 6, ("a", 3): 9, ("b", 1): 2, ("b", 2): 3})
        self.assertEqual(speed_up(rows, "a", "b"), (2.0, 2))
        self.assertEqual(speed_up(rows, "a", "b", 1), (4.0, 1))
        self.assertIsNone(speed_up(rows, "a", "b", 3))

    def test_rates_are_those_of_the_kernels(self) -> None:
        rows = [
            timed("a", n, 9.0, ms) for n, ms in ((1000, 1.0), (4000, 2.0), (4000, 1.0), (4000, 4.0))
        ]
        self.assertEqual(rate_at(Rate("keys"), rows, "a"), (2e6, 4000))
        self.assertEqual(
            rate_at(Rate("pairs", lambda one: one.n**2), rows, "a", 1000), (1e9, 1000)
        )
        self.assertIsNone(rate_at(Rate("keys"), rows, "b"))
        self.assertIsNone(rate_at(Rate("keys"), [timed("a", 10, 9.0, 0.0)], "a"))

    def test_counters(self) -> None:
        own = stages("00_cpu", *(f"0{i}_stage" for i in range(1, 7)))
        records = counter_records(own.names[1:])
        lines = counters_table(
            own, read_counters(self.write("alchemy.csv", COUNTER_COLUMNS, records))
        )
        self.assertEqual(
            lines[0],
            (
                "| kernel | stage | global loads | sectors each | global stores | sectors each |"
                " shared loads | wavefronts each | barriers | global loads per key | shared loads"
                " per key |"
            ),
        )
        self.assertEqual(
            lines[2], "| melt_kernel | 01_stage | 131 136 | 1 | 96 | 4 |  |  |  | 4 |  |"
        )
        # Four stages that the counters cannot tell apart are one row.
        self.assertIn("| 03_stage, 04_stage, 05_stage, 06_stage |", lines[4])
        self.assertEqual(len(lines), 7)
        self.assertIn("`--n 1024`", lines[6])
        # A kernel of the chapter's headers has its namespace.
        self.assertEqual(
            [
                bare(name)
                for name in ("a_kernel", "c::a_kernel", "a_kernel<int>", "c::a_kernel<c::T, 3>")
            ],
            ["a_kernel"] * 4,
        )

    def test_runs_that_are_not_all_the_same_name_their_stages(self) -> None:
        counted = [
            KernelCounters(name, arguments, "k", {})
            for name, arguments in (
                ("01_a", "--n 1"),
                ("02_b", "--n 2"),
                ("02_b", "--n 2"),
                ("05_c", "--n 2"),
            )
        ]
        self.assertEqual(counted_runs(counted[:1]), "`--n 1`")
        self.assertEqual(counted_runs(counted), "`--n 1` (01), `--n 2` (02, 05)")

    def test_the_compared_run(self) -> None:
        def of(name: str, stage: str = "a", **parameters: str) -> Row:
            return replace(timed(stage, 1, 1.0, **parameters), input=name)

        rules = Rules({"input": "uniform", "memory": "pinned"})
        rows = [
            of("uniform"),
            of("uniform", "b", memory="pinned"),
            of("uniform", "b", memory="pageable"),
            of("sorted"),
            of("uniform", "b"),
        ]  # a has no such parameter, the last b was not given it
        self.assertEqual(comparable(rules, rows), rows[:2])

    def test_stages_of_their_own_parameters(self) -> None:
        rules = Rules(
            {"input": "uniform"},
            stage_runs={"a": {"size": "64"}, "b": {"size": "2", "threads": "32"}},
        )
        rows = [
            timed("a", 1, 1.0, size="64"),
            timed("a", 1, 1.0, size="32"),
            timed("b", 1, 1.0, size="2", threads="32"),
            timed("b", 1, 1.0, size="2", threads="1"),
        ]
        self.assertEqual(comparable(rules, rows), [rows[0], rows[2]])


class PrintedTableTest(unittest.TestCase):
    """A made-up chapter: each stage is twice as fast as the one before, its kernels four times."""

    def setUp(self) -> None:
        self.own = stages("00_cpu", "01_iron", "02_gold")
        self.rows = [
            timed(one.name, 1000, 8.0 / 2**i, 4.0 / 4**i, "gpu" if i else "cpu")
            for i, one in enumerate(self.own)
        ]

    def test_how_times_were_taken_is_said(self) -> None:
        rules = Rules(kernel_timed=("01_iron", "02_gold"))
        said = speed_up_tables.timing_rule(made_up_chapter(self.own, rules))
        self.assertIn("over the stage before: kernels alone for 01_iron to 02_gold", said)
        raced = [*self.own, stage("03_lead", "02_gold", race_on_purpose=True)]
        said = speed_up_tables.timing_rule(made_up_chapter(Stages("alchemy", raced, "x")))
        self.assertIn("(not over 03_lead, which is wrong on purpose): whole runs", said)

    def test_neighbours_are_a_range(self) -> None:
        names = ("00_a", "01_b", "02_c", "03_d", "04_e", "05_f")
        for chosen, words in (
            (names[1:3], "01_b to 02_c"),
            (("00_a", "01_b", "04_e", "05_f"), "00_a to 01_b and 04_e to 05_f"),
            (("03_d", "01_b"), "01_b and 03_d"),
        ):
            self.assertEqual(speed_up_tables.ranges_of(names, chosen), words)

    def test_numbers_of_another_source_take_the_place_of_the_thesis(self) -> None:
        cells = tuple(
            TableCell("", "time", name, "", 0, {}, value, "ms", "version 1")
            for name, value in (("01_iron", 6.0), ("02_gold", 2.0))
        )
        chapter = made_up_chapter(
            self.own, printed=PrintedTables("Somebody 2018", "Somebody 2018", Path("x"), cells)
        )
        lines = printed_table(chapter, self.rows)
        self.assertEqual(
            lines[0], f"| Somebody 2018 | stage | time | speed-up over the stage before | {GPU} |"
        )
        self.assertEqual(lines[3], "| version 1 | 02_gold | 2 ms | ×3.00 | ×2.00 at 1 k |")


class PublishedTableTest(unittest.TestCase):
    OWN = stages("00_cpu", "01_a", "02_b")

    def test_values_are_compared_at_their_n(self) -> None:
        rows = [
            timed(name, n, 1000.0 * seconds)
            for name, n, seconds in (("00_cpu", 100, 10), ("01_a", 100, 5), ("01_a", 1000, 1))
        ]
        chapter = made_up_chapter(self.OWN)
        one = Published("8.2", "alchemy", "speedup_over_cpu", "01_a", 100, 2.1, "8.4.2")
        self.assertIn("| ×2.10 | ×2.00 | yes |", published_table(chapter, rows, [], [one])[2])
        absent = Published("8.2", "alchemy", "time", "01_a", 500, 2.1, "8.4.2")
        self.assertIn("not measured", published_table(chapter, rows, [], [absent])[2])

    def test_over_the_first_of_a_series(self) -> None:
        rows = [
            timed(name, 1, total, kernels)
            for name, kernels, total in (
                ("00_cpu", 4.0, 10.0),
                ("01_a", 2.0, 8.0),
                ("02_b", 1.0, 4.0),
            )
        ]
        chapter = made_up_chapter(
            self.OWN, Rules(kernel_timed=("00_cpu", "01_a"), series=(("00_cpu", "01_a", "02_b"),))
        )
        published = [
            Published("1", "alchemy", "speedup_over_first", name, 1, 2.0, "1.1")
            for name in ("01_a", "02_b")
        ]
        lines = published_table(chapter, rows, [], published)
        self.assertIn("| speed-up over 00_cpu | 01_a | 1 | ×2.00 | ×2.00 | yes |", lines[2])
        self.assertIn("| speed-up over 00_cpu | 02_b | 1 | ×2.00 | ×2.50 | no |", lines[3])

    def test_each_is_compared_with_its_own_run(self) -> None:
        """The thesis prints some numbers for several runs, which differ in a parameter."""
        rows = [
            timed(name, 100, ms, k=k)
            for name, k, ms in (
                ("01_a", "4", 8.0),
                ("02_b", "4", 4.0),
                ("01_a", "8", 9.0),
                ("02_b", "8", 3.0),
            )
        ]
        published = [
            Published("1", "alchemy", "speedup_over_previous", "02_b", 100, value, "1.1", note)
            for value, note in ((1.5, "k = 4"), (2.5, "k = 8; at most"), (9.0, "about k = 4"))
        ]
        chapter = made_up_chapter(self.OWN, Rules({"k": "4"}))
        lines = published_table(chapter, comparable(chapter.rules, rows), [], published, rows)
        self.assertIn(
            "| speed-up over the stage before, k = 4 | 02_b | 100 | ×1.50 | ×2.00 | no |", lines[2]
        )
        self.assertIn(
            "| speed-up over the stage before, k = 8 | 02_b | 100 | ×2.50 | ×3.00 | no |", lines[3]
        )
        self.assertIn(
            "| speed-up over the stage before | 02_b | 100 | ×9.00 | ×2.00 | no |", lines[4]
        )


class CommandTest(DrawingTest):
    def test_a_chapter_without_rows_keeps_its_readme(self) -> None:
        self.device.mkdir(parents=True)
        (self.device / "other.csv").write_text("x\n", encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = tables.main(
                ["--check", "--recorded", str(self.recorded), "--chapters", str(self.folder)]
            )
        self.assertEqual(status, 0)
        self.assertIn(f"has no rows of {all_chapters()[0].name}", said.getvalue())

    def test_pages_without_rows_are_filled_unless_another_device_has_some(self) -> None:
        self.device.mkdir(parents=True)
        (self.device / "other.csv").write_text("x\n", encoding="utf-8")
        chapter = all_chapters()[0]
        (self.recorded / COUNTERS.name).mkdir()
        shutil.copy(COUNTERS / f"{chapter.name}.csv", self.recorded / COUNTERS.name)
        names = ["counters", *(table_of(path) for path in chapter.path_sizes)]
        empty = "# Title\n" + "".join(f"\n<!-- table:{one} -->\n<!-- end -->\n" for one in names)
        page = self.folder / chapter.name / "README.md"
        page.parent.mkdir()
        page.write_text(empty, encoding="utf-8")
        words = ["--recorded", str(self.recorded), "--chapters", str(self.folder)]
        words += ["--device", self.device.name]
        elsewhere = self.recorded / "another-device" / f"{chapter.name}.csv"
        elsewhere.parent.mkdir()
        elsewhere.write_text("", encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(tables.main(words), 0)
        self.assertEqual(page.read_text(encoding="utf-8"), empty)
        elsewhere.unlink()
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(tables.main(words), 0)
        written = page.read_text(encoding="utf-8")
        self.assertEqual(written.count("Not measured yet."), len(chapter.path_sizes))
        self.assertIn(f"({chapter.stages.kernels[0]}/README.md)", written)
        self.assertIn("Counted on the CPU engine", written)

    def test_every_readme_has_a_place_for_each_of_its_tables(self) -> None:
        self.write_measurements(self.device)
        published = read_published(THESIS)
        written = [one for one in all_chapters() if data_of(one.name).tables("gpu")]
        self.assertTrue(written)
        for chapter in written:
            with self.subTest(chapter.name):
                counted = read_counters(COUNTERS / f"{chapter.name}.csv")
                own = [one for one in published if one.chapter == chapter.name]
                folder = ROOT / "chapters" / chapter.name
                pages = tables.chapter_pages(chapter, self.device, counted, own, folder)
                said = "\n".join(pages.values())
                self.assertRegex(said, rf"here \({GPU}\)|{GPU}, here")


if __name__ == "__main__":
    unittest.main()
