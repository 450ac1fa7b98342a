# SPDX-License-Identifier: MIT
"""No measured number is typed: of other records everything that is generated says other numbers.

All recorded times, reports, metrics, limits and counters are changed, each by a factor of its own, and the READMEs'
tables, the figures and the page are made of them. A number that is the same as before must be one that nobody measured
here: a size, a stage's name, what is published. Twice, so that none that only happens to be the same is meant.
"""

import csv
import functools
import re
import shutil
import tempfile
import unittest
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import test_page
from plots_data import PLOTS, ROOT

import drawing
import figures
import limits
import markdown
import measurements
import page
import tables

TIMES = ("setup_ms", "copy_in_ms", "kernels_ms", "copy_out_ms", "total_ms")
SPACE = "[ \N{NO-BREAK SPACE}]"
NUMBER = re.compile(rf"\d+(?:{SPACE}\d{{3}})*(?:\.\d+)?")
STAGE = re.compile(r"\b\d\d_\w+")
# Columns of the READMEs' tables in which no measured number stands; GB moved and levels follow from the number of keys.
NOT_MEASURED = {"stage", "technique", "limit now", "kernel", "kernels", "quantity", "n", "the same within 10 %", "keys", "memory",
                "levels of merges", "GB moved", "points", "thesis", f"thesis ({drawing.THESIS_CARD})", drawing.THESIS_CARD}
# Tables of figures that show what is published or follows from it.
NOT_OURS = {"thesis", "thesistime", "range", "seed", "seedbound", "seediterations", "seedtriangulations", "more", "printed", "race",
            "bound"}
# Of traces and of inputs: nothing in them is measured.
TRACED = {"figure_3_2", "figure_3_6", "figure_4_5", "kmeans_clusters", "storms_layers", "distmesh_mesh"}
# What a figure's words say besides that is no measurement here.
SAID = {"figure_4_9": {"94"},  # %: a share of times that are all changed by one factor
        "figure_6_4": {"0.0", "32"}, "figure_6_5": {"0.0", "32"},  # instructions of a class that has none; fp32
        "multisort_08": {"9", "36"}, "multisort_09": {"26", "33"}, "multisort_10": {"21", "39"},  # of the seed's times
        "multisort_12": {"7.36"}, "multisort_opencl": {"323"},  # of its bandwidth; its ratio
        "nbody_counters": {"0", "01", "03", "05", "6.4", "6.5"}, "floyd_bandwidth": {"2"},  # stages and other figures; L2
        "montecarlo_error": {"1", "1.642", "150"},
        "storms_versions": {"5", "20"}, "storms_cells": {"40"},  # particles of a wave
        "distmesh_table_1": {"1", "2"}, "distmesh_copies": {"12"}}  # its versions; bytes


