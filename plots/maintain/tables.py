# SPDX-License-Identifier: MIT
"""Writes the tables, numbers and excerpts of the chapters' pages from recorded data and sources, so
that none of them is typed.

    python3 -m plots.maintain.tables            fills the marks (chapters/README.md)
    python3 -m plots.maintain.tables --check    only says whether a page is out of date (exit status 1)

Every chapter has one table per path, `published` (each printed number beside the one measured here) and `counters`
(what each kernel asks of the memory, from plots/data/counters), `cores` (where a stage is for all
cores of the CPU), `ranks` (where one is for many GPUs), and those of its CHAPTER. chapters/thesis.md has the numbers of the thesis by section. Where this device has no rows of a chapter, its pages keep
what they have. Where no device has, its tables of paths name each stage and its idea, and all marks that need no rows are filled.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.differences import flags_diff
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.marks import TABLE, Mark, fill, marks_of, refill
from common.tools.lib.stages import EXIT_FAILURE, ROOT, DataError, run_tool
from plots.drawing.chapter import Chapter
from plots.maintain.thesis_table import thesis_table
from plots.page.all_cores import all_cores_table
from plots.page.chapters import all_chapters
from plots.page.comparison import comparable
from plots.page.counter_table import counters_table
from plots.page.excerpts import excerpt
from plots.page.measured import Chapters, Measured
from plots.page.path_tables import ideas_table, path_tables, table_of
from plots.page.readme import read_document
from plots.page.ranks import modelled, ranks_table
from plots.page.speed_up_tables import printed_source, printed_table, published_table
from plots.page.stage_pages import PAGE, pages_of_chapter, stage_of_page
from plots.records.complete import complete_rows
from plots.records.counters import KernelCounters, read_counters
from plots.records.folders import (
    COUNTERS,
    DATA,
    NO_DEVICES,
    THESIS,
    device_folder,
    rank_table,
)
from plots.records.limits import Limits, read_limits
from plots.records.published import Published, read_published
from plots.records.stages import nearest
from plots.records.rows import Report, Row, read_profile, read_rank_rows, read_reports, read_rows

THESIS_PAGE = "thesis.md"


def limits_of(folder: Path) -> dict[str, Limits]:
    path = folder / "limits.csv"
    return read_limits(path) if path.exists() else {}


def own_tables(chapter: Chapter, rows: Sequence[Row], folder: Path) -> dict[str, list[str]]:
    """The tables that only this chapter has. They are made of all rows, not only the compared
    ones."""
    if not chapter.tables:
        return {}
    path = complete_rows(folder, chapter.name, *chapter.all_stages)
    if path.parent != folder:
        rows, folder = read_rows(path), path.parent
    report_path = folder / f"{chapter.name}_report.csv"
    reports: list[Report] = read_reports(report_path) if report_path.exists() else []
    limits = limits_of(folder)
    return {name: make(rows, reports, limits) for name, make in chapter.tables.items()}


def chapter_tables(
    chapter: Chapter,
    folder: Path,
    counted: Sequence[KernelCounters],
    published: Sequence[Published],
) -> dict[str, list[str]]:
    """The lines of each of the chapter's tables."""
    path = folder / f"{chapter.name}.csv"
    if not path.exists():  # of any device
        made = {table_of(one): ideas_table(chapter, one) for one in chapter.path_sizes}
        return {"counters": counters_table(chapter.stages, counted)} | made
    all_rows = read_rows(path)
    rows = comparable(chapter.rules, all_rows)
    profile_path = folder / f"{chapter.name}_profile.csv"
    profile = read_profile(profile_path) if profile_path.exists() else []
    made = {"counters": counters_table(chapter.stages, counted)}
    made |= path_tables(chapter, all_rows, limits_of(folder))
    if published:
        made["published"] = published_table(chapter, rows, profile, published, all_rows)
    elif printed_source(chapter, published):
        made["published"] = printed_table(chapter, rows, all_rows)
    if profile:
        made |= {name: make(profile) for name, make in chapter.profile_tables.items()}
    if chapter.stages.all_cores:
        made["cores"] = all_cores_table(chapter, all_rows)
    if model := modelled(chapter.name):
        made["ranks"] = ranks_table(model, read_rank_rows(rank_table(folder, chapter.name)))
    return made | own_tables(chapter, all_rows, folder)


def with_tables(texts: dict[Path, str], made: dict[str, list[str]]) -> dict[Path, str]:
    """The pages with these tables, each of which one of them must have a place for."""
    for name, lines in made.items():
        places = [
            path
            for path, text in texts.items()
            if any((mark.kind, mark.words) == (TABLE, name) for mark in marks_of(text, path))
        ]
        for path in places or [next(iter(texts))]:  # whose error names the missing marks
            texts[path] = fill(texts[path], name, lines, path)
    return texts


def chapter_pages(
    chapter: Chapter,
    folder: Path,
    counted: Sequence[KernelCounters],
    published: Sequence[Published],
    pages: Path,
) -> dict[Path, str]:
    """The chapter's pages with fresh tables. `pages`: the chapter's folder."""
    texts = {path: read_text(path) for path in pages_of_chapter(pages)}
    return with_tables(texts, chapter_tables(chapter, folder, counted, published))


