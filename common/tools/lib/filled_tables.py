# SPDX-License-Identifier: MIT
"""Tables in Markdown that a program writes: they lie between `<!-- table:NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.stages import DataError


def fill(text: str, name: str, lines: list[str], path: Path) -> str:
    """`text`, the content of `path`, with these lines between the table's marks."""
    pattern = re.compile(rf"(<!-- table:{name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(text):
        raise DataError(f"{path}: no place for the table `{name}`")
    return pattern.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text)
