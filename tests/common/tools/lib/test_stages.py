# SPDX-License-Identifier: MIT
"""make list, run, diff, compare, figures: what they print, and what they refuse."""

import difflib
import json
import random
import shutil
import unittest
from unittest import mock

from plots.commands import compare as compare_stages
from plots.commands import measured_figures as draw_figures
from common.tools.lib.differences import source_diff, text_diff
from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import ToolError, load_stages
from plots.page.recorded_stages import about_copies, counters_of, recorded_stages
from tests.common.tools.course_tools import BUILD, ROOT, ToolTest, run_tool


class ListTest(ToolTest):
    def test_lists_every_stage_with_its_technique(self) -> None:
        result = run_tool("list_stages", self.build)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[1], r"^sums/01_plain +technique of 01_plain$")

    def test_one_chapter(self) -> None:
        result = run_tool("list_stages", self.build, CHAPTER="other")
        self.assertEqual(len(result.stdout.splitlines()), 1)

    def test_says_where_a_part_begins(self) -> None:
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        records[3]["begins_part"] = "big sums"
        path.write_text(json.dumps(records), encoding="utf-8")
        self.assertRegex(
            run_tool("list_stages", self.build, CHAPTER="other").stdout,
            r"^other/01_alone +big sums: technique of 01_alone$",
        )

    def test_unknown_chapter(self) -> None:
        result = run_tool("list_stages", self.build, CHAPTER="none")
        self.assert_refused(result, 2, "CHAPTER=none", "sums, other")

    def test_without_a_build(self) -> None:
        self.assert_refused(run_tool("list_stages", self.folder / "none"), 1, "make build")


class RunTest(ToolTest):
    def test_passes_arguments_on(self) -> None:
        result = run_tool(
            "run",
            self.build,
            STAGE="sums/01_plain",
            ENGINE="emu",
            ARGS="--n 7 --input 'a b;c'",
            STAND_IN_ECHO="1",
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "--n 7 --input a b;c\n")

    def test_run_with_check_also_runs_the_stages_own_test(self) -> None:
        records = json.loads((self.build / "stages.json").read_text(encoding="utf-8"))
        records[1]["checked_by"] = "test_order 512"
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        variables = {"STAGE": "sums/01_plain", "ENGINE": "emu"}
        # This build has no such test.
        self.assertEqual(run_tool("run", self.build, ARGS="--check", **variables).returncode, 0)
        program = self.build / "tests" / "chapters" / "sums" / "test_order"
        rules = (
            "rule make\n  command = mkdir -p $$(dirname $out) && cp test $out && chmod +x $out\n"
        )
        (self.build / "build.ninja").write_text(
            f"{rules}build {program.relative_to(self.build)}: make test\n", encoding="utf-8"
        )
        for status, says in ((0, "in order 512"), (1, "NOT in order 512")):
            (self.build / "test").write_text(
                f"#!/bin/sh\necho {says.removesuffix(' 512')} $1\nexit {status}\n", encoding="utf-8"
            )
            result = run_tool("run", self.build, ARGS="--check", **variables)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(result.stdout.splitlines()[-1], says)
        without = run_tool("run", self.build, **variables)
        self.assertEqual(without.returncode, 0, without.stderr)
        self.assertNotIn("order", without.stdout)

    def test_a_stage_without_kernels_ignores_the_engine(self) -> None:
        result = run_tool("run", self.build, STAGE="sums/00_cpu", ENGINE="gpu")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_refusals(self) -> None:
        for status, parts, variables in (
            (
                2,
                ["STAGE=sums/09_none", "no such stage", "sums/01_plain", "other/01_alone"],
                {"STAGE": "sums/09_none"},
            ),
            (2, ["STAGE is missing", "sums/01_plain"], {}),
            (2, ["ENGINE=tpu", "gpu, emu, count"], {"STAGE": "sums/01_plain", "ENGINE": "tpu"}),
            (77, ["no usable device"], {"STAGE": "sums/01_plain", "ENGINE": "gpu"}),
            (2, ["ARGS"], {"STAGE": "sums/01_plain", "ENGINE": "emu", "ARGS": "'--n"}),
        ):
            with self.subTest(variables):
                self.assert_refused(run_tool("run", self.build, **variables), status, *parts)

    def test_a_wrong_name_gets_few_suggestions(self) -> None:
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        records += [
            dict(records[0], stage=f"more/{i:02}_letters", name=f"{i:02}_letters", chapter="more")
            for i in range(20)
        ]
        path.write_text(json.dumps(records), encoding="utf-8")
        for wrong, said in (
            ("sums/01_plan", "did you mean sums/01_plain?"),
            ("02_flags", "did you mean sums/02_flags?"),
            ("sums/7", "choose one of sums/00_cpu, sums/01_plain, sums/02_flags"),
            ("sums", "choose one of sums/00_cpu, sums/01_plain, sums/02_flags"),
            ("more/7_letter", "choose one of more/"),
            ("more", "`make list` names them"),
            ("nothing", "`make list` names them"),
            ("", "`make list` names them"),
        ):
            with self.subTest(wrong):
                result = run_tool("run", self.build, STAGE=wrong)
                self.assert_refused(result, 2, said)
                self.assertLess(len(result.stderr), 300)

    def test_the_stage_status_is_the_tool_s(self) -> None:
        result = run_tool(
            "run", self.build, STAGE="sums/01_plain", ENGINE="emu", STAND_IN_FAILS_AT="1000"
        )
        self.assertEqual(result.returncode, 1)


