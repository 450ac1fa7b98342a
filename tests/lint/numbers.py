# SPDX-License-Identifier: MIT
"""Names each time, rate, factor and percentage on a chapter's pages that no mark fills.

    python3 -m tests.lint.numbers              all pages of the chapters
    python3 -m tests.lint.numbers PAGE ...     these pages

chapters/README.md explains the marks. Code, links, and what stands between marks are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from common.tools.lib.files import read_text
from common.tools.lib.marks import END, OPEN
from common.tools.lib.stages import EXIT_FAILURE, ROOT, run_tool
from plots.page.stage_pages import CHAPTERS, pages_of_chapter
from plots.records.stages import chapter_names

# What is no sentence of the page.
LEFT_OUT = re.compile(
    rf"{OPEN}.*?{END}|<!-- .*? -->|^```.*?^```|`[^`\n]*`|\]\([^()\s]*\)", re.DOTALL | re.MULTILINE
)
MEASURED = re.compile(
    r"(?<![\w×])[×x]\d[\d.]*"  # ×1.5
    r"|\d[\d.]* ?(?:ns|µs|us|ms|s)\b"  # 3.2 ms
    r"|\d[\d.]* ?[kMGTP]? ?[A-Za-z]+/s\b"  # 14 Gkey/s, 1.6 T pairs/s
    r"|\d[\d.]* ?(?:%|percent\b)"  # 40 %
    r"|\d[\d.]* times (?:as|more|less|faster|slower)\b"
)


def unmarked(text: str) -> Iterator[tuple[int, str]]:
    """The line and the words of each number that should have a mark."""
    said = LEFT_OUT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for found in MEASURED.finditer(said):
        yield said.count("\n", 0, found.start()) + 1, found[0]


def main(words: list[str] | None = None) -> int:
    pages = [Path(word) for word in (sys.argv[1:] if words is None else words)]
    for chapter in () if pages else chapter_names():
        pages += pages_of_chapter(CHAPTERS / chapter)
    failed = False
    for page in pages:
        for line, number in unmarked(read_text(page)):
            name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
            print(f"{name}:{line}: '{number}' has no mark (chapters/README.md)")
            failed = True
    return EXIT_FAILURE if failed else 0


if __name__ == "__main__":
    run_tool(main)
