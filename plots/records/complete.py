# SPDX-License-Identifier: MIT
"""Which device's rows show all stages of a figure or a table: stages that were measured on
different devices do not compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plots.records.folders import NO_DEVICES
from plots.records.rows import matches, read_rows


def complete_rows(
    folder: Path, chapter: str, stages: Sequence[str], match: Mapping[str, object]
) -> Path:
    """The chapter's table in `folder`, or, if that lacks one of the stages for `match`, the first
    one of another device beside it that has them all."""
    own = folder / f"{chapter}.csv"
    others = sorted(
        path
        for path in folder.parent.glob(f"*/{own.name}")
        if path != own and path.parent.name not in NO_DEVICES
    )
    for path in (own, *others):
        if path.exists() and set(stages) <= {
            row.stage for row in read_rows(path) if row.engine == "gpu" and matches(row, match)
        }:
            return path
    return own
