# SPDX-License-Identifier: MIT
"""What stages write with --output, as drawings: points with their clusters, orbits, a mesh, and the
shortest path between two vertices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.csv_tables import fields_of, integer, read_records, read_table
from common.tools.lib.files import read_text
from common.tools.lib.numbers import grouped
from common.tools.lib.stages import DataError
from plots.distmesh import meshes
from plots.drawing.figure import Block, Drawing
from plots.kmeans.clusters import COLOURS, Cluster, colours_of
from plots.nbody import animation

POINTS = ("x", "y", "label")
# More would make a slow picture, and no clearer one: every k-th point is drawn.
MOST_POINTS, MOST_BODIES, MOST_TRIANGLES = 20_000, 2_000, 40_000
MOST_VERTICES = 400  # of a map


def drawing_of(tables: dict[str, list[Block]], subtitle: str, **variables: object) -> Drawing:
    return Drawing(tables=tables, subtitle=subtitle, ours="", alt="", variables=variables)


def every(count: int, most: int) -> int:
    """The distance between those that are drawn."""
    return max(1, math.ceil(count / most))


def share_of(step: int, what: str) -> str:
    return f"; one {what} in {step} is drawn" if step > 1 else ""


def read_points(path: Path) -> dict[int, list[tuple[int, int]]]:
    """By their labels."""
    found: dict[int, list[tuple[int, int]]] = {}
    for line, record in read_table(path, POINTS):
        place = f"{path}:{line}"
        x, y, label = (integer(record[name], name, place) for name in POINTS)
        if label < 0:
            raise DataError(f"{place}: label is {label}, not a cluster")
        found.setdefault(label, []).append((x, y))
    if not found:
        raise DataError(f"{path}: no points")
    return dict(sorted(found.items()))


def draw_points(path: Path, _: str) -> Drawing:
    labels = read_points(path)
    clusters = [
        Cluster(
            sum(x for x, _ in points) // len(points),
            sum(y for _, y in points) // len(points),
            len(points),
            points,
        )
        for points in labels.values()
    ]
    count = sum(one.size for one in clusters)
    step = every(count, MOST_POINTS)
    by_colour: dict[int, list[tuple[int, int]]] = {}
    for one, colour in zip(clusters, colours_of(clusters), strict=True):
        by_colour.setdefault(colour, []).extend(one.points[::step])
    every_x, every_y = zip(*(point for one in clusters for point in one.points), strict=True)
    sizes = [one.size for one in clusters]
    return drawing_of(
        {
            "points": [Block(str(colour), by_colour[colour]) for colour in sorted(by_colour)],
            "centres": [Block("centres", [(one.x, one.y) for one in clusters])],
        },
        f"{path.name}: {grouped(count)} points in {len(clusters)} clusters of {grouped(min(sizes))} "
        f"to {grouped(max(sizes))}, and their means{share_of(step, 'point')}.",
        colours=" ".join(str(colour % COLOURS + 1) for colour in sorted(by_colour)),
        left=float(min(every_x)),
        right=float(max(every_x)),
        low=float(min(every_y)),
        high=float(max(every_y)),
    )


def draw_orbits(path: Path, _: str) -> Drawing:
    frames = animation.read_trajectory(path)
    first, last = min(frames), max(frames)
    bodies = sorted(frames[first])
    step = every(len(bodies), MOST_BODIES)
    group = animation.split_galaxies(frames[first])
    places = {
        body: [frame[body] for _, frame in sorted(frames.items()) if body in frame]
        for body in bodies[::step]
    }
    x, y, half = animation.frame_edges(frames)
    ways = []
    for number in (0, 1):
        rows: list[tuple[float, ...]] = []
        for body in (one for one in places if group[one] == number):
            if rows:
                rows.append(())  # a line ends
            rows.extend(places[body])
        if rows:
            ways.append(Block(str(number), rows))
    ends = [Block("ends", [(*way[-1], group[body]) for body, way in places.items()])]
    return drawing_of(
        {"ways": ways, "ends": ends},
        f"{path.name}: {grouped(len(bodies))} bodies from step {grouped(first)} to {grouped(last)}, "
        f"in the plane of x and y; a dot is where a body ends{share_of(step, 'body')}.",
        colours=" ".join("13"[int(block.title)] for block in ways),
        left=x - half * 1.9,
        right=x + half * 1.9,
        low=y - half,
        high=y + half,
    )


def draw_mesh(path: Path, _: str) -> Drawing:
    triangles = meshes.triangles_of(read_records(path, meshes.COLUMNS), path)
    if len(triangles) > MOST_TRIANGLES:
        raise DataError(
            f"{path}: {len(triangles)} triangles: a picture shows at most {MOST_TRIANGLES}"
        )
    least, mean = meshes.least_and_mean(triangles)
    places = [corner for one in triangles for corner in one.corners]
    return drawing_of(
        {
            "triangles": meshes.quality_blocks(triangles),
            "edges": meshes.edge_blocks(triangles),
        },
        f"{path.name}: {grouped(meshes.points_in(triangles))} points, {grouped(len(triangles))} "
        f"triangles in the colours of their quality: {least:.2f} or more, {mean:.3f} in the mean.",
        numbers=meshes.class_numbers(triangles),
        left=min(x for x, _ in places),
        right=max(x for x, _ in places),
        low=min(y for _, y in places),
        high=max(y for _, y in places),
    )


def read_hops(path: Path) -> list[list[int]]:
    """The vertex after i on the path to j, or -1."""
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        place = f"{path}:{number}"
        row = [integer(word, "a next hop", place) for word in fields_of(path, number, line)]
        rows.append(row)
    count = len(rows)
    for number, row in enumerate(rows, 1):
        if len(row) != count:
            raise DataError(f"{path}:{number}: {len(row)} fields where {count} are expected")
        if not all(-1 <= hop < count for hop in row):
            raise DataError(f"{path}:{number}: a next hop is no vertex from 0 to {count - 1}")
    if not rows:
        raise DataError(f"{path}: is empty")
    return rows


def path_between(hops: Sequence[Sequence[int]], first: int, last: int, file: Path) -> list[int]:
    found = [first]
    while found[-1] != last:
        hop = hops[found[-1]][last]
        if hop < 0:
            raise DataError(f"{file}: there is no path from {first} to {last}")
        if hop in found:
            raise DataError(f"{file}: the hops from {first} to {last} return to {hop}")
        found.append(hop)
    return found


def draw_path(path: Path, between: str) -> Drawing:
    """On a map: rows of a square where the number of vertices is one, as of --input grid; else a
    circle."""
    hops = read_hops(path)
    count = len(hops)
    if count > MOST_VERTICES:
        raise DataError(f"{path}: {count} vertices: a map shows at most {MOST_VERTICES}")
    words = (between or f"0,{count - 1}").split(",")
    if len(words) != 2 or not all(word.isdigit() and int(word) < count for word in words):
        raise DataError(
            f"PATH={between}: write two vertices from 0 to {count - 1}, as 0,{count - 1}"
        )
    first, last = map(int, words)
    way = path_between(hops, first, last, path)
    side = math.isqrt(count)
    if side * side == count and side > 1:
        places = [(i % side / (side - 1), 1 - i // side / (side - 1)) for i in range(count)]
    else:
        turns = [2 * math.pi * i / count for i in range(count)]
        places = [(0.5 + 0.5 * math.sin(turn), 0.5 + 0.5 * math.cos(turn)) for turn in turns]
    steps = {
        (i, hops[i][j]) for i in range(count) for j in range(count) if hops[i][j] not in (-1, i)
    }
    used = {tuple(sorted(one)) for one in steps}
    return drawing_of(
        {
            "edges": [Block("edges", [vector(places, *one) for one in sorted(used)] or [(0,) * 4])],
            "vertices": [Block("vertices", [(*places[i], str(i)) for i in range(count)])],
            "way": [
                Block("way", [vector(places, *one) for one in zip(way, way[1:])] or [(0,) * 4])
            ],
            "labels": [Block("labels", [(*places[i], str(i)) for i in way])],
        },
        f"{path.name}: {count} vertices, the edges that shortest paths take, and the path from {first} "
        f"to {last}: {len(way) - 1} steps.",
        left=0.0,
        right=1.0,
        low=0.0,
        high=1.0,
    )


def vector(places: Sequence[tuple[float, float]], i: int, j: int) -> tuple[float, ...]:
    """From i to j: a place, and the way from there."""
    return (*places[i], places[j][0] - places[i][0], places[j][1] - places[i][1])


@dataclass(frozen=True)
class Kind:
    """What a file may be. `head`: its first line; empty: a matrix of integers."""

    chapter: str
    head: str
    title: str
    script: str
    drawing: Callable[[Path, str], Drawing]


KINDS = (
    Kind("kmeans", ",".join(POINTS), "K-means: points and their clusters", "points", draw_points),
    Kind(
        "nbody",
        ",".join(animation.COLUMNS),
        "N-body: the ways of the bodies",
        "orbits",
        draw_orbits,
    ),
    Kind("distmesh", ",".join(meshes.COLUMNS), "Distmesh: a mesh", "mesh", draw_mesh),
    Kind("floyd", "", "Floyd-Warshall: a shortest path", "path", draw_path),
)


def kind_of(path: Path, chapter: str) -> Kind:
    """By the first line of the file, or by the chapter where that is given."""
    try:
        text = read_text(path)
    except OSError as error:
        raise DataError(f"FILE={path}: {error.strerror}") from None
    head = next((line for line in text.splitlines() if line and not line.startswith("#")), "")
    found = next((one for one in KINDS if one.head and one.head == head), None)
    if found is None and head and all(word.lstrip("-").isdigit() for word in head.split(",")):
        found = KINDS[-1]
    if found is None or chapter not in ("", found.chapter):
        flags = "--next-hop of floyd, --output of kmeans, nbody or distmesh"
        named = f" of {chapter}" if chapter else ""
        raise DataError(f"FILE={path}: is no result{named} that can be drawn ({flags})")
    return found
