# SPDX-License-Identifier: MIT
"""The page on how true the counters are: the document, and every number and reason behind it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plots.records.proof_data import COMMON
from plots.page.proof_page import all_instructions, all_numbers
from plots.records.proof_rows import Reason, Row, all_rows, read_reasons, read_tables
from plots.page.links import COUNTERS
from plots.page.readme import Document, read_document
from plots.records.folders import proof_tables

# The recorded table, the file of the reasons, and what makes the sections.
PROOFS = (
    ("counters.csv", "hardware.toml", all_numbers),
    ("instructions.csv", "instructions.toml", all_instructions),
)


def counters_document(folder: Path | None) -> Document:
    """`folder`: the device whose rows come first. None: there are no recorded rows."""
    document = read_document(COUNTERS)
    if folder is None:
        return document
    sections = dict(document.sections)
    for table, reasons, sections_of in PROOFS:
        rows = all_rows(read_tables(proof_tables(folder, table), Row))
        if rows:
            for heading, lines in sections_of(rows, read_reasons(COMMON / reasons, Reason)).items():
                sections[heading] = "\n".join(lines)
    return replace(document, sections=sections)
