# SPDX-License-Identifier: MIT
"""Each chapter's sweeps are what plots/records/sweeps.md says, and something reads their rows."""

import re
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.marks import TABLE, marks_of
from common.tools.lib.stages import ROOT, DataError
from plots.page.chapters import all_chapters
from plots.page.stage_pages import pages_of_chapter
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
                self.assertTrue(sweep.stages or sweep.left_out)

    def test_what_reads_the_rows_exists(self) -> None:
        for chapter in all_chapters():
            folder = ROOT / "chapters" / chapter.name
            known = {
                f"table:{mark.words}"
                if mark.kind == TABLE
                else f"page:{path.relative_to(folder).as_posix()}"
                for path in pages_of_chapter(folder)
                for mark in marks_of(path.read_text(encoding="utf-8"), path)
                if mark.kind in (TABLE, "measured")
            }
            for one in chapter.figures:
                short = one.name.removeprefix("figure_")
                known.add(one.name if short == one.name else short.replace("_", "."))
            for sweep in all_sweeps(PLOTS / chapter.name / FILE):
                with self.subTest(chapter=chapter.name, sweep=sweep.name):
                    self.assertTrue(sweep.figures or not chapter.figures)
                    if not sweep.left_out:  # such stages have no figures and no tables yet
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


SOUND = {
    "name": '"one"',
    "scope": '"record"',
    "engine": '"gpu"',
    "figures": '["6.6"]',
    "stages": '"kernels"',
    "n": "[1000, 2000]",
    "args": '["--steps", "0"]',
    "match": "{ steps = 0 }",
    "vary": "{ size-i = [2, 4] }",
    "seeds": "[0, 1]",
    "repeats": "3",
    "long_run_seconds": "2.5",
    "optional": "true",
    "alone": "true",
}
# Values of TOML's types.
WRONG = ("1979-05-27", "[[]]", "[{}]", "{ a = {} }", "[1, []]", "nan", "-inf", "-1", '["\\u0000"]')
WRONG += (
    '""',
    '"a\\nb"',
    "9223372036854775808",
    "1e30",
    '"two words"',
    "[true]",
    "false",
    "{ A = 1 }",
)
# Of these values and those of the other keys: which a key may have.
RIGHT_VALUES = {
    "name": ('"kernels"', '"record"', '"gpu"', '"x"'),
    "args": ("[]", '["x"]', '["6.6"]'),
    "figures": ("[]", '["x"]', '["--steps", "0"]'),
    "n": (),
    "match": ("{}",),
    "vary": ("{}",),
    "seeds": ("[1000, 2000]",),
    "long_run_seconds": ("3", "9223372036854775808"),
    "optional": ("false",),
    "alone": ("false",),
}


class SweepValuesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "nbody", FILE)
        self.path.parent.mkdir()

    def read(self, values: dict[str, str]) -> list[Sweep]:
        lines = [f"{key} = {value}" for key, value in values.items()]
        self.path.write_text("\n".join(["# Sweeps", "[[sweep]]", *lines]), encoding="utf-8")
        return all_sweeps(self.path)

    def test_the_sound_sweep(self) -> None:
        (sweep,) = self.read(SOUND)
        self.assertEqual((sweep.sizes, sweep.long_run_seconds), ((1000, 2000), 2.5))
        self.assertEqual((sweep.seeds, sweep.optional, sweep.alone), ((0, 1), True, True))

    def test_each_wrong_value_is_named_with_its_line(self) -> None:
        for line, key in enumerate(SOUND, 3):
            for value in {*WRONG, *SOUND.values(), "true", '"x"', "[]", "{}", '["x"]', "[1.5]"}:
                said = ""
                try:
                    self.read(SOUND | {key: value})
                except DataError as error:
                    said = str(error)
                with self.subTest(key=key, value=value):
                    if not said:
                        self.assertIn(value, (SOUND[key], *RIGHT_VALUES.get(key, ())))
                        continue
                    self.assertTrue(said.startswith(f"{self.path}:{line}: sweep "), said)
                    self.assertIn(key.rstrip("s"), said)
                    self.assertEqual(len(said.splitlines()), 1)

    def test_the_place_of_other_forms(self) -> None:
        for text, said in (
            ("sweep = 3", ": a sweep begins with [[sweep]]"),
            ("sweep = [3]", ": sweep number 1 is no table"),
            ("sweep = [{ name = 3 }]", ": sweep number 1: name = 3: it must be a word"),
            ("[[sweep]]\n[[sweep]]\nname = 3", ":1: sweep number 1: 'name' is missing"),
        ):
            self.path.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(DataError, re.escape(f"{self.path}{said}")):
                all_sweeps(self.path)


if __name__ == "__main__":
    unittest.main()
