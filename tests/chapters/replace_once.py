# SPDX-License-Identifier: MIT
"""Copies a source with one text replaced: a stage with a fault.

    replace_once.py SOURCE TARGET TEXT REPLACEMENT      TEXT must occur exactly once
"""

import sys
from pathlib import Path

source, target, text, replacement = sys.argv[1:]
code = Path(source).read_text(encoding="utf-8")
if code.count(text) != 1:
    sys.exit(f"{source}: '{text}' occurs {code.count(text)} times, not once")
Path(target).parent.mkdir(parents=True, exist_ok=True)
Path(target).write_text(code.replace(text, replacement), encoding="utf-8")
