# SPDX-License-Identifier: MIT
"""Figures of the k-means chapter: 5.1 to 5.4 are its stages, 5.5 to 5.8 CPU against GPU, each for
four numbers of clusters. One more figure shows clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from common.tools.lib.numbers import short_count, short_time
from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter, Rate, Rules
from plots.drawing.figure import Drawing, Figure
from plots.drawing.panels import Runs, gains_of, prepare_against_n, prepare_cpu_gpu, published
from plots.kmeans.clusters import CLUSTERINGS, STAGES, prepare_clusters
from plots.kmeans.one_pass import (
    BYTES_PER_POINT,
    ONE_PASS,
    RUN,
    SHOWN_K,
    iterations_table,
    prepare_iterations,
)
from plots.kmeans.profile import PROFILED
from plots.records.limits import Limits
from plots.records.medians import quartiles
from plots.records.rows import Report, Row, matches, newest
from plots.records.source import Source

# The thesis' figures show the thesis' stages.
KERNELS = tuple(
    STAGES.named(one)
    for one in (
        "separate_lists",
        "shared_centroids",
        "int2",
        "two_stage_reduction",
        "device_loop",
    )
)
FIRST, BEST = KERNELS[0], KERNELS[-1]
SHARED, TWO_SUMS = (STAGES.named(one) for one in ("shared_centroids", "two_stage_reduction"))
CLUSTERS = (4, 8, 16, 32)
OF_ALL = 160_000_000  # points: every stage was measured with as many
# The thesis' timing rule (5.4) is whole runs. All runs do the same iterations, converged or not.
COMPARED_RUN = {
    "input": "uniform",
    "init": "random",
    "max-iterations": "20",
    "all-iterations": "1",
    "max-coordinate": "0",  # not given: the widest range
    "k": str(CLUSTERS[0]),
}


def run_of(k: int) -> dict[str, object]:
    return COMPARED_RUN | {"k": str(k)}


def runs_of(k: int) -> Runs:
    return Runs(
        STAGES,
        match=run_of(k),
        unit="points",
        words=f"uniform points, k = {k}, 20 iterations",
    )


def stages_figure(k: int) -> str:
    return f"5.{1 + CLUSTERS.index(k)}"


def serial_figure(k: int) -> str:
    return f"5.{5 + CLUSTERS.index(k)}"


def prepare_stages(source: Source, k: int) -> Drawing:
    """Figures 5.1 to 5.4."""
    thesis = {
        stage: published(source, stages_figure(k), "speedup_over_previous", stage)
        for stage in (SHARED, TWO_SUMS)
    }
    return prepare_against_n(
        source,
        runs_of(k),
        KERNELS,
        gains_of(KERNELS, thesis),
        BEST,
        "clusters",
        smallest_recorded=10_000_000,
    )


def prepare_serial(source: Source, k: int) -> Drawing:
    """Figures 5.5 to 5.8."""
    return prepare_cpu_gpu(source, runs_of(k), KERNELS, (FIRST, BEST), serial_figure(k))


def times_table(
    rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]
) -> list[str]:
    """One row per stage and one column per k: whole runs at the largest n that all of them have."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for k in CLUSTERS:
        own = newest([row for row in rows if matches(row, run_of(k))])
        for stage in (STAGES.serial, *KERNELS):
            by_n: dict[int, list[float]] = {}
            for row in own:
                if row.stage == stage and row.engine == (
                    "cpu" if stage == STAGES.serial else "gpu"
                ):
                    by_n.setdefault(row.n, []).append(row.total_ms / 1000)
            found[stage, k] = {n: quartiles(times)[1] for n, times in by_n.items()}
    common = set.intersection(*(set(times) for times in found.values()))
    if not common:
        raise DataError(
            f"{STAGES.chapter}: there is no n at which every stage was measured with k ="
            f" {', '.join(map(str, CLUSTERS))}"
        )
    n = max(common)
    lines = [
        f"| stage | {' | '.join(f'k = {k}' for k in CLUSTERS)} |",
        "|---" * (1 + len(CLUSTERS)) + "|",
    ]
    for stage in (STAGES.serial, *KERNELS):
        cells = [short_time(found[stage, k][n]) for k in CLUSTERS]
        lines.append(f"| {stage} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        f"Whole runs of {short_count(n)} points, 20 iterations, with allocation and copies, medians.",
    ]


# The thesis' speed-ups: shared memory, the sum in two steps (5.4.1), its best over its CPU (5.4.2).
SAID = {
    4: ("1.13", "1.41", "30"),
    8: ("1.28", "1.28", "43.4"),
    16: ("1.57", "1.08", "59"),
    32: ("2", "0.89", "89.6"),
}


def figure_name(number: str) -> str:
    return f"figure_{number.replace('.', '_')}"


FIGURES = (
    *(
        Figure(
            figure_name(stages_figure(k)),
            f"Figure {stages_figure(k)}",
            STAGES.chapter,
            f"K-means, its stages, k = {k}",
            (
                f"Shared memory gains {SAID[k][0]} at 320 million points, the sum in two steps"
                f" {SAID[k][1]}. int2 and the loop on the device gain almost nothing (5.4.1). Its"
                " runs end when they converge."
            ),
            partial(prepare_stages, k=k),
            in_readme=True,
            script="kmeans_stages",
        )
        for k in CLUSTERS
    ),
    *(
        Figure(
            figure_name(serial_figure(k)),
            f"Figure {serial_figure(k)}",
            STAGES.chapter,
            f"K-means, CPU against GPU, k = {k}",
            (
                f"{SAID[k][2]} times as fast as the CPU (one core of a Core i7-3820) at 160 million"
                " points. The thesis does not say which version (5.4.2)."
            ),
            partial(prepare_serial, k=k),
            in_readme=True,
            script="kmeans_cpu_gpu",
        )
        for k in CLUSTERS
    ),
    Figure(
        "kmeans_clusters",
        "",
        STAGES.chapter,
        "K-means, what its clusters look like",
        "The thesis has no such figure.",
        prepare_clusters,
        in_readme=True,
    ),
)

# The stages after the thesis'. They have figures of their own once they are recorded.
ONE_PASS_FIGURES = (
    Figure(
        "kmeans_iterations",
        "",
        STAGES.chapter,
        "K-means beyond the thesis, the time of an iteration",
        "The thesis ends with 05_device_loop.",
        prepare_iterations,
        in_readme=True,
    ),
)

CHAPTER = Chapter(
    STAGES,
    FIGURES + (ONE_PASS_FIGURES if ONE_PASS else ()),
    Rate("points", lambda row: row.n * float(row.parameters["max-iterations"])),
    Rules(
        COMPARED_RUN,
        # The stages after the thesis' are at their best in a narrow range. The others take the same
        # time in any range.
        stage_runs={name: {"max-coordinate": str(RUN["max-coordinate"])} for name in ONE_PASS},
        series=(KERNELS,),
        kernel_timed=ONE_PASS[1:],
        shown_run={"k": str(SHOWN_K)},
        iterations="max-iterations",
        further_runs=tuple({"k": str(k)} for k in CLUSTERS[1:]),
    ),
    tables={"times": times_table} | ({"iterations": iterations_table} if ONE_PASS else {}),
    traces=CLUSTERINGS,
    profile="plots.kmeans.profile" if ONE_PASS else "",
    profiled=PROFILED,
    path_sizes={"": OF_ALL, "limit": OF_ALL},
    whole_runs=("",),
    bound=(
        "reading every point once per iteration",
        lambda limits: limits.bytes_per_second / BYTES_PER_POINT,
    ),
)
