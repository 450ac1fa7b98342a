# SPDX-License-Identifier: MIT
"""What the page says about an optimisation: its counters, and its speed-ups then and now."""

import unittest
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from common.tools.lib.columns import COUNTER_COLUMNS
from plots.drawing.chapter import Chapter, PrintedTables, Rules
from plots.page import optimisations
from plots.page.optimisations import Records, counted_change, speed_ups
from plots.page.recorded_gains import changed_most
from plots.page.speed_ups import (
    NO_BREAK,
    printed_before,
    printed_over_serial,
    printed_speed_up,
    speed_up_words,
)
from plots.records.counters import read_counters
from plots.records.published import Published, TableCell
from plots.records.stages import Stages
from tests.plots.fixtures import PlotsTest, made_up_chapter, stage, stages, timed
from tests.plots.page.counters import counter_records

OWN = stages("00_cpu", "01_iron", "02_copper", "03_silver", "04_gold", "05_lead")


class CountedTest(PlotsTest):
    def records(self, records: list[list[object]]) -> Records:
        path = self.write("alchemy.csv", COUNTER_COLUMNS, records)
        return Records(made_up_chapter(OWN), [], read_counters(path), [], path, path)

    def telling(self, records: list[list[object]], before: str, stage: str) -> tuple[str, ...]:
        return counted_change(self.records(records), before, stage, "body").telling

    def test_of_the_inner_loop(self) -> None:
        records = counter_records(OWN.names[1:])
        # Four loads become one: sectors follow, and are not told.
        self.assertEqual(
            self.telling(records, "01_iron", "02_copper"), ("4 → 1 global load requests per body",)
        )
        self.assertEqual(
            self.telling(records, "02_copper", "03_silver"),
            (
                "1 → 0 global load requests per body",
                "0 → 1 shared load requests per body",
                "0 → 256 barriers",
            ),
        )
        self.assertIn("nothing", self.telling(records, "04_gold", "05_lead")[0])

    def test_another_loop_is_not_compared(self) -> None:
        records = [
            [*one[:4], 100] if one[0] == "02_copper" and one[3] == "loop.iterations" else one
            for one in counter_records(OWN.names[1:])
        ]
        self.assertEqual(
            self.telling(records, "01_iron", "02_copper"),
            ("131 136 → 32 832 global load requests",),
        )

    def test_launches_are_told_first(self) -> None:
        records = [
            [*one[:4], 100] if one[0] == "02_copper" and one[3] == "launches" else one
            for one in counter_records(OWN.names[1:])
        ]
        self.assertEqual(
            self.telling(records, "01_iron", "02_copper"),
            ("1 → 100 launches", "4 → 1 global load requests per body"),
        )

    def test_what_cannot_be_compared(self) -> None:
        records = counter_records(OWN.names[1:])
        self.assertEqual(
            self.telling(records, "00_cpu", "01_iron"), ("00_cpu has no kernels to count",)
        )
        self.assertEqual(self.telling(records, "05_lead", "07_new"), ("not counted",))
        other = [[one[0], "--n 9", *one[2:]] if one[0] == "02_copper" else one for one in records]
        self.assertEqual(
            self.telling(other, "01_iron", "02_copper"), ("counted in different runs",)
        )

    def test_a_page_may_show_another_run(self) -> None:
        """Then the pair is compared in that one, as on the page."""
        records = counter_records(OWN.names[1:])
        further = [
            [stage, "--n 7", "", "host_to_device.bytes", value]
            for stage, value in (("01_iron", 500), ("02_copper", 100))
        ]
        further += [
            [stage, "--n 7", "tile_kernel", name, value]
            for stage, barriers in (("01_iron", 10), ("02_copper", 30))
            for name, value in (("warps", 2), ("barriers", barriers))
        ]
        with mock.patch.object(optimisations, "runs_of_page", return_value=["--n 7"]):
            found = counted_change(self.records(records + further), "01_iron", "02_copper", "body")
            said = changed_most(self.records(records + further), "01_iron", "02_copper")
        self.assertEqual(found.arguments, "--n 7")
        self.assertEqual(
            found.telling, ("10 → 30 barriers", "500 → 100 bytes copied to the device")
        )
        self.assertEqual(said, "barriers 10 → 30")

    def test_copies_are_told_where_they_are_much_of_all(self) -> None:
        def copied(stage: str, way: str, size: int) -> list[object]:
            return [stage, "--n 1024", "", f"{way}.bytes", size]

        records = [one for one in counter_records(OWN.names[1:]) if one[2]]
        records += [
            copied("01_iron", "host_to_device", 80_000),
            copied("01_iron", "device_to_host", 80_000),
            copied("02_copper", "device_to_host", 80_012),
        ]
        told = counted_change(self.records(records), "01_iron", "02_copper", "body")
        self.assertEqual(
            told.telling,
            ("4 → 1 global load requests per body", "80 000 → 0 bytes copied to the device"),
        )
        self.assertIn("80 000 → 0 bytes copied to the device", told.everything)
        # Where it is the only change it is all that is told.
        self.assertEqual(
            self.telling(
                [
                    *records,
                    copied("04_gold", "host_to_device", 16),
                    copied("05_lead", "host_to_device", 32),
                ],
                "04_gold",
                "05_lead",
            ),
            ("16 → 32 bytes copied to the device",),
        )

    def test_other_kernels_are_compared_in_all(self) -> None:
        records = [
            [*one[:2], "split_kernel", *one[3:]] if one[0] == "02_copper" and one[2] else one
            for one in counter_records(OWN.names[1:])
        ]
        counted = counted_change(self.records(records), "01_iron", "02_copper", "body")
        self.assertEqual(
            counted.telling, ("all kernels together: 4 → 1 global load requests per body",)
        )
        self.assertEqual(
            counted.everything, ("melt_kernel: only in 01_iron", "split_kernel: only in 02_copper")
        )
        # Two kernels have no loop in common.
        records.append(["02_copper", "--n 1024", "more_kernel", "global_load.requests", 168])
        self.assertEqual(
            self.telling(records, "01_iron", "02_copper"),
            ("all kernels together: 131 136 → 33 000 global load requests",),
        )


