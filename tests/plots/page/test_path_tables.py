# SPDX-License-Identifier: MIT
"""The tables of paths: which stages and gains each has, and what is said where numbers are missing."""

import unittest
from dataclasses import replace

from plots.drawing.chapter import Chapter, Rules
from plots.page.path_tables import ideas_table, path_table, path_tables, stages_on
from plots.records.limits import Limits
from plots.records.rows import Row
from plots.records.stages import Stages
from tests.plots.fixtures import GPU, made_up_chapter, stage, stages, timed

OWN = Stages(
    "alchemy",
    [
        stage("00_cpu"),
        stage("01_iron", "00_cpu"),
        stage("02_gold", "01_iron"),
        stage("03_lead", "00_cpu", begins_part="lists"),
        stage("04_tin", "03_lead"),
        stage("limit/01_mercury", "04_tin", path="limit", begins_part="to the limit"),
        stage("limit/02_sulfur", "limit/01_mercury", path="limit", begins_part="exact"),
    ],
    "x",
)
SIZES = {"": 10, "lists": 1000, "limit": 1000}


def chapter_of(sizes: dict[str, int], library: str = "") -> Chapter:
    return replace(made_up_chapter(OWN), path_sizes=sizes, share_of=library)


def rows(*points: tuple[str, int, float]) -> list[Row]:
    return [
        timed(name, n, 9.0, ms, "gpu" if OWN[name].has_kernels else "cpu") for name, n, ms in points
    ]


class PathTablesTest(unittest.TestCase):
    def test_a_part_with_an_n_has_a_table(self) -> None:
        found = {path: [one.name for one in stages_on(chapter_of(SIZES), path)] for path in SIZES}
        self.assertEqual(
            found,
            {
                "": ["01_iron", "02_gold"],
                "lists": ["03_lead", "04_tin"],
                "limit": ["limit/01_mercury", "limit/02_sulfur"],
            },
        )
        whole = [one.name for one in stages_on(chapter_of({"": 10}), "")]
        self.assertEqual(whole, ["01_iron", "02_gold", "03_lead", "04_tin"])

    def test_without_rows_of_any_device_a_table_has_the_ideas(self) -> None:
        self.assertEqual(
            ideas_table(chapter_of(SIZES), "lists"),
            [
                "| stage | idea |",
                "|---|---|",
                "| [03_lead](03_lead/README.md) | technique of 03_lead |",
                "| [04_tin](04_tin/README.md) | technique of 04_tin |",
                "",
                "Not measured yet.",
            ],
        )

    def test_each_table_has_its_own_n(self) -> None:
        measured = rows(
            ("00_cpu", 1000, 8.0),
            ("01_iron", 10, 2.0),
            ("02_gold", 10, 1.0),
            ("03_lead", 1000, 4.0),
            ("04_tin", 1000, 2.0),
            ("limit/01_mercury", 1000, 1.0),
            ("limit/02_sulfur", 1000, 0.5),
        )
        made = path_tables(chapter_of(SIZES, "04_tin"), measured, {})
        self.assertEqual(list(made), ["path", "path-lists", "path-limit"])
        self.assertEqual(
            made["path"],
            [
                "| stage | idea | keys/s at 10 | gain |",
                "|---|---|---|---|",
                "| [01_iron](01_iron/README.md) | technique of 01_iron | 5 k |  |",
                "| [02_gold](02_gold/README.md) | technique of 02_gold | 10 k | ×2.00 |",
                "",
                # Neither the library nor the serial program has this n.
                f"{GPU}, here. Kernels alone, one run each.",
            ],
        )
        lists = made["path-lists"]
        self.assertIn("| 250 k | ×2.00 | 50 % |", lists[2])
        self.assertIn("The serial program [00_cpu](00_cpu/README.md) reaches 125 k", lists[-1])
        self.assertIn("100 % is [04_tin](04_tin/README.md).", lists[-1])
        self.assertIn("| 2 M | ×2.00 | 400 % |", made["path-limit"][3])

    def test_a_table_says_how_often_its_stages_were_measured(self) -> None:
        measured = rows(*(("01_iron", 10, ms) for ms in (2.0, 3.0, 4.0)))
        said = "Kernels alone, medians of 3 runs, whose quartiles are at most 33.3 % apart."
        self.assertEqual(
            path_table(chapter_of({"": 10}), "", 10, measured, {})[-1], f"{GPU}, here. {said}"
        )


# Of each stage and n of a chapter with two shapes: the whole run and its kernels, in ms.
THREE = stages("00_cpu", "01_lead", "02_iron")
MS = {
    ("00_cpu", 10): (80.0, 80.0),
    ("01_lead", 10): (40.0, 4.0),
    ("02_iron", 10): (10.0, 2.0),
    ("01_lead", 20): (50.0, 6.0),
    ("02_iron", 20): (50.0, 2.0),
}
MADE = [
    timed(name, n, whole, kernels, "cpu" if name == "00_cpu" else "gpu", shape=shape)
    for shape, factor in (("deep", 1.0), ("flat", 7.0))
    for (name, n), (whole, kernels) in MS.items()
    for kernels in (kernels * (factor if name == "02_iron" else 1),)
]


