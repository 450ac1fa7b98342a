#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make stage FROM=nbody/03_shared_tiles NAME=04_my_idea: copies a stage to begin a new one.

It creates the stage's folder, its record in the chapter's meson.build and its recorded counters,
and counts it in README.md. So `make test` passes before the first change. The new stage is the last
one of its chapter.
"""

import re
import sys
from pathlib import Path

from plots.commands.creation import Creation
from plots.page.stage_pages import PAGE
from common.tools.lib.files import read_text
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ROOT,
    Stage,
    ToolError,
    find_stage,
    label_of,
    load_stages,
    run_tool,
    variable,
    words_of,
)

NOT_COPIED = (
    "name",
    "not_recorded",
    "technique",
    "compared_with",
    "begins_part",
    "rule",
    "checked_by",
    "race_on_purpose",
)
NAME = re.compile(r"(?:([a-z_]+)/)?(\d\d)_([a-z0-9]+(?:_[a-z0-9]+)*)")


def idea_of(name: str) -> str:
    """`07_my_idea`: `my idea`."""
    return words_of(name).replace("_", " ")


def check_name(name: str, chapter: str, stages: list[Stage]) -> None:
    if not name:
        raise ToolError("NAME is missing: make stage FROM=CHAPTER/NN_name NAME=NN_my_idea")
    found = NAME.fullmatch(name)
    if found is None:
        raise ToolError(
            f"NAME={name}: a stage's name consists of two digits and lower-case words, "
            "such as 07_my_idea; a path may stand before it, such as limit/07_my_idea"
        )
    path = found[1] or ""
    own = [stage for stage in stages if stage.chapter == chapter]
    numbered = [NAME.fullmatch(stage.name) for stage in own if stage.path == path]
    numbers = [one[2] for one in numbered if one is not None]
    if not numbers:
        paths = list(dict.fromkeys(stage.path for stage in own if NAME.fullmatch(stage.name)))
        named = ", ".join(one for one in paths if one) or "none"
        raise ToolError(f"NAME={name}: {chapter} has no such path; those with numbers: {named}")
    if found[2] <= max(numbers):
        raise ToolError(
            f"NAME={name}: the last stage of {chapter}{'/' + path if path else ''} has number "
            f"{max(numbers)}; a new name begins with {int(max(numbers)) + 1:02}"
        )


def new_head(text: str, before: Stage, name: str) -> str:
    """The head comment of a stage that has no idea of its own yet, then the unchanged code."""
    lines = text.splitlines(keepends=True)
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    title = re.match(r"// (.+), stage ", lines[1])
    if title is None:
        raise ToolError(f"{before.source}: line 2 is not `// Title, stage NN: …`", EXIT_FAILURE)
    head = [
        lines[0],
        f"// {title[1]}, stage {label_of(name)}: {idea_of(name)}.\n",
        "// Idea: none yet. Say in one or two sentences what it does and why it is faster.\n",
        f"// Compared with {before.name}: nothing has changed yet.\n",
        "// Limit now: unknown. `make counters` and a profiler show it.\n",
        "// Not of the thesis.\n",
    ]
    return "".join(head + lines[end:])


def record_of(meson: str, stage: Stage) -> re.Match[str]:
    """The record of a stage in its chapter's meson.build."""
    found = re.search(
        rf"        \{{\n            'name': '{stage.name}',\n.*?\n        \}},\n", meson, re.DOTALL
    )
    if found is None:
        raise ToolError(
            f"chapters/{stage.chapter}/meson.build: the record of {stage.name} was not found",
            EXIT_FAILURE,
        )
    return found


def new_record(meson: str, before: Stage, name: str, last: Stage) -> str:
    """The chapter's meson.build with a new record after that of the last stage of its path."""
    found = record_of(meson, before)
    end = record_of(meson, last).end()
    entry = re.compile(r"            '(\w+)': .*?\n(?=            '|        \})", re.DOTALL)
    kept = [match[0] for match in entry.finditer(found[0]) if match[1] not in NOT_COPIED]
    compared = [] if before == last else [f"            'compared_with': '{before.name}',\n"]
    record = [
        "        {\n",
        f"            'name': '{name}',\n",
        f"            'technique': '{idea_of(name)}',\n",
        *compared,
        *kept,
        "            'not_recorded': true,\n",
        "        },\n",
    ]
    return meson[:end] + "".join(record) + meson[end:]


def one_more(readme: str, chapter: str) -> str:
    """README.md with one more stage in the chapter's row. A chapter may have no row yet."""
    row = re.compile(
        rf"^(\| \[{chapter}\]\(chapters/{chapter}/README\.md\) .*\| )(\d+)( \|)$", re.MULTILINE
    )
    return row.sub(lambda found: f"{found[1]}{int(found[2]) + 1}{found[3]}", readme)


def build_and_record(made: Creation, chapter: str, name: str) -> None:
    """Builds a stage, or the stages of a chapter, and records what they count."""
    for folder in ("counters", "lines"):
        made.expect(ROOT / "plots" / "data" / folder / f"{chapter}.csv")
    for engine in ("", "count"):
        made.run("common/tools/setup/build.sh", "--stages", engine, name)
    made.run(sys.executable, "-m", "plots.maintain.record_counters", name)


def main() -> None:
    stages = load_stages()
    before = find_stage(stages, variable("FROM"), "FROM")
    name = variable("NAME")
    check_name(name, before.chapter, stages)
    if not before.has_kernels:
        raise ToolError(f"FROM={before.stage}: choose a stage that has CUDA kernels")
    if before.solution_of:
        raise ToolError(f"FROM={before.stage}: it is the solution of the lab {before.solution_of}")
    folder = ROOT / "chapters" / before.chapter / name
    if folder.exists():
        raise ToolError(f"{folder}: exists already", EXIT_FAILURE)
    path = name.rpartition("/")[0]
    own = [one for one in stages if (one.chapter, one.path) == (before.chapter, path)]
    meson_path = ROOT / "chapters" / before.chapter / "meson.build"
    meson = new_record(read_text(meson_path), before, name, own[-1])
    source = folder / Path(before.source).name
    stage = f"{before.chapter}/{name}"
    readme = one_more(read_text(ROOT / "README.md"), before.chapter)
    head = new_head(read_text(ROOT / before.source), before, name)
    with Creation() as made:
        made.copy((ROOT / before.source).parent, folder)
        (folder / PAGE).unlink(missing_ok=True)  # it tells of the other stage
        made.write(source, head)
        made.write(meson_path, meson)
        made.write(ROOT / "README.md", readme)
        build_and_record(made, before.chapter, stage)
    print(f"{source.relative_to(ROOT)}: write your idea here, and describe it in the first comment")
    print(
        f"{folder.relative_to(ROOT)}/{PAGE}: write its page when it is recorded (chapters/README.md)"
    )
    print(f"{meson_path.relative_to(ROOT)}: describe the technique in a few words")
    print(
        f"make run STAGE={stage} ARGS=--check; make diff A={before.stage} B={stage}; "
        f"make counters A={before.stage} B={stage}"
    )
    print('README.md, "Adding a stage or a chapter", explains the next steps')


if __name__ == "__main__":
    run_tool(main)
