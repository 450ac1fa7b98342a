#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves stages to other names: their folders, records and rows, and their names in all texts.

    python3 -m plots.maintain.rename_stages PLAN.toml           does it, and names what is left to do by hand
    python3 -m plots.maintain.rename_stages PLAN.toml --check   only says whether the plan fits

A plan has a table for each chapter: `"15_multiway" = "limit/01_multiway"`, and `""` for a stage that
goes. The records in the chapter's meson.build get the order of the plan, after the stages that it
does not name. Rows of a renamed stage keep all their values; rows of a stage that goes, go.

Paths are written into meson.build by hand, before: see path_keys in chapters/meson.build.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from common.tools.lib.files import parse_toml, read_text, write_whole
from common.tools.lib.imports import known_files
from common.tools.lib.stages import EXIT_FAILURE, ROOT, ToolError, label_of, run_tool, words_of

TEXTS = {".md", ".py", ".toml", ".build", ".cu", ".cuh", ".cpp", ".hpp", ".cl", ".gp", ".html"}
CPP = {".cu", ".cuh", ".cpp", ".hpp", ".cl"}
RECORD = re.compile(r"        \{\n            'name': '([^']+)',\n.*?\n        \},\n", re.DOTALL)
# The columns of tables that name a stage, with or without its chapter.
STAGE_COLUMNS = ("stage", "program")
COLUMNS = 100  # of C++
COMMENT = re.compile(r"( *// )\S")
BEGINS = re.compile(r"// (?:Idea: |Compared with |Limit now: |Thesis |Not of the thesis)")

Plan = dict[str, str]  # a chapter's stages: old name, new name


def read_plan(path: Path) -> dict[str, Plan]:
    plan = parse_toml(read_text(path), path)
    for chapter, names in plan.items():
        folder = ROOT / "chapters" / chapter
        for old, new in names.items():
            if not isinstance(new, str) or not (folder / old).is_dir():
                raise ToolError(f"{path}: {chapter}: {old}: there is no such stage", EXIT_FAILURE)
        kept = [new for new in names.values() if new]
        if len(set(kept)) < len(kept):
            raise ToolError(f"{path}: {chapter}: two stages get one name", EXIT_FAILURE)
    return plan


def move_folders(folder: Path, plan: Plan) -> None:
    """Over names that no stage has, because a new name may be an old one of another stage."""
    for number, (old, new) in enumerate(plan.items()):
        if new:
            (folder / old).rename(folder / f".moving-{number}")
        else:
            shutil.rmtree(folder / old)
    for number, new in enumerate(plan.values()):
        if new:
            (folder / new).parent.mkdir(exist_ok=True)
            (folder / f".moving-{number}").rename(folder / new)


def reorder_records(path: Path, plan: Plan) -> None:
    text = read_text(path)
    records = {match[1]: match[0] for match in RECORD.finditer(text)}
    spans = [match.span() for match in RECORD.finditer(text)]
    order = [name for name in records if name not in plan]
    order += [name for name, new in plan.items() if new]
    begin, end = spans[0][0], spans[-1][1]
    write_whole(path, text[:begin] + "".join(records[name] for name in order) + text[end:])


def renamed_rows(text: str, chapter: str, plan: Plan, own: bool) -> str:
    """A table's text. `own`: it is the chapter's own, and names stages without their chapter."""
    lines = text.splitlines(keepends=True)
    header = lines[0].rstrip("\n").split(",") if lines else []
    column = next((i for i, name in enumerate(header) if name in STAGE_COLUMNS), -1)
    if column < 0:
        return text
    kept = lines[:1]
    for line in lines[1:]:
        cells = line.split(",", column + 1)
        prefix = "" if own else f"{chapter}/"
        name = cells[column].removeprefix(prefix) if len(cells) > column else ""
        if name not in plan or not cells[column].startswith(prefix):
            kept.append(line)
        elif plan[name]:
            cells[column] = prefix + plan[name]
            kept.append(",".join(cells))
    return "".join(kept)


def tables() -> Iterator[Path]:
    yield from sorted((ROOT / "plots" / "data").rglob("*.csv"))


def is_own(path: Path, chapter: str) -> bool:
    return path.stem == chapter or path.stem.startswith(f"{chapter}_")


def renamed_pattern(old: str, numbers: str, chapter: str, plan: Plan) -> str:
    """`quicksort/1[5-8]_*`: patterns of the new names of the stages that it fits."""
    fitting = [name for name in plan if fnmatch(name, f"{numbers}_*")]
    if all(plan[name] == name for name in fitting):
        return old
    found: dict[str, list[str]] = {}  # the last digits, by what stands before them
    for name in fitting:
        label = label_of(plan[name])
        if label:
            found.setdefault(label[:-1], []).append(label[-1])
    said = [
        f"{chapter}/{tens}{digits[0] if len(digits) == 1 else '[' + ''.join(digits) + ']'}_*"
        for tens, digits in found.items()
        if digits[0].isdigit()
    ]
    return " ".join(said) or f"{chapter}/gone_*"


