# SPDX-License-Identifier: MIT
"""The engine's messages, read from what a checked program printed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from common.tools.labs.result import Finding

PREFIX = "emulator: "
PLACE = re.compile(r"(?P<file>[\w.+-]+\.(?:cu|cuh|hpp|cpp|h)):(?P<line>\d+)")


def read_finding(text: str) -> Finding:
    """From "race: kernel k, f.cu:7: … at f.cu:9, without a barrier; add __syncthreads()."."""
    kind = text.partition(":")[0]
    place = PLACE.search(text)
    said, semicolon, cure = text.rpartition("; ")
    return Finding(
        kind,
        place["file"] if place else "",
        int(place["line"]) if place else 0,
        said if semicolon else text,
        cure.rstrip(".") if semicolon else "",
    )


def read_findings(stderr: str) -> list[Finding]:
    """All findings, each once. Warnings are findings too."""
    lines = [line for line in stderr.splitlines() if line.startswith(PREFIX)]
    return [read_finding(line.removeprefix(PREFIX)) for line in dict.fromkeys(lines)]


def mistakes(findings: Iterable[Finding]) -> list[Finding]:
    """Those that cost points: a warning does not."""
    return [one for one in findings if not one.kind.startswith("warning")]
