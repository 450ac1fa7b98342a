# SPDX-License-Identifier: MIT
"""What a machine without a GPU shows of a stage: a recorded time, its gain, and the counter that
changed most."""

import unittest
from unittest import mock

from common.tools.lib.columns import COUNTER_COLUMNS, ROW_COLUMNS
from common.tools.lib.counting import Kernel
from plots.drawing.chapter import Rules
from plots.page import recorded_gains
from plots.page.chapters import all_chapters
from plots.page.optimisations import measured_speed_up, read_chapter
from plots.page.recorded_gains import RecordedGains, RecordedTime, changed_most, changes_of
from plots.records.folders import COUNTERS, DATA, device_folder
from tests.plots.fixtures import GPU, HOST, PlotsTest, made_up_chapter, row, stages

OURS = stages("00_cpu", "01_lead", "02_iron", "03_gold", "04_tin")


class TimesTest(PlotsTest):
    def gains(self, rows: list[list[object]], rules: Rules = Rules()) -> RecordedGains:
        self.write("device/alchemy.csv", ROW_COLUMNS, rows)
        chapter = made_up_chapter(OURS, rules)
        with (
            mock.patch.object(recorded_gains, "load_chapter", return_value=chapter),
            mock.patch.object(recorded_gains, "PLOTS", self.folder),
        ):
            (self.folder / "alchemy").mkdir()
            (self.folder / "alchemy" / "figures.py").touch()
            return recorded_gains.recorded_gains("alchemy", self.folder, self.folder / "counters")

    def test_the_largest_common_n_counts(self) -> None:
        found = self.gains(
            [
                row("alchemy", "00_cpu", "cpu", 10, 800.0),
                row("alchemy", "01_lead", "gpu", 10, 8.0),
                row("alchemy", "01_lead", "gpu", 1000, 60.0),
                row("alchemy", "02_iron", "gpu", 1000, 20.0),
                row("alchemy", "02_iron", "gpu", 9000, 70.0),
                row("alchemy", "03_gold", "gpu", 50, 1.0),
            ]
        )
        self.assertEqual((found.device, found.host), (GPU, HOST))
        self.assertEqual(
            found.times,
            {
                "00_cpu": RecordedTime(0.8, 10, True),
                "01_lead": RecordedTime(0.008, 10, True, "00_cpu", 100.0),
                "02_iron": RecordedTime(0.02, 1000, True, "01_lead", 3.0),
                "03_gold": RecordedTime(0.001, 50, True, "02_iron", None),
            },
        )

    def test_rows_of_the_cpu_engine_are_no_times(self) -> None:
        found = self.gains(
            [
                row("alchemy", "01_lead", "gpu", 10, 8.0),
                row("alchemy", "02_iron", "emu", 10, 4.0),
            ]
        )
        self.assertEqual(list(found.times), ["01_lead"])

    def test_a_chapter_without_plots_has_none(self) -> None:
        self.assertEqual(recorded_gains.recorded_gains("no_such_chapter"), RecordedGains())

    def test_gains_are_those_of_the_site(self) -> None:
        compared = 0
        for chapter in all_chapters():
            if not chapter.figures:
                continue
            found = recorded_gains.recorded_gains(chapter.name)
            records = read_chapter(chapter, device_folder(DATA, None), COUNTERS, [])
            for name, one in found.times.items():
                if one.gain:
                    site = measured_speed_up(records, one.before, name)
                    assert site is not None
                    self.assertEqual((site.value, site.n), (one.gain, one.n), name)
                    compared += 1
        self.assertGreater(compared, 50)


class CountersTest(PlotsTest):
    def said(self, before: dict[str, int], after: dict[str, int]) -> list[str]:
        return [one.said for one in changes_of(Kernel("", before, []), Kernel("", after, []))]

    def changed(self, counted: dict[str, dict[str, int]], arguments: dict[str, str]) -> str:
        records = [
            [stage, arguments.get(stage, "--n 9"), "" if "bytes" in name else "k", name, value]
            for stage, counters in counted.items()
            for name, value in ({"launches": 1} | counters).items()
        ]
        self.write("counters/alchemy.csv", COUNTER_COLUMNS, records)
        chapter = made_up_chapter(OURS)
        return changed_most(
            read_chapter(chapter, None, self.folder / "counters", []), "01_lead", "02_iron"
        )

    def test_as_many_requests_are_compared_one_by_one(self) -> None:
        loads = {"global_load.requests": 100, "global_load.sectors": 800}
        self.assertEqual(
            self.said(loads, loads | {"global_load.sectors": 100}), ["sectors/global load 8 → 1"]
        )
        self.assertEqual(
            self.said(loads, {"global_load.requests": 50, "global_load.sectors": 100}),
            ["global load sectors 800 → 100", "global load requests 100 → 50"],
        )

    def test_a_trifle_is_no_change(self) -> None:
        self.assertEqual(self.said({"barriers": 1000}, {"barriers": 1015}), [])
        self.assertEqual(
            self.said({"barriers": 1000}, {"barriers": 1030}), ["barriers 1 k → 1.03 k"]
        )

    def test_the_largest_change_is_named(self) -> None:
        before = {"global_load.requests": 100, "global_load.sectors": 800, "barriers": 10}
        after = {"shared_load.requests": 90, "shared_load.wavefronts": 90, "barriers": 400}
        self.assertEqual(
            self.changed({"01_lead": before, "02_iron": before | after}, {}), "barriers 10 → 400"
        )
        self.assertEqual(
            self.changed({"01_lead": before, "02_iron": after}, {}), "global load sectors 800 → 0"
        )

    def test_launches_and_copies_count_where_the_memory_asks_for_the_same(self) -> None:
        one = {"barriers": 10, "host_to_device.bytes": 4000}
        for after, said in (
            ({"launches": 16}, "kernel launches 1 → 16"),
            ({"host_to_device.bytes": 0}, "copied bytes 4 k → 0"),
            ({}, "none"),
        ):
            self.assertEqual(self.changed({"01_lead": one, "02_iron": one | after}, {}), said)

    def test_different_runs_are_not_compared(self) -> None:
        one = {"barriers": 10}
        counted = {"01_lead": one, "02_iron": {"barriers": 90}}
        self.assertEqual(self.changed(counted, {"02_iron": "--n 18"}), "")
        self.assertEqual(self.changed({"02_iron": one}, {}), "")


if __name__ == "__main__":
    unittest.main()
