# SPDX-License-Identifier: MIT
"""Markdown tables that a program writes, between `<!-- table:NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.stages import DataError


def fill(text: str, name: str, lines: list[str], path: Path) -> str:
    """Puts these lines between the table's marks in `text`, the content of `path`."""
    pattern = re.compile(rf"(<!-- table:{name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(text):
        raise DataError(f"{path}: the marks of table `{name}` are missing")
    return pattern.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text)
