# SPDX-License-Identifier: MIT
"""Each chapter's sweeps are what plots/records/sweeps.md says, and something reads their rows."""

import re
import unittest

from common.tools.lib.stages import ROOT
from plots.page.chapters import all_chapters
from plots.records.folders import PLOTS
from plots.records.sweeps import FILE, Sweep, all_sweeps
from tests.plots.fixtures import data_of


def sweeps() -> list[Sweep]:
    return [sweep for one in all_chapters() for sweep in all_sweeps(PLOTS / one.name / FILE)]


class SweepsTest(unittest.TestCase):
    def test_format(self) -> None:
        self.assertTrue(sweeps())
        for sweep in sweeps():
            with self.subTest(chapter=sweep.chapter, sweep=sweep.name):
                self.assertFalse(sweep.scope == "record" and sweep.engine == "emu")
                for _, values in sweep.vary:
                    self.assertEqual(len(values), len(set(values)))
                # A flag that is given twice would run with one value and be recognised by the
                # other.
                varied = {name for name, _ in sweep.vary}
                flags = [word.removeprefix("--") for word in sweep.args if word.startswith("--")]
                self.assertEqual(len(flags), len(set(flags)))
                self.assertFalse(set(flags) & varied)
                self.assertFalse({name for name, _ in sweep.match} & varied)
                self.assertEqual(list(sweep.sizes), sorted(set(sweep.sizes)))
                self.assertTrue(all(isinstance(n, int) and n > 0 for n in sweep.sizes))
                self.assertTrue(all(isinstance(word, str) for word in sweep.args))
                self.assertTrue(sweep.stages)

    def test_what_reads_the_rows_exists(self) -> None:
        for chapter in all_chapters():
            readme = (ROOT / "chapters" / chapter.name / "README.md").read_text(encoding="utf-8")
            known = {f"table:{name}" for name in re.findall("<!-- table:(.*?) -->", readme)}
            for one in chapter.figures:
                short = one.name.removeprefix("figure_")
                known.add(one.name if short == one.name else short.replace("_", "."))
            for sweep in all_sweeps(PLOTS / chapter.name / FILE):
                with self.subTest(chapter=chapter.name, sweep=sweep.name):
                    self.assertTrue(sweep.figures or not chapter.figures)
                    self.assertLessEqual(set(sweep.figures), known)

    def test_a_race_on_purpose_is_not_measured(self) -> None:
        racing = {
            one.stage for chapter in all_chapters() for one in chapter.stages if one.race_on_purpose
        }
        self.assertTrue(racing)
        for sweep in sweeps():
            self.assertFalse(
                {f"{sweep.chapter}/{stage}" for stage in sweep.stages} & racing, sweep.name
            )

    def test_record_scope_repeats_enough(self) -> None:
        """At least five times, unless the chapter's tests say why not."""
        for sweep in sweeps():
            if sweep.scope == "record" and sweep.seeds == (1,):
                with self.subTest(chapter=sweep.chapter, sweep=sweep.name):
                    fewest = getattr(data_of(sweep.chapter), "fewest_repeats", lambda sweep: 5)
                    self.assertGreaterEqual(sweep.repeats, fewest(sweep))
                    limit = sweep.long_run_seconds  # 0: however long a run takes
                    self.assertTrue(limit == 0 or limit >= 1)


if __name__ == "__main__":
    unittest.main()
