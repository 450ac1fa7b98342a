# SPDX-License-Identifier: MIT
"""Writes the tables of chapters/bounds.md: of each stage the least time that its counted work
allows on an H200, beside the recorded time.

    python3 -m plots.maintain.bounds            rewrites the tables
    python3 -m plots.maintain.bounds --check    only says whether they are out of date (exit status 1)

The counted work is recorded by `python3 -m plots.maintain.bounds_counters`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common.tools.explain.devices import DEFAULT, read_devices
from common.tools.lib.files import read_text, write_whole
from common.tools.lib.hardware import PREFERRED_DEVICE
from common.tools.lib.marks import fill
from common.tools.lib.stages import EXIT_FAILURE, ROOT, run_tool
from plots.page.bounds_table import bounds_table, chapter_bounds
from plots.page.chapters import all_chapters
from plots.records.folders import DATA
from plots.records.rows import read_rows


def page(path: Path, data: Path) -> str:
    text = read_text(path)
    device = read_devices()[DEFAULT]
    for chapter in all_chapters():
        recorded = data / PREFERRED_DEVICE / f"{chapter.name}.csv"
        if not recorded.exists():
            continue
        found = chapter_bounds(chapter, read_rows(recorded), data / PREFERRED_DEVICE, device)
        text = fill(text, chapter.name, bounds_table(chapter, found, device), path)
    return text


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes the tables of chapters/bounds.md.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of recorded data")
    parser.add_argument("--page", type=Path, default=ROOT / "chapters" / "bounds.md")
    arguments = parser.parse_args(words)
    text = page(arguments.page, arguments.data)
    if text == read_text(arguments.page):
        return 0
    if arguments.check:
        print(f"{arguments.page}: out of date: run python3 -m plots.maintain.bounds")
        return EXIT_FAILURE
    write_whole(arguments.page, text)
    print(f"{arguments.page}: written")
    return 0


if __name__ == "__main__":
    run_tool(main)