def renamed_text(text: str, name: str, chapter: str, plan: Plan) -> str:
    """A text with the new names: `chapter/old` everywhere, and `old` alone where the text is the
    chapter's own."""
    own = chapter in Path(name).parts
    kept = {old: new for old, new in plan.items() if new}
    olds = "|".join(map(re.escape, sorted(kept, key=len, reverse=True)))
    if not olds:
        return text
    text = re.sub(rf"\b{chapter}/({olds})\b", lambda m: f"{chapter}/{kept[m[1]]}", text)
    text = re.sub(
        rf"\b{chapter}_({olds})\b", lambda m: f"{chapter}_{kept[m[1]].replace('/', '_')}", text
    )
    labels = {label_of(old): label_of(new) for old, new in kept.items()}
    numbers = "|".join(labels)
    # The names of labs.
    text = re.sub(
        rf"\b{chapter}/({numbers})(?![\w/*])", lambda m: f"{chapter}/{labels[m[1]]}", text
    )
    if not own:
        return text
    text = re.sub(rf"(?<![\w/])({olds})(?!\w)", lambda m: kept[m[1]], text)

    def relabelled(match: re.Match[str]) -> str:
        return re.sub(rf"\b({numbers})\b", lambda m: labels[m[1]], match[0])

    # `stages 15, 17 and 22 to 26`, `**15 → 17.**`, `[15]`.
    listed = r"\d\d(?:(?:, | and | to | or |, and )\d\d)*\b"
    text = re.sub(rf"\b[Ss]tages? {listed}", relabelled, text)
    text = re.sub(r"\*\*\d\d → \d\d\b", relabelled, text)
    text = re.sub(r"\[\d\d\](?=\()", relabelled, text)
    # The names of labs, and patterns of tests.
    text = re.sub(
        rf'^name = "({numbers})"$', lambda m: f'name = "{labels[m[1]]}"', text, flags=re.M
    )
    text = re.sub(
        rf"\b{chapter}/([\d\[\]-]+)_\*", lambda m: renamed_pattern(m[0], m[1], chapter, plan), text
    )
    for old, new in kept.items():
        before, after = words_of(old), words_of(new)
        if before != after and name.endswith((".py", ".toml")):
            text = re.sub(rf'(?<=["\'.]){before}(?=["\'.])', after, text)
    return text


def wrapped(text: str) -> str:
    """C++ whose comments have grown: words of a comment that is too long go to its next line."""
    lines = text.splitlines()
    i = 0
    while i < len(lines):
        match = COMMENT.match(lines[i])
        if match and len(lines[i]) > COLUMNS:
            end = lines[i].rfind(" ", 0, COLUMNS + 1)
            rest, lines[i] = lines[i][end + 1 :], lines[i][:end]
            follows = COMMENT.match(lines[i + 1]) if i + 1 < len(lines) else None
            if follows and follows[1] == match[1] and not BEGINS.match(lines[i + 1]):
                lines[i + 1] = f"{match[1]}{rest} {lines[i + 1].removeprefix(match[1])}"
            else:
                lines.insert(i + 1, match[1] + rest)
        i += 1
    return "\n".join(lines) + "\n"


def by_hand(text: str, chapter: str, plan: Plan) -> list[int]:
    """Lines of a page or a source that still have the number of a stage that has moved or gone."""
    numbers = "|".join(label_of(old) for old in plan if label_of(old).isdigit())
    names = "|".join(
        map(re.escape, [*plan, *(words_of(old) for old, new in plan.items() if not new)])
    )
    wrong = re.compile(
        rf"(?<![\w.,/:^×-])(?:{numbers or '^$'})(?![\w.,:/%-]*\d)(?!\w)|\b(?:{names})\b"
    )
    return [i for i, line in enumerate(text.splitlines(), 1) if wrong.search(line)]


def rename(chapter: str, plan: Plan) -> None:
    folder = ROOT / "chapters" / chapter
    own = RECORD.finditer(read_text(folder / "meson.build"))
    every = {match[1]: match[1] for match in own} | plan  # a pattern may fit stages that stay
    reorder_records(folder / "meson.build", plan)
    move_folders(folder, plan)
    for path in tables():
        text = read_text(path)
        new = renamed_rows(text, chapter, plan, is_own(path, chapter))
        if new != text:
            write_whole(path, new)
    subprocess.run(["git", "-C", ROOT, "add", "--intent-to-add", "chapters"], check=True)
    for name in known_files(ROOT):
        if Path(name).suffix in TEXTS and not name.startswith("plots/data/"):
            text = read_text(ROOT / name)
            new = renamed_text(text, name, chapter, every)
            if new != text:
                write_whole(ROOT / name, wrapped(new) if Path(name).suffix in CPP else new)


def report(chapter: str, plan: Mapping[str, str]) -> None:
    for name in known_files(ROOT):
        if chapter in Path(name).parts and Path(name).suffix in TEXTS:
            for line in by_hand(read_text(ROOT / name), chapter, dict(plan)):
                print(f"{name}:{line}: look at the stages that it names")


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Moves stages to other names.")
    parser.add_argument("plan", type=Path)
    parser.add_argument("--check", action="store_true", help="change nothing")
    given = parser.parse_args(words)
    plan = read_plan(given.plan)
    for chapter, names in plan.items():
        if not given.check:
            rename(chapter, names)
            report(chapter, names)


if __name__ == "__main__":
    run_tool(main)
