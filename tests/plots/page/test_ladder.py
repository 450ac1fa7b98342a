# SPDX-License-Identifier: MIT
"""The ladders: one rung per stage with rows, per unit of work, its kind, and the bound below it."""

import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from common.tools.lib.columns import ROW_COLUMNS
from common.tools.lib.stages import ROOT
from plots.drawing.chapter import Rules
from plots.page import ladder
from plots.page.bounds_table import chapter_bounds
from plots.page.chapters import all_chapters, load_chapter
from plots.page.ladder import (
    AXIS,
    Rung,
    above,
    kind_of,
    MANY,
    left_out,
    letters_of,
    lines_of,
    names_of,
    numbers_in_words,
    prepare,
    rungs_of,
    whole_run_words,
)
from plots.page.optimisations import read_chapter
from plots.page.parts import Entry, Part, readme_of
from plots.page.stage_head import of_a_source, read_head
from plots.records.folders import COUNTERS, DATA, device_folder
from plots.records.source import Source
from plots.records.stages import Stages, stages_of
from tests.plots.fixtures import PlotsTest, made_up_chapter, row, stage, stages


def recorded() -> Source:
    folder = device_folder(DATA, None)
    return Source("recorded", folder, folder, (), COUNTERS)


class MadeUpTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        own = Stages(
            "alchemy",
            [
                stage("00_cpu"),
                stage("01_iron", "00_cpu"),
                stage("02_race", "01_iron", race_on_purpose=True),
                stage("03_gold", "01_iron", libraries=("cub",)),
                stage("04_lead", "01_iron"),
                stage("05_new", "04_lead", not_recorded=True),
                stage("many_gpus", "04_lead", not_recorded=True, libraries=("nccl",)),
            ],
            "plots/alchemy/figures.py",
        )
        self.chapter = made_up_chapter(own, Rules(kernels_in_part=("03_gold",)))
        self.write_rows(
            ("00_cpu", "cpu", 1000, 2.0),
            ("01_iron", "gpu", 1000, 1.0),
            *(("01_iron", "gpu", 4000, ms) for ms in (1.0, 4.0, 9.0)),
            ("02_race", "gpu", 1000, 1.0),
            ("03_gold", "gpu", 4000, 8.0),
        )
        # Made-up stages have no sources.
        patched = mock.patch.object(ladder, "read_head", return_value={"Source": "Thesis 3.1."})
        patched.start()
        self.addCleanup(patched.stop)

    def write_rows(self, *rows: tuple[str, str, int, float]) -> None:
        records = [row("alchemy", *one) for one in rows]
        kernels = ROW_COLUMNS.index("kernels_ms")
        for record in records:
            record[kernels] = record[kernels] / 2
        self.write("alchemy.csv", ROW_COLUMNS, records)

    @property
    def source(self) -> Source:
        return Source("recorded", self.folder, self.folder, (), self.folder / "counters")

    def test_rungs(self) -> None:
        rungs = rungs_of(self.chapter, self.source)
        self.assertEqual(
            [(one.stage, one.kind, one.n) for one in rungs],
            [
                ("00_cpu", "serial", 1000),
                ("01_iron", "source", 4000),
                ("03_gold", "library", 4000),
            ],
        )
        # Keys per second, medians at the largest n. Of 03 the kernels are only a part.
        for one, kernels, whole in zip(rungs, (1e6, 2e6, 5e5), (5e5, 1e6, 5e5), strict=True):
            self.assertAlmostEqual(one.kernels, kernels)
            self.assertAlmostEqual(one.whole, whole)
        # Over the stage before, but not over one core; of 03 in whole runs.
        self.assertEqual([one.gain for one in rungs], [0.0, 0.0, 0.5])
        # The constants of a made-up device are not known.
        self.assertEqual([one.bound for one in rungs], [0.0] * 3)

    def test_what_is_left_out_is_said(self) -> None:
        self.assertEqual(
            left_out(self.chapter, rungs_of(self.chapter, self.source)),
            " Left out: without rows: 04; not recorded yet: 05; wrong on purpose: 02;"
            " for several GPUs: many_gpus.",
        )

    def test_runs_of_numbers_are_spans(self) -> None:
        for numbers, said in (
            ((7,), "07"),
            ((22, 23), "22, 23"),
            ((12, 14), "12, 14"),
            ((1, 3, 4, 5, 9, 10), "01, 03 to 05, 09, 10"),
        ):
            self.assertEqual(numbers_in_words([f"{one:02}_lead" for one in numbers]), said)

    def test_shares_are_of_the_library_at_the_largest_n_of_both(self) -> None:
        self.write_rows(
            ("01_iron", "gpu", 1000, 8.0),
            ("01_iron", "gpu", 9000, 1.0),
            ("03_gold", "gpu", 1000, 4.0),
        )
        chapter = replace(self.chapter, share_of="03_gold", rules=Rules())
        shares = [(one.stage, one.share) for one in rungs_of(chapter, self.source)]
        self.assertEqual(shares, [("01_iron", 0.5), ("03_gold", 1.0)])
        drawing = prepare(self.source, chapter)
        self.assertIn("the share of the rate of 03", drawing.ours)
        self.assertEqual([row[2] for row in drawing.tables["shares"][0].rows], ["50 %", "100 %"])
        self.assertEqual([row[2] for row in drawing.tables["gains"][0].rows], ["×2.00"])

    def test_the_serial_program_is_a_label(self) -> None:
        drawing = prepare(self.source, self.chapter)
        self.assertEqual(drawing.variables["core"], "one core: 1 M keys/s")
        self.assertEqual(drawing.variables["stage_marks"], '("01_iron" 0, "03_gold" 1)')
        self.assertEqual(
            [row[0] for row in drawing.numbers[0][1:]], ["00_cpu", "01_iron", "03_gold"]
        )
        self.assertIn("On the CPU, which is no point, one core: 1 M keys/s.", drawing.alt)

    def test_all_cores_are_a_label_too(self) -> None:
        many = stage("peers/cpu_cores", libraries=("openmp",))
        own = Stages("alchemy", [*self.chapter.stages, replace(many, compared_with="00_cpu")], "x")
        self.write_rows(
            ("00_cpu", "cpu", 1000, 2.0),
            ("01_iron", "gpu", 4000, 4.0),
            ("03_gold", "gpu", 4000, 8.0),
            (many.name, "cpu", 1000, 0.5),
        )
        drawing = prepare(self.source, replace(self.chapter, stages=own))
        self.assertEqual(drawing.variables["core"], "one core: 1 M keys/s; 256 cores: 4 M keys/s")
        self.assertEqual(drawing.variables["stage_marks"], '("01_iron" 0, "03_gold" 1)')

    def test_names_of_many_stages_are_smaller(self) -> None:
        for count in (2, 12, MANY):
            names, numbers = letters_of(["x"] * count)
            self.assertLess(names, 0.7 * AXIS / count)  # the distance of lines at 45 degrees
            self.assertLess(5 * 0.7 * numbers, AXIS / count)  # "×1.23"
        for count in (MANY + 1, 30):  # upright
            for letters in letters_of(["x"] * count):
                self.assertLess(1.3 * letters, AXIS / count)
        self.assertGreater(letters_of(["x"] * 28)[1], 1.5 * 0.26 * AXIS / 28)

    def test_many_stages_have_short_names(self) -> None:
        few = ["01_lead", "limit/01_iron", "limit/02_gold", "peers/cub"]
        self.assertEqual(names_of(few), few)
        many = [*few, *(f"limit/{i:02}_tin" for i in range(3, MANY))]
        self.assertEqual(names_of(many)[:6], ["01", "limit/01", "02", "cub", "limit/03", "04"])

    def test_a_gain_does_not_lie_on_its_bound(self) -> None:
        for bound, near, wanted in ((0.0, 2.0, 10.0), (15.0, 2.0, 15.0), (30.0, 2.0, 10.0)):
            self.assertEqual(above(Rung("a", "source", 1, 10.0, 1.0, (), bound), near), wanted)

    def test_a_line_for_each_path(self) -> None:
        names = ("00_cpu", "01_a", "02_b", "limit/01_c", "limit/02_d", "peers/e")
        own = [stage(name, compared_with=before) for name, before in zip(names, ("", *names))]
        own[3] = replace(own[3], compared_with="01_a", path="limit")
        chapter = made_up_chapter(Stages("alchemy", own, "here"))
        rungs = [Rung(name, "source", 1, 1.0, 1.0, ()) for name in names]
        found = {
            path: [one.stage for one in line] for path, line in lines_of(chapter, rungs).items()
        }
        self.assertEqual(found, {"": [*names[:3]], "limit": ["01_a", *names[3:5]]})

    def test_stages_about_copies_have_lines_of_whole_runs(self) -> None:
        """They begin at the whole run of the stage that the first is compared with."""
        names = ("00_cpu", "01_a", "02_b", "03_pinned", "04_queues", "05_managed")
        own = [stage(name, compared_with=before) for name, before in zip(names, ("", *names))]
        own[5] = replace(own[5], compared_with="01_a")
        copies = dict.fromkeys(names[3:], lambda n: 4.0 * n)
        chapter = made_up_chapter(Stages("alchemy", own, "here"), Rules(with_copies=copies))
        rungs = [Rung(name, "source", 1, 1.0, 7.0, ()) for name in names]
        found = {
            path: [(one.stage, one.kernels) for one in line]
            for path, line in lines_of(chapter, rungs).items()
        }
        self.assertEqual(
            found,
            {
                "": [("00_cpu", 1.0), ("01_a", 1.0), ("02_b", 1.0)],
                "copies, 03": [("02_b", 7.0), ("03_pinned", 1.0), ("04_queues", 1.0)],
                "copies, 05": [("01_a", 7.0), ("05_managed", 1.0)],
            },
        )
        self.assertEqual(
            whole_run_words(rungs, chapter),
            " Whole runs, because they change how the input comes to the device: 03 to 05.",
        )
        rules = Rules(with_copies={"03_gold": lambda n: 4.0 * n})
        changed = replace(self.chapter, rules=rules)
        self.assertIn(
            "Kernels' keys per second (whole runs: 03), ", prepare(self.source, changed).subtitle
        )
        rung = rungs_of(changed, self.source)[-1]
        self.assertEqual((rung.stage, rung.kernels), ("03_gold", rung.whole))

    def test_a_ladder_needs_two_rungs(self) -> None:
        self.write_rows(("00_cpu", "cpu", 1000, 2.0))
        with self.refuses("alchemy.csv: fewer than two stages have rows"):
            rungs_of(self.chapter, self.source)

    def test_a_stage_with_other_parameters_is_chosen_by_the_shown_run(self) -> None:
        self.write(
            "alchemy.csv",
            ROW_COLUMNS,
            [
                row("alchemy", name, "gpu", 1000, ms, parameters=f"k={k}")
                for name, k, ms in (("01_iron", 4, 1.0), ("01_iron", 8, 3.0), ("03_gold", 8, 5.0))
            ],
        )
        rules = Rules({"k": "4"}, shown_run={"k": "8"})
        rungs = rungs_of(replace(self.chapter, rules=rules), self.source)
        self.assertEqual([round(1e6 / one.kernels, 3) for one in rungs], [3.0, 5.0])


