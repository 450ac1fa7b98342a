#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make list: prints each stage with its technique, path by path, and names the parts of a path, and
the GPU that a stage needs if not every GPU will do."""

from common.tools.lib.stages import chapters_of, chosen_chapters, load_stages, run_tool
from common.tools.lib.architectures import requirement


def main() -> None:
    stages = load_stages()
    width = max((len(stage.stage) for stage in stages), default=0)
    for chapter in chosen_chapters(stages) if chapters_of(stages) else []:
        path = ""
        for stage in stages:
            if stage.chapter != chapter:
                continue
            part = f"{stage.begins_part}: " if stage.begins_part else ""
            if stage.path != path:
                path, part = stage.path, ""
                goal = f"; its goal: {stage.path_goal}" if stage.path_goal else ""
                print(f"  {chapter}/{path}, {stage.begins_part}: after {stage.compared_with}{goal}")
            needs = f"; needs {requirement(stage.minimum_sm)}" if stage.minimum_sm else ""
            print(f"{stage.stage:{width}}  {part}{stage.technique}{needs}")


if __name__ == "__main__":
    run_tool(main)
