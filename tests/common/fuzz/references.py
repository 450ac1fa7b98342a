# SPDX-License-Identifier: MIT
"""What each chapter computes, written again as simply as possible: nothing here shares code with
the stages or with their oracles."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

Edge = tuple[int, int, int]
Point = tuple[int, int]
Particle = tuple[int, int]
Body = tuple[float, ...]  # mass, place and velocity


def splitmix64(seed: int, position: int) -> int:
    """The number at this position, from 0, of the generator's sequence."""
    mask = 2**64 - 1
    z = (seed + (position + 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def row_and_column_sums(n: int, seed: int) -> list[int]:
    """Of the chapter's random matrix: cells between -32 767 and 32 767."""
    cells = [((splitmix64(seed, i) >> 32) * 65_535 >> 32) - 32_767 for i in range(n * n)]
    return [sum(cells[i * n : (i + 1) * n]) for i in range(n)] + [
        sum(cells[j::n]) for j in range(n)
    ]


def shortest_paths(vertices: int, edges: Sequence[Edge]) -> list[list[float]] | None:
    """All distances, by relaxing each edge until nothing changes (Bellman and Ford) from each
    vertex; None: there is a negative cycle."""
    rows: list[list[float]] = []
    for start in range(vertices):
        row: list[float] = [math.inf] * vertices
        row[start] = 0
        for round_number in range(vertices + 1):
            changed = False
            for a, b, weight in edges:
                if row[a] + weight < row[b]:
                    row[b] = row[a] + weight
                    changed = True
            if not changed:
                break
            if round_number == vertices:
                return None
        rows.append(row)
    return rows


def clusters(
    points: Sequence[Point], centroids: Sequence[Point], most_iterations: int
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Lloyd's iterations: each point's label, and each cluster's centroid and size."""
    places = list(centroids)
    labels: list[int] = []
    sizes: list[int] = []
    for _ in range(most_iterations):
        labels = [
            min(
                range(len(places)),
                key=lambda c, p=p: (p[0] - places[c][0]) ** 2 + (p[1] - places[c][1]) ** 2,
            )
            for p in points
        ]
        before = list(places)
        sizes = []
        for c, _ in enumerate(before):
            own = [p for p, label in zip(points, labels) if label == c]
            sizes.append(len(own))
            if own:
                sums = [sum(p[axis] for p in own) for axis in (0, 1)]
                x, y = (abs(s) // len(own) * (1 if s >= 0 else -1) for s in sums)
                places[c] = (x, y)
        if places == before:
            break
    return labels, [(*place, size) for place, size in zip(places, sizes)]


def single(value: float) -> float:
    """Rounded to 32 bits. A quotient or root of two such numbers, rounded twice, is rounded right:
    double has more than twice as many bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def storm(
    size: int, waves: Sequence[Sequence[Particle]]
) -> tuple[list[tuple[int, float]], list[float]]:
    """The maximum after each wave, and the layer at the end, in floats of 32 bits."""
    layer = [0.0] * size
    maxima = []
    threshold = single(single(0.001) / size)
    for particles in waves:
        for position, value in particles:
            share = single(single(single(value) * 1000) / size)
            for k in range(size):
                energy = single(share / single(math.sqrt(single(abs(position - k) + 1))))
                if abs(energy) >= threshold:
                    layer[k] = single(layer[k] + energy)
        old = list(layer)
        for k in range(1, size - 1):
            layer[k] = single(single(single(old[k - 1] + old[k]) + old[k + 1]) / 3)
        best = (0, 0.0)
        for k in range(1, size - 1):
            if layer[k] > max(layer[k - 1], layer[k + 1], best[1]):
                best = (k, layer[k])
        maxima.append(best)
    return maxima, layer


def pulls(bodies: Sequence[Body], softening: float) -> list[list[float]]:
    found = []
    for own in bodies:
        sums = [0.0, 0.0, 0.0]
        for other in bodies:
            apart = [other[axis] - own[axis] for axis in (1, 2, 3)]
            cube = (sum(d * d for d in apart) + softening * softening) ** 1.5
            sums = [s + other[0] * d / cube for s, d in zip(sums, apart)]
        found.append(sums)
    return found


def leapfrog(bodies: Sequence[Body], softening: float, dt: float, steps: int) -> list[Body]:
    """The bodies after so many steps of half a kick, a drift, and half a kick."""
    now = [list(one) for one in bodies]
    pull = pulls(bodies, softening)
    for _ in range(steps):
        for half in (0, 1):
            for one, a in zip(now, pull):
                for axis in range(3):
                    one[4 + axis] += dt / 2 * a[axis]
                    one[1 + axis] += dt * one[4 + axis] if half == 0 else 0
            if half == 0:
                pull = pulls([tuple(one) for one in now], softening)
    return [tuple(one) for one in now]
