#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes build/emulator.json, the flags with which `make try` builds. Meson runs it.

    write_flags.py OUTPUT --compiler WORD… --libraries LINKER-FLAG… --every COMPILER-FLAG…
        --compile COMPILER-FLAG… --local-arrays COMPILER-FLAG… --link LINKER-FLAG…

"compiler" is the command that built the engine, without a cache: where programs are graded, it
could not write. Each program for the CPU engine is compiled with "every" and links "libraries".
"compile" and "link" are flags for counting, "local-arrays" further ones of files whose local arrays
are checked.
"""

import json
import sys
from pathlib import Path

CACHES = ("ccache", "sccache")


def main() -> None:
    output, *words = sys.argv[1:]
    flags: dict[str, list[str]] = {
        name: [] for name in ("compiler", "libraries", "every", "compile", "local-arrays", "link")
    }
    section: list[str] = []
    for word in words:
        if word.removeprefix("--") in flags:
            section = flags[word.removeprefix("--")]
        else:
            section.append(word)
    if Path(flags["compiler"][0]).name in CACHES:
        del flags["compiler"][0]
    Path(output).write_text(json.dumps(flags, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
