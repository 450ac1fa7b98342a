# SPDX-License-Identifier: MIT
"""No measured number is typed: from other records, everything that is generated says other numbers.

All recorded times, reports, metrics, limits and counters are changed, each by a factor of its
own. The READMEs' tables, the figures and the site are made of them. A number that stays the same
must be one that nobody measured here: a size, a stage's name, a published number. This is done
twice, because a number may stay the same by chance.
"""

import csv
import functools
import re
import shutil
import tempfile
import unittest
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from common.tools.lib.columns import LIMITS_COLUMNS
from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import ROOT
from common.tools.lib.marks import marks_of
from plots.maintain import tables
from plots.drawing.chapter import Chapter
from plots.drawing.figure import Figure
from plots.drawing.words import THESIS_CARD
from plots.page.chapters import all_chapters
from plots.page.measured import Chapters
from common.tools.pages.packages import missing_packages
from plots.page.readme import cells_of
from plots.page.stage_pages import PAGE, stage_of_page
from plots.records.complete import complete_rows
from plots.records.folders import COUNTERS, DATA, THESIS, TRACES, device_folder, rank_table
from plots.records.limits import read_limits
from plots.records.published import Published, read_published
from plots.records.rows import read_reports, read_rows
from plots.records.source import Source
from tests.plots.fixtures import data_of

TIMES = ("setup_ms", "copy_in_ms", "kernels_ms", "copy_out_ms", "total_ms")
SPACE = "[ \N{NO-BREAK SPACE}]"
NUMBER = re.compile(rf"\d+(?:{SPACE}\d{{3}})*(?:\.\d+)?")
# A counter of one stage over that of another: counters of all stages are changed alike.
OF_ONE_COUNTER = re.compile(r"counter \S+ \S+ (\S+) / counter \S+ \S+ \1")
STAGE = re.compile(r"\b\d\d_\w+")
# Columns of the READMEs' tables without a measured number. GB moved and levels follow from the
# number of keys.
NOT_MEASURED = {
    "stage",
    "technique",
    "idea",
    "limit now",
    "kernel",
    "kernels",
    "quantity",
    "n",
    "the same within 10 %",
    "keys",
    "memory",
    "threads, blocks",
    "question",
    "variant",
    "go on if",
    "what follows",
    "levels of merges",
    "GB moved",
    "GPUs",
    "predicted",
    "points",
    "graph",
    "input",
    "weights up to",
    "goal",
    "thesis",
    f"thesis ({THESIS_CARD})",
    THESIS_CARD,
}
# Tables of figures that show what is published or follows from it.
NOT_OURS = {
    "thesis",
    "thesistime",
    "range",
    "theirs",
    "theirsiterations",
    "theirstriangulations",
    "printed",
    "printedbound",
    "more",
    "race",
    "bound",
}
SOURCES = sorted({chapter.printed.source for chapter in all_chapters() if chapter.printed})


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
    shutil.copytree(TRACES, folder / TRACES.name)

    def draw(*key: str) -> int:
        return zlib.crc32("|".join((str(salt), *key)).encode()) % 9973

    def scale(record: dict[str, str], name: str, *key: str) -> None:
        factor = 1.5 + draw(name, *key) / 4000
        record[name] = " ".join(repr(float(word) * factor) for word in record[name].split(" "))

    def row(record: dict[str, str]) -> None:
        """The repeats of a run alike, and its runs of few and of many iterations, whose differences
        are shown."""
        parameters = re.sub(r"max-iterations=\d+", "", record["parameters"])
        for name in TIMES:
            scale(
                record,
                name,
                *(record[key] for key in ("stage", "engine", "n", "input")),
                parameters + record.get("ranks", ""),
            )

    def report(record: dict[str, str]) -> None:
        """A run's chunks and slices alike: they are in an order."""
        ordered = record["field"].startswith(("chunk_", "slice_"))
        field = "chunk" if ordered else record["field"]
        if record["value"].isdecimal():  # a count stays one
            record["value"] = str(int(record["value"]) * (2 + draw(field, record["n"]) % 97))
        elif re.fullmatch(r"[\d. e+-]+", record["value"]):
            scale(record, "value", field, record["stage"], record["n"], record["parameters"])

    def metric(record: dict[str, str]) -> None:
        scale(record, "value", record["stage"], record["metric"])

    def limit(record: dict[str, str]) -> None:
        for name in LIMITS_COLUMNS[1:]:
            scale(record, name)

    def counter(record: dict[str, str]) -> None:
        """Of all stages alike: which of them are equal stays as it is. First all but the iterations
        by one factor, so that the same changes are the telling ones; then each counter by its
        own, so that those for each request are others too.
        """
        if salt or record["counter"] != "loop.iterations":
            name = record["counter"].removeprefix("loop.").replace("ideal_", "") if salt else ""
            record["value"] = str(int(record["value"]) * (2 + draw(name) % 97))

    for path in device_folder(DATA, None).glob("*.csv"):
        change = (
            limit
            if path.stem == "limits"
            else (
                report
                if path.stem.endswith("_report")
                else metric
                if path.stem.endswith("_profile")
                else row
            )
        )
        if path.stem not in ("counters", "verdicts"):  # pages of proofs have them, no figure
            rewrite(path, device / path.name, change)
    for chapter in recorded_chapters():  # several GPUs may be another device's
        path = rank_table(device_folder(DATA, None), chapter.name)
        if path.exists() and not (device / path.name).exists():
            rewrite(path, device / path.name, row)
    own = device_folder(DATA, None)
    for chapter in recorded_chapters():  # and so may all rows of a figure of many stages
        path = complete_rows(own, chapter.name, *chapter.all_stages)
        if path.parent != own:
            (folder / path.parent.name).mkdir(exist_ok=True)
            for name, change in ((path.name, row), ("limits.csv", limit)):
                rewrite(path.parent / name, folder / path.parent.name / name, change)
    for path in COUNTERS.glob("*.csv"):
        rewrite(path, counters / path.name, counter)
    return device, counters


