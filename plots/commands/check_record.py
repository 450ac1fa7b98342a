#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make check-record DIR=plots/data/rtx-4060: whether what `make record` wrote on a machine can be
shared. It needs no GPU.

It prints what is wrong and ends with 1, or says that nothing is; notes alone are no mistake.
plots/maintain/judged.py has the rules.
"""

from pathlib import Path

from common.tools.lib.errors import EXIT_USAGE
from common.tools.lib.numbers import grouped
from common.tools.lib.stages import EXIT_FAILURE, ToolError, run_tool, variable
from plots.page.chapters import all_chapters
from plots.records.folders import DATA, device_folder
from plots.maintain.judged import judge


def folder_asked_for() -> Path:
    """DIR: a folder, or a part of the name of one in plots/data/."""
    text = variable("DIR")
    if not text:
        raise ToolError(
            "make check-record: DIR is missing, such as DIR=plots/data/rtx-4060", EXIT_USAGE
        )
    folder = Path(text)
    if not folder.is_dir():
        folder = device_folder(DATA, folder.name)
    return folder


def main() -> int:
    folder = folder_asked_for()
    found = judge(folder, all_chapters())
    for words in found.notes:
        print(f"note: {words}")
    for words in found.wrong:
        print(f"wrong: {words}")
    device = found.device or "no GPU"
    print(
        f"{folder}: {device}, {grouped(found.rows)} rows of {len(found.chapters)} chapters: ",
        end="",
    )
    print("not fit to be shared" if found.wrong else "fit to be shared")
    return EXIT_FAILURE if found.wrong else 0


if __name__ == "__main__":
    run_tool(main)