def with_marks(text: str, path: Path, data: Chapters, stage: str = "") -> str:
    """A page whose other marks are filled. `stage`: that of a stage's page."""
    measured = Measured(data, path)

    def then(mark: Mark) -> list[str]:
        chapter, name = measured.stage(stage)
        own = [one for one in data.published if (one.chapter, one.stage) == (chapter.name, name)]
        rows = data.rows(chapter.name, "")
        if not own and chapter.printed and name in [one.stage for one in chapter.printed.cells]:
            lines = printed_table(chapter, comparable(chapter.rules, rows), rows)
            return [*lines[:2], *(line for line in lines if f" | {name} | " in line)]
        if not own:
            raise DataError("no source prints a number of this stage")
        profile = data.profile(chapter.name, "")
        lines = published_table(chapter, comparable(chapter.rules, rows), profile, own, rows)
        over_serial = any(one.quantity == "speedup_over_cpu" for one in own)
        return lines if over_serial else lines[: 2 + len(own)]  # without the CPU's name

    def way(mark: Mark) -> list[str]:
        """Where to go from a stage's page. A stage that was just made has no page yet."""
        chapter, name = measured.stage(stage)
        up = "../" * (stage.count("/") + 1)
        root = path.parents[stage.count("/") + 1]
        order = [one for one in chapter.stages.every if (root / one / PAGE).is_file()]
        place = order.index(name)
        source = chapter.stages.any_of(name).source
        links = [f"[{title_of(root)}]({up}{PAGE})"]
        for word, at in (("before", place - 1), ("next", place + 1)):
            if 0 <= at < len(order):
                links.append(f"{word}: [{order[at]}]({up}{order[at]}/{PAGE})")
        return [" · ".join([*links, f"[source]({Path(source).name})"])]

    def flags(mark: Mark) -> list[str]:
        chapter, name = measured.stage(stage)
        found = flags_diff(chapter.stages[chapter.stages[name].compared_with], chapter.stages[name])
        if not found:
            raise DataError("no compiler flag differs")
        return ["```text", *found, "```"]

    def make(mark: Mark) -> str | list[str]:
        own = {"then": then, "way": way}
        if mark.kind == TABLE and mark.words not in own:
            return mark.text
        makers: dict[str, Callable[[Mark], str | list[str]]] = {
            TABLE: own.get(mark.words, then),
            "flags": flags,
            "measured": measured.measured,
            "thesis": measured.thesis,
            "counters": lambda one: measured.counters(one, stage),
            "code": lambda one: excerpt(one, path),
            "source": typed,
            "hardware": typed,
        }
        if mark.kind not in makers:
            raise mark.error(nearest(mark.kind, list(makers)))
        try:
            return makers[mark.kind](mark)
        except DataError as error:
            said = str(error)
            raise error if said.startswith(mark.place) else mark.error(said) from error

    return refill(text, path, make)


def title_of(folder: Path) -> str:
    """`N-body`, of the chapter's page."""
    return read_document(folder / PAGE).title.partition(":")[0]


def typed(mark: Mark) -> str:
    """A number of a source or of the hardware: its mark says where it can be looked up."""
    if not mark.words.strip() or not mark.text.strip():
        raise mark.error("says no section or device, or has no number")
    return mark.text


def all_pages(
    chapters: Path, recorded: Path, folder: Path, said: Callable[[str], None]
) -> dict[Path, str]:
    """Every page with fresh tables and numbers."""
    published = read_published(THESIS)
    data = Chapters(folder, recorded / COUNTERS.name)
    made: dict[Path, str] = {}
    for chapter in all_chapters():
        pages = chapters / chapter.name
        rows = f"{chapter.name}.csv"
        if not (folder / rows).exists():
            elsewhere = any(one.parent.name not in NO_DEVICES for one in recorded.glob(f"*/{rows}"))
            is_left = elsewhere or not (pages / PAGE).exists()
            how = "left as it is" if is_left else "without times"
            said(f"{pages / PAGE}: {how}, {folder} has no rows of {chapter.name}")
            if is_left:
                continue
        counted = read_counters(recorded / COUNTERS.name / f"{chapter.name}.csv")
        own = [one for one in published if one.chapter == chapter.name]
        texts = chapter_pages(chapter, folder, counted, own, pages)
        made |= {
            path: with_marks(text, path, data, stage_of_page(path, pages))
            for path, text in texts.items()
        }
    path = chapters / PAGE
    made |= {path: with_marks(read_text(path), path, data)} if path.exists() else {}
    return made | thesis_page(chapters / THESIS_PAGE, data)


def thesis_page(path: Path, data: Chapters) -> dict[Path, str]:
    """The thesis by its sections, with a table for each of its chapters."""
    if not path.exists():
        return {}
    text = read_text(path)
    for chapter in all_chapters():
        published = [one for one in data.published if one.chapter == chapter.name]
        rows = data.rows(chapter.name, "")
        if published and rows:
            profile = data.profile(chapter.name, "")
            compared = comparable(chapter.rules, rows)
            text = fill(
                text, chapter.name, thesis_table(chapter, compared, profile, published, rows), path
            )
    return {path: text}


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes the tables of the chapters' READMEs.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 when out of date"
    )
    parser.add_argument(
        "--device", help="folder of plots/data (default: the H200's, else the newest)"
    )
    parser.add_argument("--recorded", type=Path, default=DATA, help="folder of recorded data")
    parser.add_argument(
        "--chapters", type=Path, default=ROOT / "chapters", help="folder of the READMEs"
    )
    arguments = parser.parse_args(words)
    stale = []
    try:
        folder = device_folder(arguments.recorded, arguments.device)
        for path, text in all_pages(arguments.chapters, arguments.recorded, folder, print).items():
            if text == read_text(path):
                continue
            stale.append(path)
            if not arguments.check:
                write_whole(path, text)
    except OSError as error:
        raise DataError(str(error)) from error
    for path in stale:
        print(
            f"{path}:"
            f" {'out of date: run python3 -m plots.maintain.tables' if arguments.check else 'written'}"
        )
    return EXIT_FAILURE if arguments.check and stale else 0


if __name__ == "__main__":
    run_tool(main)
