# SPDX-License-Identifier: MIT
"""The clusters that k-means draws, its tables and its sweeps."""

import math
import unittest

from common.tools.lib.stages import DataError
from plots.kmeans.clusters import CLUSTERINGS, COLOURS, UNIT, colours_of, read_clusters
from plots.kmeans.figures import CLUSTERS, KERNELS, SAID, STAGES, times_table
from plots.kmeans.one_pass import (
    FEW,
    MANY,
    RUN,
    clusters_of,
    iteration_ms,
    medians_of,
    reading_ms,
)
from plots.records.folders import PLOTS, THESIS
from plots.records.limits import Limits
from plots.records.published import read_published
from plots.records.rows import Row
from plots.records.sweeps import FILE, Sweep, all_sweeps
from tests.plots.fixtures import GPU, TraceTest, timed


class ClustersTest(TraceTest):
    def test_every_point_has_the_nearest_centroid_which_is_the_mean(self) -> None:
        unit = UNIT
        for trace, k in zip(CLUSTERINGS, (9, 6, 16), strict=True):
            clusters = read_clusters(self.source, trace.name)
            self.assertEqual((len(clusters), sum(one.size for one in clusters)), (k, 1800))
            for one in clusters:
                self.assertGreater(one.size, 0)
                for axis, mean in enumerate((one.x, one.y)):  # points are rounded
                    self.assertAlmostEqual(
                        sum(point[axis] for point in one.points) / one.size, mean / unit, delta=0.6
                    )
                for x, y in one.points:
                    own = math.hypot(x - one.x / unit, y - one.y / unit)
                    least = min(
                        math.hypot(x - other.x / unit, y - other.y / unit) for other in clusters
                    )
                    self.assertLess(own, least + 1.5)

    def test_clouds_are_clusters_and_rings_are_not(self) -> None:
        def radii(name: str) -> list[set[int]]:
            return [
                {round(math.hypot(x, y) / 100) for x, y in one.points}
                for one in read_clusters(self.source, name)
            ]

        clouds = read_clusters(self.source, "kmeans_gaussians")
        unit = UNIT
        reach = max(
            math.hypot(x - one.x / unit, y - one.y / unit) for one in clouds for x, y in one.points
        )
        apart = min(
            math.hypot(one.x - other.x, one.y - other.y) / unit
            for i, one in enumerate(clouds)
            for other in clouds[:i]
        )
        self.assertLess(4 * reach, apart)
        # Nearly every cluster has pieces of two rings or more.
        self.assertEqual(
            [max(found) - min(found) >= 3 for found in radii("kmeans_rings")].count(True), 5
        )

    def test_neighbours_have_colours_of_their_own(self) -> None:
        for trace in CLUSTERINGS:
            clusters = read_clusters(self.source, trace.name)
            colours = colours_of(clusters)
            self.assertLessEqual(set(colours), set(range(COLOURS)))
            for i, one in enumerate(clusters):
                nearest = min(
                    (j for j in range(len(clusters)) if j != i),
                    key=lambda j: math.hypot(clusters[j].x - one.x, clusters[j].y - one.y),
                )
                self.assertNotEqual(colours[i], colours[nearest], (trace.name, i, nearest))

    def test_clusters_that_cannot_be_are_refused(self) -> None:
        self.change("kmeans_rings", ",5,", ",7,")
        with self.assertRaisesRegex(
            DataError, r"kmeans_rings\.csv: points of a cluster without a centroid"
        ):
            read_clusters(self.source, "kmeans_rings")
        self.change("kmeans_gaussians", ",3,\n", ",4,\n")
        with self.assertRaisesRegex(DataError, r"kmeans_gaussians\.csv: a cluster's size is not"):
            read_clusters(self.source, "kmeans_gaussians")
        self.change("kmeans_uniform", ",3,\n", ",few,\n")
        with self.assertRaisesRegex(
            DataError, r"kmeans_uniform\.csv: .* is neither a point nor a centroid"
        ):
            read_clusters(self.source, "kmeans_uniform")


