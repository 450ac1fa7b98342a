# SPDX-License-Identifier: MIT
"""Writes the tables of the chapters' READMEs from recorded data, so that no number in them is
typed.

    python3 -m plots.maintain.tables            rewrites `<!-- table:NAME -->` to `<!-- end -->`
    python3 -m plots.maintain.tables --check    only says whether a README is out of date (exit status 1)

Every chapter has the tables `stages` (technique, speed-up of the source and here, rate of the
kernels, limit now), `published` (each printed number beside the one measured here) and `counters`
(what each kernel asks of the memory, from plots/data/counters), `ranks` (where a stage is for many
GPUs), and those of its CHAPTER. A chapter whose rows are not recorded yet keeps its README as it
is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.filled_tables import fill
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import EXIT_FAILURE, ROOT, DataError, run_tool
from plots.drawing.chapter import Chapter
from plots.page.chapters import all_chapters
from plots.page.comparison import comparable
from plots.page.counter_table import counters_table
from plots.page.ranks import modelled, ranks_table
from plots.page.speed_up_tables import printed_source, printed_table, published_table, stages_table
from plots.records.complete import complete_rows
from plots.records.counters import KernelCounters, read_counters
from plots.records.folders import COUNTERS, DATA, THESIS, device_folder, rank_table
from plots.records.limits import read_limits
from plots.records.published import Published, read_published
from plots.records.rows import Report, Row, read_profile, read_rank_rows, read_reports, read_rows


def own_tables(chapter: Chapter, rows: Sequence[Row], folder: Path) -> dict[str, list[str]]:
    """The tables that only this chapter has. They are made of all rows, not only the compared
    ones."""
    if not chapter.tables:
        return {}
    path = complete_rows(folder, chapter.name, *chapter.all_stages)
    if path.parent != folder:
        rows, folder = read_rows(path), path.parent
    report_path = folder / f"{chapter.name}_report.csv"
    limits_path = folder / "limits.csv"
    reports: list[Report] = read_reports(report_path) if report_path.exists() else []
    limits = read_limits(limits_path) if limits_path.exists() else {}
    return {name: make(rows, reports, limits) for name, make in chapter.tables.items()}


def chapter_readme(
    chapter: Chapter,
    folder: Path,
    counted: Sequence[KernelCounters],
    published: Sequence[Published],
    path: Path,
) -> str:
    """The chapter's README with fresh tables."""
    all_rows = read_rows(folder / f"{chapter.name}.csv")
    rows = comparable(chapter.rules, all_rows)
    profile_path = folder / f"{chapter.name}_profile.csv"
    profile = read_profile(profile_path) if profile_path.exists() else []
    text = read_text(path)
    made = {
        "stages": stages_table(chapter, rows, published, all_rows),
        "counters": counters_table(chapter.stages, counted),
    }
    if published:
        made["published"] = published_table(chapter, rows, profile, published, all_rows)
    elif printed_source(chapter, published):
        made["published"] = printed_table(chapter, rows, all_rows)
    if profile:
        made |= {name: make(profile) for name, make in chapter.profile_tables.items()}
    if model := modelled(chapter.name):
        made["ranks"] = ranks_table(model, read_rank_rows(rank_table(folder, chapter.name)))
    for name, lines in (made | own_tables(chapter, all_rows, folder)).items():
        text = fill(text, name, lines, path)
    return text


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
        published = read_published(THESIS)
        for chapter in all_chapters():
            path = arguments.chapters / chapter.name / "README.md"
            if not (folder / f"{chapter.name}.csv").exists():
                print(f"{path}: left as it is, {folder} has no rows of {chapter.name}")
                continue
            counted = read_counters(arguments.recorded / COUNTERS.name / f"{chapter.name}.csv")
            own = [one for one in published if one.chapter == chapter.name]
            text = chapter_readme(chapter, folder, counted, own, path)
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
