#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes build/stages.json, the list of stages that every tool reads. Meson runs it.

    write_stages.py OUTPUT stage NAME KEY=VALUE… stage NAME KEY=VALUE…

A key of LISTS may be repeated. `executable.<engine>` and `skipped.<engine>` become dictionaries.
Meson puts all executables into one folder. Links give each chapter its own folder:
build/chapters/<chapter>/<executable>.
"""

import json
import sys
from pathlib import Path
from typing import Any

TEXTS = (
    "chapter",
    "name",
    "source",
    "technique",
    "compared_with",
    "begins_part",
    "path",
    "rule",
    "path_goal",
    "checked_by",
    "counter_unit",
    "solution_of",
)
NUMBERS = ("largest_n", "added_lines", "minimum_sm")
FLAGS = (
    "opencl",
    "race_on_purpose",
    "bulk_copies",
    "device_launches",
    "not_recorded",
    "counted_late",
)
LISTS = ("cuda_args", "emu_args", "counted_sizes", "more_checks", "libraries", "counter_args")
DICTIONARIES = {"executable": "executables", "skipped": "skipped"}


def empty_record(name: str) -> dict[str, Any]:
    record: dict[str, Any] = {"stage": name}
    record |= (
        {key: "" for key in TEXTS} | {key: 0 for key in NUMBERS} | {key: False for key in FLAGS}
    )
    record |= {key: [] for key in LISTS} | {key: {} for key in DICTIONARIES.values()}
    return record


def set_value(record: dict[str, Any], key: str, value: str) -> None:
    first, _, second = key.partition(".")
    if first in DICTIONARIES:
        record[DICTIONARIES[first]][second] = value
    elif key in LISTS:
        record[key].append(value)
    elif key in NUMBERS:
        record[key] = int(value)
    elif key in FLAGS:
        record[key] = value == "true"
    elif key in TEXTS:
        record[key] = value
    else:
        raise SystemExit(f"write_stages.py: {record['stage']}: a stage has no key {key!r}")


def read_records(words: list[str]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    remaining = iter(words)
    for word in remaining:
        if word == "stage":
            records.append(empty_record(next(remaining)))
        else:
            key, _, value = word.partition("=")
            set_value(records[-1], key, value)
    return records


def link_executables(record: dict[str, Any], build: Path) -> None:
    folder = build / "chapters" / record["chapter"]
    folder.mkdir(parents=True, exist_ok=True)
    for engine, name in record["executables"].items():
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(Path("..") / name)
        record["executables"][engine] = f"chapters/{record['chapter']}/{name}"


def main() -> None:
    output = Path(sys.argv[1])
    records = read_records(sys.argv[2:])
    for record in records:
        link_executables(record, output.parent)
    output.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
