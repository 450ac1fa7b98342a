# SPDX-License-Identifier: MIT
"""As much Markdown as the READMEs use, as HTML: paragraphs, lists, tables, code, emphasis.

Links become their text and pictures are left out: the page that takes the HTML is one file, beside
which nothing else is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measurements import DataError

HEADING = re.compile(r"(#+) (.*)")
BULLET = re.compile(r"(- |\d+\. )(.*)")
PAIR = re.compile(r"\*\*(\d\d) → (\d\d)\.?\*\*:?\s*")
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z`*])")


def inline(text: str) -> str:
    """One paragraph's text. Code is left as it is written."""
    parts = re.split(r"(`[^`]+`)", re.sub(r"!\[[^]]*\]\([^)]*\)", "", text))
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = f"<code>{html.escape(part[1:-1], quote=False)}</code>"
            continue
        part = html.escape(part, quote=False)
        part = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", part)
        part = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", part)
        parts[i] = re.sub(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?!\w)", r"<em>\1</em>", part)
    # A link's text may be code, which the split has cut it at.
    return re.sub(r"\[(<code>[^<]*</code>)\]\([^)]*\)", r"\1", "".join(parts))


def plain(text: str) -> str:
    """Without marks: for a title."""
    return html.unescape(re.sub(r"<[^>]*>", "", inline(text)))


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_number(text: str) -> bool:
    return re.fullmatch(r"[×≤≥~]?[\d .,]+( ?[%a-zA-Zµ]{1,2})?( \(.*\))?", text) is not None


def table(lines: Sequence[str], caption: str = "") -> str:
    """Lines of a Markdown table. A column of numbers is set to the right."""
    head, rows = cells_of(lines[0]), [cells_of(line) for line in lines[2:]]
    numbers = [all(is_number(row[i]) for row in rows if row[i]) for i in range(len(head))]

    def cell(tag: str, text: str, i: int) -> str:
        return f"<{tag}{' class=n' if numbers[i] else ''}>{inline(text)}</{tag.partition(' ')[0]}>"

    body = "\n".join("<tr>" + "".join(cell("th scope=row" if i == 0 else "td", text, i)
                                      for i, text in enumerate(row)) + "</tr>" for row in rows)
    return ("<table>" + (f"<caption>{caption}</caption>" if caption else "") + "<thead><tr>"
            + "".join(cell("th scope=col", text, i) for i, text in enumerate(head))
            + f"</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n")


def scrolling(content: str, label: str) -> str:
    """A box of its own for what may be wider than the page; reached by the keyboard."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{html.escape(label)}">{content}</div>\n'


def blocks(text: str, label: str) -> str:
    """Paragraphs, lists, tables and code, without headings; `label` names tables to who cannot see them."""
    out: list[str] = []
    lines = [line for line in text.splitlines() if not line.startswith("<!--")]
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            i += 1
        elif line.startswith("```"):
            end = next(j for j in range(i + 1, len(lines) + 1) if j == len(lines) or lines[j].startswith("```"))
            out.append(scrolling(f"<pre>{html.escape(chr(10).join(lines[i + 1:end]))}</pre>", label))
            i = end + 1
        elif line.startswith("|"):
            end = next((j for j in range(i, len(lines)) if not lines[j].startswith("|")), len(lines))
            out.append(scrolling(table(lines[i:end]), label))
            i = end
        elif match := BULLET.match(line):
            kind = "ul" if match[1] == "- " else "ol"
            items: list[list[str]] = []
            while i < len(lines) and lines[i].strip():
                if match := BULLET.match(lines[i]):
                    items.append([match[2]])
                else:
                    items[-1].append(lines[i].strip())
                i += 1
            out.append(f"<{kind}>\n" + "".join(f"<li>{inline(' '.join(item))}</li>\n" for item in items)
                       + f"</{kind}>\n")
        else:
            end = next((j for j in range(i, len(lines)) if not lines[j].strip() or j > i and (
                lines[j].startswith(("|", "```")) or BULLET.match(lines[j]))), len(lines))
            said = inline(" ".join(part.strip() for part in lines[i:end])).strip()
            if said:
                out.append(f"<p>{said}</p>\n")
            i = end
    return "".join(out)


@dataclass(frozen=True)
class Document:
    """A README: its title, and the text under each heading."""

    title: str
    sections: dict[str, str]  # "": before the first heading

    def problem(self) -> str:
        """What stands before the first command or picture: what the chapter is about."""
        return re.split(r"^(?:```|!\[|Inputs:|\|)", self.sections[""], maxsplit=1, flags=re.MULTILINE)[0]

    def pairs(self) -> dict[tuple[str, str], str]:
        """What `**01 → 02.** …` says of two stages, by their numbers, wherever it is said first."""
        found: dict[tuple[str, str], str] = {}
        for text in self.sections.values():
            for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
                if match := PAIR.match(item):
                    said = item[match.end():].split("\n\n")[0]
                    found.setdefault((match[1], match[2]), " ".join(said.split()))
        return found


def read_document(path: Path) -> Document:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    title, sections, name, fenced = "", {"": ""}, "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else HEADING.match(line)
        if match and len(match[1]) == 1:
            title = match[2]
        elif match:
            name = match[2]
            sections[name] = ""
        else:
            sections[name] += line + "\n"
    if not title:
        raise DataError(f"{path}: no title")
    return Document(title, sections)


def first_sentence(text: str, shortest: int = 40) -> str:
    """The first sentence, and the next where that says too little alone: `One line.`"""
    said = ""
    for part in SENTENCE_END.split(text):
        said = f"{said} {part}".strip()
        if len(said) >= shortest and not said.endswith(":"):
            break
    return said
