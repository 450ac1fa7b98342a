#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make diff A=nbody/02_float4 B=nbody/03_shared_tiles|my.cu: shows what changed between two
sources.

A and B are stages or a student's own files. It prints how much B adds, a unified diff of each file
in which the programs differ, headers included, and the differences of the stages' own compiler
flags: some stages differ from the one before only in a flag. A line that is only indented
differently has the sign > or <.
"""

from common.tools.lib.differences import flags_diff, source_diff
from common.tools.lib.stages import load_stages, run_tool, variable
from common.tools.programs.stage_or_file import find_source


def main() -> None:
    stages = load_stages()
    a = find_source(stages, variable("A"), "A")
    b = find_source(stages, variable("B"), "B")
    print("\n".join(source_diff(a, b) or [f"{a.source} and {b.source} are equal"]))
    if not (a.is_own_program or b.is_own_program):  # these have no flags of their own
        print("\n".join(flags_diff(a, b) or ["the same compiler flags"]))


if __name__ == "__main__":
    run_tool(main)
