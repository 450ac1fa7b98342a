# SPDX-License-Identifier: MIT
"""The views of `make view` as pages of the site, for the stages of the sources' paths: each line's
requests, lane by lane, and the steps of the threads, of a small run."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from common.tools.lib.stages import EXIT_FAILURE, Stage, ToolError
from plots.page.links import page_of_stage_on_site

# Where the run of the recorded counters takes long: 260 vertices are three rounds of tiles.
SMALLER = {"floyd": ["--n", "260"]}


def inside_of(stage: Stage) -> str:
    """The file of a stage's view on the site."""
    page = page_of_stage_on_site(stage.chapter, stage.name)
    return f"{page.removesuffix('.html')}-inside.html"


def viewed(stages: Sequence[Stage], chapters: Sequence[str]) -> list[Stage]:
    """Those that the site has a view of."""
    return [
        one
        for one in stages
        if one.chapter in chapters
        and not one.path
        and one.has_kernels
        and "count" in one.executables
    ]


def write_one(stage: Stage, path: Path) -> str:
    """Returns why there is no view, or nothing. A finding, as of the stage that races on purpose, is
    in the page."""
    from common.tools.view.writing import write_view  # needs the packages of the pages

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            write_view([stage], SMALLER.get(stage.chapter, []), path)
        except (ToolError, OSError) as error:  # or it was not built
            return f"{stage.stage}: {error}"
    return ""


def write_views(stages: Sequence[Stage], folder: Path) -> list[str]:
    """The files that were written. A ToolError names each stage without one."""
    files = [inside_of(one) for one in stages]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        paths = [folder / name for name in files]
        failed = [why for why in pool.map(write_one, stages, paths) if why]
    if failed:
        raise ToolError("\n".join(failed), EXIT_FAILURE)
    return files
