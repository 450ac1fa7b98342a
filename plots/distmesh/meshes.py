# SPDX-License-Identifier: MIT
"""Meshes as a stage wrote them, and their triangles by quality, for the figure and for the
animation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from common.tools.lib.stages import DataError, shown
from plots.distmesh.stages import STAGES
from plots.drawing.figure import Block, Drawing
from plots.records.source import Source
from plots.records.traces import Kept, Record, Result

COLUMNS = ("x1", "y1", "x2", "y2", "x3", "y3", "quality")
DIGITS = 5  # of coordinates up to 2: a drawing shows no more, and files stay small
# Classes of quality. Each has a colour in distmesh_colours.gp.
CLASSES = 10
LEAST_CLASS = 0.5  # the first class holds everything below it too
# Corners are rounded to five digits, which changes the quality of the smallest triangles by so
# much.
ROUNDED = 0.005

Place = tuple[float, float]


@dataclass(frozen=True)
class Triangle:
    corners: tuple[Place, Place, Place]  # counter-clockwise
    quality: float

    @property
    def quality_class(self) -> int:
        return min(
            CLASSES - 1,
            max(0, math.floor((self.quality - LEAST_CLASS) / (1 - LEAST_CLASS) * CLASSES)),
        )


def quality_of(corners: Sequence[Place]) -> float:
    """Twice the radius of the inscribed circle over that of the circumscribed circle. It is
    negative for a triangle that is turned over."""
    (ax, ay), (bx, by), (cx, cy) = corners
    a, b, c = (
        math.hypot(cx - bx, cy - by),
        math.hypot(ax - cx, ay - cy),
        math.hypot(bx - ax, by - ay),
    )
    side = 1 if (bx - ax) * (cy - ay) > (by - ay) * (cx - ax) else -1
    return side * (b + c - a) * (c + a - b) * (a + b - c) / (a * b * c) if a * b * c > 0 else 0.0


def triangles_of(records: Iterable[Mapping[str, str]], file: object) -> list[Triangle]:
    """The triangles of a stage's --output. They form a mesh: every triangle runs counter-clockwise
    and has the quality that the file states, and no edge occurs twice in one direction."""
    found: list[Triangle] = []
    edges: set[tuple[Place, Place]] = set()
    for one in records:
        said = shown(",".join(one.values()))
        try:
            x1, y1, x2, y2, x3, y3, quality = (float(one[name]) for name in COLUMNS)
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{file}: {said} is no triangle") from None
        corners = ((x1, y1), (x2, y2), (x3, y3))
        if not abs(quality_of(corners) - quality) <= ROUNDED or quality <= 0:
            raise DataError(
                f"{file}: the triangle {said} has a quality of {quality_of(corners):.3f}"
            )
        own = set(zip(corners, (*corners[1:], corners[0])))
        if own & edges:
            raise DataError(f"{file}: the triangle {said} lies on another one")
        edges |= own
        found.append(Triangle(corners, quality))
    if not found:
        raise DataError(f"{file}: no triangles")
    return found


def quality_blocks(triangles: Sequence[Triangle]) -> list[Block]:
    """One block per class that has triangles: its number, then the corners of each triangle and a
    blank line."""
    by_class: dict[int, list[tuple[object, ...]]] = {}
    for one in triangles:
        rows = by_class.setdefault(one.quality_class, [])
        rows += [()] * bool(rows) + [(round(x, 5), round(y, 5)) for x, y in one.corners]
    return [Block(str(number), by_class[number]) for number in sorted(by_class)]


def edge_blocks(triangles: Sequence[Triangle]) -> list[Block]:
    """Every edge once: its first end, and the vector to the other end."""
    edges = {
        tuple(sorted(pair))
        for one in triangles
        for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))
    }
    return [
        Block(
            "edges",
            [
                (round(x, 5), round(y, 5), round(to_x - x, 5), round(to_y - y, 5))
                for (x, y), (to_x, to_y) in sorted(edges)
            ],
        )
    ]


def class_numbers(triangles: Sequence[Triangle]) -> str:
    """The numbers of the classes in quality_blocks(), for gnuplot."""
    return " ".join(block.title for block in quality_blocks(triangles))


def least_and_mean(triangles: Sequence[Triangle]) -> tuple[float, float]:
    qualities = [one.quality for one in triangles]
    return min(qualities), sum(qualities) / len(qualities)


def points_in(triangles: Sequence[Triangle]) -> int:
    return len({corner for one in triangles for corner in one.corners})


# ---- the meshes of the figure ----


def kept_rows(triangles: Iterable[Record]) -> Kept:
    return [tuple(round(float(one[name]), DIGITS) for name in COLUMNS) for one in triangles]


def meshing(name: str, title: str, *arguments: str) -> Result:
    """A run that goes on until no point moves. An SVG of less than 200 kB holds so many
    triangles."""
    return Result(
        f"distmesh_{name}",
        title,
        STAGES[STAGES.named("resident")].stage,
        arguments,
        COLUMNS,
        ("--output",),
        kept_rows,
    )


MESHES = (
    meshing("circle", "circle", "--n", "100"),
    meshing("square_hole", "square with hole, graded", "--domain", "square-hole", "--n", "170"),
    meshing("ring", "ring", "--domain", "ring", "--n", "100"),
    meshing(
        "ellipse_wing",
        "ellipse minus wing, graded",
        "--domain",
        "ellipse",
        "--minus",
        "wing:0,0,2",
        "--grading",
        "4",
        "--n",
        "200",
    ),
    meshing("wing", "wing", "--domain", "wing", "--n", "90"),
)


def prepare_meshes(source: Source) -> Drawing:
    tables: dict[str, list[Block]] = {}
    variables: dict[str, object] = {"classes": CLASSES, "least_class": LEAST_CLASS}
    every: list[Triangle] = []
    said = []
    for i, mesh in enumerate(MESHES):
        triangles = triangles_of(source.trace(mesh.name, COLUMNS), source.trace_path(mesh.name))
        every += triangles
        least, mean = least_and_mean(triangles)
        tables |= {f"triangles{i}": quality_blocks(triangles), f"edges{i}": edge_blocks(triangles)}
        variables |= {
            f"title{i}": mesh.title,
            f"caption{i}": f"least {least:.2f}, mean {mean:.3f}",
            f"numbers{i}": class_numbers(triangles),
        }
        said.append(
            f"{mesh.title}: {points_in(triangles)} points, {len(triangles)} triangles, quality"
            f" {least:.2f} or more, {mean:.3f} in the mean"
        )
    counts = [0] * CLASSES
    for one in every:
        counts[one.quality_class] += 1
    tables["shares"] = [
        Block(
            "triangles", [(number, 100 * count / len(every)) for number, count in enumerate(counts)]
        )
    ]
    return Drawing(
        tables=tables,
        variables=variables,
        emulated=False,
        subtitle=(
            f"{MESHES[0].stage} on the CPU engine, as it wrote them: {len(every)} triangles,"
            " coloured by twice the inscribed circle's radius over the circumscribed one's."
        ),
        ours="; ".join(said)
        + ". No equilateral triangle fits into a corner of less than 60 degrees, and the wing's"
        " tail has 16.",
        alt=(
            "Meshes of five domains, and a bar chart of the share of each quality among all"
            " triangles, in the same colours: blue for nearly equilateral triangles, orange and"
            f" red for flat ones. {'; '.join(said)}. Triangles are small around the hole of the"
            " square and around the wing that is cut out of the ellipse, and grow with the"
            " distance."
        ),
    )
