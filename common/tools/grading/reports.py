# SPDX-License-Identifier: MIT
"""What the teacher gets: grades.csv, similar.csv, and one page per student."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from common.tools.grading.duplicates import Alike
from common.tools.labs.lab import Lab
from common.tools.labs.tasks import bound, shown
from common.tools.lib.files import write_whole

Grade = dict[str, Any]  # Result.to_json(), and "notes": what a teacher should look at

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: .2em .8em; border-bottom: 1px solid #ccc; text-align: left; }}
td.number {{ text-align: right; }}
li, pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def cell(text: str) -> str:
    """A text of a student for a table: a program for tables would run what looks like a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def table(rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def remarks(grades: Mapping[str, Grade]) -> str:
    """What a teacher should know, besides the points."""
    found = []
    for name, grade in grades.items():
        refused = any(message.startswith("refused: ") for message in grade["messages"])
        found += [f"{name} refused"] if refused else []
        found += [f"{name} {note}" for note in grade["notes"]]
    return "; ".join(found)


def grades_table(labs: Sequence[Lab], students: Mapping[str, Mapping[str, Grade]]) -> str:
    """One row per student: the sum, and the points of each lab. An empty cell: not handed in."""
    rows: list[list[object]] = [["student", "points", "of", *(lab.name for lab in labs), "remarks"]]
    total = sum(lab.of for lab in labs)
    for student, grades in sorted(students.items()):
        points = [grades[lab.name]["points"] if lab.name in grades else "" for lab in labs]
        got = sum(grade["points"] for grade in grades.values())
        rows.append([cell(student), got, total, *points, cell(remarks(grades))])
    return table(rows)


def similar_table(alike: Sequence[Alike]) -> str:
    rows: list[list[object]] = [["lab", "student", "other", "percent", "how"]]
    rows += [[one.lab, cell(one.student), cell(one.other), one.percent, one.how] for one in alike]
    return table(rows)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{escape(text)}</th>" for text in head) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def html_list(texts: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>" if texts else ""


def goal_row(goal: Mapping[str, Any]) -> list[str]:
    limit = "-" if goal["goal"] is None else bound(goal["goal"], goal["at_least"])
    return [
        goal["name"],
        shown(goal["yours"]),
        limit,
        "met" if goal["met"] else "not met",
        f"{goal['points']} of {goal['of']}",
    ]


def lab_section(lab: Lab, grade: Grade | None) -> str:
    head = f"<h2>{escape(lab.name)}: {escape(lab.title)}</h2>"
    if grade is None:
        return f"{head}<p>Not handed in: 0 of {lab.of} points.</p>"
    parts = [head, f"<p>{grade['points']} of {grade['of']} points.</p>"]
    if not lab.is_question:
        yes, clean = {True: "yes", False: "no"}, grade["clean_points"]
        rows = [
            ["compiles", yes[grade["compiles"]], ""],
            ["right", yes[grade["right"]], f"{grade['right_points']} of {lab.right_points}"],
            ["no mistakes", yes[clean > 0], f"{clean} of {lab.clean_points}"],
        ]  # fmt: skip
        parts.append(html_table(["", "", "points"], rows))
    parts.append(html_list(grade["messages"]))
    findings = [
        one["text"] + (f" (cure: {one['cure']})" if one["cure"] else "")
        for one in grade["findings"]
    ]
    parts.append(html_list(findings))
    goals = [goal_row(goal) for goal in grade["goals"]]
    parts.append(html_table(["goal", "yours", "needed", "", "points"], goals))
    return "\n".join(part for part in parts if part)


def student_page(
    student: str, labs: Sequence[Lab], grades: Mapping[str, Grade], problems: Mapping[str, str]
) -> str:
    got = sum(grade["points"] for grade in grades.values())
    body = [f"<p>{got} of {sum(lab.of for lab in labs)} points.</p>"]
    body.append(html_list([f"{name}: {text}" if name else text for name, text in problems.items()]))
    body += [lab_section(lab, grades.get(lab.name)) for lab in labs]
    return PAGE.format(title=escape(student), body="\n".join(part for part in body if part))


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for student, page in pages.items():
        write_whole(folder / f"{student}.html", page)
