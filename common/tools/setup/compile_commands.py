#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes FOLDER/compile_commands.json: how each source is compiled alone, for clang-tidy.

Meson's own file of that name has one command for all sources that are compiled as one file.
"""

import json
import os
import re
import sys
from pathlib import Path

BUILD = Path("build")


def sources_of(file: Path) -> list[str]:
    """The sources that Meson's file `file` includes, relative to the build folder."""
    included = re.findall(r"^#include\s*<(.*)>$", file.read_text("utf-8"), re.MULTILINE)
    return [os.path.relpath(one, BUILD) for one in included]


def main() -> int:
    commands = []
    for command in json.loads((BUILD / "compile_commands.json").read_text("utf-8")):
        file = command["file"]
        if re.search(r"-unity\d+\.cpp$", file) is None:
            commands.append(command)
            continue
        for source in sources_of(BUILD / file):
            alone = command["command"].replace(f" -c {file}", f" -c {source}")
            commands.append(command | {"file": source, "command": alone})
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
