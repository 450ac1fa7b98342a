#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_on_ranks.py RANKS[,RANKS…] PROGRAM [ARGUMENTS…]: Meson runs this to test a stage on several
ranks, with each of these numbers in turn. Exit status 1 if one of them fails, or says anything on
stderr."""

import sys
from pathlib import Path

from common.tools.lib.ranks import run_ranks


def main() -> int:
    numbers, program, *arguments = sys.argv[1:]
    for ranks in map(int, numbers.split(",")):
        print(f"{ranks} ranks:", flush=True)
        status, said = run_ranks(Path(program), arguments, ranks, {"EMULATOR_COUNTERS": "none"})
        if status != 0 or said:
            print(f"{ranks} ranks: exit status {status}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