class SpeedUpTest(unittest.TestCase):
    """Iron takes 8 ms, copper 4; with --memory pageable 9 and 3."""

    ROWS = [
        timed(stage, 100, ms, memory=memory)
        for stage, memory, ms in (
            ("01_iron", "pinned", 8.0),
            ("02_copper", "pinned", 4.0),
            ("01_iron", "pageable", 9.0),
            ("02_copper", "pageable", 3.0),
        )
    ]

    def said(self, printed: Sequence[Published], rules: Rules) -> list[list[str]]:
        path = Path("x")
        records = Records(
            made_up_chapter(OWN, rules), self.ROWS[:2], [], printed, path, path, self.ROWS
        )
        return [
            [speed_up_words(one, "01_iron").replace(NO_BREAK, " ") for one in found]
            for found in speed_ups(records, "01_iron", "02_copper")
        ]

    def test_numbers_of_other_runs_say_so_and_are_beside_ours(self) -> None:
        printed = [
            Published("1", "alchemy", "speedup_over_previous", "02_copper", 100, value, "1.1", note)
            for value, note in ((1.5, "memory = pageable"), (2.5, ""))
        ]
        self.assertEqual(
            self.said(printed, Rules({"memory": "pinned"})),
            [
                ["×1.50 at 100, memory = pageable", "×2.50 at 100"],
                ["×2.00 at 100", "×3.00 at 100, memory = pageable"],
            ],
        )


