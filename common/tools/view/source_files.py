# SPDX-License-Identifier: MIT
"""The source files of a program, with what their lines ask of the memory in their margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.tools.lib.files import read_text
from common.tools.lib.margins import Margin, margins_of
from common.tools.lib.stages import DataError


@dataclass(frozen=True)
class SourceFile:
    name: str
    text: str
    margins: dict[int, Margin] = field(default_factory=dict)


def source_files(
    counters: dict[str, Any], view: dict[str, Any], named: set[str]
) -> tuple[list[SourceFile], list[str]]:
    """The files with lines that ask something, or that are `named`, the one that asks most first;
    and the names of those that cannot be shown."""
    margins = margins_of(counters)
    asked: dict[str, int] = dict.fromkeys(named, 0)
    for (name, line), margin in margins.items():
        if line > 0 and margin.asks:
            asked[name] = asked.get(name, 0) + margin.asks
    shown, missing = [], []
    for name in sorted(asked, key=lambda name: (-asked[name], name)):
        try:
            paths = view["files"].get(name, [])
            if len(paths) != 1:  # not known, or two files of one name
                raise FileNotFoundError
            text = read_text(Path(paths[0]))
        except (FileNotFoundError, DataError):
            missing.append(name)
            continue
        own = {line: one for (file, line), one in margins.items() if file == name and line > 0}
        shown.append(SourceFile(name, text, own))
    return shown, missing
