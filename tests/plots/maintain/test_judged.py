# SPDX-License-Identifier: MIT
"""What make check-record finds in a folder of records: each kind of mistake, planted in one that is
right."""

import contextlib
import io
import os
import unittest
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from unittest import mock

from common.tools.lib.columns import LIMITS_COLUMNS, ROW_COLUMNS
from common.tools.lib.gpu_state import State
from plots.commands import check_record
from plots.maintain.watching import Watch, summary
from plots.page.chapters import all_chapters
from plots.maintain import judged
from plots.records.conditions import COLUMNS, FILE
from plots.records.recorded_runs import TOO_LARGE_COLUMNS, TOO_LARGE_FILE
from plots.maintain.judged import Judgement, judge
from tests.plots.fixtures import (
    GPU,
    LIMITS,
    PlotsTest,
    made_up_chapter,
    recorded_folders,
    row,
    stages,
)

CHAPTER = made_up_chapter(stages("01_iron"))
NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
BUSY = State(1500, 1200, 1900, 300.0, 350.0, 60)
PLACE = {name: place for place, name in enumerate(ROW_COLUMNS)}


def seen(*states: State) -> list[object]:
    found = summary(GPU, "580.1", "1.0", list(states))
    assert found is not None
    return list(found.record().values())


class JudgedTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        self.folder = self.folder / "stand-in-gpu-1"
        self.rows = [row("alchemy", "01_iron", "gpu", 1000, 2.0 + i / 100, i) for i in range(1, 6)]
        self.conditions = [seen(BUSY)]

    def judged(self) -> Judgement:
        self.write("alchemy.csv", ROW_COLUMNS, self.rows)
        self.write("limits.csv", LIMITS_COLUMNS, LIMITS)
        self.write(FILE, COLUMNS, self.conditions)
        return judge(self.folder, [CHAPTER], NOW)

    def finds(self, words: str, change: Callable[[], object]) -> None:
        self.assertEqual(self.judged().wrong, [])
        change()
        (said,) = self.judged().wrong
        self.assertIn(words, said)

    def every(self, name: str, *values: object) -> None:
        for record, value in zip(self.rows, values * len(self.rows)):
            record[PLACE[name]] = value

    def test_what_is_right_is_fit(self) -> None:
        found = self.judged()
        self.assertEqual((found.wrong, found.notes), ([], []))
        self.assertEqual((found.device, found.rows, found.chapters), (GPU, 5, ["alchemy"]))

    def test_rows_that_are_not_verified(self) -> None:
        self.judged()
        self.every("verified", "false")
        self.assertIn("a row that is not verified", self.judged().wrong[0])

    def test_two_devices(self) -> None:
        self.finds(
            "rows of several GPUs: Stand-In GPU 1, T4", lambda: self.every("device", GPU, "T4")
        )

    def test_no_gpu(self) -> None:
        self.every("engine", "cpu")
        self.assertEqual(self.judged().wrong, ["there is no row of a GPU"])

    def test_a_device_without_limits(self) -> None:
        self.judged()
        self.write("limits.csv", LIMITS_COLUMNS, [])
        (said,) = judge(self.folder, [CHAPTER], NOW).wrong
        self.assertIn("limits.csv does not have this GPU", said)

    def test_an_impossible_time(self) -> None:
        self.finds("faster than the GPU can be: alchemy/01_iron", lambda: self.every("bytes", 1e9))

    def test_times_that_vary(self) -> None:
        self.finds("times that vary: alchemy/01_iron", self.vary)

    def vary(self) -> None:
        """Three runs of four, so that these are more than a few."""
        self.rows = [
            row("alchemy", "01_iron", "gpu", n, 2.0 + repeat / 100 + wide * repeat, repeat)
            for n, wide in ((1000, 1), (2000, 1), (3000, 1), (4000, 0))
            for repeat in range(1, 6)
        ]

    def test_one_run_that_varies_is_a_note(self) -> None:
        self.rows[0][PLACE["kernels_ms"]] = self.rows[1][PLACE["kernels_ms"]] = 9.0
        found = self.judged()
        self.assertEqual(found.wrong, [])
        self.assertIn("times that vary", found.notes[0])

    def test_repeats_that_are_copies(self) -> None:
        def copy() -> None:
            self.every("kernels_ms", 2.0)
            self.every("total_ms", 2.5)

        self.finds("repeats with the same times", copy)

    def test_dates(self) -> None:
        for text in ("2026-03-02T00:00:00Z", "yesterday", ""):
            with self.subTest(text):
                self.setUp()
                self.finds("no date that has been", lambda: self.every("date", text))

    def test_runs_that_are_missing(self) -> None:
        with mock.patch.object(judged, "missing_lines", lambda *_: iter(["sweep gold: 3 runs"])):
            (said,) = self.judged().wrong
        self.assertIn("`make record CHAPTER=alchemy` measures them: sweep gold: 3 runs", said)

    def test_a_run_that_is_too_large_is_not_missing(self) -> None:
        sweep = mock.Mock(optional=False, ranks=())
        sweep.name = "gold"
        for names in (["a", "b"], ["b"]):
            self.write(TOO_LARGE_FILE, TOO_LARGE_COLUMNS, [[name, "needs 9 GB"] for name in names])
            with (
                mock.patch.object(judged, "read_sweeps", lambda *_: [sweep]),
                mock.patch.object(judged, "recorded_rows", lambda *_: []),
                mock.patch.object(judged, "missing_runs", lambda *_: ["a", "b"]),
            ):
                lines = list(judged.missing_lines("nbody", self.folder))
            self.assertEqual(lines, ["sweep gold: a"] if names == ["b"] else [])
        self.assertIn("too large for the machine: b: needs 9 GB", self.judged().notes)

    def test_a_gpu_that_was_slowed_down(self) -> None:
        def heat() -> None:
            hot = State(900, 0, 1900, 300.0, 350.0, 91, ("power limit", "temperature"))
            self.conditions.append(seen(BUSY, hot))

        self.finds("slowed down: temperature (at most 91 C)", heat)

    def test_a_clock_below_its_base(self) -> None:
        self.finds(
            "its clock was 700 MHz, below its base of 1200 MHz",
            lambda: self.conditions.append(seen(State(700, 1200, 1900))),
        )

    def test_notes(self) -> None:
        self.every("version", "1.0-dirty")
        self.conditions = [seen(State(1500, others=3))]
        self.write("poems.csv", ["line"], [])
        notes = "\n".join(self.judged().notes)
        for words in ("poems.csv: no table", "5 rows are of sources with changes", "2 other proc"):
            self.assertIn(words, notes)
        (self.folder / FILE).unlink()
        self.assertIn("nobody knows", judge(self.folder, [CHAPTER], NOW).notes[-1])

    def test_a_damaged_table(self) -> None:
        self.finds(FILE, lambda: self.conditions.append(["?"] * len(COLUMNS)))


