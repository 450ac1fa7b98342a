# SPDX-License-Identifier: MIT
"""Meshes as a stage of distmesh wrote them, and their triangles by quality, for the figure and for the animation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drawing import Block
from measurements import DataError
from traces import MESH_COLUMNS

# Classes of quality, each with a colour of plots/distmesh_colours.gp.
CLASSES = 10
LEAST_CLASS = 0.5  # the first one holds what is below, too
# A corner that is rounded to five digits moves the quality of the smallest triangles by so much.
ROUNDED = 0.005

Place = tuple[float, float]


@dataclass(frozen=True)
class Triangle:
    corners: tuple[Place, Place, Place]  # counter-clockwise
    quality: float

    @property
    def quality_class(self) -> int:
        return min(CLASSES - 1, max(0, math.floor((self.quality - LEAST_CLASS) / (1 - LEAST_CLASS) * CLASSES)))


def quality_of(corners: Sequence[Place]) -> float:
    """Twice the radius of the inscribed circle by that of the circumscribed one; below 0 where it is turned over."""
    (ax, ay), (bx, by), (cx, cy) = corners
    a, b, c = math.hypot(cx - bx, cy - by), math.hypot(ax - cx, ay - cy), math.hypot(bx - ax, by - ay)
    side = 1 if (bx - ax) * (cy - ay) > (by - ay) * (cx - ax) else -1
    return side * (b + c - a) * (c + a - b) * (a + b - c) / (a * b * c) if a * b * c > 0 else 0.0


def triangles_of(records: Iterable[Mapping[str, str]], file: object) -> list[Triangle]:
    """What a stage's --output says, if it is a mesh: every triangle counter-clockwise and as good as it says, and
    no edge twice in one direction."""
    found: list[Triangle] = []
    edges: set[tuple[Place, Place]] = set()
    for one in records:
        said = ",".join(one.values())
        try:
            x1, y1, x2, y2, x3, y3, quality = (float(one[name]) for name in MESH_COLUMNS)
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{file}: '{said}' is no triangle") from None
        corners = ((x1, y1), (x2, y2), (x3, y3))
        if not abs(quality_of(corners) - quality) <= ROUNDED or quality <= 0:
            raise DataError(f"{file}: the triangle '{said}' has a quality of {quality_of(corners):.3f}")
        own = set(zip(corners, (*corners[1:], corners[0])))
        if own & edges:
            raise DataError(f"{file}: the triangle '{said}' lies on another one")
        edges |= own
        found.append(Triangle(corners, quality))
    if not found:
        raise DataError(f"{file}: no triangles")
    return found


def quality_blocks(triangles: Sequence[Triangle]) -> list[Block]:
    """A block a class that has triangles: its number, and each triangle's corners and a blank line."""
    by_class: dict[int, list[tuple[object, ...]]] = {}
    for one in triangles:
        rows = by_class.setdefault(one.quality_class, [])
        rows += [()] * bool(rows) + [(round(x, 5), round(y, 5)) for x, y in one.corners]
    return [Block(str(number), by_class[number]) for number in sorted(by_class)]


def edge_blocks(triangles: Sequence[Triangle]) -> list[Block]:
    """Every edge once: where it begins, and how far it goes."""
    edges = {tuple(sorted(pair)) for one in triangles
             for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))}
    return [Block("edges", [(round(x, 5), round(y, 5), round(to_x - x, 5), round(to_y - y, 5))
                            for (x, y), (to_x, to_y) in sorted(edges)])]


def class_numbers(triangles: Sequence[Triangle]) -> str:
    """Those of quality_blocks(), for gnuplot."""
    return " ".join(block.title for block in quality_blocks(triangles))


def least_and_mean(triangles: Sequence[Triangle]) -> tuple[float, float]:
    qualities = [one.quality for one in triangles]
    return min(qualities), sum(qualities) / len(qualities)


def points_in(triangles: Sequence[Triangle]) -> int:
    return len({corner for one in triangles for corner in one.corners})
