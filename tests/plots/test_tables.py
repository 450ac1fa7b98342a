# SPDX-License-Identifier: MIT
"""The READMEs' tables: filled from rows, checked, and refused where a place or data is missing."""

import contextlib
import io
import unittest

from plots_data import (BIG_STAGES, GPU, LIMITS, NBODY_STAGES, PLOTS, SMALL_STAGES, PlotsTest, counter_records, distmesh_reports,
                        distmesh_rows, floyd_rows, kmeans_rows, mergesort_reports, mergesort_rows, quicksort_reports,
                        quicksort_rows, storms_rows, write_table)

import distmesh
import kmeans
import limits
import measurements
import mergesort
import quicksort
import speed_ups
import tables
from common.tools.lib.counting import bare


class TablesTest(PlotsTest):
    def test_ratios_have_three_digits(self) -> None:
        self.assertEqual([speed_ups.ratio(value) for value in (1.066, 45.31, 203.9, 3731.0, 0.094, 0.00352)],
                         ["×1.07", "×45.3", "×204", "×3730", "×0.09", "×0.0035"])

    def test_the_limit_is_the_first_sentence_of_the_head_comment(self) -> None:
        source = self.folder / "stage.cu"
        source.write_text("// SPDX\n// Idea: x.\n// Limit now: loads of 4.5\n// bytes; more.\nint main;\n")
        self.assertEqual(tables.limit_now(source), "loads of 4.5 bytes")
        source.write_text("// SPDX\n\n// Limit now: too late.\n")
        with self.assertRaises(measurements.DataError):
            tables.limit_now(source)

    def test_a_table_needs_its_place(self) -> None:
        text = "before\n<!-- table:stages -->\nold\n<!-- end -->\nafter\n"
        self.assertEqual(tables.fill(text, "stages", ["new"], self.folder),
                         "before\n<!-- table:stages -->\nnew\n<!-- end -->\nafter\n")
        with self.assertRaises(measurements.DataError):
            tables.fill(text, "published", ["new"], self.folder)

    def rows(self, seconds: dict[tuple[str, int], float]) -> list[measurements.Row]:
        return [measurements.Row("2026-01-01", "1", "c", stage, "gpu", GPU, n, {}, "", 1, 0.0,
                                 1000 * time) for (stage, n), time in seconds.items()]

    def test_speed_ups_are_taken_at_the_largest_common_n(self) -> None:
        rows = self.rows({("a", 1): 8, ("a", 2): 6, ("a", 3): 9, ("b", 1): 2, ("b", 2): 3})
        self.assertEqual(tables.speed_up(rows, "a", "b"), (2.0, 2))
        self.assertEqual(tables.speed_up(rows, "a", "b", 1), (4.0, 1))
        self.assertIsNone(tables.speed_up(rows, "a", "b", 3))

    def test_counters(self) -> None:
        path = self.folder / "nbody.csv"
        write_table(path, measurements.COUNTER_COLUMNS, counter_records())
        stages = [{"chapter": "nbody", "name": name, "stage": f"nbody/{name}", "counter_unit": "body",
                   "compared_with": "before"} for name in NBODY_STAGES]
        lines = tables.counters_table(stages, measurements.read_counters(path))
        self.assertEqual(lines[0], "| kernel | stage | global loads | sectors each | global stores | sectors each | "
                         "shared loads | wavefronts each | barriers | global loads a body | shared loads a body |")
        self.assertEqual(lines[2], "| compute_accelerations_kernel | 01_float3 | 131 136 | 1 | 96 | 4 |  |  |  | 4 |  |")
        self.assertEqual([bare(name) for name in ("a_kernel", "c::a_kernel", "a_kernel<int>", "c::a_kernel<c::T, 3>")],
                         ["a_kernel"] * 4)
        # Four stages that the counters cannot tell apart are one row.
        self.assertIn("| 03_shared_tiles, 04_soa_accelerations, 05_rsqrt, 06_flush_denormals |", lines[4])
        self.assertEqual(len(lines), 7)
        self.assertIn("`--n 1024`", lines[6])

    def test_stages_by_their_kernels(self) -> None:
        rows = [measurements.Row("2026-01-01", "1", "c", stage, "gpu", GPU, 1, {}, "", 1, kernels, total)
                for stage, kernels, total in (("a", 4.0, 10.0), ("b", 2.0, 8.0), ("c", 1.0, 4.0))]
        self.assertEqual(tables.speed_up(rows, "a", "b"), (1.25, 1))
        self.assertEqual(tables.speed_up(rows, "a", "b", kernels=True), (2.0, 1))
        rules = tables.Rules(kernel_timed=("a", "b"), series=(("a", "b", "c"),))
        published = [measurements.Published("1", "q", "speedup_over_first", stage, 1, 2.0, "1.1") for stage in "bc"]
        lines = tables.published_table([], rows, [], published, rules)
        self.assertIn("| speed-up over a | b | 1 | ×2.00 | ×2.00 | yes |", lines[2])
        self.assertIn("| speed-up over a | c | 1 | ×2.00 | ×2.50 | no |", lines[3])
        stages = [{"name": name} for name in "abc"]
        self.assertIn("of a to b the kernels alone", tables.timing_rule(stages, rules))
        self.assertNotIn("kernels", tables.timing_rule(stages, tables.Rules()))

    def test_the_compared_run(self) -> None:
        def of(name: str, stage: str = "a", **parameters: str) -> measurements.Row:
            return measurements.Row("2026-01-01", "1", "c", stage, "gpu", GPU, 1, parameters, name, 1, 1.0, 1.0)

        rules = tables.rules_of("quicksort")
        rows = [of("uniform"), of("uniform", "b", memory="pinned"), of("uniform", "b", memory="pageable"), of("sorted"),
                of("uniform", "b")]  # a has no parameter, the last b was not given it
        self.assertEqual(tables.comparable(rules, rows), rows[:2])
        self.assertEqual(tables.rules_of("no_such_chapter"), tables.Rules())

    def test_quicksort(self) -> None:
        write_table(self.folder / "quicksort.csv", measurements.ROW_COLUMNS, quicksort_rows("gpu"))
        write_table(self.folder / "quicksort_report.csv", measurements.REPORT_COLUMNS, quicksort_reports("gpu"))
        records = counter_records(("08_small_segment_shared", "09_small_sublists_shared"))
        for record in records[-7:]:
            record[1:3] = ["--n 6080", "quicksort::compute_accelerations_kernel"]
        write_table(self.folder / "counters.csv", measurements.COUNTER_COLUMNS, records)
        stages = [stage for stage in measurements.read_stages(measurements.stages_file())
                  if stage["chapter"] == "quicksort"]
        published = [one for one in measurements.read_published(PLOTS / "published" / "thesis.csv")
                     if one.chapter == "quicksort"]
        readme = self.folder / "README.md"
        readme.write_text("".join(f"<!-- table:{name} -->\n<!-- end -->\n" for name in (
            "stages", "counters", "inputs", "counting", "published")), encoding="utf-8")
        text = tables.chapter_readme("quicksort", stages, self.folder,
                                     measurements.read_counters(self.folder / "counters.csv"), published, readme)
        for line in ("| ×2.00 | ×2.00 at 2048 |", "×2.00 at 28 992", "×2.00 at 160 M",
                     "of 01_bitonic_global to 09_small_sublists_shared the kernels alone",
                     "| 3.4.2 | speed-up over 05_small_recursive | 09_small_sublists_shared | 6080 | ×1.77 | ×16.0 | no |",
                     "| 3.4.3 | speed-up over 10_big | 12_big_lazy_streams | 160 M | ×2.10 | ×4.00 | no |",
                     "| 3.4.4 | speed-up over 00_cpu | 12_big_lazy_streams | 160 M | ×51.2 | ×39.2 | no |",
                     "| 10_big | 2 ms | 16 ms (×8.00) | 8 ms (×4.00) | 4 ms (×2.00) |",
                     "| 65 536 | pageable | 6 | 0.5 | 5 | 10 | 0.125 | 0.25 |"):
            self.assertIn(line, text)
        self.assertNotIn("quicksort::", text)
        with self.assertRaises(measurements.DataError):
            quicksort.inputs_table([], [], {})
        with self.assertRaises(measurements.DataError):
            quicksort.counting_table([], [], {})

    def test_mergesort_s_bounds(self) -> None:
        write_table(self.folder / "mergesort.csv", measurements.ROW_COLUMNS, mergesort_rows("gpu", [10**7]))
        write_table(self.folder / "limits.csv", limits.LIMITS_COLUMNS, LIMITS)
        rows = measurements.read_rows(self.folder / "mergesort.csv")
        lines = mergesort.bounds_table(rows, [], limits.read_limits(self.folder / "limits.csv"))
        self.assertEqual(lines[0], f"| keys | levels of merges | GB moved | RTX 3080, at least | seed 003 | {GPU}, at least | here |")
        self.assertEqual(len(lines), 2 + 8 + 2)
        self.assertIn("| 2²⁰ | 19 | 0.166 | 0.0817 ms | 0.124 ms | 14.9 ms | 33.1 ms |", lines)
        self.assertIn("| 2²⁵ | 24 | 6.64 | 8.57 ms | 1.48 ms (impossible) | 662 ms | 1330 ms |", lines)
        self.assertIn("| not known |", mergesort.bounds_table(rows, [], {})[-3])
        with self.assertRaises(measurements.DataError):
            mergesort.bounds_table([], [], {})

    def test_mergesort_s_findings_beside_seed_003_s(self) -> None:
        """A pass takes 8e3 n / 5e9 ms; 07's times 100, 08's 50, 10's 2. size_i changes how many passes there are."""
        write_table(self.folder / "mergesort.csv", measurements.ROW_COLUMNS, mergesort_rows("gpu", [10**7]))
        write_table(self.folder / "mergesort_report.csv", measurements.REPORT_COLUMNS, mergesort_reports("gpu", [10**7]))
        rows = measurements.read_rows(self.folder / "mergesort.csv")
        reports = measurements.read_reports(self.folder / "mergesort_report.csv")
        for line in (f"| kernels | seed 003 (RTX 3080, 2024) | {GPU} |",
                     "| 07_multisort_cpu, best `size_i` | 64: 4.14 s | 4096: 75.2 s |",
                     "| 08_multisort_thread_merge, `size_i` 4, threads 1, 32, 1024 | 5.28, 7.84, 8.01 s | 64.1, 64.1, 64.1 s |",
                     "| 09_multisort_merge_path, `size_i` 2, 4, 8, 16, 1024 threads | 1.67, 2.79, 7.15, 17.9 ms | "
                     "1.33, 1.28, 1.23, 1.18 s |",
                     "| 09_multisort_merge_path over 08_multisort_thread_merge, 2²⁷ keys | ×3790 | ×48.4 |"):
            self.assertIn(line, mergesort.found_table(rows, [], {}))
        lines = mergesort.opencl_table(rows, reports, {})
        self.assertEqual(lines[0], "| keys | 2¹⁵ | 2¹⁶ | 2¹⁷ | 2¹⁸ | 2¹⁹ | 2²⁰ | 2²¹ | 2²² | 2²³ | 2²⁴ | 2²⁵ | 2²⁶ | 2²⁷ |")
        self.assertEqual(lines[2], "| ratio" + 13 * " | 2.00" + " |")
        for make in (mergesort.found_table, mergesort.opencl_table):
            with self.assertRaises(measurements.DataError):
                make([], [], {})

    def test_mergesort_s_readme_has_a_place_for_every_table(self) -> None:
        write_table(self.folder / "mergesort.csv", measurements.ROW_COLUMNS, mergesort_rows("gpu", [10**7, 32 * 10**7, 2**25]))
        write_table(self.folder / "mergesort_report.csv", measurements.REPORT_COLUMNS,
                    mergesort_reports("gpu", [10**7, 32 * 10**7, 2**25]))
        write_table(self.folder / "limits.csv", limits.LIMITS_COLUMNS, LIMITS)
        stages = [stage for stage in measurements.read_stages(measurements.stages_file()) if stage["chapter"] == "mergesort"]
        published = [one for one in measurements.read_published(PLOTS / "published" / "thesis.csv")
                     if one.chapter == "mergesort"]
        text = tables.chapter_readme("mergesort", stages, self.folder,
                                     measurements.read_counters(PLOTS / "data" / "counters" / "mergesort.csv"), published,
                                     PLOTS.parent / "chapters" / "mergesort" / "README.md")
        for line in ("| ×1.20 | ×1.11 at 320 M |", "| ×48.4 at 134 217 728 |", "**multisort:** seed 003",
                     "of 07_multisort_cpu to 10_multisort_opencl the kernels alone",
                     "| 4.4.1 | speed-up over 01_selection_and_search | 06_overlap_copy |  | ×1.40 | ×1.69 | no |",
                     "| 4.4.2 | speed-up over 00_cpu | 06_overlap_copy | 320 M | ×2.54 | ×16.6 | no |",
                     "| 2²⁷ | 26 | 28.7 | 37.6 ms | 5.59 ms (impossible) |"):
            self.assertIn(line, text)

    def test_kmeans_readme_shows_every_k(self) -> None:
        write_table(self.folder / "kmeans.csv", measurements.ROW_COLUMNS, kmeans_rows("gpu", [10**7, 16 * 10**7, 32 * 10**7]))
        stages = [stage for stage in measurements.read_stages(measurements.stages_file()) if stage["chapter"] == "kmeans"]
        published = [one for one in measurements.read_published(PLOTS / "published" / "thesis.csv") if one.chapter == "kmeans"]
        text = tables.chapter_readme("kmeans", stages, self.folder,
                                     measurements.read_counters(PLOTS / "data" / "counters" / "kmeans.csv"), published,
                                     PLOTS.parent / "chapters" / "kmeans" / "README.md")
        for line in ("| ×1.13, k = 4<br>×1.28, k = 8<br>×1.57, k = 16<br>×2.00, k = 32 | ×2.00 at 320 M, k = 4<br>×2.00 at 320 M, k = 8<br>",
                     "| ×1.41, k = 4<br>×1.28, k = 8<br>×1.08, k = 16<br>×0.89, k = 32 | ×4.00 at 320 M, k = 4<br>×2.00 at 320 M, k = 8<br>"
                     "×1.00 at 320 M, k = 16<br>×0.50 at 320 M, k = 32 |",
                     "|  | ×2.00 at 320 M, k = 4<br>×2.00 at 320 M, k = 8<br>×2.00 at 320 M, k = 16<br>×2.00 at 320 M, k = 32 |",
                     "| 00_cpu | 25.6 s | 51.2 s | 102 s | 205 s |",
                     "| 04_two_stage_reduction | 81.6 ms (×4.00) | 0.326 s (×2.00) | 1.31 s (×1.00) | 5.22 s (×0.50) |",
                     "| speed-up over the stage before, k = 32 | 04_two_stage_reduction |  | ×0.89 | ×0.50 | no |",
                     "| 5.4.2 | speed-up over 00_cpu, k = 8 | 05_device_loop | 160 M | ×43.4 | ×314 | no |"):
            self.assertIn(line, text)
        with self.assertRaises(measurements.DataError):
            kmeans.times_table([], [], {})

    def test_the_thesis_words_have_its_numbers(self) -> None:
        published = [one for one in measurements.read_published(PLOTS / "published" / "thesis.csv") if one.chapter == "kmeans"]
        for k in kmeans.CLUSTERS:
            self.assertEqual([f"{one.value:g}" for one in published if one.parameters == {"k": str(k)}], list(kmeans.SAID[k]))

    def test_floyd_s_readme_has_a_place_for_every_table(self) -> None:
        rows = floyd_rows("gpu", (1000, 2000, 3000, 4000, 5000, 20_000))
        for record in list(rows):  # other inputs are no compared runs, whatever they took
            for input_name, parameters in (("random", "density=0.5;max-weight=1000;negative=1"), ("grid", "max-weight=1000"),
                                           ("random", "density=0.1;max-weight=1000")):
                other = list(record)
                other[7], other[9] = parameters, input_name
                other[12:17] = [1.0] * 5
                rows.append(other)
        write_table(self.folder / "floyd.csv", measurements.ROW_COLUMNS, rows)
        stages = [stage for stage in measurements.read_stages(measurements.stages_file()) if stage["chapter"] == "floyd"]
        published = [one for one in measurements.read_published(PLOTS / "published" / "thesis.csv") if one.chapter == "floyd"]
        text = tables.chapter_readme("floyd", stages, self.folder,
                                     measurements.read_counters(PLOTS / "data" / "counters" / "floyd.csv"), published,
                                     PLOTS.parent / "chapters" / "floyd" / "README.md")
        for line in ("| ×1.14 | ×1.20 at 20 k |", "| ×1.06 | ×1.20 at 20 k |", "| ×980 at 5 k |",
                     "| 7.4.1 | speed-up over the stage before | 02_row_per_block | 20 k | ×1.14 | ×1.20 | yes |",
                     "| 7.4.2 | speed-up over 00_cpu | 03_column_reuse | 1 k | ×3.86 | ×1410 | no |",
                     "| 7.4.2 | speed-up over 00_cpu | 03_column_reuse | 5 k | ×92.9 | ×1410 | no |"):
            self.assertIn(line, text)

    def test_storms_readme_has_what_the_seed_prints_beside_three_inputs(self) -> None:
        rows = storms_rows("gpu")
        for record in list(rows):  # another input's at the same n is no compared run
            other = list(record)
            other[9], other[12:17] = "zeros", [1.0] * 5
            rows.append(other)
        write_table(self.folder / "storms.csv", measurements.ROW_COLUMNS, rows)
        stages = [stage for stage in measurements.read_stages(measurements.stages_file()) if stage["chapter"] == "storms"]
        text = tables.chapter_readme("storms", stages, self.folder,
                                     measurements.read_counters(PLOTS / "data" / "counters" / "storms.csv"), [],
                                     PLOTS.parent / "chapters" / "storms" / "README.md")
        limits_of = {stage["name"]: tables.limit_now(PLOTS.parent / stage["source"]) for stage in stages}
        techniques = {stage["name"]: stage["technique"] for stage in stages}

        def line(name: str, then: str, here: str, source: str = "storms.cu") -> str:
            return f"| [{name}]({name}/{source}) | {techniques[name]} | {then} | {here} | {limits_of[name]} |"

        over = "over 01_update_kernel "
        for said in (f"| stage | technique | seed 002, 2018 | here ({GPU}) | limit now |", line("00_cpu", "", "", "storms.cpp"),
                     line("01_update_kernel", "", "×15.7 at 30 k, dense<br>×15.7 at 1 M, long<br>×15.7 at 100 M, sparse"),
                     line("02_relax_with_race", "×1.53 (with its race)", "no times: wrong on purpose"),
                     line("03_copy_kernel", "more than ×1.58 over 01_update_kernel",
                          f"×2.00 {over}at 30 k, dense<br>×2.00 {over}at 1 M, long<br>×2.00 {over}at 100 M, sparse"),
                     line("04_max_reduction", "less than ×1.38", "×2.00 at 30 k, dense<br>×2.00 at 1 M, long<br>×2.00 at 100 M, sparse"),
                     "Speed-ups are over the stage before (not over 02_relax_with_race, wrong on purpose), whole runs",
                     f"| seed 002, 2018 | stage | time | speed-up over the stage before | {GPU}: dense | {GPU}: long | {GPU}: sparse |",
                     "| version 1 | 01_update_kernel | 95 s |  | ×15.7 at 30 k | ×15.7 at 1 M | ×15.7 at 100 M |",
                     "| version 2 | 02_relax_with_race | 62 s | ×1.53 (with its race) | no times: wrong on purpose | no times: wrong on purpose | "
                     "no times: wrong on purpose |",
                     "| version 3 | 03_copy_kernel | under 60 s | more than ×1.58 over 01_update_kernel | ×2.00 at 30 k | ×2.00 at 1 M | ×2.00 at 100 M |",
                     "| version 4 | 04_max_reduction | 43.4 s | less than ×1.38 | ×2.00 at 30 k | ×2.00 at 1 M | ×2.00 at 100 M |"):
            self.assertIn(said + "\n" if said.endswith("|") else said, text)
        self.assertNotIn("Not recorded", text)

    def test_distmesh_readme_has_the_seed_s_tables_beside_ours(self) -> None:
        write_table(self.folder / "distmesh.csv", measurements.ROW_COLUMNS, distmesh_rows("gpu"))
        write_table(self.folder / "distmesh_report.csv", measurements.REPORT_COLUMNS, distmesh_reports("gpu"))
        stages = [stage for stage in measurements.read_stages(measurements.stages_file()) if stage["chapter"] == "distmesh"]
        text = tables.chapter_readme("distmesh", stages, self.folder,
                                     measurements.read_counters(PLOTS / "data" / "counters" / "distmesh.csv"), [],
                                     PLOTS.parent / "chapters" / "distmesh" / "README.md")
        for line in (f"| stage | technique | {distmesh.SEED_KEY} | here ({GPU}) | limit now |",
                     "| ×1.60 at 20 109 (whole runs) | ×2.00 at 31 409 |", "| ×3.92 at 20 109 (whole runs) | ×2.00 at 31 409 |",
                     "|  | ×2.00 at 31 409 |", "|  | ×1.01 at 31 409 |", "of 01_global_atomics to 04_resident the kernels alone",
                     "| 1452 | 35 ms | 0.13 s | 37 ms | ×0.95 | 59.2 ms | 54.8 ms | 51.1 ms | 49.2 ms | 48.3 ms | 47.9 ms | ×1.16 | ×1.23 | ×1.24 |",
                     "| 2267 | 0.29 s | 0.32 s | 0.112 s | ×2.59 |  |  |  |  |  |  |  |  |  |",
                     "| 1261 | 265, 253 | 1061 to 1062 | 1063 | 25, 23 | 51 | 50 | ×4.77 | ×4.00 | ×8.00 | ×16.0 | ×32.0 |",
                     "| 2827 | 365, 313 |  |  | 39, 30 |  |  | ×6.81 |  |  |  |  |",
                     "| 31 409 | 7764, 6980 | 1009 to 1010 | 1011 | 728, 719 | 59 | 58 | ×53.4 |"):
            self.assertIn(line, text)
        self.assertNotIn("| time | speed-up over the stage before |", text)  # what other seeds' tables look like
        with self.assertRaises(measurements.DataError):
            distmesh.table_1([], [], {})
        with self.assertRaises(measurements.DataError):
            distmesh.table_2([], [], {})

    def test_stages_of_their_own_parameters(self) -> None:
        write_table(self.folder / "mergesort.csv", measurements.ROW_COLUMNS, mergesort_rows("gpu", [10**7]))
        rules = tables.rules_of("mergesort")
        rows = tables.comparable(rules, measurements.read_rows(self.folder / "mergesort.csv"))
        self.assertTrue(all(row.input == "uniform" for row in rows))
        kept = {(row.stage, *sorted(row.parameters.items())) for row in rows if row.n == 2**25}
        self.assertEqual(kept, {("07_multisort_cpu", ("size-i", "64")),
                                ("08_multisort_thread_merge", ("size-i", "4"), ("threads", "1")),
                                ("09_multisort_merge_path", ("size-i", "2"), ("threads", "32")),
                                ("10_multisort_opencl", ("size-i", "2"), ("threads", "32"))})

    def test_runs_that_are_not_all_the_same_name_their_stages(self) -> None:
        counted = [measurements.KernelCounters(stage, arguments, "k", {}) for stage, arguments in (
            ("01_a", "--n 1"), ("02_b", "--n 2"), ("02_b", "--n 2"), (SMALL_STAGES[0], "--n 2"))]
        self.assertEqual(tables.counted_runs(counted[:1]), "`--n 1`")
        self.assertEqual(tables.counted_runs(counted), "`--n 1` (01), `--n 2` (02, 05)")

    def test_a_chapter_without_rows_keeps_its_readme(self) -> None:
        recorded = self.folder / "recorded"
        (recorded / "gpu-1").mkdir(parents=True)
        (recorded / "gpu-1" / "other.csv").write_text("x\n", encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = tables.main(["--check", "--recorded", str(recorded), "--chapters", str(self.folder)])
        self.assertEqual(status, 0)
        self.assertIn("has no rows of quicksort", said.getvalue())

    def test_published_values_are_compared_at_their_n(self) -> None:
        rows = self.rows({("00_cpu", 100): 10, ("x", 100): 5, ("x", 1000): 1})
        one = measurements.Published("8.2", "c", "speedup_over_cpu", "x", 100, 2.1, "8.4.2")
        lines = tables.published_table([], rows, [], [one])
        self.assertIn("| ×2.10 | ×2.00 | yes |", lines[2])
        absent = measurements.Published("8.2", "c", "time", "x", 500, 2.1, "8.4.2")
        self.assertIn("not measured", tables.published_table([], rows, [], [absent])[2])


class ParametersTest(unittest.TestCase):
    """Numbers that the thesis prints for several runs, which differ in a parameter."""

    ROWS = [measurements.Row("2026-01-01", "1", "c", stage, "gpu", GPU, 100, {"k": k}, "", 1, 1.0, ms)
            for stage, k, ms in (("a", "4", 8.0), ("b", "4", 4.0), ("a", "8", 9.0), ("b", "8", 3.0))]
    PUBLISHED = [measurements.Published("1", "c", "speedup_over_previous", "b", 100, value, "1.1", note)
                 for value, note in ((1.5, "k = 4"), (2.5, "k = 8; at most"), (9.0, "about k = 4"))]
    STAGES = [{"name": "a", "compared_with": ""}, {"name": "b", "compared_with": "a"}]

    def test_notes(self) -> None:
        self.assertEqual([one.parameters for one in self.PUBLISHED], [{"k": "4"}, {"k": "8"}, {}])
        one = measurements.Published("1", "c", "time", "b", 1, 1.0, "1.1", "size-i = 2, memory = pinned; or so")
        self.assertEqual(one.parameters, {"size-i": "2", "memory": "pinned"})

    def test_each_is_held_against_its_own_run(self) -> None:
        rules = tables.Rules(run={"k": "4"})
        rows = tables.comparable(rules, self.ROWS)
        lines = tables.published_table(self.STAGES, rows, [], self.PUBLISHED, rules, self.ROWS)
        self.assertIn("| speed-up over the stage before, k = 4 | b | 100 | ×1.50 | ×2.00 | no |", lines[2])
        self.assertIn("| speed-up over the stage before, k = 8 | b | 100 | ×2.50 | ×3.00 | no |", lines[3])
        self.assertIn("| speed-up over the stage before | b | 100 | ×9.00 | ×2.00 | no |", lines[4])


class RecordedTest(unittest.TestCase):
    def test_bad_pivots_cost_twenty_times_as_much_at_most(self) -> None:
        for path in (PLOTS / "data").glob("*/quicksort.csv"):
            if path.parent.name == "counters":
                continue
            rows = [row for row in measurements.read_rows(path) if row.stage in BIG_STAGES and row.n == 2**20]
            for stage in BIG_STAGES:
                times = {name: quicksort.median_ms([row for row in rows if (row.stage, row.input) == (stage, name)])
                         for name in quicksort.INPUTS}
                for name, time in times.items():
                    with self.subTest(path=path, stage=stage, input=name):
                        self.assertLess(time, 20 * times["uniform"])


if __name__ == "__main__":
    unittest.main()