class WatchTest(unittest.TestCase):
    def test_an_idle_gpu_says_nothing(self) -> None:
        self.assertIsNone(summary(GPU, "1", "1", [State(300, idle=True)]))
        self.assertIsNone(summary(GPU, "1", "1", []))

    def test_nobody_can_look(self) -> None:
        with Watch(mock.Mock(side_effect=OSError)) as watch:
            pass
        self.assertEqual(watch.states, [])

    def test_it_looks_until_the_end(self) -> None:
        sensors = mock.Mock()
        sensors.state.return_value = BUSY
        with mock.patch("plots.maintain.watching.SECONDS", 0.001):
            with Watch(lambda: sensors) as watch:
                while len(watch.states) < 2:
                    pass
        self.assertEqual(set(watch.states), {BUSY})


class CommandTest(unittest.TestCase):
    """The course's own records: nothing is wrong with them but what is not measured yet."""

    def test_recorded_folders(self) -> None:
        self.assertTrue(recorded_folders())
        for folder in recorded_folders():
            with self.subTest(folder.name):
                found = judge(folder, all_chapters())
                wrong = [one for one in found.wrong if "runs are missing" not in one]
                self.assertEqual(wrong, [])

    def said(self, folder: Path) -> tuple[int, str]:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch.dict(os.environ, DIR=str(folder)):
            status = check_record.main()
        return status, output.getvalue()

    def test_the_command(self) -> None:
        folder = recorded_folders()[0]
        for wrong, status, words in (([], 0, ": fit to"), (["rust"], 1, ": not fit to")):
            found = Judgement("X 1", 1234, ["nbody"], wrong, ["dust"])
            with mock.patch.object(check_record, "judge", return_value=found):
                result, text = self.said(folder)
            self.assertEqual(result, status)
            self.assertIn(f"X 1, 1234 rows of 1 chapters{words}", text)
            self.assertIn("note: dust\n", text)
            self.assertEqual("wrong: rust\n" in text, bool(wrong))


if __name__ == "__main__":
    unittest.main()
