# SPDX-License-Identifier: MIT
"""Figures of the k-means chapter: 5.1 to 5.4, its stages, and 5.5 to 5.8, CPU against GPU, each for four numbers of
clusters; and clusters of three inputs as a stage found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import traces
from drawing import SERIAL, Block, Drawing, Figure, Source, TableMaker, short_count, short_ratio, short_time
from limits import Limits
from measurements import DataError, Report, Row, matches, newest, quartiles
from panels import Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published

CHAPTER = "kmeans"
STAGES = ("01_separate_lists", "02_shared_centroids", "03_int2", "04_two_stage_reduction", "05_device_loop")
FIRST, SHARED, _, TWO_STAGES, BEST = STAGES
CLUSTERS = (4, 8, 16, 32)

# What plots/tables.py needs to know of a chapter. The thesis' timing rule (5.4): whole runs. All runs do the same
# iterations, converged or not.
COMPARED_RUN = {"input": "uniform", "init": "random", "max-iterations": "20", "all-iterations": "1",
                "k": str(CLUSTERS[0])}
FURTHER_RUNS = tuple({"k": str(k)} for k in CLUSTERS[1:])
SERIES = (STAGES,)


def run_of(k: int) -> dict[str, object]:
    return COMPARED_RUN | {"k": str(k)}


def runs_of(k: int) -> Runs:
    return Runs(CHAPTER, match=run_of(k), unit="points", words=f"uniform points, k = {k}, 20 iterations",
                thesis_n="320 M points")


def stages_figure(k: int) -> str:
    return f"5.{1 + CLUSTERS.index(k)}"


def serial_figure(k: int) -> str:
    return f"5.{5 + CLUSTERS.index(k)}"


def prepare_stages(source: Source, k: int) -> Drawing:
    """Figures 5.1 to 5.4."""
    thesis = {stage: published(source, stages_figure(k), "speedup_over_previous", stage)
              for stage in (SHARED, TWO_STAGES)}
    return prepare_against_n(source, runs_of(k), STAGES, gains_of(STAGES, thesis), BEST, "clusters",
                             smallest_recorded=10_000_000)


def prepare_serial(source: Source, k: int) -> Drawing:
    """Figures 5.5 to 5.8."""
    return prepare_cpu_gpu(source, runs_of(k), STAGES, (FIRST, BEST), serial_figure(k))


# ---- clusters as a stage found them (plots/traces.py) -----------------------------------------------------------

COLOURS = 6  # of style.gp, without black
CAPTIONS = ("clouds: each is a cluster", "rings about one centre: cut across", "an even plane: paved")


@dataclass(frozen=True)
class Cluster:
    x: int  # of the centroid
    y: int
    size: int
    points: list[tuple[int, int]]


def read_clusters(source: Source, name: str) -> list[Cluster]:
    """The clusters of a run, by their numbers."""
    path = source.trace_path(name)
    points: dict[int, list[tuple[int, int]]] = {}
    centroids: dict[int, tuple[int, int, int]] = {}
    for one in source.trace(name, traces.CLUSTERS_COLUMNS):
        try:
            x, y, label = int(one["x"]), int(one["y"]), int(one["label"])
            size = int(one["size"]) if one["size"] else None
        except ValueError:
            raise DataError(f"{path}: '{','.join(one.values())}' is neither a point nor a centroid") from None
        if size is None:
            points.setdefault(label, []).append((x, y))
        else:
            centroids[label] = (x, y, size)
    if sorted(centroids) != list(range(len(centroids))) or not points.keys() <= centroids.keys() or not points:
        raise DataError(f"{path}: points of a cluster without a centroid")
    found = [Cluster(*centroids[label], points.get(label, [])) for label in range(len(centroids))]
    if any(one.size != len(one.points) for one in found):
        raise DataError(f"{path}: a cluster's size is not the number of its points")
    return found


def colours_of(clusters: Sequence[Cluster]) -> list[int]:
    """Of each cluster one of style.gp's: the one whose nearest cluster so far is the furthest away, so that
    neighbours differ."""
    found: list[int] = []
    for i, one in enumerate(clusters):
        def nearest(colour: int) -> float:
            return min(((one.x - other.x) ** 2 + (one.y - other.y) ** 2
                        for other, its in zip(clusters[:i], found) if its == colour), default=float("inf"))
        found.append(max(range(COLOURS), key=nearest))
    return found


def prepare_clusters(source: Source) -> Drawing:
    tables: dict[str, list[Block]] = {}
    titles: dict[str, object] = {}
    shown, total = [], 0
    for panel, trace in enumerate(traces.CLUSTERINGS):
        clusters = read_clusters(source, trace.name)
        by_colour: dict[int, list[tuple[int, int]]] = {}
        for one, colour in zip(clusters, colours_of(clusters)):
            by_colour.setdefault(colour, []).extend(one.points)
        tables[f"points{panel}"] = [Block(str(colour + 1), by_colour[colour]) for colour in sorted(by_colour)
                                    if by_colour[colour]]
        tables[f"centroids{panel}"] = [Block("centroids", [(one.x / traces.CLUSTERS_UNIT, one.y / traces.CLUSTERS_UNIT)
                                                           for one in clusters])]
        sizes = [one.size for one in clusters]
        total += sum(sizes)
        titles |= {f"title{panel}": trace.title, f"caption{panel}": CAPTIONS[panel]}
        shown.append(f"{trace.title}: {min(sizes)} to {max(sizes)} points a cluster")
    largest = max(abs(value) for name, blocks in tables.items() if name.startswith("points")
                  for block in blocks for row in block.rows for value in row)
    return Drawing(
        tables=tables,
        variables={"reach": largest * 1.04, **titles},
        emulated=False,
        subtitle=f"{CHAPTER}/{BEST} on the CPU engine, {total // len(traces.CLUSTERINGS)} points each, until no centroid "
                 "moved: labels and centroids as it wrote them.",
        ours="; ".join(shown) + ". Borders are straight, half-way between two centroids.",
        alt="Three scatter charts of points coloured by their cluster, with the centroids as black crosses: nine round "
            "clouds, each a cluster; three rings about one centre, cut across by six clusters; a square evenly "
            "filled with points, cut into sixteen cells.")


# ---- tables of the README ---------------------------------------------------------------------------------------


def times_table(rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """A row a stage, a column a k: whole runs at the largest n that all of them have."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for k in CLUSTERS:
        own = newest([row for row in rows if matches(row, run_of(k))])
        for stage in (SERIAL, *STAGES):
            by_n: dict[int, list[float]] = {}
            for row in own:
                if row.stage == stage and row.engine == ("cpu" if stage == SERIAL else "gpu"):
                    by_n.setdefault(row.n, []).append(row.total_ms / 1000)
            found[stage, k] = {n: quartiles(times)[1] for n, times in by_n.items()}
    common = set.intersection(*(set(times) for times in found.values()))
    if not common:
        raise DataError(f"{CHAPTER}: no n that every stage was measured at with k = {', '.join(map(str, CLUSTERS))}")
    n = max(common)
    lines = [f"| stage | {' | '.join(f'k = {k}' for k in CLUSTERS)} |", "|---" * (1 + len(CLUSTERS)) + "|"]
    for before, stage in zip(("", SERIAL, *STAGES), (SERIAL, *STAGES)):
        cells = []
        for k in CLUSTERS:
            seconds = found[stage, k][n]
            gain = f" (×{short_ratio(found[before, k][n] / seconds)})" if before else ""
            cells.append(f"{short_time(seconds)}{gain}")
        lines.append(f"| {stage} | {' | '.join(cells)} |")
    return [*lines, "", f"Whole runs of {short_count(n)} points, 20 iterations, medians; in brackets over the stage before."]


