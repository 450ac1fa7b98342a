# SPDX-License-Identifier: MIT
"""The packages that write the site. A Python that is not Debian's own finds Debian's packages too.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

PACKAGES = {"jinja2": "python3-jinja2", "markdown": "python3-markdown"}
DEBIAN = Path("/usr/lib/python3/dist-packages")


def missing_packages() -> list[str]:
    """The Debian packages that this Python lacks. Call it before the page's modules are
    imported."""
    if not_found() and DEBIAN.is_dir() and str(DEBIAN) not in sys.path:
        sys.path.append(str(DEBIAN))  # last: a package of this Python's own comes first
        importlib.invalidate_caches()
    return not_found()


def not_found() -> list[str]:
    return [package for name, package in PACKAGES.items() if not importlib.util.find_spec(name)]