class DiffTest(ToolTest):
    def test_equal_sources_still_show_the_flags(self) -> None:
        result = run_tool("diff_stages", self.build, A="sums/01_plain", B="sums/02_flags")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("are equal", result.stdout)
        self.assertIn("flags of nvcc:\n+-ftz=true\n", result.stdout)

    def test_unified_diff(self) -> None:
        result = run_tool("diff_stages", self.build, A="sums/01_plain", B="other/01_alone")
        self.assertIn("\n a\n-b\n+c\n", result.stdout)
        self.assertIn("the same compiler flags", result.stdout)

    def test_own_files(self) -> None:
        """A line that is only indented is moved, not removed and added."""
        before, after = self.folder / "before.cu", self.folder / "after.cu"
        before.write_text("first();\nsecond();\nlast();\n", encoding="utf-8")
        after.write_text("if (x) {\n    first();\n    second();\n}\nlast();\n", encoding="utf-8")
        result = run_tool("diff_stages", self.build, A=str(before), B=str(after))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(
            result.stdout.splitlines()[3:],
            ["@@ -1,3 +1,5 @@", "+if (x) {", ">    first();", ">    second();", "+}", " last();"],
        )
        result = run_tool("diff_stages", self.build, A=str(after), B=str(before))
        self.assertIn("\n<first();\n<second();\n-}\n last();", result.stdout)
        result = run_tool("diff_stages", self.build, A="sums/01_plain", B=str(before))
        self.assertIn("\n-a\n-b\n+first();\n", result.stdout)
        self.assert_refused(
            run_tool("diff_stages", self.build, A=str(before), B="none.cu"), 1, "B=none.cu: No such"
        )

    def test_hunks_are_those_of_a_unified_diff(self) -> None:
        """Where no line moves, the output is difflib's, however the changes lie."""
        numbers = random.Random(1)
        for _ in range(200):
            before = [numbers.choice("abcdefgh") + "x" for _ in range(numbers.randrange(30))]
            after = [line for line in before if numbers.random() < 0.9]
            after.insert(numbers.randrange(len(after) + 1), "new")
            self.assertEqual(
                text_diff(before, after, "A", "B"),
                list(difflib.unified_diff(before, after, "A", "B", lineterm="")),
            )

    def test_the_loop_of_nbody_moves(self) -> None:
        stages = {stage.name: stage for stage in load_stages() if stage.chapter == "nbody"}
        lines = source_diff(stages["02_float4"], stages["03_shared_tiles"])
        moved = [line[1:].strip() for line in lines if line[0] in "<>"]
        self.assertEqual(len(moved), 10)
        self.assertIn("acceleration.x += dx * pull;", moved)
        self.assertNotIn("-        acceleration.x += dx * pull;", lines)

    def test_names_the_variable_that_is_wrong(self) -> None:
        self.assert_refused(
            run_tool("diff_stages", self.build, A="sums/01_plain"), 2, "B is missing"
        )
        self.assert_refused(
            run_tool("diff_stages", self.build, A="nothing", B="sums/01_plain"), 2, "A=nothing"
        )


