#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write build/stages.json, the list that every tool reads, while Meson configures.

Meson puts all executables of one loop into one folder; the links made here give each
chapter its own: build/chapters/<chapter>/<executable>.
"""

import json
import sys
from pathlib import Path


def main() -> None:
    output, text = Path(sys.argv[1]), sys.argv[2]
    stages = json.loads(text)
    for stage in stages:
        folder = output.parent / "chapters" / stage["chapter"]
        folder.mkdir(parents=True, exist_ok=True)
        for engine, name in stage["executables"].items():
            link = folder / name
            link.unlink(missing_ok=True)
            link.symlink_to(Path("..") / name)
            stage["executables"][engine] = f"chapters/{stage['chapter']}/{name}"
    output.write_text(json.dumps(stages, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
