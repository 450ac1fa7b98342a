# SPDX-License-Identifier: MIT
"""The packages that write the view and the site. A Python that is not Debian's own finds Debian's
packages too."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from common.tools.lib.errors import EXIT_FAILURE, ToolError

PACKAGES = {"jinja2": "python3-jinja2", "markdown": "python3-markdown"}
DEBIAN = Path("/usr/lib/python3/dist-packages")


def missing_packages(modules: Iterable[str] = ()) -> list[str]:
    """The Debian packages of these modules, or of all, that this Python lacks. Call it before the
    page's modules are imported."""
    names = tuple(modules) or tuple(PACKAGES)
    if not_found(names) and DEBIAN.is_dir() and str(DEBIAN) not in sys.path:
        sys.path.append(str(DEBIAN))  # last: a package of this Python's own comes first
        importlib.invalidate_caches()
    return not_found(names)


def page_packages() -> None:
    """What one page of a view needs. Raises a ToolError if it is missing."""
    if missing := missing_packages(["jinja2"]):
        raise ToolError(f"{missing[0]} is missing: no view is written", EXIT_FAILURE)


def not_found(names: Iterable[str]) -> list[str]:
    return [PACKAGES[name] for name in names if not importlib.util.find_spec(name)]