class CompareTest(ToolTest):
    def compare(self, **variables: str):
        return run_tool("plots.commands.compare", self.build, **variables)

    def test_table_and_plot(self) -> None:
        log = self.folder / "log"
        result = self.compare(CHAPTER="sums", STAND_IN_LOG=str(log))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertIn("n = 1000", lines[0])
        # The time of an emulated kernel is not shown, and this chapter has no records.
        self.assertRegex(lines[2], r"^00_cpu +cpu +- +- +- +- +- +-$")
        self.assertRegex(lines[4], r"^02_flags +emu +- +- +- +- +- +-$")
        self.assertIn("says nothing about a GPU", result.stdout)
        self.assertNotRegex(result.stdout, r"\bx[0-9]|compare\.svg")
        self.assertEqual(
            {line.split(" ", 1)[1] for line in log.read_text().splitlines()},
            {"n=1000 repeats=5 warmup=None"},
        )

    def test_one_path_is_compared(self) -> None:
        """The source's own path, or a side path after the stage from which it goes on, or all."""
        names = {"00_cpu": "", "01_own": "", "far/01_more": "00_cpu", "far/02_most": "far/01_more"}
        records = []
        for name, before in names.items():
            record = self.stand_in("own", name.replace("/", "_"), "cpu", 0.04)
            path = name.rpartition("/")[0]
            record |= {"stage": f"own/{name}", "name": name, "path": path, "compared_with": before}
            records.append(record)
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        for chapter, compared in (
            ("own", ["00_cpu", "01_own"]),
            ("own/far", ["00_cpu", "far/01_more", "far/02_most"]),
            ("own/all", list(names)),
        ):
            with self.subTest(chapter):
                result = self.compare(CHAPTER=chapter)
                self.assertEqual(result.returncode, 0, result.stderr)
                rows = result.stdout.splitlines()[2:]
                self.assertEqual([row.split()[0] for row in rows[: len(compared)]], compared)
                self.assertFalse(any(row.startswith(tuple(names)) for row in rows[len(compared) :]))
        self.assert_refused(self.compare(CHAPTER="own/none"), 2, "CHAPTER=own/none", "own/far")

    def test_times_of_this_machine_are_compared(self) -> None:
        """Without an emulated stage the table has speed-ups, and there is a plot."""
        records = [
            self.stand_in("real", f"0{i}_cpu", "cpu", factor)
            for i, factor in enumerate((0.04, 0.01))
        ]
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")
        result = self.compare(CHAPTER="real", ARGS="--n 1000")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[2], r"^00_cpu +cpu +40 +41\.5 +x1 +- +50 % of memory$")
        self.assertRegex(lines[3], r"^01_cpu +cpu +10 +11\.5 +x4 +x4 +50 % of memory$")
        if shutil.which("gnuplot"):
            for suffix in ("png", "svg"):
                self.assertGreater(
                    (self.build / "compare" / "real" / f"compare.{suffix}").stat().st_size, 1000
                )

    def test_recorded_times_beside_counters(self) -> None:
        """rsqrtf() is slower than 1 / sqrtf() on the CPU engine, and faster on a GPU."""
        stages = {stage.name: stage for stage in load_stages() if stage.chapter == "nbody"}
        names = [name for name in stages if name[3:] in ("shared_tiles", "rsqrt")]
        times = recorded_stages("nbody", names)
        assert times is not None
        self.assertEqual(set(times.kernels_ms), set(names))
        entries = [compare_stages.Entry(stages[name], "emu", mock.Mock()) for name in names]
        counted = counters_of("nbody")
        first, second = compare_stages.recorded_table(entries, times, counted)
        self.assertGreater(float(second[-1].removeprefix("x")), 1)
        sectors = sum(
            kernel.count(f"global_{kind}.sectors")
            for kernel in counted[names[1]]
            for kind in ("load", "store", "atomic")
        )
        self.assertEqual(second[2].replace(" ", ""), str(sectors))
        self.assertEqual(first[-2:], ["x1", "-"])

    def test_stages_about_copies_are_named(self) -> None:
        own = [stage for stage in load_stages() if stage.chapter == "basics"]
        names = [stage.name for stage in own]
        on_path = [stage.name for stage in own if not stage.path]
        self.assertEqual(about_copies("basics", names), on_path[-4:])
        self.assertEqual(about_copies("sums", names), [])

    def test_all_stages_run_with_the_given_n(self) -> None:
        log = self.folder / "log"
        self.compare(CHAPTER="sums", ARGS="--n 50", STAND_IN_LOG=str(log))
        self.assertEqual(log.read_text().count("n=50 "), 3)

    def test_a_stage_with_a_smaller_largest_n_is_left_out(self) -> None:
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        for largest, status in ((0, 1), (500, 0)):
            records[1]["largest_n"] = largest
            path.write_text(json.dumps(records), encoding="utf-8")
            result = self.compare(CHAPTER="sums", STAND_IN_REFUSES="01_plain")
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(
                "left out: sums/01_plain: stand-in: --n 1000: this stage sorts at most 500",
                result.stdout,
            )
            self.assertEqual('ARGS="--n 500" includes them' in result.stdout, largest == 500)
            self.assertRegex(result.stdout, r"\n02_flags +emu +- ")

    def test_a_race_on_purpose_is_left_out(self) -> None:
        path = self.build / "stages.json"
        records = json.loads(path.read_text(encoding="utf-8"))
        records[1]["race_on_purpose"] = True
        path.write_text(json.dumps(records), encoding="utf-8")
        result = self.compare(CHAPTER="sums", STAND_IN_REFUSES="01_plain")  # the stage would fail
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("\nleft out: sums/01_plain: its blocks race on purpose: ", result.stdout)
        self.assertNotIn("\n01_plain ", result.stdout)

    def test_a_failing_stage_fails_the_comparison(self) -> None:
        result = self.compare(CHAPTER="sums", ARGS="--n 7", STAND_IN_FAILS_AT="7")
        self.assert_refused(result, 1, "wrong result")

    def test_counting_cannot_be_compared(self) -> None:
        self.assert_refused(
            self.compare(CHAPTER="sums", ENGINE="count"), 2, "ENGINE=count", "gpu, emu"
        )

    def test_chapter_is_needed(self) -> None:
        self.assert_refused(self.compare(), 2, "CHAPTER is missing", "sums, other")


