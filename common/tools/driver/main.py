# SPDX-License-Identifier: MIT
"""emucc: compiles CUDA programs for the CPU engine, with nvcc's command line."""

import os
import sys

from common.tools.driver.build import perform
from common.tools.driver.engine import ENGINES, engine_version, load_engine
from common.tools.driver.options import Use, named
from common.tools.driver.request import read_request
from common.tools.lib.stages import choose

RELEASE = "13.0"  # the toolkit whose API the engine follows

USAGE = """usage: emucc [FLAG | FILE]…
Compiles and links CUDA programs for the course's CPU engine. It takes nvcc's flags, so that
`make NVCC=…/emucc` builds a Makefile's programs unchanged.

EMUCC_ENGINE=count (default) makes executables that count and check, EMUCC_ENGINE=emu fast ones.
All objects of an executable need the same value.
"""


def help_text() -> str:
    lines = [USAGE]
    for use, title in (
        (Use.TAKEN, "Flags that it uses, with nvcc's meaning:"),
        (Use.IGNORED, "Flags that it accepts and ignores:"),
        (Use.REFUSED, "Flags that it refuses:"),
    ):
        lines.append(title)
        reasons: dict[str, list[str]] = {}
        for option in named(use):
            dashes = "-" if len(option.name) == 1 else "--"
            reasons.setdefault(option.reason, []).append(dashes + option.name)
        for reason, names in reasons.items():
            lines.append(f"  {' '.join(names)}" + (f"\n      ({reason})" if reason else ""))
    return "\n".join(lines)


def version_text() -> str:
    """Like nvcc's, so that scripts find the release."""
    return (
        f"emucc: compiler driver of the CPU engine {engine_version()}, in place of nvcc\n"
        f"Cuda compilation tools, release {RELEASE}, V{RELEASE}.0\n"
        f"Build cuda_{RELEASE}.r{RELEASE}/emucc"
    )


def main(words: list[str] | None = None) -> int:
    request = read_request(sys.argv[1:] if words is None else words)
    if request.show:
        print(help_text() if request.show == "help" else version_text())
        return 0
    name = choose("EMUCC_ENGINE", os.environ.get("EMUCC_ENGINE", "count"), ENGINES)
    return perform(request, load_engine(name))
