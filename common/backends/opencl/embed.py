#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an OpenCL C file as a C++ header, so that an executable runs without the file.

    embed.py mergesort.cl mergesort.cl.hpp   gives the constant course::opencl::Source mergesort_cl
"""

import re
import sys
from pathlib import Path

HEADER = """// Written by common/backends/opencl/embed.py from {name}.
#pragma once

#include "common/backends/opencl/device.hpp"

inline constexpr course::opencl::Source {symbol} = {{"{name}", R"{end}({text}){end}"}};
"""


def header_of(source: Path) -> str:
    text = source.read_text(encoding="utf-8")
    end = "cl"
    while f'){end}"' in text:
        end += "_"
    return HEADER.format(
        name=source.name, symbol=re.sub(r"\W", "_", source.name), text=text, end=end
    )


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(header_of(Path(sys.argv[1])), encoding="utf-8")