class FiguresTest(ToolTest):
    def test_of_one_chapter(self) -> None:
        for chapter, flags in (("", []), ("nbody", ["--chapter", "nbody"])):
            with (
                mock.patch.object(draw_figures, "why_no_figures", return_value=""),
                mock.patch.object(draw_figures.subprocess, "run") as run,
            ):
                draw_figures.draw("recorded", chapter)
            command = run.call_args.args[0]
            self.assertEqual(command[1:5], ["-m", "plots.commands.figures", "--data", "recorded"])
            self.assertEqual(command[9:], flags)

    def test_of_one_device(self) -> None:
        """By its folder's name, or by a part of it that no other has."""
        named = {
            "recorded": ("recorded", ""),
            "here": ("here", ""),
            "h100": ("recorded", "nvidia-h100-80gb-hbm3"),
            "nvidia-h200": ("recorded", "nvidia-h200"),
        }
        for asked, chosen in named.items():
            self.assertEqual(draw_figures.chosen_data(asked), chosen)
        for wrong in ("h300", "nvidia", ""):
            with self.assertRaisesRegex(ToolError, "recorded, here, nvidia-h100"):
                draw_figures.chosen_data(wrong)
        with (
            mock.patch.object(draw_figures, "why_no_figures", return_value=""),
            mock.patch.object(draw_figures.subprocess, "run") as run,
        ):
            draw_figures.draw("recorded", device="nvidia-h200")
        self.assertEqual(run.call_args.args[0][9:], ["--device", "nvidia-h200"])

    def test_chapters_that_are_not_measured_here_stay(self) -> None:
        """DATA=here measures one chapter, and draws all of them."""
        measured: list[list[str]] = []

        def measure_here(_stages: object, chapters: list[str]) -> int:
            measured.append(chapters)
            return 0

        with (
            mock.patch.dict(
                "os.environ", DATA="here", CHAPTER="sums", COURSE_BUILD=str(self.build)
            ),
            mock.patch.object(draw_figures, "measure_here", measure_here),
            mock.patch.object(draw_figures, "why_no_figures", return_value=""),
            mock.patch.object(draw_figures.subprocess, "run") as run,
        ):
            run.return_value.returncode = 0
            self.assertEqual(draw_figures.main(), 0)
        self.assertEqual(measured, [["sums"]])
        command = run.call_args.args[0]
        self.assertEqual(command[1:5], ["-m", "plots.commands.figures", "--data", "here"])
        self.assertNotIn("--chapter", command)

    def test_refusals(self) -> None:
        self.assert_refused(
            run_tool("plots.commands.measured_figures", self.build, CHAPTER="none"),
            2,
            "CHAPTER=none",
            "sums, other",
        )
        self.assert_refused(
            run_tool("plots.commands.measured_figures", self.build, DATA="there"),
            2,
            "DATA=there",
            "recorded, here",
        )