LIMITS = {GPU: Limits(GPU, 1e10, operations_per_second=5e6)}


def cells_of(chapter: Chapter, n: int = 10) -> list[list[str]]:
    """Without what every table has: stage and idea."""
    lines = path_table(chapter, "", n, MADE, LIMITS)
    return [[cell.strip() for cell in line.split("|")[3:-1]] for line in lines[:4]]


# Of stages about copies: what they are compared with, and their whole runs.
COPIED = (
    ("00_cpu", "", 64.0),
    ("01_iron", "00_cpu", 16.0),
    ("02_lead", "01_iron", 8.0),
    ("03_tin", "01_iron", 4.0),
    ("04_gold", "03_tin", 2.0),
    ("05_brass", "02_lead", 1.0),
)


class CopiesTest(unittest.TestCase):
    """Kernels take a half of each run."""

    def setUp(self) -> None:
        parts = {"04_gold": "the way"}
        own = [stage(name, old, begins_part=parts.get(name, "")) for name, old, _ in COPIED]
        copies = dict.fromkeys(("04_gold", "05_brass"), lambda n: 64e6)
        made = made_up_chapter(Stages("alchemy", own, "here"), Rules(with_copies=copies))
        self.chapter = replace(made, path_sizes={"": 10, "the way": 10})

    def tables(self, device: str) -> dict[str, list[str]]:
        made = [replace(timed(name, 10, ms, ms / 2), device=device) for name, _, ms in COPIED]
        return path_tables(self.chapter, made, {})

    def test_a_gain_says_what_it_is_over(self) -> None:
        gains = [line.split(" | ")[-1] for line in self.tables(GPU)["path"][2:5]]
        self.assertEqual(gains, ["×4.00 |", "×2.00 |", "×4.00 over 01 |"])

    def test_stages_about_copies_have_a_table_of_whole_runs(self) -> None:
        """64 MB at 64 GB/s are 1 ms."""
        lines = self.tables("NVIDIA H200")["path-the-way"]
        self.assertIn("| whole run at 10 | gain | share of the link |", lines[0])
        self.assertIn("| 2 ms | ×2.00 | 50 % |", lines[2])
        self.assertIn("| 1 ms | ×8.00 over 02 | 100 % |", lines[3])
        self.assertIn("Whole runs with allocation and copies, medians of 1 runs.", lines[-1])
        self.assertIn("| 2 ms | ×2.00 |", self.tables(GPU)["path-the-way"][2])


class GainsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.chapter = replace(
            made_up_chapter(THREE, Rules({"shape": "deep"})),
            bound=("one operation per key", lambda limits: limits.operations_per_second),
        )

    def last_line(self, chapter: Chapter) -> str:
        return path_table(chapter, "", 10, MADE, LIMITS)[-1]

    def test_gains_are_those_of_kernels(self) -> None:
        head, _, lead, iron = cells_of(self.chapter)
        self.assertEqual(head, ["keys/s at 10", "gain", "share of the bound"])
        self.assertEqual(iron, ["5 k", "×2.00", "0.1 %"])
        self.assertEqual(lead[:2], ["2.5 k", "×20.0"])
        self.assertIn("100 % is one operation per key", self.last_line(self.chapter))

    def test_whole_runs_have_a_column_where_the_source_gives_them(self) -> None:
        chapter = replace(self.chapter, whole_runs=("",))
        head, _, lead, iron = cells_of(chapter)
        self.assertEqual(head, ["keys/s at 10", "gain", "gain of whole runs"])
        self.assertEqual(iron, ["5 k", "×2.00", "×4.00"])
        self.assertEqual(lead[-2:], ["", "×2.00"])  # over one core
        self.assertIn("Whole runs have", self.last_line(chapter))
        self.assertIn("what the host does, one run each.", self.last_line(chapter))

    def test_serial_loops_that_are_a_part_of_the_run_compare_with_kernels(self) -> None:
        chapter = replace(self.chapter, whole_runs=("",))
        loops = [replace(row, kernels_ms=row.total_ms / 4) for row in MADE]
        line = path_table(chapter, "", 10, loops, LIMITS)[2]
        self.assertEqual([cell.strip() for cell in line.split("|")[4:6]], ["×2.00", "×2.00"])

    def test_a_chapter_may_show_another_run(self) -> None:
        chapter = replace(self.chapter, rules=Rules({"shape": "deep"}, shown_run={"shape": "flat"}))
        head, _, _, iron = cells_of(chapter)
        self.assertEqual(head[0], "keys/s at 10, shape = flat")
        self.assertEqual(iron[:2], ["714", "×0.29"])

    def test_further_sizes_have_their_own_run(self) -> None:
        rules = Rules({"shape": "deep"}, run_of_size={20: {"shape": "flat"}})
        chapter = replace(self.chapter, rules=rules, further_gains={"": {"few keys": 20}})
        head, _, _, iron = cells_of(chapter)
        self.assertEqual(head, ["keys/s at 10", "gain", "gain, few keys", "share of the bound"])
        self.assertEqual(iron[:3], ["5 k", "×2.00", "×0.43"])
        self.assertIn("The further gains: few keys: 20.", self.last_line(chapter))


if __name__ == "__main__":
    unittest.main()