class PrintedTest(unittest.TestCase):
    """What another source prints: 95 s, 62 s with a race, under 60 s, 43.383 s; then kernels over a
    CPU."""

    OWN = Stages(
        "alchemy",
        [
            stage("00_cpu"),
            stage("01_iron", "00_cpu"),
            stage("02_copper", "01_iron", race_on_purpose=True),
            stage("03_silver", "02_copper"),
            stage("04_gold", "03_silver"),
            stage("05_lead", "04_gold"),
        ],
        "x",
    )

    def cell(
        self, name: str, value: float, bound: str = "", quantity: str = "time", n: int = 0
    ) -> TableCell:
        return TableCell(
            "", quantity, name, "", n, {}, value, "seconds", f"version {name[:2]}", bound
        )

    def chapter(self, *more: TableCell, rules: Rules = Rules(), beyond: float = 0.0) -> Chapter:
        cells = (
            self.cell("01_iron", 95),
            self.cell("02_copper", 62),
            self.cell("03_silver", 60, "under"),
            self.cell("04_gold", 43.383),
            *more,
        )
        printed = PrintedTables(
            "Somebody 2018", "Somebody 2018", Path("x"), cells, lambda cell: cell.value < beyond
        )
        return made_up_chapter(self.OWN, rules, printed)

    def said(self, chapter: Chapter, before: str, name: str, over: str = "") -> str:
        found = printed_speed_up(chapter, before, name)
        assert found is not None
        return speed_up_words(found, over or before).replace(NO_BREAK, " ")

    def test_bounds_and_times_of_wrong_results_say_so(self) -> None:
        chapter = self.chapter()
        for before, name, over, words in (
            ("01_iron", "02_copper", "", "×1.53 (Somebody 2018, with its race)"),
            ("01_iron", "03_silver", "02_copper", "more than ×1.58 over 01_iron (Somebody 2018)"),
            ("03_silver", "04_gold", "", "less than ×1.38 (Somebody 2018)"),
        ):
            self.assertEqual(self.said(chapter, before, name, over), words)
        found = printed_speed_up(chapter, "01_iron", "03_silver")
        assert found is not None
        self.assertEqual(
            (found.n, found.where),
            (None, "version 01 and version 03: 01_iron 95 s, 03_silver under 60 s"),
        )
        self.assertIsNone(printed_speed_up(chapter, "03_silver", "03_silver"))  # two bounds
        self.assertIsNone(printed_speed_up(chapter, "04_gold", "05_lead"))
        self.assertIsNone(printed_speed_up(made_up_chapter(self.OWN), "01_iron", "03_silver"))

    def test_a_printed_speed_up_is_over_the_last_stage_with_a_printed_time(self) -> None:
        chapter = self.chapter(self.cell("05_lead", 40, quantity="speedup_over_cpu"))
        for name, before in (
            ("01_iron", "00_cpu"),  # nothing is printed for the stages before
            ("02_copper", "01_iron"),
            ("03_silver", "01_iron"),  # 02_copper races
            ("04_gold", "03_silver"),
        ):
            self.assertEqual(printed_before(chapter, name), before)
        cells = (self.cell("01_iron", 95), self.cell("04_gold", 43.383))
        printed = PrintedTables("Somebody 2018", "Somebody 2018", Path("x"), cells)
        chapter = made_up_chapter(self.OWN, Rules(), printed)
        self.assertEqual(printed_before(chapter, "04_gold"), "01_iron")
        self.assertEqual(printed_before(made_up_chapter(self.OWN), "04_gold"), "03_silver")

    def test_whole_runs_beside_kernels_say_so(self) -> None:
        self.assertEqual(
            self.said(self.chapter(rules=Rules(kernel_timed=("04_gold",))), "01_iron", "04_gold"),
            "×2.19 (Somebody 2018, whole runs)",
        )

    def test_what_a_card_cannot_reach_is_said(self) -> None:
        self.assertIn("beyond its reach", self.said(self.chapter(beyond=50), "01_iron", "04_gold"))

    def test_over_the_serial_stage(self) -> None:
        cells = [
            self.cell("01_iron", 6.28, quantity="speedup_over_cpu", n=100),
            self.cell("01_iron", 2.0, quantity="speedup_over_cpu", n=10),
            self.cell("01_iron", 53.38, quantity="kernels_speedup_over_cpu", n=300),
        ]
        for rules, value, n in (
            (Rules(), 6.28, 100),
            (Rules(kernel_timed=("01_iron",)), 53.38, 300),
        ):
            found = printed_over_serial(self.chapter(*cells, rules=rules), "01_iron")
            assert found is not None
            self.assertEqual(
                (found.value, found.over, found.n, found.card),
                (value, "00_cpu", n, "Somebody 2018"),
            )
        self.assertIsNone(printed_over_serial(self.chapter(*cells), "04_gold"))


if __name__ == "__main__":
    unittest.main()