class NoGpuTest(ToolTest):
    def test_says_no_usable_device(self) -> None:
        if has_gpu():
            self.skipTest("there is a GPU")
        for tool in ("plots.maintain.sanitize", "plots.maintain.record"):
            with self.subTest(tool):
                self.assert_refused(run_tool(tool, self.build), 77, "no usable device")


class StageListTest(unittest.TestCase):
    def test_the_real_list_is_complete(self) -> None:
        records = json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
        # Without nvcc and without the CPU engine no CUDA kernel is built.
        engines = {engine for record in records for engine in record["executables"]}
        built = {record["chapter"] for record in records if record["executables"]}
        for record in records:
            with self.subTest(record["stage"]):
                self.assertTrue((ROOT / record["source"]).is_file())
                self.assertTrue(record["technique"])
                if record["chapter"] not in built:
                    # Its problem needs a header that is missing: boost/polygon/voronoi.hpp.
                    (reason,) = set(record["skipped"].values())
                    self.assertRegex(reason, r"^\S+ is missing \(package \S+\)$")
                elif record["source"].endswith(".cu"):
                    # The CPU engine lacks some libraries, an older toolkit bulk copies, and an
                    # older GPU what they need: such a stage is skipped with a reason.
                    may_be_skipped = record["libraries"] or record["bulk_copies"]
                    skipped = set(record["skipped"]) if may_be_skipped else set()
                    skipped |= {"count"} & engines if "emu" in skipped else set()
                    self.assertEqual(
                        set(record["executables"]), engines - {"cpu", "opencl"} - skipped
                    )
                elif record["opencl"]:
                    self.assertEqual(set(record["executables"]), engines & {"opencl"})
                    self.assertTrue((ROOT / record["source"]).with_suffix(".cl").is_file())
                else:
                    self.assertEqual(set(record["executables"]), {"cpu"})
                for engine, program in record["executables"].items():
                    # Some programs are built by the long tests alone: those of nvcc where there is
                    # no GPU, and those that count late.
                    late = engine == "count" and record["counted_late"]
                    if not late and (engine != "gpu" or has_gpu()):
                        self.assertTrue((BUILD / program).is_file(), program)
                if record["compared_with"]:
                    self.assertTrue(
                        (ROOT / "chapters" / record["chapter"] / record["compared_with"]).is_dir()
                    )


class VariableTest(ToolTest):
    def test_a_line_break_is_refused_in_one_line(self) -> None:
        for name in ("STAGE", "ENGINE"):
            variables = {"STAGE": "sums/01_plain", name: "a\nb"}
            self.assert_refused(
                run_tool("run", self.build, **variables), 2, f"{name}='a?b': has a line break"
            )


if __name__ == "__main__":
    unittest.main()
