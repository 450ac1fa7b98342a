# SPDX-License-Identifier: MIT
"""Clusters of three inputs as a stage found them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from common.tools.lib.stages import DataError, shown
from plots.drawing.figure import Block, Drawing
from plots.records.source import Source
from plots.records.stages import stages_of
from plots.records.traces import Kept, Record, Result

STAGES = stages_of("kmeans")
BEST = STAGES[STAGES.named("device_loop")].stage
COLUMNS = ("x", "y", "label", "size")  # a centroid has a size, a point has none
UNIT = (
    2**20
)  # of a point's coordinates: a drawing shows no more digits of 2^30, and files stay small
COLOURS = 6  # of style.gp, without black


def kept_rows(points: Iterable[Record], centroids: Iterable[Record]) -> Kept:
    """The centroids as they are, then the points, rounded to UNIT."""
    rows: Kept = [(one["x"], one["y"], label, one["size"]) for label, one in enumerate(centroids)]
    return rows + [
        (round(int(one["x"]) / UNIT), round(int(one["y"]) / UNIT), one["label"], "")
        for one in points
    ]


def clustering(input_name: str, k: int) -> Result:
    """A run that goes on until no centroid moves. An SVG of less than 200 kB holds so many
    points."""
    arguments = (
        "--input",
        input_name,
        "--k",
        str(k),
        "--init",
        "plusplus",
        "--n",
        "1800",
        "--max-iterations",
        "1000",
    )
    return Result(
        f"kmeans_{input_name}",
        f"{input_name}, k = {k}",
        BEST,
        arguments,
        COLUMNS,
        ("--output", "--centroids"),
        kept_rows,
    )


CLUSTERINGS = (clustering("gaussians", 9), clustering("rings", 6), clustering("uniform", 16))
CAPTIONS = (
    "clouds: each is a cluster",
    "rings about one centre: cut across",
    "an even plane: divided into cells",
)


@dataclass(frozen=True)
class Cluster:
    x: int  # of the centroid
    y: int
    size: int
    points: list[tuple[int, int]]


def read_clusters(source: Source, name: str) -> list[Cluster]:
    """The clusters of a run, in the order of their numbers."""
    path = source.trace_path(name)
    points: dict[int, list[tuple[int, int]]] = {}
    centroids: dict[int, tuple[int, int, int]] = {}
    for one in source.trace(name, COLUMNS):
        try:
            x, y, label = int(one["x"]), int(one["y"]), int(one["label"])
            size = int(one["size"]) if one["size"] else None
        except ValueError:
            raise DataError(
                f"{path}: {shown(','.join(one.values()))} is neither a point nor a centroid"
            ) from None
        if size is None:
            points.setdefault(label, []).append((x, y))
        else:
            centroids[label] = (x, y, size)
    if (
        sorted(centroids) != list(range(len(centroids)))
        or not points.keys() <= centroids.keys()
        or not points
    ):
        raise DataError(f"{path}: points of a cluster without a centroid")
    found = [Cluster(*centroids[label], points.get(label, [])) for label in range(len(centroids))]
    if any(one.size != len(one.points) for one in found):
        raise DataError(f"{path}: a cluster's size is not the number of its points")
    return found


def colours_of(clusters: Sequence[Cluster]) -> list[int]:
    """One of style.gp's colours per cluster: the one whose nearest cluster so far is the furthest
    away, so that neighbours differ."""
    found: list[int] = []
    for i, one in enumerate(clusters):

        def nearest(colour: int) -> float:
            return min(
                (
                    (one.x - other.x) ** 2 + (one.y - other.y) ** 2
                    for other, its in zip(clusters[:i], found)
                    if its == colour
                ),
                default=float("inf"),
            )

        found.append(max(range(COLOURS), key=nearest))
    return found


def prepare_clusters(source: Source) -> Drawing:
    tables: dict[str, list[Block]] = {}
    titles: dict[str, object] = {}
    numbers, total = [], 0
    for panel, trace in enumerate(CLUSTERINGS):
        clusters = read_clusters(source, trace.name)
        by_colour: dict[int, list[tuple[int, int]]] = {}
        for one, colour in zip(clusters, colours_of(clusters)):
            by_colour.setdefault(colour, []).extend(one.points)
        tables[f"points{panel}"] = [
            Block(str(colour + 1), by_colour[colour])
            for colour in sorted(by_colour)
            if by_colour[colour]
        ]
        tables[f"centroids{panel}"] = [
            Block("centroids", [(one.x / UNIT, one.y / UNIT) for one in clusters])
        ]
        sizes = [one.size for one in clusters]
        total += sum(sizes)
        titles |= {f"title{panel}": trace.title, f"caption{panel}": CAPTIONS[panel]}
        numbers.append(f"{trace.title}: {min(sizes)} to {max(sizes)} points per cluster")
    largest = max(
        abs(value)
        for name, blocks in tables.items()
        if name.startswith("points")
        for block in blocks
        for row in block.rows
        for value in row
    )
    return Drawing(
        tables=tables,
        variables={"reach": largest * 1.04, **titles},
        emulated=False,
        subtitle=(
            f"{BEST} on the CPU engine, {total // len(CLUSTERINGS)} points each, until no centroid "
            "moved: labels and centroids as it wrote them."
        ),
        ours="; ".join(numbers) + ". Borders are straight lines half-way between two centroids.",
        alt=(
            "Three scatter charts of points coloured by their cluster, with the centroids as black"
            " crosses: nine round clouds, each of them a cluster; three rings about one centre,"
            " which six clusters cut across; a square evenly filled with points, which sixteen"
            " clusters divide into cells."
        ),
    )
