# SPDX-License-Identifier: MIT
"""Runs a part of the grader that reads what nobody trusts: in a cage, with limits of time and
memory. The part is a module with a function `answer`, which takes and returns what JSON can hold. It
imports nothing but modules of its folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from common.tools.grading.sandbox import Cage, how_it_ended, run_caged
from common.tools.lib.files import parse_json, read_text

MEMORY_BYTES = 1 << 30
REQUEST, ANSWER = "request.json", "answer.json"
# Isolated from the environment. Only the module's folder can be read, so Python cannot look for its
# packages.
START = f"""
import importlib, json, pathlib, sys, types
names = sys.argv[2].split(".")[:-1]
for i in range(1, len(names) + 1):
    package = types.ModuleType(".".join(names[:i]))
    package.__path__ = sys.argv[1:2] if i == len(names) else []
    sys.modules[package.__name__] = package
module = importlib.import_module(sys.argv[2])
request = json.loads(pathlib.Path({REQUEST!r}).read_text(encoding="utf-8"))
answer = json.dumps(module.answer(request))
pathlib.Path({ANSWER!r}).write_text(answer, encoding="utf-8")
"""


def ask(
    module: ModuleType,
    request: dict[str, Any],
    folder: Path,
    seconds: float,
    readable: tuple[Path, ...] = (),
) -> tuple[Any, str]:
    """The answer; or None, and why there is none. `folder` is empty, and the part works there."""
    (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
    own = Path(str(module.__file__)).resolve().parent
    command = [sys.executable, "-I", "-S", "-B", "-c", START, str(own), module.__name__]
    cage = Cage(readable=(own, *readable), memory_bytes=MEMORY_BYTES)
    ended = run_caged(command, folder=folder, seconds=seconds, cage=cage)
    if ended.status != 0 or ended.stopped_for:
        return None, f"reading it {how_it_ended(ended, seconds)}"
    path = folder / ANSWER
    return parse_json(read_text(path), path), ""
