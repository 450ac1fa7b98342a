# SPDX-License-Identifier: MIT
"""One page with all figures: no request leaves it, so it works from a file and can be mailed."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from animate import Animation
from drawing import Drawing, Figure

STYLE = """
:root { color-scheme: light dark; --back: #fbfbfa; --text: #1c1c1c; --quiet: #5a5a5a; --line: #d8d8d8; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181c; --text: #e8e8e8; --quiet: #a8adb5; --line: #3a3f47; }
}
body { background: var(--back); color: var(--text); font: 17px/1.5 system-ui, sans-serif;
       max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
nav ul { columns: 2; padding-left: 1.2rem; }
a { color: inherit; }
figure { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
figure img { width: 100%; height: auto; background: #ffffff; border-radius: 4px; }
figure img.animation { width: min(100%, 40rem); background: #0b1020; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .9rem; margin: .6rem 0 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
@media (max-width: 36rem) { nav ul { columns: 1; } dl { grid-template-columns: 1fr; } }
"""


@dataclass(frozen=True)
class Entry:
    """One picture and what is said of it: pairs of a word and a text."""

    name: str
    title: str
    image: Path
    alt: str
    notes: Sequence[tuple[str, str]]


def figure_entry(figure: Figure, drawing: Drawing, output: Path) -> Entry:
    return Entry(figure.name, figure.heading, output / f"{figure.name}.svg",
                 drawing.alt, (("Data", drawing.subtitle), ("Thesis", figure.thesis),
                               ("Here", drawing.ours)))


def animation_entry(animation: Animation) -> Entry:
    return Entry(animation.path.stem, animation.title, animation.path, animation.alt,
                 (("Data", animation.caption),))


def _data_uri(path: Path) -> str:
    kind = {".svg": "image/svg+xml", ".gif": "image/gif", ".png": "image/png"}[path.suffix]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def _figure_html(entry: Entry) -> str:
    notes = "".join(f"<dt>{html.escape(word)}</dt><dd>{html.escape(text)}</dd>\n"
                    for word, text in entry.notes)
    moving = ' class="animation"' if entry.image.suffix == ".gif" else ""
    return (f'<figure id="{html.escape(entry.name)}">\n<h2>{html.escape(entry.title)}</h2>\n'
            f'<img{moving} alt="{html.escape(entry.alt)}" src="{_data_uri(entry.image)}">\n'
            f"<figcaption><dl>\n{notes}</dl></figcaption>\n</figure>\n")


def write_gallery(path: Path, entries: Sequence[Entry]) -> None:
    """Writes the page; every picture is inside it."""
    links = "".join(f'<li><a href="#{html.escape(entry.name)}">{html.escape(entry.title)}</a></li>\n'
                    for entry in entries)
    path.write_text(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Figures of the course</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        "<h1>Figures of the course</h1>\n"
        "<p>The thesis' figures, measured again. Grey marks are the thesis' own numbers "
        "(GTX 980, 2016).</p>\n"
        f"<nav><ul>\n{links}</ul></nav>\n<main>\n"
        + "".join(_figure_html(entry) for entry in entries) + "</main>\n</body>\n</html>\n",
        encoding="utf-8")
