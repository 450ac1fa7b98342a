# SPDX-License-Identifier: MIT
"""The recorder: it repeats no recorded run, and loses no finished one."""

import contextlib
import dataclasses
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from unittest import mock

from tests.common.tools.course_tools import BUILD, ROOT, SWEEP, RecorderTest

from plots.maintain import record, watching
from common.tools.lib import gpu_state, stages
from common.tools.lib.columns import LIMITS_COLUMNS, PROFILE_COLUMNS
from common.tools.lib.hardware import PREFERRED_DEVICE
from plots.records import conditions, recorded_runs, sweeps
from plots.records.folders import NO_DEVICES
from tests.plots.fixtures import made_up_chapter
from tests.plots.fixtures import stages as made_up_stages


class RecordTest(RecorderTest):
    def test_makes_every_run_once(self) -> None:
        self.assertEqual(self.record().made, 6)
        keys = self.keys()
        self.assertEqual(len(keys), 18)
        self.assertEqual(len(set(keys)), 18)
        self.assertEqual(self.record().made, 0)
        self.assertEqual(self.keys(), keys)

    def test_warns_of_a_busy_host(self) -> None:
        for load, cores in ((0.0, 1), (2.0, 2), (3.0, 16), (12.0, 64)):
            self.assertEqual(record.warning_of_load(load, cores), "")
        for load, cores in ((2.1, 2), (3.3, 16), (34.03, 64)):
            self.assertIn(f"busy (load {load:.1f})", record.warning_of_load(load, cores))

    def test_tells_which_run_of_how_many(self) -> None:
        def told(text: str) -> list[str]:
            self.sweep_file.write_text(text, encoding="utf-8")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                record.Recorder(stages.load_stages(), self.data).record_all(
                    sweeps.read_sweeps(self.sweep_file, "here", {"emu"})
                )
            return printed.getvalue().splitlines()

        short = SWEEP.replace("[10, 20, 40]", "[10, 20]")
        # Two sweeps contain the same runs, which are made once.
        lines = told(short + short[short.index("[[sweep") :].replace("small", "again"))
        self.assertEqual(
            [line.rpartition("; ")[2].partition(",")[0] for line in lines],
            [f"run {i} of 4" for i in (1, 2, 3, 4)],
        )
        for line in lines[:-1]:
            self.assertRegex(line, r"\(\d+\.\d s\); run \d of 4, about \d+ (s|min) left$")
        self.assertTrue(lines[-1].endswith("run 4 of 4"), lines[-1])
        # Recorded runs do not count. Failed runs do.
        self.set_environment("STAND_IN_FAILS_AT", "40")
        lines = [
            line for line in told(SWEEP.replace("40", "30, 40, 50")) if line.startswith("sums")
        ]
        self.assertEqual(
            [line.rpartition("; ")[2].partition(",")[0] for line in lines],
            [f"run {i} of 6" for i in (1, 2, 5, 6)],
        )

    def test_time_left(self) -> None:
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        runs = [
            run
            for sweep in sweeps.read_sweeps(self.sweep_file, "here", {"emu"})
            for run in sweeps.runs_of(sweep)
        ]
        progress = record.Progress(runs)
        self.assertEqual(str(progress), "run 0 of 6")
        # A run of n = 10. The other stage is expected to be as fast, and the time to grow with n.
        progress.made(runs[0], 10)
        self.assertEqual(str(progress), "run 1 of 6, about 2 min left")
        progress.made(runs[1], 20)
        # The time grows with the square, so 40 takes 160 s. One size of the other stage is known.
        progress.made(runs[2], 40)
        self.assertEqual(progress.expected(runs[3]), 40)
        self.assertAlmostEqual(progress.expected(runs[4]), 160)
        self.assertEqual(progress.expected(runs[5]), 80)
        self.assertEqual(str(progress), "run 3 of 6, about 5 min left")
        progress.left_out(runs[5])
        progress.left_out(runs[5])
        self.assertEqual(str(progress), "run 4 of 6, about 3 min left")
        progress.made(runs[3], 1)
        progress.made(runs[4], 1)
        self.assertEqual(str(progress), "run 6 of 6")

    def test_time_of_a_chapter_without_runs(self) -> None:
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        sweep = sweeps.read_sweeps(self.sweep_file, "here", {"emu"})[0]
        progress = record.Progress(
            [*sweeps.runs_of(sweep), *sweeps.runs_of(dataclasses.replace(sweep, chapter="other"))]
        )
        runs = list(progress.left.values())
        progress.made(runs[0], 10)
        progress.made(runs[4], 30)
        self.assertEqual({progress.expected(run) for run in runs[6:]}, {20})

    def test_time_grows_with_a_power_of_n(self) -> None:
        self.assertEqual(record.seconds_at(100, {100: [1.0, 3.0]}), 2)
        self.assertEqual(record.seconds_at(400, {100: [2.0]}), 8)
        # Sizes close to each other say little about the growth, and it is at most cubic.
        self.assertAlmostEqual(record.seconds_at(1000, {500: [8.0], 400: [8.0], 250: [2.0]}), 32)
        self.assertAlmostEqual(record.seconds_at(200, {100: [100.0], 10: [0.01]}), 800)
        self.assertAlmostEqual(record.seconds_at(200, {100: [1.0], 10: [2.0]}), 1)
        self.assertEqual(
            [record.rough_time(seconds) for seconds in (0.0, 59.4, 89, 3569, 3600, 9000)],
            ["1 s", "59 s", "1 min", "59 min", "1 h 0 min", "2 h 30 min"],
        )

    def test_report_fields_beside_the_rows(self) -> None:
        self.record()
        text = (self.data / "sums_report.csv").read_text(encoding="utf-8")
        self.assertIn("sums,01_plain,emu,Stand-In 1,10,steps=0,1,estimate,3.14\n", text)
        self.assertEqual(len(text.splitlines()), 1 + 6)

    def test_other_parameters_are_another_run(self) -> None:
        self.record()
        self.assertEqual(self.record(SWEEP.replace("steps = 0", "steps = 100")).made, 6)

    def test_another_seed_is_another_run(self) -> None:
        self.record()
        self.assertEqual(self.record(SWEEP + "seeds = [1, 2]\n").made, 6)

    def test_flags_with_several_values(self) -> None:
        self.set_environment("STAND_IN_PARAMETERS", "steps=0;size-i={size_i};threads={threads}")
        text = (
            SWEEP.replace("[10, 20, 40]", "[10]")
            + "vary = { size-i = [2, 4, 8], threads = [1, 32] }\n"
        )
        self.assertEqual(self.record(text).made, 12)
        rows = record.Table(self.data / "sums.csv", record.ROW_COLUMNS).rows
        self.assertEqual(
            {row["parameters"] for row in rows},
            {
                f"steps=0;size-i={size};threads={threads}"
                for size in (2, 4, 8)
                for threads in (1, 32)
            },
        )
        self.assertEqual(self.record(text).made, 0)
        self.assertEqual(self.record(text.replace("8]", "16]")).made, 4)

    def test_a_single_run_has_no_warm_up(self) -> None:
        self.record(SWEEP.replace("[10, 20, 40]", "[10]").replace("repeats = 3", "repeats = 1"))
        self.record(
            SWEEP.replace("[10, 20, 40]", "[20]").replace(
                "repeats = 3", "repeats = 2\nlong_run_seconds = 0"
            )
        )
        lines = self.log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(
            lines,
            [
                f"sums/{stage} n={n} repeats={repeats} warmup={warmup}"
                for n, repeats, warmup in ((10, 1, 0), (20, 2, 1))
                for stage in ("01_plain", "02_flags")
            ],
        )

    def test_an_optional_run_may_find_no_device(self) -> None:
        refusing = SWEEP.replace('["01_plain", "02_flags"]', '["01_plain"]')
        program = self.build / "chapters" / "sums" / "sums_01_plain"
        program.write_text(
            f"#!/bin/sh\necho no usable device >&2\nexit {stages.EXIT_NO_DEVICE}\n",
            encoding="utf-8",
        )
        with self.assertRaisesRegex(stages.ToolError, "no usable device"):
            self.record(refusing)
        self.assertEqual(self.record(refusing + "optional = true\n").failures, [])

    def test_limits_are_kept_once(self) -> None:
        names = LIMITS_COLUMNS[1:]
        path = self.data / "limits.csv"
        self.record()
        self.assertFalse(path.exists())  # no run knows any
        for factor, made, lines in ((1.0, 6, 2), (0.5, 6, 2), (2.0, 6, 3)):
            self.set_environment(
                "STAND_IN_LIMITS",
                json.dumps({name: factor * (i + 1) for i, name in enumerate(names)}),
            )
            (self.data / "sums.csv").unlink()
            self.assertEqual(self.record().made, made)
            self.assertEqual(len(path.read_text(encoding="utf-8").splitlines()), lines)
        # An emulated run knows no limits.
        self.set_environment("STAND_IN_LIMITS", json.dumps(dict.fromkeys(names, 0)))
        (self.data / "sums.csv").unlink()
        self.record()
        last = path.read_text(encoding="utf-8").splitlines()[-1]
        self.assertEqual(
            last, "Stand-In 1," + ",".join(repr(2.0 * (i + 1)) for i in range(len(names)))
        )

    def test_a_run_that_the_machine_cannot_hold_is_left_out_by_name(self) -> None:
        self.set_environment("STAND_IN_TOO_LARGE", "40")
        for made in (4, 0):
            recorder = self.record()
            self.assertEqual((recorder.made, recorder.failures, recorder.too_large), (made, [], 2))
        why = recorded_runs.too_large_runs(self.data)
        self.assertEqual(
            set(why), {f"sums/{one} emu n=40 seed=1" for one in ("01_plain", "02_flags")}
        )
        self.assertRegex(next(iter(why.values())), "needs 5.1 GB of device memory")
        self.set_environment("STAND_IN_TOO_LARGE", "99")  # now there is room
        self.assertEqual(self.record().made, 2)

    def test_conditions_are_kept_where_something_was_measured(self) -> None:
        watch = watching.Watch(mock.Mock(side_effect=OSError))
        watch.driver, path = "580.1", self.data / "conditions.csv"
        recorder = self.record()
        recorder.keep_conditions("Stand-In 1", watch)  # nobody could look
        self.assertFalse(path.exists())
        watch.states = [gpu_state.State(1500, temperature_c=60), gpu_state.State(300, idle=True)]
        for one in (recorder, self.record()):  # the second one had nothing to do
            one.keep_conditions("Stand-In 1", watch)
        (kept,) = conditions.read_conditions(path)
        self.assertEqual((kept.driver, kept.samples, kept.clock_mhz), ("580.1", 1, 1500))

    def test_a_table_has_only_one_header(self) -> None:
        first, second = (record.Table(self.data / "sums.csv", ["a", "b"]) for _ in range(2))
        first.append([{"a": "1", "b": "2"}])
        second.append([{"a": "3", "b": "4"}])
        self.assertEqual((self.data / "sums.csv").read_text(encoding="utf-8"), "a,b\n1,2\n3,4\n")

    def test_sweeps_can_be_chosen(self) -> None:
        self.sweep_file.write_text(
            SWEEP + SWEEP[SWEEP.index("[[sweep") :].replace("small", "large"), encoding="utf-8"
        )
        both = sweeps.read_sweeps(self.sweep_file, "here", {"emu"})
        self.assertEqual([sweep.name for sweep in both], ["small", "large"])
        self.assertEqual(sweeps.chosen_sweeps(both, []), both)
        self.assertEqual(sweeps.chosen_sweeps(both, ["large"]), both[1:])
        self.assertEqual(sweeps.chosen_sweeps(both, ["large", "small"]), both)
        with self.assertRaisesRegex(
            stages.ToolError, "SWEEPS=huge: no such sweeps; choose one of small, large"
        ):
            sweeps.chosen_sweeps(both, ["large", "huge"])

    def test_a_long_run_is_repeated_once_only(self) -> None:
        # 01_plain takes 0.02 ms per element: 0.2015 s at 10 000, above the limit. 02_flags: half.
        self.record(SWEEP.replace("[10, 20, 40]", "[10_000]") + "long_run_seconds = 0.15\n")
        self.assertEqual([key[0] for key in self.keys()].count("01_plain"), 1)
        self.assertEqual([key[0] for key in self.keys()].count("02_flags"), 3)
        self.assertEqual(self.record().made, 6)  # the other sizes

    def test_a_failed_run_is_reported_and_the_others_are_kept(self) -> None:
        self.set_environment("STAND_IN_FAILS_AT", "20")
        recorder = self.record()
        self.assertEqual(len(recorder.failures), 2)
        self.assertIn("wrong result", recorder.failures[0])
        self.assertEqual(len(self.keys()), 12)
        self.set_environment("STAND_IN_FAILS_AT", "-1")
        self.assertEqual(self.record().made, 2)
        self.assertEqual(len(self.keys()), 18)

    def test_an_optional_run_may_fail(self) -> None:
        self.set_environment("STAND_IN_FAILS_AT", "20")
        self.assertEqual(self.record(SWEEP + "optional = true\n").failures, [])

    def test_a_missing_profile_is_made_and_may_be_refused(self) -> None:
        script = self.folder / "stand_in_profile.py"
        self.set_environment("PYTHONPATH", str(self.folder))
        header = ",".join(PROFILE_COLUMNS)
        script.write_text(
            "import pathlib, sys\n"
            "folder = pathlib.Path(sys.argv[sys.argv.index('--data') + 1]) / 'card'\n"
            "if (folder / 'refused').exists(): sys.exit(1)\n"
            f"(folder / 'sums_profile.csv').write_text('{header}\\n2026-01-01,sums,'\n"
            "    '01_sum,card,8,sum_kernel,opcode:FADD,inst,1\\n')\n",
            encoding="utf-8",
        )
        card = self.data / "card"
        card.mkdir(parents=True)
        (card / "refused").touch()
        profile = card / "sums_profile.csv"

        def told(*stages: str) -> str:
            chapter = dataclasses.replace(
                made_up_chapter(made_up_stages("01_sum", chapter="sums")),
                profile=script.stem,
                profiled=stages,
            )
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                record.record_profiles([chapter], card)
            return output.getvalue()

        self.assertIn("left out: the profile of sums", told("01_sum"))
        self.assertFalse(profile.exists())
        (card / "refused").unlink()
        program = (
            f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT)!r})\n"
            "from pathlib import Path\n"
            "from plots.records.shared_table import Claims\n"
            f"with Claims(Path({str(card)!r})).claimed(('profile', 'sums')) as claimed:\n"
            "    print(claimed, flush=True)\n"
            "    sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other:
            self.assertEqual(other.stdout.readline(), "True\n")
            self.assertEqual(told("01_sum"), "")  # another recorder makes it
            self.assertFalse(profile.exists())
            other.communicate()
        self.assertEqual(told("01_sum"), "")
        made = profile.read_text(encoding="utf-8")
        self.assertIn("01_sum", made)
        profile.write_text(made + "\n", encoding="utf-8")
        told("01_sum")
        self.assertEqual(profile.read_text(encoding="utf-8"), made + "\n")
        told("01_sum", "02_faster_sum")  # a stage more than the profile has
        self.assertEqual(profile.read_text(encoding="utf-8"), made)

    def test_a_killed_recorder_loses_no_row(self) -> None:
        self.sweep_file.write_text(SWEEP, encoding="utf-8")
        program = (
            f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT)!r})\n"
            "from plots.maintain import record; from common.tools.lib import stages\n"
            "from pathlib import Path\n"
            "from plots.records import sweeps\n"
            f"record.Recorder(stages.load_stages(), Path({str(self.data)!r})).record_all(\n"
            f"    sweeps.read_sweeps(Path({str(self.sweep_file)!r}), 'here', {{'emu'}}))\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ
            | {
                "STAND_IN_SECONDS": "0.2",
                # A child of the killed recorder ends with it.
                "TMPDIR": str(self.folder),
            },
        )
        assert child.stdout is not None
        told = [child.stdout.readline(), child.stdout.readline()]  # two runs are finished
        time.sleep(0.1)  # the third one is running
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        self.assertEqual(len(told), 2)
        before = self.keys()
        self.assertGreaterEqual(len(before), 6)
        self.record()
        after = self.keys()
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(len(after), 18)
        self.assertEqual(len(set(after)), 18)

    def test_a_half_written_line_is_made_again(self) -> None:
        self.record()
        path = self.data / "sums.csv"
        whole = path.read_bytes()
        # Of the last run's three rows, only half a line is left.
        lines = whole.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-3]) + lines[-3][:20])
        self.assertEqual(self.record().made, 1)
        self.assertEqual(path.read_bytes(), whole)

    def test_a_table_of_other_columns_is_refused(self) -> None:
        self.data.mkdir()
        (self.data / "sums.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        with self.assertRaisesRegex(stages.ToolError, "sums.csv:1"):
            self.record()

    def test_a_bad_sweep_names_its_file(self) -> None:
        for text, said in (
            ("[[sweep", ""),
            (SWEEP.replace("n = [10, 20, 40]", ""), ": sweep small: 'n' is missing"),
            (
                SWEEP.replace("repeats", "repeat"),
                ": sweep small: there is no key 'repeat'; did you mean 'repeats'?",
            ),
            (SWEEP.replace('"emu"', '"emo"'), ": sweep small: engine = 'emo'; did you mean 'emu'?"),
            (
                SWEEP.replace("plain..flags", "plane"),
                ": sweep small: 'plane' is no stage of sums; did you mean 'plain'?",
            ),
            (
                SWEEP.replace('["plain..flags"]', '"kernel"'),
                ": sweep small: stages = 'kernel'; did you mean 'kernels'?",
            ),
            (SWEEP + SWEEP, ": two sweeps have the name 'small'"),
        ):
            with self.assertRaisesRegex(
                stages.ToolError, r"sums/sweep.toml(:\d+)?" + re.escape(said)
            ):
                self.record(text)

    def test_the_repository_s_records_are_all_there(self) -> None:
        """All runs that the sweeps of a real GPU contain, except for optional ones. A sweep with a
        stage that is not recorded yet is measured with it. All of a sweep is on one device: the
        H200, or another one."""
        self.set_environment("COURSE_BUILD", str(BUILD))
        data = stages.ROOT / "plots" / "data"
        devices = sorted(path for path in data.iterdir() if path.name not in NO_DEVICES)
        devices.sort(key=lambda folder: folder.name != PREFERRED_DEVICE)
        checked = 0
        for chapter in stages.chapters_of(stages.load_stages()):
            paths = [folder / f"{chapter}.csv" for folder in devices]
            if not paths[0].exists():
                continue
            tables = [record.Table(one, record.ROW_COLUMNS).rows for one in paths if one.exists()]
            for sweep in sweeps.sweeps_of([chapter], "record", set(record.RECORDED_ENGINES)):
                if sweep.optional or sweep.left_out:
                    continue
                runs = list(sweeps.runs_of(sweep))
                checked += len(runs)
                missing = [
                    [run for run in runs if not record.is_recorded(run, rows)] for rows in tables
                ]
                self.assertIn([], missing, f"{chapter}, {sweep.name}: {missing[0][:1]}")
        self.assertGreater(checked, 500)


if __name__ == "__main__":
    import unittest

    unittest.main()
