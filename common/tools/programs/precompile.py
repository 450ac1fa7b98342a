#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Precompiles what a program of `make try` or of a lab begins with. Meson runs it.

    precompile.py ENGINE HEADER OUTPUT DEPFILE

Parsing cuda_runtime.h takes two thirds of the time of a small program. g++ takes the precompiled
header if a program's flags define the same macros, and perhaps others that it does not mention.
"""

import sys
import tempfile
from pathlib import Path

from common.tools.driver.build import Build
from common.tools.driver.engine import load_engine
from common.tools.driver.request import read_request
from common.tools.lib.stages import run_tool


def main() -> int:
    name, header, output, depfile = sys.argv[1:]
    request = read_request(["-x", "cu", "-std=c++20", "program.cu"])
    with tempfile.TemporaryDirectory() as scratch:
        build = Build(request, load_engine(name), Path(scratch))
        build.precompile(Path(header), Path(output), Path(depfile))
    return 0


if __name__ == "__main__":
    run_tool(main)
