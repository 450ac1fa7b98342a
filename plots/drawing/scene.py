# SPDX-License-Identifier: MIT
"""Explanatory drawings: boxes, cells with numbers, arrows, lines, texts. scene.gp draws them.

A scene is a page of 1600 by 900 units, x to the right, y downwards, as large as the picture in
pixels. The heading takes the upper 100. A size of 16 is a text of 16 units height.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from plots.drawing.figure import Block, Drawing, Figure
from plots.records.source import Source
from plots.records.traces import Timeline, Trace

WIDTH, HEIGHT = 1600, 900
LETTER = 0.5  # the mean width of a letter over the height of its text
PAPER = "#ffffff"


@dataclass(frozen=True)
class Look:
    """How a shape is filled, and the colours of a text on it and of its edge."""

    fill: str
    ink: str = "#202020"
    edge: str = PAPER


# Each look has a lightness of its own, so that a print in grey shows them apart.
PLAIN = Look("#dedede")
EMPTY = Look("#ffffff", "#8a8a8a", "#b8b8b8")
DARK = Look("#0072B2", "#ffffff")
LIGHT = Look("#bfe0f5")
MARK = Look("#D55E00", "#ffffff")
PALE_MARK = Look("#f7d9c4")
# Of blocks, streams, rows: by their number.
SERIES = (Look("#0072B2", "#ffffff"), Look("#f3c15f"), Look("#5fb397"), Look("#efdbe6"))
INK, GREY, RED, BLUE, RULE = "#202020", "#5a5a5a", "#D55E00", "#0072B2", "#c8c8c8"


def look_of(number: int) -> Look:
    return SERIES[number % len(SERIES)]


@dataclass
class Scene:
    """Shapes in the order of drawing: boxes, bars, lines, arrows, dots, texts."""

    shapes: dict[str, dict[tuple[str, ...], list[tuple[object, ...]]]] = field(default_factory=dict)
    lines: list[tuple[tuple[str, str, str], list[tuple[float, float]]]] = field(
        default_factory=list
    )

    def _add(self, kind: str, style: tuple[str, ...], row: tuple[object, ...]) -> None:
        self.shapes.setdefault(kind, {}).setdefault(style, []).append(row)

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        look: Look = PLAIN,
        text: object = "",
        size: int = 17,
    ) -> None:
        """A filled box with a text in its middle."""
        if look.edge == PAPER:  # a gap instead of an edge: half the size in a file
            self._add("bars", (look.fill,), (left + 0.7, top + 0.7, right - 0.7, bottom - 0.7))
        else:
            self._add("boxes", (look.fill, look.edge), (left, top, right, bottom))
        if text != "":
            self.text((left + right) / 2, (top + bottom) / 2, text, size, look.ink)

    def bar(self, left: float, top: float, right: float, bottom: float, look: Look = DARK) -> None:
        """A filled box without an edge and without a gap around it."""
        self._add("bars", (look.fill,), (left, top, right, bottom))

    def frame(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        colour: str = GREY,
        dashed: bool = False,
        width: float = 1.5,
    ) -> None:
        """A box without a filling."""
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self.line(corners, colour, dashed, width)

    def cells(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        texts: Iterable[object],
        looks: Look | Sequence[Look] = PLAIN,
        size: int = 17,
    ) -> None:
        """Boxes side by side."""
        for i, text in enumerate(texts):
            look = looks if isinstance(looks, Look) else looks[i]
            self.box(left + i * width, top, left + (i + 1) * width, top + height, look, text, size)

    def text(
        self,
        x: float,
        y: float,
        text: object,
        size: int = 17,
        colour: str = INK,
        align: str = "center",
    ) -> None:
        """`align`: where the point lies in the text: center, left or right; upright is a centred
        text that runs upwards."""
        self._add(align, (str(size), colour), (x, y, str(text)))

    def arrow(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        colour: str = GREY,
        dashed: bool = False,
        width: float = 1.5,
    ) -> None:
        style = (colour, "2" if dashed else "1", str(width))
        self._add("arrows", style, (x0, y0, x1 - x0, y1 - y0))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str = GREY,
        dashed: bool = False,
        width: float = 1.5,
    ) -> None:
        self.lines.append(((colour, "2" if dashed else "1", str(width)), list(points)))

    def dot(self, x: float, y: float, colour: str = INK, size: float = 0.9) -> None:
        self._add("dots", (colour, str(size)), (x, y))

    def drawing(
        self, subtitle: str, ours: str, alt: str, traces: Sequence[Trace | Timeline]
    ) -> Drawing:
        """`traces`: the runs whose accesses are drawn."""
        runs = "; ".join(dict.fromkeys(one.command for one in traces))
        tables: dict[str, list[Block]] = {}
        variables: dict[str, object] = {}
        styles = {
            "boxes": ("fills", "edges"),
            "bars": ("fills",),
            "arrows": ("colours", "dashes", "widths"),
            "dots": ("colours", "sizes"),
            **dict.fromkeys(("center", "left", "right", "upright"), ("sizes", "colours")),
        }
        for kind, found in self.shapes.items():
            tables[kind] = [Block(" ".join(style), rows) for style, rows in found.items()]
            for i, name in enumerate(styles[kind]):
                variables[f"{kind}_{name}"] = " ".join(style[i] for style in found)
        if self.lines:
            joined: dict[tuple[str, ...], list[Sequence[object]]] = {}
            for style, points in self.lines:
                rows = joined.setdefault(style, [])
                rows += [*([()] if rows else []), *points]  # an empty line ends a line
            tables["lines"] = [Block(" ".join(style), rows) for style, rows in joined.items()]
            for i, name in enumerate(("colours", "dashes", "widths")):
                variables[f"lines_{name}"] = " ".join(style[i] for style in joined)
        return Drawing(
            tables=tables,
            variables=variables,
            subtitle=subtitle,
            ours=f"{ours} Run: {runs}",
            alt=alt,
        )


def scene_figure(
    name: str,
    label: str,
    chapter: str,
    title: str,
    thesis: str,
    prepare: Callable[[Source], Drawing],
) -> Figure:
    """A figure whose drawing is a scene. READMEs show all of them."""
    return Figure(
        name,
        label,
        chapter,
        title,
        thesis,
        prepare,
        in_readme=True,
        script="scene",
        folder="drawing",
    )