TABLES: dict[str, TableMaker] = {"times": times_table}


# The thesis' speed-ups of shared memory and of the sum in two steps (5.4.1), then its best over its CPU (5.4.2).
SAID = {4: ("1.13", "1.41", "30"), 8: ("1.28", "1.28", "43.4"), 16: ("1.57", "1.08", "59"), 32: ("2", "0.89", "89.6")}


def figure_name(number: str) -> str:
    return f"figure_{number.replace('.', '_')}"


FIGURES = (
    *(Figure(figure_name(stages_figure(k)), f"Figure {stages_figure(k)}", CHAPTER, f"K-means, its stages, k = {k}",
             f"Shared memory gains {SAID[k][0]} at 320 million points, the sum in two steps {SAID[k][1]}; int2 and the "
             "loop on the device next to nothing (5.4.1). Its runs end when they converge.",
             partial(prepare_stages, k=k), in_readme=True, script="kmeans_stages") for k in CLUSTERS),
    *(Figure(figure_name(serial_figure(k)), f"Figure {serial_figure(k)}", CHAPTER, f"K-means, CPU against GPU, k = {k}",
             f"{SAID[k][2]} times as fast as the CPU (one core of a Core i7-3820) at 160 million points; by which "
             "version is not said (5.4.2).",
             partial(prepare_serial, k=k), in_readme=True, script="kmeans_cpu_gpu") for k in CLUSTERS),
    Figure("kmeans_clusters", "", CHAPTER, "K-means, what its clusters look like", "The thesis shows none.",
           prepare_clusters, in_readme=True),
)
