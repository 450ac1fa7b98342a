#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make slides [CHAPTER=nbody]: writes a deck of slides per chapter, build/slides/nbody.html."""

from common.tools.lib.files import write_whole
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    ToolError,
    build_folder,
    chosen_chapters,
    load_stages,
    run_tool,
)
from common.tools.pages.packages import missing_packages


def main() -> int:
    if missing := missing_packages():
        raise ToolError(f"no slides: {' and '.join(missing)} missing", EXIT_FAILURE)
    from plots.commands.slides.deck import render  # needs the packages

    for chapter in chosen_chapters(load_stages()):
        path = build_folder() / "slides" / f"{chapter}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, render(chapter))
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{shown}: open it in a browser; to print it, or as PDF, print the page")
    return 0


if __name__ == "__main__":
    run_tool(main)