class SaidTest(unittest.TestCase):
    def test_a_page_says_what_its_ladder_leaves_out(self) -> None:
        chapter = made_up_chapter(stages("00_cpu", "01_lead"))
        records = read_chapter(chapter, None, COUNTERS, [])
        said = "Grey lines. Left out: without rows: 04; not recorded yet: 05."
        entry = Entry(
            "alchemy_ladder", "alchemy", "", Path("a.svg"), "", (("Data", "x"), ("Here", said))
        )
        part = Part(records, readme_of(Path(), "alchemy"), [entry], [])
        self.assertEqual(part.ladder_said, said)
        self.assertIs(part.ladder, entry)
        self.assertEqual(part.figures, [])


class RecordedTest(unittest.TestCase):
    def test_no_rung_is_above_its_bound(self) -> None:
        bounded = 0
        for chapter in all_chapters():
            if not recorded().rows_path(chapter.name).exists():
                continue  # `make chapter` has made it, and nothing was measured yet
            for one in rungs_of(chapter, recorded()):
                if one.bound:
                    self.assertLessEqual(one.kernels, one.bound, f"{chapter.name}/{one.stage}")
                bounded += one.bound > 0
        self.assertGreater(bounded, 60)

    def test_bounds_are_those_of_the_table(self) -> None:
        from common.tools.explain.devices import DEFAULT, read_devices

        chapter, source = load_chapter("nbody"), recorded()
        rows = source.rows("nbody")
        table = chapter_bounds(chapter, rows, source.folder, read_devices()[DEFAULT])
        rungs = {one.stage: one for one in rungs_of(chapter, source)}
        for one in table:
            ratio = one.measured_ms / 1000 / one.binding.seconds
            self.assertAlmostEqual(rungs[one.stage].bound / rungs[one.stage].kernels, ratio)

    def test_kinds_follow_the_sources_words(self) -> None:
        for name, kinds in (
            ("nbody", {"cpu": "serial", "shared_tiles": "source", "third_law": "course"}),
            ("montecarlo", {"shuffle_reduction": "source", "curand_host": "library"}),
            ("storms", {"max_reduction": "source", "particles_in_shared": "course"}),
            ("distmesh", {"gather": "source", "rows": "course"}),
            ("basics", {"padded_tile": "course"}),
        ):
            for short, kind in kinds.items():
                stage_name = stages_of(name).named(short)
                self.assertEqual(kind_of(load_chapter(name), stage_name), kind, stage_name)

    def test_each_stage_says_where_it_is_from(self) -> None:
        for chapter in all_chapters():
            for one in chapter.stages:
                head = read_head(ROOT / one.source)
                self.assertIn("Idea", head, one.stage)
                self.assertIn("Source", head, one.stage)
        self.assertFalse(of_a_source({}))


if __name__ == "__main__":
    unittest.main()
