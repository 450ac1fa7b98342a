# SPDX-License-Identifier: MIT
"""make: a table of all stages, each verified, and then the failures, where they are seen. Without a
GPU its times are recorded ones."""

import contextlib
import functools
import io
import json
import re
import unittest
from unittest import mock

from plots.commands import tour
from common.tools.lib import stages
from common.tools.lib.stages import label_of
from plots.page.recorded_gains import RecordedGains, RecordedTime, recorded_gains
from tests.common.tools.course_tools import BUILD, ToolTest, run_tool

WIDTH = 120


def real_records(chapter: str = "") -> list[dict[str, object]]:
    """The course's own stages."""
    every = json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
    return [record for record in every if chapter in ("", record["chapter"])]


@functools.cache
def recorded_course() -> dict[str, RecordedGains]:
    names = dict.fromkeys(str(record["chapter"]) for record in real_records())
    return {name: recorded_gains(name) for name in names}


class TourTest(ToolTest):
    def tour(self, **variables: str):
        # Without gnuplot: the figures have their own tests.
        return run_tool("plots.commands.tour", self.build, PATH=str(self.folder), **variables)

    def rows(self, printed: str) -> dict[str, str]:
        """The lines of stages."""
        found = re.findall(r"^(\w+(?:/\w+)+) .*$", printed, re.MULTILINE)
        lines = [line for line in printed.splitlines() if re.match(r"\w+(?:/\w+)+ ", line)]
        return dict(zip(found, lines, strict=True))

    def stand_ins_of(self, chapter: str) -> None:
        """The build has this chapter's stages, each with a stand-in."""
        records = []
        for record in real_records(chapter):
            engine = "cpu" if str(record["source"]).endswith(".cpp") else "emu"
            made = self.stand_in(chapter, str(record["name"]), engine, 0.02)
            records.append(record | {"executables": made["executables"]})
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")

    def test_every_stage_is_run_and_verified(self) -> None:
        log = self.folder / "log"
        result = self.tour(STAND_IN_LOG=str(log))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.rows(result.stdout)
        # A serial stage has run on this machine's CPU, whatever a GPU would do.
        self.assertRegex(
            rows["sums/00_cpu"],
            r"^sums/00_cpu +yes +no rows .* here, on one core: 0.12\d s, n = 3 k$",
        )
        self.assertRegex(rows["sums/01_plain"], r"^sums/01_plain +yes +no rows( +-){4}$")
        self.assertEqual(len(rows), 4)
        self.assertIn("\n4 stages: 4 verified\n", result.stdout)
        self.assertIn("no figures: gnuplot is missing", result.stdout)
        runs = log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(runs[0], "sums/00_cpu n=3000 repeats=1 warmup=None")
        self.assertEqual(runs[1], "sums/01_plain n=1000 repeats=1 warmup=None")

    def test_the_times_are_recorded_ones(self) -> None:
        """The stand-ins take 20 ms, which no line shows."""
        self.stand_ins_of("basics")
        result = self.tour()
        self.assertEqual(result.returncode, 0, result.stderr)
        recorded = recorded_gains("basics")
        self.assertTrue(recorded.device)
        self.assertEqual(result.stdout.count(recorded.device), 1)
        self.assertIn(f"recorded on {recorded.device} ", result.stdout)
        self.assertIn("Its times say nothing about a GPU", result.stdout)
        rows = self.rows(result.stdout)
        marked = [one["stage"] for one in real_records("basics") if one["not_recorded"]]
        self.assertEqual(len(rows), len(real_records("basics")))
        for name in marked:
            row = rows.pop(str(name))
            self.assertIn(tour.NO_ROWS, row)
            self.assertIn("here, on all cores: ", row)
        for name, row in rows.items():
            self.assertNotIn(" 20 ms", row)
            self.assertNotIn(" 21.5 ms", row)
            found = recorded.times[name.partition("/")[2]]
            self.assertIn(f" {tour.short_time(found.seconds)}", row)
            if found.gain:
                self.assertIn(f" {tour.times(found.gain)}  {label_of(found.before)} ", row)
        self.assertIn("chapters/basics/README.md", result.stdout.partition("\nNext:\n")[2])
        # The README's first rule: a whole warp reads one line of the memory.
        self.assertRegex(rows["basics/02_warp_per_row"], r"sectors/global load 18 → 4$")

    def test_failures_are_printed_last(self) -> None:
        result = self.tour(STAND_IN_FAILS_AT="3000")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(self.rows(result.stdout)["sums/00_cpu"], r"^sums/00_cpu +NO ")
        self.assertIn("\n4 stages: 3 verified, 1 failed\n", result.stdout)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[-1], "failed: sums/00_cpu: stand-in: wrong result")

    def test_a_missing_device_is_not_a_failure(self) -> None:
        result = self.tour(STAND_IN_WITHOUT_DEVICE="02_flags")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\nsums/02_flags +left out ")
        self.assertIn("\n4 stages: 3 verified, 1 left out\n", result.stdout)
        self.assertIn("\nleft out: no usable OpenCL device\n", result.stdout)


