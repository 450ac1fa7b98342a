# SPDX-License-Identifier: MIT
"""What the teacher gets: grades.csv, similar.csv, and one page per student."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
    """A text of a student for a table: a program for tables would run what looks like a formula,
    also in full-width signs, or after a separator that it takes for the end of a cell."""
    usual = unicodedata.normalize("NFKC", text)
    begins = re.match(r"[=+\-@\t\r\n]|[\s;,|\"']*[=+\-@]", usual)
    return f"'{text}" if begins else text


def table(rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def remarks(
    grades: Mapping[str, Grade], problems: Mapping[str, str], not_graded: Mapping[str, str]
) -> str:
    """What a teacher should know, besides the points."""
    found = [f"{name} not readable: {text}".lstrip() for name, text in problems.items()]
    found += [f"{name} not graded: {text}" for name, text in not_graded.items()]
    for name, grade in grades.items():
        refused = any(message.startswith("refused: ") for message in grade["messages"])
        found += [f"{name} refused"] if refused else []
        found += [f"{name} {note}" for note in grade["notes"]]
    return "; ".join(found)


@dataclass
class Student:
    """What a student gets."""

    name: str
    place: str  # the name of the page
    grades: dict[str, Grade] = field(default_factory=dict)  # by the labs' names, as all of these
    problems: dict[str, str] = field(default_factory=dict)  # "": of all that was handed in
    not_graded: dict[str, str] = field(default_factory=dict)  # why this machine failed


def grades_table(labs: Sequence[Lab], students: Iterable[Student]) -> str:
    """One row per student: the sum, and the points of each lab. An empty cell: not handed in, or
    not graded, which the remarks say."""
    rows: list[list[object]] = [["student", "points", "of", *(lab.name for lab in labs), "remarks"]]
    total = sum(lab.of for lab in labs)
    for one in students:
        points = [one.grades[lab.name]["points"] if lab.name in one.grades else "" for lab in labs]
        got = sum(grade["points"] for grade in one.grades.values())
        said = remarks(one.grades, one.problems, one.not_graded)
        rows.append([cell(one.name), got, total, *points, cell(said)])
    return table(rows)


def course_points(student: Student, lab: Lab) -> object:
    """0 for what was not handed in. Empty where nobody knows yet: this machine failed, or what was
    handed in cannot be read."""
    if lab.name in student.grades:
        return student.grades[lab.name]["points"]
    unknown = {*student.not_graded, *student.problems} & {lab.name, ""}
    return "" if unknown else 0


def moodle_table(labs: Sequence[Lab], students: Sequence[Student]) -> str:
    """For Moodle's import of grades from a CSV file, where a teacher says which column identifies the
    students, and which columns are grades. The submissions' names are e-mail addresses or ID
    numbers."""
    addresses = all("@" in one.name for one in students)
    head = "Email address" if addresses else "ID number"
    rows: list[list[object]] = [[head, *(lab.name for lab in labs)]]
    rows += [[cell(one.name), *(course_points(one, lab) for lab in labs)] for one in students]
    return table(rows)


def canvas_table(labs: Sequence[Lab], students: Sequence[Student]) -> str:
    """For Canvas' import into the gradebook, with the columns of its own export. It finds a student
    by one of the three IDs; the submissions' names are the SIS Login IDs."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows: list[list[object]] = [[*head, *(lab.name for lab in labs)]]
    rows.append(["    Points Possible", "", "", "", "", *(lab.of for lab in labs)])
    for one in students:
        points = [course_points(one, lab) for lab in labs]
        rows.append([cell(one.name), "", "", cell(one.name), "", *points])
    return table(rows)


FORMATS = {"moodle": moodle_table, "canvas": canvas_table}  # of FORMAT=…


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
    met = "met" if goal["met"] else "not met"
    if goal["met"] and goal["points"] < goal["of"]:
        met = "met, but the result must be right and free of mistakes"
    return [
        goal["name"],
        shown(goal["yours"]),
        limit,
        met,
        f"{goal['points']} of {goal['of']}",
    ]


def lab_section(lab: Lab, grade: Grade | None, not_graded: str | None) -> str:
    head = f"<h2>{escape(lab.name)}: {escape(lab.title)}</h2>"
    if not_graded is not None:
        return f"{head}<p>Not graded yet: {escape(not_graded)}</p>"
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


def student_page(student: Student, labs: Sequence[Lab]) -> str:
    got = sum(grade["points"] for grade in student.grades.values())
    problems = [f"{name}: {text}" if name else text for name, text in student.problems.items()]
    body = [f"<p>{got} of {sum(lab.of for lab in labs)} points.</p>", html_list(problems)]
    body += [
        lab_section(lab, student.grades.get(lab.name), student.not_graded.get(lab.name))
        for lab in labs
    ]
    return PAGE.format(title=escape(student.name), body="\n".join(part for part in body if part))


def write_pages(folder: Path, labs: Sequence[Lab], students: Iterable[Student]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for student in students:
        write_whole(folder / f"{student.place}.html", student_page(student, labs))
