#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make diff A=nbody/02_float4 B=nbody/03_shared_tiles: shows what changed between two stages.

It prints a unified diff of the two sources and of their own compiler flags: some stages differ from
the one before only in a flag.
"""

from common.tools.lib.differences import flags_diff, source_diff
from common.tools.lib.stages import find_stage, load_stages, run_tool, variable


def main() -> None:
    stages = load_stages()
    a = find_stage(stages, variable("A"), "A")
    b = find_stage(stages, variable("B"), "B")
    print("\n".join(source_diff(a, b) or [f"{a.source} and {b.source} are equal"]))
    print("\n".join(flags_diff(a, b) or ["the same compiler flags"]))


if __name__ == "__main__":
    run_tool(main)
