# SPDX-License-Identifier: MIT
"""What a student's edition has of a lab: its start without reasons, and what is judged without the
solution."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from common.tools.labs.counted_run import expected_of
from common.tools.labs.folders import start_files
from common.tools.labs.lab import Lab
from common.tools.labs.policy import (
    answer,
    main_of,
    names_with_call,
    normal_directive,
    qualified_names,
)
from common.tools.labs.rules import rules_of
from common.tools.labs.tokens import Token, tokens_of, without_comments
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import ROOT, DataError

FOLDER = "labs"
TITLE = 2  # lines at the head of a source: its licence and its title


def without_reasons(text: str) -> str:
    """A source with its title alone. Its other comments say why each line is there, and those of a
    mistake would name it."""
    lines = text.splitlines(keepends=True)
    head = list(itertools.takewhile(lambda line: line.startswith("//"), lines[:TITLE]))
    return "".join(head) + without_comments("".join(lines[len(head) :]))


def opened_namespaces(tokens: list[Token]) -> Iterable[str]:
    return (
        following.text
        for token, following in zip(tokens, tokens[1:], strict=False)
        if token.text == "namespace"
    )


def vocabulary_of(text: str) -> str:
    """What the policy takes from a source, in alphabetical order: its directives and names. Only
    main(), which a submission may not change, is whole."""
    tokens = tokens_of(text)
    directives = {normal_directive(one.text) for one in tokens if one.kind == "directive"}
    words = {f"{one.text};" for one in tokens if one.kind == "name"}
    words |= {f"{name}();" for name in names_with_call(tokens)}
    words |= {f"{pair};" for pair in qualified_names(tokens)}
    words |= {f"namespace {name};" for name in opened_namespaces(tokens)}
    return "\n".join([*sorted(directives), *sorted(words), " ".join(main_of(tokens)), ""])


def allowed_words(lab: Lab) -> str:
    """The least that lets the policy accept the solution. Most solutions need no word of their own."""
    rules, solution = rules_of(lab), lab.solution.text()
    for words in ("", vocabulary_of(solution)):
        if not answer(rules | {"models": [lab.start.text(), words], "text": solution}):
            return words
    raise DataError(f"{lab.name}: its solution's names do not make its policy")


def records_of(labs: Iterable[Lab]) -> dict[str, Any]:
    """The labs as the edition's file has them, by chapter."""
    found: dict[str, Any] = {}
    for lab in labs:
        path = ROOT / "chapters" / lab.chapter / "labs.toml"
        document = parse_toml(read_text(path), path)
        records = document.pop("lab")
        record = next(one for one in records if f"{lab.chapter}/{one['name']}" == lab.name)
        for key in ("edits", "words"):  # they tell what was edited
            record.pop(key, None)
        record["start_file"] = f"{FOLDER}/{lab.folder_name}/{source_name(lab)}"
        if not lab.is_question:  # a question's answer is what its program shows
            record |= {"expected": asdict(expected_of(lab, None)), "vocabulary": allowed_words(lab)}
        found.setdefault(lab.chapter, document | {"lab": []})["lab"].append(record)
    return found


def source_name(lab: Lab) -> str:
    return lab.start.stage.source.rpartition("/")[2]


def files_of(lab: Lab) -> dict[str, str]:
    """What `make lab` begins with, without reasons, by the files' names."""
    return {
        name: without_reasons(text) if name == source_name(lab) else text
        for name, text in start_files(lab).items()
    }


def index_of(labs: Iterable[Lab]) -> str:
    """The folder's page."""
    rows = [
        f"| [{lab.name}]({lab.folder_name}/TASK.md) | {lab.title} | {lab.minutes} |" for lab in labs
    ]
    return "\n".join(
        [
            "# Labs",
            "",
            "`make lab LAB=…` copies one to `my/`, where you work. `make check LAB=…` checks it.",
            "",
            "| lab | | minutes |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