@functools.cache
def published() -> list[Published]:
    return read_published(THESIS)


def recorded_chapters() -> list[Chapter]:
    folder = device_folder(DATA, None)
    return [one for one in all_chapters() if (folder / f"{one.name}.csv").exists()]


def said_in(figure: Figure) -> set[str]:
    """What a figure says besides that is no measurement here."""
    return getattr(data_of(figure.chapter), "SAID", {}).get(figure.name, set())


def measured_figures() -> list[Figure]:
    """Without those of traces and of inputs: nothing in them is measured."""
    return [
        figure
        for chapter in recorded_chapters()
        for figure in chapter.figures
        if figure.name not in getattr(data_of(chapter.name), "TRACED", ())
    ]


def stage_at(page: Path) -> str:
    """The stage of a page below chapters/; empty where it is a chapter's own."""
    chapter = ROOT / "chapters" / page.relative_to(ROOT / "chapters").parts[0]
    return stage_of_page(page, chapter) if chapter.is_dir() else ""


class Made:
    """What is generated from some records."""

    def __init__(self, device: Path, counters: Path) -> None:
        self.source = Source("recorded", device, device, published(), counters)
        self.readmes = {one.name: self.readme(one) for one in recorded_chapters()}
        self.drawings = {
            figure.name: figure.prepare(self.source.afresh()) for figure in measured_figures()
        }
        self.numbers = self.made_numbers()
        self.then_and_now = "" if missing_packages() else self.made_then_and_now()

    def made_then_and_now(self) -> str:
        from plots.page import site  # needs its packages

        return site.site_of([], self.source).then_and_now()

    def made_numbers(self) -> dict[str, list[str]]:
        """What the marks of each page's sentences say."""
        data = Chapters(self.source.folder, self.source.counters_folder)
        found = {}
        for path in [ROOT / "chapters" / PAGE, *(ROOT / "chapters").glob(f"*/**/{PAGE}")]:
            text = tables.with_marks(path.read_text(encoding="utf-8"), path, data, stage_at(path))
            found[str(path.relative_to(ROOT))] = [
                mark.text
                for mark in marks_of(text, path)
                if mark.kind == "measured" and not OF_ONE_COUNTER.fullmatch(mark.words)
            ]
        return found

    def readme(self, chapter: Chapter) -> list[list[list[str]]]:
        """The generated tables, as cells."""
        pages = tables.chapter_pages(
            chapter,
            self.source.folder,
            self.source.counters(chapter.name),
            [one for one in published() if one.chapter == chapter.name],
            ROOT / "chapters" / chapter.name,
        )
        data = Chapters(self.source.folder, self.source.counters_folder)
        text = "\n".join(
            tables.with_marks(text, path, data, stage_at(path)) for path, text in pages.items()
        )
        return [
            [cells_of(line) for line in table.splitlines() if line.startswith("|")]
            for table in re.findall("<!-- table:.*? -->\n(.*?)<!-- end -->", text, re.S)
        ]


