# SPDX-License-Identifier: MIT
"""The view as one HTML file that needs no network. view.html is its template (Debian:
python3-jinja2), modules/ its scripts: ES modules, which an import map makes part of the file."""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from common.tools.counters import kernel_rows, marks_of, matched
from common.tools.lib.counting import Kernel, read_kernel
from common.tools.lib.files import read_text
from common.tools.lib.hardware import BARS, MARK, MEANING, differences, texts_of
from common.tools.lib.margins import Margin
from common.tools.lib.stages import Stage
from common.tools.view.findings import Finding, read_findings
from common.tools.view.least import Least
from common.tools.view.source_files import SourceFile, source_files
from common.tools.view.occupancy import kernel_occupancy
from common.tools.view.programs import Run
from common.tools.pages.syntax import line_html, lines_of

FOLDER = Path(__file__).resolve().parent
MODULES = FOLDER / "modules"
ENTRY = "main"


@dataclass(frozen=True)
class Explained:
    """Why a line wastes, and what to do about it."""

    file: str
    line: int
    cause: str
    cure: str


@dataclass(frozen=True)
class Side:
    """One program on the page."""

    run: Run
    files: list[SourceFile]
    missing: list[str]  # files that cannot be shown
    findings: list[Finding]
    kernels: list[Kernel]
    explained: Sequence[Explained]
    least: Least
    differing: Sequence[str] = ()  # what the GPU counted otherwise, kernel by kernel
    marks: dict[tuple[str, int], str] = field(default_factory=dict)  # the same, at its lines

    @property
    def stage(self) -> Stage:
        return self.run.stage

    @property
    def arguments(self) -> list[str]:
        return self.run.arguments

    def kernel(self, name: str) -> Kernel | None:
        return next((kernel for kernel in self.kernels if kernel.name == name), None)

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def explained_lines(self) -> set[tuple[str, int]]:
        return {(one.file, one.line) for one in self.explained}

    @property
    def sampled(self) -> list[str]:
        """What was neither counted nor checked, kernel by kernel."""
        return [
            f"{kernel['name']}: {kernel['sampled']['launches']} of {kernel['launches']} launches and "
            f"{kernel['sampled']['blocks']} of {kernel['blocks']} blocks were counted and checked"
            for kernel in self.run.counters["kernels"]
            if "sampled" in kernel
        ]


def side_of(run: Run, explained: Sequence[Explained] = (), least: Least = Least()) -> Side:
    findings = read_findings(run.counters)
    named = {file for finding in findings for file, line in finding.lines if line > 0}
    named.add(Path(run.stage.source).name)
    files, missing = source_files(run.counters, run.view, named)
    kernels = [read_kernel(record) for record in run.counters["kernels"]]
    said, marks = compiler_marks(run, kernels)
    return Side(run, files, missing, findings, kernels, explained, least, said, marks)


def compiler_marks(
    run: Run, kernels: Sequence[Kernel]
) -> tuple[list[str], dict[tuple[str, int], str]]:
    """The counters that depend on the compiler, with the GPU's numbers: of all kernels, and of the
    lines that have a part in them."""
    said: list[str] = []
    marks: dict[tuple[str, int], list[str]] = {}
    for kernel in kernels:
        of = differences(run.stage, kernel.name, run.arguments)
        said += texts_of(kernel.name, of, run.arguments)
        for line in kernel.lines:
            name = f"{line['space']}_{line['operation']}"
            marks.setdefault((line["file"], line["line"]), []).extend(
                one.said(run.arguments)
                for part in BARS
                if (one := of.get(f"{name}.{part}")) is not None
            )
    return said, {place: "; ".join(dict.fromkeys(all_)) for place, all_ in marks.items() if all_}


def number(value: float) -> str:
    """At most three digits after whole thousands: 1 250, 4.13, 32."""
    if value == int(value):
        return f"{int(value):,}".replace(",", "\u2009")
    return f"{value:.3g}" if value < 1000 else number(round(value))