def rewrite(path: Path, target: Path, change: Callable[[dict[str, str]], None]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        records = list(reader)
        names = reader.fieldnames
    assert names
    for record in records:
        change(record)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


def changed_records(folder: Path, salt: int) -> tuple[Path, Path]:
    """Recorded data and counters as nobody measured them."""
    device, counters = folder / "device", folder / "counters"
    device.mkdir()
    counters.mkdir()
    shutil.copytree(PLOTS / "data" / "traces", folder / "traces")

    def draw(*key: str) -> int:
        return zlib.crc32("|".join((str(salt), *key)).encode()) % 9973

    def scale(record: dict[str, str], name: str, *key: str) -> None:
        factor = 1.5 + draw(name, *key) / 4000
        record[name] = " ".join(repr(float(word) * factor) for word in record[name].split(" "))

    def row(record: dict[str, str]) -> None:  # the repeats of a run alike
        for name in TIMES:
            scale(record, name, *(record[key] for key in ("stage", "engine", "n", "input", "parameters")))

    def report(record: dict[str, str]) -> None:  # a run's chunks alike: they are in an order
        field = record["field"].partition("_")[0] if record["field"].startswith("chunk_") else record["field"]
        if record["value"].isdecimal():  # a count stays one
            record["value"] = str(int(record["value"]) * (2 + draw(field, record["n"]) % 97))
        elif re.fullmatch(r"[\d. e+-]+", record["value"]):
            scale(record, "value", field, record["stage"], record["n"], record["parameters"])

    def metric(record: dict[str, str]) -> None:
        scale(record, "value", record["stage"], record["metric"])

    def limit(record: dict[str, str]) -> None:
        for name in limits.LIMITS_COLUMNS[1:]:
            scale(record, name)

    def counter(record: dict[str, str]) -> None:
        """Of all stages alike: which of them are equal stays as it is. First all but the iterations by one factor, so that the
        same changes are the telling ones; then each counter by its own, so that those for each request are others too."""
        if salt or record["counter"] != "loop.iterations":
            name = record["counter"].removeprefix("loop.").replace("ideal_", "") if salt else ""
            record["value"] = str(int(record["value"]) * (2 + draw(name) % 97))

    for path in figures.device_folder(PLOTS / "data", None).glob("*.csv"):
        change = (limit if path.stem == "limits" else report if path.stem.endswith("_report")
                  else metric if path.stem.endswith("_profile") else row)
        if path.stem != "counters":  # docs/COUNTERS.md's, of no figure
            rewrite(path, device / path.name, change)
    for path in (PLOTS / "data" / "counters").glob("*.csv"):
        rewrite(path, counters / path.name, counter)
    return device, counters


@functools.cache
def published() -> list[measurements.Published]:
    return measurements.read_published(drawing.PUBLISHED)


def recorded_chapters() -> list[str]:
    folder = figures.device_folder(PLOTS / "data", None)
    return [name for name in measurements.chapters_of(test_page.stages())
            if (folder / f"{name}.csv").exists() and figures.chapter_module(name) is not None]


class Made:
    """What is generated from some records."""

    def __init__(self, device: Path, counters: Path) -> None:
        self.source = drawing.Source("recorded", device, device, published(), counters)
        self.readmes = {name: self.readme(name) for name in recorded_chapters()}
        self.drawings = {figure.name: figure.prepare(self.source.afresh()) for figure in figures.all_figures()
                         if figure.chapter in recorded_chapters() and figure.name not in TRACED}
        self.page = page.page_html([], self.source)

    def readme(self, chapter: str) -> list[list[list[str]]]:
        """The generated tables, as cells."""
        own = [stage for stage in test_page.stages() if stage["chapter"] == chapter]
        text = tables.chapter_readme(chapter, own, self.source.folder, self.source.counters(chapter),
                                     [one for one in published() if one.chapter == chapter],
                                     ROOT / "chapters" / chapter / "README.md")
        return [[markdown.cells_of(line) for line in table.splitlines() if line.startswith("|")]
                for table in re.findall("<!-- table:.*? -->\n(.*?)<!-- end -->", text, re.S)]


class TraceableTest(unittest.TestCase):
    made: tuple[Made, ...]
    gpu: str

    @classmethod
    def setUpClass(cls) -> None:
        recorded = (figures.device_folder(PLOTS / "data", None), PLOTS / "data" / "counters")
        cls.gpu = next(row.device for row in measurements.read_rows(recorded[0] / "nbody.csv") if row.engine == "gpu")
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            cls.made = (Made(*recorded), *(Made(*changed_records(Path(folder), salt))
                                           for salt, folder in enumerate((first, second))))

    def same(self, texts: list[str]) -> set[str]:
        """The numbers that are the same in all; stages' names have none."""
        found = [NUMBER.findall(STAGE.sub("", text)) for text in texts]
        self.assertEqual(len({len(one) for one in found}), 1, [text[:200] for text in texts])
        return {one[0] for one in zip(*found) if len(set(one)) == 1}

    def test_tables_of_the_readmes(self) -> None:
        looked_at = 0
        for chapter in recorded_chapters():
            for versions in zip(*(made.readmes[chapter] for made in self.made), strict=True):
                head = versions[0][0]
                for lines in zip(*(table[2:] for table in versions), strict=True):
                    for title, *cells in zip(head, *lines, strict=True):
                        seeds = title.startswith(("seed 0", "RTX 3080")) or (head[0].startswith("seed 0") and self.gpu not in title)
                        if title in NOT_MEASURED or seeds:
                            continue
                        # Where a speed-up stands is no measurement, nor which stage it is over, nor the best parameter's value.
                        said = [re.sub(r"at [\d .]+[kMG]?(, k = \d+)?|^\d+: ", "", cell) for cell in cells]
                        with self.subTest(chapter=chapter, column=title, line=lines[0][:2]):
                            self.assertEqual(self.same(said), set(), cells[0])
                        looked_at += bool(NUMBER.search(said[0]))
        self.assertGreater(looked_at, 300)

    def known(self, chapter: str) -> set[str]:
        """Numbers that a figure may say although nobody measured them."""
        rows = measurements.read_rows(figures.device_folder(PLOTS / "data", None) / f"{chapter}.csv")
        words = [drawing.short_count(row.n) for row in rows]
        words += [value for row in rows for value in (str(row.seed), *row.parameters.values())]
        for one in published():
            words += [drawing.short_count(one.n or 0), f"{one.value:g}"] if one.chapter == chapter else []
        cells = getattr(figures.chapter_module(chapter), "seed_cells", tuple)()
        words += [drawing.three_digits(cell.value) for cell in cells]
        return {number for word in words for number in NUMBER.findall(word)}

    def test_words_of_the_figures(self) -> None:
        looked_at = 0
        for figure in figures.all_figures():
            if figure.name not in self.made[0].drawings:
                continue
            known = self.known(figure.chapter) | SAID.get(figure.name, set())
            for part in ("ours", "alt"):
                texts = [getattr(made.drawings[figure.name], part) for made in self.made]
                names = [self.gpu, getattr(figures.chapter_module(figure.chapter), "SEED_KEY", "RTX 3080, 2024")]
                texts = [re.sub(r"\b\d\d over \d\d\b|[Ss]eed \d{3}|" + "|".join(map(re.escape, names)), "", text) for text in texts]
                with self.subTest(figure=figure.name, part=part):
                    self.assertEqual(self.same(texts) - known, set(), texts[0])
                looked_at += len(NUMBER.findall(texts[0]))
        self.assertGreater(looked_at, 300)

    def lines_of(self, name: str) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
        """Of a figure's data: the table, and a row as each of the records has it."""
        every = [made.drawings[name].tables for made in self.made]
        for table, blocks in every[0].items():
            for versions in zip(blocks, *(other[table] for other in every[1:]), strict=True):
                yield from ((table, list(rows)) for rows in zip(*(block.rows for block in versions), strict=True))

    def test_data_of_the_figures(self) -> None:
        """What is drawn of ours, the first number behind the place, differs."""
        looked_at = 0
        for name in self.made[0].drawings:
            for table, rows in self.lines_of(name):
                if table not in NOT_OURS and isinstance(rows[0][1], (int, float)) and rows[0][1] != 0:
                    with self.subTest(figure=name, table=table, row=rows[0]):
                        self.assertGreater(len({row[1] for row in rows}), 1)
                    looked_at += 1
        self.assertGreater(looked_at, 300)

    def test_then_and_now(self) -> None:
        columns: list[list[tuple[str, ...]]] = []
        for made in self.made:
            text = made.page
            table = text[text.index('<table class="then"'):text.index("</table>")]
            columns.append([(stage, *cells) for stage, *cells in re.findall(
                '<th scope="row".*?>(.*?)</th>.*?data-name="now">(.*?)</td>.*?data-name="counted">(.*?)</td>', table, re.S)])
        looked_at = 0
        for rows in zip(*columns, strict=True):
            # Without places, numbers of runs, and the files that the tooltips name.
            place = rf'at{SPACE}(?:[\d.]|{SPACE})+[kMG]?|k{SPACE}={SPACE}\d+|\d+ runs?\b|; [^ "]*"'
            now = [re.sub(place, "", row[1]) for row in rows]
            counted = [re.sub(r'title="[^"]*"', "", row[2]) for row in rows[:2]]
            for texts in (now, counted):
                with self.subTest(stage=rows[0][0]):
                    self.assertEqual(self.same(texts) - {"0"}, set(), texts[0])
                looked_at += len(NUMBER.findall(texts[0]))
        self.assertGreater(looked_at, 300)


if __name__ == "__main__":
    unittest.main()
