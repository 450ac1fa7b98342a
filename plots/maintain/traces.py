# SPDX-License-Identifier: MIT
"""Records the small runs on the CPU engine that drawings are made from, into plots/data/traces.

    python3 -m plots.maintain.traces            runs the stages and writes the tables
    python3 -m plots.maintain.traces --only partition network    writes only these
    python3 -m plots.maintain.traces --check    only compares: exit status 1 where a run differs

Each chapter names its runs in CHAPTER.traces.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.stages import EXIT_FAILURE, DataError, run_tool
from plots.page.chapters import all_chapters
from plots.records.folders import TRACES
from plots.records.stages import all_stages, nearest
from plots.records.traces import Recorded, program_of


def all_traces() -> list[Recorded]:
    return [one for chapter in all_chapters() for one in chapter.traces]


def chosen_traces(words: Sequence[str] | None) -> list[Recorded]:
    every = all_traces()
    names = [one.name for one in every]
    for word in words or ():
        if word not in names:
            raise DataError(f"--only {word}: no such table; {nearest(word, names)}")
    return [one for one in every if words is None or one.name in words]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Records the runs that drawings are made from.")
    parser.add_argument("--check", action="store_true", help="compare with the recorded tables")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these tables")
    parser.add_argument("--data", type=Path, default=TRACES, help="folder of the tables")
    arguments = parser.parse_args(words)
    stages = {stage.stage: stage for stage in all_stages()}
    status = 0
    for one in chosen_traces(arguments.only):
        path = arguments.data / f"{one.name}.csv"
        text = one.made(program_of(one, stages[one.stage]))
        try:
            if not arguments.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, text)
                print(path)
            elif text != read_text(path):
                print(
                    f"{path}: {one.stage} does otherwise now: run python3 -m plots.maintain.traces"
                )
                status = EXIT_FAILURE
        except OSError as error:
            raise DataError(f"{path}: {error.strerror}") from error
    return status


if __name__ == "__main__":
    run_tool(main)