class ColumnsTest(ToolTest):
    def columns(self, kind: type[tour.Columns]) -> tuple[tour.Columns, list[stages.Stage]]:
        """With what is recorded of the whole course."""
        every = [stages.checked_stage(record, "") for record in real_records()]
        return kind(every, recorded_course()), every

    def test_every_line_fits_a_terminal(self) -> None:
        for kind in (tour.RecordedTimes, tour.TimesHere):
            columns, every = self.columns(kind)
            lines = [*columns.about(), columns.form.format(*columns.names)]
            lines += [columns.line(tour.Outcome(stage, tour.LEFT_OUT)) for stage in every]
            for line in lines:
                self.assertLessEqual(len(line), WIDTH, line)

    def test_a_stage_of_the_same_path_is_named_by_its_number(self) -> None:
        columns, every = self.columns(tour.RecordedTimes)
        own = [one for one in every if one.compared_with.startswith(f"{one.path}/")]
        said = {one.stage: columns.cells(tour.Outcome(one, "yes"))[-1] for one in own}
        self.assertIn("01", said.values())
        self.assertFalse([one for one in said.values() if "/" in one])

    def test_a_stage_has_rows_or_says_that_it_has_none(self) -> None:
        columns, every = self.columns(tour.RecordedTimes)
        without = [
            stage.stage
            for stage in every
            if tour.NO_ROWS in columns.line(tour.Outcome(stage, "yes"))
        ]
        timed = [one for one in every if not one.race_on_purpose and not one.not_recorded]
        self.assertTrue(all(one.stage in without for one in every if one.not_recorded))
        for one in timed:
            has_rows = one.name in recorded_course()[one.chapter].times
            self.assertEqual(one.stage in without, not has_rows, one.stage)
        # A reader's own stages and chapter have none.
        self.assertLess(len([one for one in timed if one.stage in without]), len(timed) / 10)

    def test_a_gpu_shows_its_own_times(self) -> None:
        """And those of no other device."""
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        records[1] = self.stand_in("sums", "01_plain", "gpu", 0.02)
        path.write_text(json.dumps(records), encoding="utf-8")
        found = RecordedGains("Other GPU", "Other CPU", {"01_plain": RecordedTime(7.7, 9, True)})
        with (
            mock.patch.object(stages, "has_gpu", return_value=True),
            mock.patch.object(tour, "recorded_gains", return_value=found),
            mock.patch.dict("os.environ", COURSE_BUILD=str(self.build)),
            contextlib.redirect_stdout(io.StringIO()) as printed,
        ):
            tour.Tour(stages.load_stages()).run()
        text = printed.getvalue()
        self.assertRegex(text, r"\nsums/01_plain +yes +1 k +20 +21\.5  -\n")
        self.assertNotIn("Other", text)
        self.assertNotIn("7.7", text)
        # An emulated stage beside it shows no time.
        self.assertRegex(text, r"\nsums/02_flags +yes +- +- +-  -\n")

    def test_damaged_records_do_not_stop_the_stages(self) -> None:
        error = stages.DataError("basics.csv:3: n is 0")
        with (
            mock.patch.object(tour, "recorded_gains", side_effect=error),
            mock.patch.dict("os.environ", COURSE_BUILD=str(self.build)),
        ):
            made = tour.Tour(stages.load_stages())
        self.assertEqual(
            made.failures,
            [f"the records of {name}: basics.csv:3: n is 0" for name in ("sums", "other")],
        )


if __name__ == "__main__":
    unittest.main()
