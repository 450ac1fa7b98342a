# SPDX-License-Identifier: MIT
"""Copies a source with one text replaced: a stage with a fault.

    replace_once.py SOURCE TARGET TEXT REPLACEMENT [HEADER FOLDER]     TEXT must occur exactly once

With HEADER, SOURCE is copied as it is, and the text is replaced in that header of its chapter:
FOLDER, to be searched before others, gets it at the same place as in the chapter.
"""

import sys
from pathlib import Path

source, target, text, replacement, *rest = sys.argv[1:]
changed = rest[0] if rest else source
code = Path(changed).read_text(encoding="utf-8")
if code.count(text) != 1:
    sys.exit(f"{changed}: '{text}' occurs {code.count(text)} times, not once")
written = Path(target)
if rest:
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(Path(source).read_text(encoding="utf-8"), encoding="utf-8")
    chapters = Path(__file__).resolve().parents[3] / "chapters"
    place = Path(changed).resolve().relative_to(chapters)
    written = Path(rest[1], *place.parts[1:])
written.parent.mkdir(parents=True, exist_ok=True)
written.write_text(code.replace(text, replacement), encoding="utf-8")
