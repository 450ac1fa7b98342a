# SPDX-License-Identifier: MIT
"""The READMEs' Markdown as HTML, by Python-Markdown (Debian: python3-markdown).

Links lead to the site's pages. A link that leads elsewhere becomes its text, and pictures are left
out, because the site shows them with what is said about them. HTML in a README is text, but for
`<br>`.
"""

from __future__ import annotations

import html
import re
from functools import cache
from xml.etree.ElementTree import Element

import markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString, Registry

from common.tools.pages.syntax import line_html, lines_of
from plots.page.links import Link

ITEM = re.compile(r"(?:[-*] |\d+\. )")
NUMBER = re.compile(r"[×≤≥~]?[\d .,]+( ?[%a-zA-Zµ]{1,2})?( \(.*\))?")
# Blanks within a number, and between a number and its unit or name: no line may end there.
NUMBER_BLANK = re.compile(
    r"(?<=\d) (?=\d{3}(?!\d)|%|(?:[kMGT]|ms|µs|s|[GM]B(?:/s)?)\b)"
    r"|(?<=\b[nk]) (?== )|(?<=[nk] =) (?=\d)"
)
CARDS_FROM = 4  # columns
CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
PARAGRAPH = re.compile(r"</?p>")


def unbroken(text: str) -> str:
    """The text with its numbers on one line each."""
    return NUMBER_BLANK.sub("\u00a0", text)


def scrolling(content: str, label: str) -> str:
    """A box that scrolls, for what may be wider than the window. The keyboard reaches it."""
    label = html.escape(label)
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{content}</div>\n'


class _Spaced(Preprocessor):
    """Lists and tables may follow a line of text directly, as on GitHub. HTML comments are
    dropped."""

    def run(self, lines: list[str]) -> list[str]:
        found: list[str] = []
        for line in lines:
            if line.startswith("<!--"):
                continue
            before = found[-1] if found else ""
            inside = before.startswith((" ", "|")) or ITEM.match(before)
            if before.strip() and not inside and (ITEM.match(line) or line.startswith("|")):
                found.append("")
            found.append(line)
        return found


SOURCE = re.compile(r'<code class="language-c(?:pp)?">(.*?)</code>', re.DOTALL)
EXCERPTS = re.compile(
    r'(?:<div class="wide"[^>]*><pre><code class="source">.*?</pre></div>\s*){2,}', re.DOTALL
)


def with_excerpts(said: str) -> str:
    """Code of the course with its syntax marked; excerpts that follow each other are side by side."""

    def marked(match: re.Match[str]) -> str:
        lines = lines_of(html.unescape(match[1]))
        return f'<code class="source">{"".join(map(line_html, lines))}</code>'

    found = SOURCE.sub(marked, said)
    return EXCERPTS.sub(lambda match: f'<div class="excerpts">{match[0]}</div>', found)


def nowhere(_target: str) -> None:
    """For texts whose links become their text."""


class _LineBreak(InlineProcessor):
    """`<br>` is the one element of HTML that tables need."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Element, int, int]:
        return Element("br"), m.start(0), m.end(0)


class _Dressed(Treeprocessor):
    """Links, pictures and tables as the site wants them."""

    link: Link = staticmethod(nowhere)

    def run(self, root: Element) -> None:
        for parent in root.iter():
            for child in list(parent):
                if child.tag == "img":
                    self.remove(parent, child)
                elif child.tag == "a":
                    target = self.link(child.get("href", ""))
                    child.attrib = {"href": target} if target else {}
                    child.tag = "a" if target else "span"
        for table in list(root.iter("table")):
            self.dress(table)
        for one in root.iter():
            if one.text and one.tag != "code":
                one.text = AtomicString(unbroken(one.text))
            one.tail = AtomicString(unbroken(one.tail)) if one.tail else one.tail

    @staticmethod
    def remove(parent: Element, child: Element) -> None:
        i = list(parent).index(child)
        tail = child.tail or ""
        if i:
            parent[i - 1].tail = (parent[i - 1].tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(child)

    @staticmethod
    def dress(table: Element) -> None:
        """A column of numbers is set to the right. Heads say what they are the head of."""
        head, *rows = table.iter("tr")
        columns = list(zip(*rows))
        as_cards = len(head) >= CARDS_FROM
        if as_cards:  # a telephone shows a row as a card: the roles keep it a table
            table.attrib = {"class": "cards-if-narrow", "role": "table"}
            for one in (head, *rows):
                one.set("role", "row")
        for i, (title, cells) in enumerate(zip(head, columns)):
            texts = ["".join(cell.itertext()) for cell in cells]
            numbers = all(NUMBER.fullmatch(text) for text in texts if text)
            for cell in (title, *cells):
                cell.attrib = {"class": "n"} if numbers else {}
                if as_cards:
                    cell.set("role", "cell")
                    cell.set("data-name", "".join(title.itertext()))
            title.set("scope", "col")
            if as_cards:
                title.set("role", "columnheader")
            for cell in cells if i == 0 else ():
                cell.tag = "th"
                cell.set("scope", "row")
                if as_cards:
                    cell.set("role", "rowheader")


@cache
def _converter(whole: bool) -> tuple[markdown.Markdown, _Dressed]:
    """`whole`: of blocks; else of the text inside one paragraph."""
    extensions = ["tables", "fenced_code", "sane_lists"] if whole else []
    made = markdown.Markdown(extensions=extensions, output_format="html")
    made.preprocessors.deregister("html_block")
    made.inlinePatterns.deregister("html")
    made.inlinePatterns.deregister("em_strong2")  # names have underscores
    made.inlinePatterns.register(_LineBreak("<br>", made), "line_break", 95)
    dressed = _Dressed(made)
    made.treeprocessors.register(dressed, "dressed", 5)
    if whole:
        made.preprocessors.register(_Spaced(made), "spaced", 5)
    else:
        paragraph = made.parser.blockprocessors["paragraph"]
        made.parser.blockprocessors = Registry()
        made.parser.blockprocessors.register(paragraph, "paragraph", 10)
    return made, dressed


def _converted(text: str, whole: bool, link: Link) -> str:
    converter, dressed = _converter(whole)
    dressed.link = link
    return converter.reset().convert(text)


def inline(text: str, link: Link = nowhere) -> str:
    """One paragraph's text."""
    return PARAGRAPH.sub("", _converted(text, False, link)).strip()


def plain(text: str) -> str:
    """Without marks, for a title."""
    return html.unescape(re.sub(r"<[^>]*>", "", inline(text)))


def blocks(text: str, label: str, link: Link = nowhere) -> str:
    """Paragraphs, lists, tables and code. `label` names the boxes of tables and code to screen
    readers."""
    said = _converted(text, True, link)
    said = said.replace("<table", "\0<table").replace("</table>", "</table>\0")
    parts = said.split("\0")
    parts[1::2] = [scrolling(part, label) for part in parts[1::2]]
    return CODE.sub(lambda match: scrolling(match[0], label), "".join(parts)) + "\n"