class TablesTest(unittest.TestCase):
    def test_a_table_without_rows(self) -> None:
        with self.assertRaises(DataError):
            times_table([], [], {})

    def test_the_words_of_the_thesis_have_its_numbers(self) -> None:
        published = [one for one in read_published(THESIS) if one.chapter == STAGES.chapter]
        for k in CLUSTERS:
            self.assertEqual(
                [f"{one.value:g}" for one in published if one.parameters == {"k": str(k)}],
                list(SAID[k]),
            )


class IterationsTest(unittest.TestCase):
    """The time of an iteration, from runs of few and of many."""

    def rows(self, ms: dict[int, float]) -> list[Row]:
        parameters = {"k": "4"} | {name: str(value) for name, value in RUN.items()}
        return [
            timed("06", 100, 100.0, kernels, **parameters, **{"max-iterations": str(count)})
            for count, kernels in ms.items()
        ]

    def test_what_a_run_does_once_does_not_count(self) -> None:
        medians = medians_of(self.rows({FEW: 7.0, MANY: 7.0 + 2.5 * (MANY - FEW)}))
        self.assertAlmostEqual(iteration_ms(medians, "06", 4), 2.5)

    def test_runs_that_are_missing_or_make_no_sense(self) -> None:
        with self.assertRaisesRegex(DataError, "no rows of 06 with the same k and 1 and 20 iter"):
            clusters_of(medians_of(self.rows({FEW: 7.0})), "06")
        with self.assertRaisesRegex(DataError, "20 iterations take 7 ms, 1 takes 7 ms"):
            iteration_ms(medians_of(self.rows({FEW: 7.0, MANY: 7.0})), "06", 4)

    def test_reading(self) -> None:
        limits = {GPU: Limits(GPU, 4e12)}
        self.assertAlmostEqual(reading_ms(160_000_000, limits, GPU), 0.32)
        self.assertEqual(reading_ms(160_000_000, limits, "another"), 0)


def sizes(scope: str, engine: str, stage: str, k: int) -> set[int]:
    """The n of the sweeps that run this k. Some vary k, others name one."""

    def runs(sweep: Sweep) -> bool:
        return k in dict(sweep.vary).get("k", (dict(sweep.match).get("k"),))

    return {
        n
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE)
        if (sweep.scope, sweep.engine) == (scope, engine) and stage in sweep.stages and runs(sweep)
        for n in sweep.sizes
    }


class SweepsTest(unittest.TestCase):
    def test_runs_that_are_compared_do_the_same_iterations(self) -> None:
        for sweep in all_sweeps(PLOTS / STAGES.chapter / FILE):
            with self.subTest(sweep=sweep.name):
                match, vary = dict(sweep.match), dict(sweep.vary)
                self.assertIn("--all-iterations", sweep.args)
                self.assertEqual((match["input"], match["init"]), ("uniform", "random"))
                self.assertEqual(match["all-iterations"], 1)
                if match["max-coordinate"] == 0:
                    self.assertEqual(sweep.args[-2:], ("--max-iterations", "20"))
                    self.assertEqual(match["max-iterations"], 20)
                    self.assertLessEqual(set(vary), {"k"})
                else:
                    self.assertLessEqual(RUN.items(), match.items())
                    if not sweep.ranks:  # those are compared with one another
                        self.assertEqual(tuple(vary["max-iterations"]), (FEW, MANY))
                if "k" in match:
                    self.assertEqual(sweep.args[:2], ("--k", str(match["k"])))

    def test_sizes(self) -> None:
        for k in CLUSTERS:
            for stage in KERNELS:
                self.assertLessEqual(
                    {2 * 10**7, 4 * 10**7, 16 * 10**7, 32 * 10**7},
                    sizes("record", "gpu", stage, k),
                )
            self.assertLessEqual(
                {80_000_000, 160_000_000}, sizes("record", "cpu", STAGES.serial, k)
            )
            serial = sizes("here", "cpu", STAGES.serial, k)
            for engine in ("gpu", "emu"):
                for stage in KERNELS:
                    found = sizes("here", engine, stage, k)
                    self.assertTrue(len(found) > 1 and found <= serial, (engine, stage, k))


if __name__ == "__main__":
    unittest.main()
