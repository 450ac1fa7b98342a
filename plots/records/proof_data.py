# SPDX-License-Identifier: MIT
"""What the proofs of the CPU engine are told: plots/maintain/prove/<name>.toml, and what each
chapter adds for its own stages in plots/<chapter>/<name>.toml."""

from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import EXIT_FAILURE, ROOT, ToolError, shown

CHAPTERS = ROOT / "plots"
COMMON = CHAPTERS / "maintain" / "prove"


def read_proof_data(path: Path, common: Path = COMMON, chapters: Path = CHAPTERS) -> dict[str, Any]:
    """One file; a file of the folder `common` together with those of the chapters. Runs of a chapter go before
    the common ones, because the first pattern that fits counts. A key that is missing is empty."""
    paths = [path]
    if path.resolve().parent == common:
        paths = [*sorted(chapters.glob(f"*/{path.name}")), path]
    merged: dict[str, Any] = {"runs": {}, "reason": [], "family": [], "harmless": []}
    for one in paths:
        for key, value in parse_toml(read_text(one), one).items():
            if key not in merged:
                raise ToolError(
                    f"{one}: there is no key {shown(key)}, only {', '.join(merged)}", EXIT_FAILURE
                )
            if type(value) is not type(merged[key]):
                raise ToolError(f"{one}: '{key}' has a value of the wrong type", EXIT_FAILURE)
            merged[key] = merged[key] | value if isinstance(value, dict) else merged[key] + value
    return merged