def parts_of_runs(path: Path) -> set[int]:
    """How many chunks and slices the runs had."""
    parts = Counter(
        (report.stage, report.n, re.sub(r"\d+", "", report.field))
        for report in (read_reports(path) if path.exists() else ())
        if report.field.startswith(("chunk_", "slice_"))
    )
    return set(parts.values())


class TraceableTest(unittest.TestCase):
    made: tuple[Made, ...]
    gpu: str
    devices: list[str]  # of all recorded data: a name may have a number in it

    @classmethod
    def setUpClass(cls) -> None:
        recorded = (device_folder(DATA, None), COUNTERS)
        cls.gpu = next(
            row.device
            for row in read_rows(recorded[0] / f"{recorded_chapters()[0].name}.csv")
            if row.engine == "gpu"
        )
        cls.devices = [name for path in DATA.glob("*/limits.csv") for name in read_limits(path)]
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            cls.made = (
                Made(*recorded),
                *(
                    Made(*changed_records(Path(folder), salt))
                    for salt, folder in enumerate((first, second))
                ),
            )

    def same(self, texts: list[str]) -> set[str]:
        """The numbers that are the same in all; stages' names have none."""
        for name in self.devices:
            texts = [text.replace(name, "") for text in texts]
        found = [NUMBER.findall(STAGE.sub("", text)) for text in texts]
        self.assertEqual(len({len(one) for one in found}), 1, [text[:200] for text in texts])
        return {one[0] for one in zip(*found) if len(set(one)) == 1}

    def test_tables_of_the_readmes(self) -> None:
        looked_at = 0
        for chapter in recorded_chapters():
            for versions in zip(*(made.readmes[chapter.name] for made in self.made), strict=True):
                if not any(versions):
                    continue  # a table of stages that are not recorded yet
                head = versions[0][0]
                for lines in zip(*(table[2:] for table in versions), strict=True):
                    for title, *cells in zip(head, *lines, strict=True):
                        printed = title.startswith((*SOURCES, "RTX 3080")) or (
                            head[0].startswith(tuple(SOURCES)) and self.gpu not in title
                        )
                        if title in NOT_MEASURED or printed:
                            continue
                        # The n of a speed-up is no measurement, nor the stage that it is over, nor
                        # the best parameter's value.
                        said = [
                            re.sub(r"at [\d .]+[kMG]?(, k = \d+)?|^\d+: | over [\w/]+$", "", cell)
                            for cell in cells
                        ]
                        with self.subTest(chapter=chapter.name, column=title, line=lines[0][:2]):
                            self.assertEqual(self.same(said), set(), cells[0])
                        looked_at += bool(NUMBER.search(said[0]))
        self.assertGreater(looked_at, 300)

    def test_numbers_in_sentences(self) -> None:
        looked_at = 0
        for page in self.made[0].numbers:
            for texts in zip(*(made.numbers[page] for made in self.made), strict=True):
                with self.subTest(page=page, number=texts[0]):
                    self.assertEqual(self.same(list(texts)), set(), texts[0])
                looked_at += 1
        self.assertGreater(looked_at, 3)

    def known(self, chapter: Chapter) -> set[str]:
        """Numbers that a figure may say although nobody measured them."""
        folder = device_folder(DATA, None)
        rows = read_rows(folder / f"{chapter.name}.csv")
        words = [short_count(row.n) for row in rows]
        words += [str(count) for count in parts_of_runs(folder / f"{chapter.name}_report.csv")]
        words += [str(row.seed) for row in rows] + [row.input for row in rows]
        words += [value for row in rows for value in row.parameters.values()]
        for one in published():
            words += (
                [short_count(one.n or 0), f"{one.value:g}"] if one.chapter == chapter.name else []
            )
        words += [
            three_digits(cell.value) for cell in (chapter.printed.cells if chapter.printed else ())
        ]
        return {number for word in words for number in NUMBER.findall(word)}

    def test_words_of_the_figures(self) -> None:
        looked_at = 0
        chapters = {one.name: one for one in recorded_chapters()}
        for figure in measured_figures():
            chapter = chapters[figure.chapter]
            known = self.known(chapter) | said_in(figure)
            for part in ("ours", "alt"):
                texts = [getattr(made.drawings[figure.name], part) for made in self.made]
                names = [self.gpu, *SOURCES, *([chapter.printed.key] if chapter.printed else [])]
                texts = [
                    re.sub(
                        r"\b(?:[a-z_]+/)?\d\d over (?:[a-z_]+/)?\d\d\b|"
                        + "|".join(map(re.escape, names)),
                        "",
                        text,
                    )
                    for text in texts
                ]
                with self.subTest(figure=figure.name, part=part):
                    self.assertEqual(self.same(texts) - known, set(), texts[0])
                looked_at += len(NUMBER.findall(texts[0]))
        self.assertGreater(looked_at, 300)

    def lines_of(self, name: str) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
        """Of a figure's data: the table, and a row as each of the records has it."""
        every = [made.drawings[name].tables for made in self.made]
        for table, blocks in every[0].items():
            for versions in zip(blocks, *(other[table] for other in every[1:]), strict=True):
                yield from (
                    (table, list(rows))
                    for rows in zip(*(block.rows for block in versions), strict=True)
                )

    def test_data_of_the_figures(self) -> None:
        """What is drawn of ours, the first number behind the place, differs."""
        looked_at = 0
        for name in self.made[0].drawings:
            for table, rows in self.lines_of(name):
                if (
                    table not in NOT_OURS
                    and isinstance(rows[0][1], (int, float))
                    and rows[0][1] != 0
                ):
                    with self.subTest(figure=name, table=table, row=rows[0]):
                        self.assertGreater(len({row[1] for row in rows}), 1)
                    looked_at += 1
        self.assertGreater(looked_at, 300)

    @unittest.skipIf(missing_packages(), "no site without its packages")
    def test_then_and_now(self) -> None:
        columns: list[list[tuple[str, ...]]] = []
        for made in self.made:
            text = made.then_and_now
            table = text[text.index('<table class="then"') : text.index("</table>")]
            columns.append(
                [
                    (stage, *cells)
                    for stage, *cells in re.findall(
                        (
                            '<th scope="row".*?>(.*?)</th>.*?data-name="now">(.*?)</td>.*?data-name="counted">(.*?)</td>'
                        ),
                        table,
                        re.S,
                    )
                ]
            )
        looked_at = 0
        for rows in zip(*columns, strict=True):
            # Without sizes, numbers of runs, and the files that the tooltips name.
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