def sentence(text: str) -> str:
    """A clause as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def of_ideal(margin: Margin, name: str) -> Markup:
    value, ideal = margin.per_request(name), margin.per_request(f"ideal_{name}")
    if value is None or ideal is None:
        return Markup("")
    return Markup(f"{number(value)}<small> ideal {number(ideal)}</small>")


def code_lines(file: SourceFile) -> list[Markup]:
    """Each line as HTML with its syntax marked."""
    return [Markup(line_html(line).replace("\n", "")) for line in lines_of(file.text)]


def changed_lines(
    files: Sequence[SourceFile], others: Sequence[SourceFile]
) -> set[tuple[str, int]]:
    """The lines of these files that the others lack. Files of one name, or the files that ask most
    of the memory, are compared."""
    by_name = {file.name: file for file in others}
    changed = set()
    for position, file in enumerate(files):
        other = by_name.get(file.name) or (others[0] if others and position == 0 else None)
        if other is None:
            continue
        a, b = ([line.strip() for line in one.text.splitlines()] for one in (file, other))
        for kind, first, last, _, _ in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind != "equal":
                changed |= {(file.name, line) for line in range(first + 1, last + 1)}
    return changed


def comparison(sides: Sequence[Side]) -> list[tuple[str, list[list[str]]]]:
    """Per kernel the counters of both programs, and what they became."""
    return [
        (name, [[cell.strip() for cell in row] for row in kernel_rows(kernels, "iteration", marks)])
        for name, kernels in matched(sides)  # type: ignore[arg-type]
        for marks in [marks_of(sides, kernels)]  # type: ignore[arg-type]
    ]


def script_data(sides: Sequence[Side]) -> Markup:
    """What the scripts draw."""
    programs: list[dict[str, Any]] = []
    for side in sides:
        view = side.run.view
        programs.append(
            {
                "name": side.name,
                "instructions": view["instructions"],
                "objects": view["objects"],
                "kernels": [
                    {key: kernel[key] for key in ("name", "grid", "block", "places", "warps")}
                    for kernel in view["kernels"]
                ],
                "occupancy": [
                    {"kernel": kernel["name"]} | one
                    for kernel in view["kernels"]
                    if (one := kernel_occupancy(view, kernel)) is not None
                ],
                "device": view["device"],
                "findings": [asdict(finding) for finding in side.findings],
                "explained": [asdict(one) for one in side.explained],
            }
        )
    text = json.dumps(programs, ensure_ascii=False, separators=(",", ":"))
    # Only this could end the element.
    return Markup(text.replace("<", "\\u003c"))


def import_map() -> Markup:
    """The modules' texts under the names by which they import each other."""
    imports = {
        f"view/{path.stem}": "data:text/javascript;base64,"
        + base64.b64encode(read_text(path).encode()).decode("ascii")
        for path in sorted(MODULES.glob("*.js"))
    }
    return Markup(json.dumps({"imports": imports}))


@functools.cache
def templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "number": number,
        "of_ideal": of_ideal,
        "code_lines": code_lines,
        "sentence": sentence,
    }
    return environment


def render(sides: Sequence[Side]) -> str:
    changed = [set(), set()]  # type: list[set[tuple[str, int]]]
    if len(sides) == 2:
        changed = [
            changed_lines(sides[0].files, sides[1].files),
            changed_lines(sides[1].files, sides[0].files),
        ]
    return (
        templates()
        .get_template("view.html")
        .render(
            sides=sides,
            changed=changed,
            compared=comparison(sides) if len(sides) == 2 else [],
            nothing=Margin(),
            style=Markup(read_text(FOLDER / "view.css")),
            data=script_data(sides),
            import_map=import_map(),
            entry=f"view/{ENTRY}",
            mark=MARK,
            meaning=sentence(MEANING),
        )
    )
