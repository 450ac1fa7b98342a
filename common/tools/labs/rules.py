# SPDX-License-Identifier: MIT
"""What the policy of a lab is made of: the lab's texts, and names of the course's headers."""

from __future__ import annotations

import functools
import re
from typing import Any

from common.tools.labs.lab import Lab
from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT

DECLARED = re.compile(r"^(?![#/ }\n])[^\n=;{}()]*?\b(\w+)\(", re.MULTILINE)
MEMBER = re.compile(r"^ +[^/\n]*?\b(\w+)\(", re.MULTILINE)


@functools.cache
def declared_functions(chapter: str) -> frozenset[str]:
    """Functions of the headers with the oracle and the inputs."""
    folders = [ROOT / "chapters" / chapter / "problem"]
    folders += [ROOT / "common" / name for name in ("sorting", "input")]
    return frozenset(
        name
        for folder in folders
        for header in folder.glob("*.hpp")
        for name in DECLARED.findall(read_text(header))
    )


@functools.cache
def harness_members() -> frozenset[str]:
    """What a stage could call through its timer: the backend, which sets what is counted."""
    headers = [ROOT / "common/harness/phase_timer.hpp", ROOT / "common/backends/backend.hpp"]
    return frozenset(name for path in headers for name in MEMBER.findall(read_text(path)))


def rules_of(lab: Lab) -> dict[str, Any]:
    """What a Policy is made of."""
    return {
        "models": [
            lab.start.text(),
            lab.solution.text() if lab.vocabulary is None else lab.vocabulary,
        ],
        "oracle": sorted(declared_functions(lab.chapter)),
        "harness": sorted(harness_members()),
        "namespaces": ["course", "sorting", "emulator", "counting", lab.chapter],
        "by_hand": lab.by_hand,
    }
