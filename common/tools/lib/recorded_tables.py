# SPDX-License-Identifier: MIT
"""Tables that a proof records as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from common.tools.lib.files import write_whole
from pathlib import Path


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes the table whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.getvalue())
