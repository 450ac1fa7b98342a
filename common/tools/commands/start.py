# SPDX-License-Identifier: MIT
"""Starts a command whose script lies in the checkout or below PREFIX/lib/gpu-algorithms, which has
the same folders. The commands of PREFIX/bin are links to the scripts."""

import importlib
import sys
import types
from pathlib import Path

OLDEST_PYTHON = (3, 10)
ROOT = Path(__file__).resolve().parents[3]


def start(module: str) -> None:
    """Runs main() of common.tools.`module` and exits."""
    if sys.version_info < OLDEST_PYTHON:
        sys.exit("Python {}.{} is too old; 3.10 or newer is needed".format(*sys.version_info[:2]))
    # The installation may not be writable, and is not changed where it is.
    sys.dont_write_bytecode = True
    sys.path[0] = str(ROOT)  # in place of the folder of the scripts
    # No other package of the name is taken: not one of the caller's PYTHONPATH, and not in a cage,
    # where a process may list nothing of the course but common/.
    package = types.ModuleType("common")
    package.__path__ = [str(ROOT / "common")]
    sys.modules["common"] = package
    run_tool = importlib.import_module("common.tools.lib.stages").run_tool
    run_tool(importlib.import_module(f"common.tools.{module}").main)
