# SPDX-License-Identifier: MIT
"""make progress: a table of all labs that were begun. my/progress.json remembers them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from common.tools.lib.files import parse_json, read_text, write_whole
from common.tools.lib.stages import DataError, print_table, run_tool
from common.tools.labs.catalogue import load_labs
from common.tools.labs.folders import lab_folder, my_folder
from common.tools.labs.lab import Lab

FILE = "progress.json"


@dataclass
class Progress:
    """What a student did in one lab."""

    hints: int = 0
    checks: int = 0
    points: int = 0  # the best so far
    of: int = 0


def read_progress() -> dict[str, Progress]:
    path = my_folder() / FILE
    try:
        document = parse_json(read_text(path), path)
        return {name: Progress(**record) for name, record in document.items()}
    except FileNotFoundError:
        return {}
    except (AttributeError, TypeError):
        raise DataError(f"{path}: is no record of labs; delete it to begin anew") from None


def write_progress(all_labs: dict[str, Progress]) -> None:
    folder = my_folder()
    folder.mkdir(parents=True, exist_ok=True)
    document = {name: asdict(one) for name, one in sorted(all_labs.items())}
    write_whole(folder / FILE, json.dumps(document, indent=1) + "\n")


def progress_of(lab: Lab) -> Progress:
    return read_progress().get(lab.name, Progress())


def note_check(lab: Lab, points: int) -> None:
    known = read_progress()
    one = known.setdefault(lab.name, Progress())
    one.checks += 1
    one.points = max(one.points, points)
    one.of = lab.of
    write_progress(known)


def note_hint(lab: Lab) -> int:
    """Counts one hint more, if there is one. Returns how many were revealed before."""
    known = read_progress()
    one = known.setdefault(lab.name, Progress())
    before = one.hints
    if before < len(lab.hints):
        one.hints += 1
        write_progress(known)
    return before


def state(lab: Lab, one: Progress | None, folder: Path) -> str:
    if one and one.of and one.points == one.of:
        return "done"
    return "begun" if one or folder.exists() else ""


def main() -> None:
    labs, known = load_labs(), read_progress()
    rows = []
    for lab in labs.values():
        one = known.get(lab.name)
        said = state(lab, one, lab_folder(lab))
        if said:
            one = one or Progress()
            rows.append(
                [
                    lab.name,
                    lab.title,
                    said,
                    f"{one.points} of {lab.of}",
                    str(one.checks),
                    str(one.hints),
                ]
            )
    if rows:
        print_table(["lab", "", "", "points", "checks", "hints"], rows, left=3)
        print()
    done = sum(row[2] == "done" for row in rows)
    print(f"{done} of {len(labs)} labs done; `make lab` lists them")


if __name__ == "__main__":
    run_tool(main)
