# SPDX-License-Identifier: MIT
"""Random inputs, compared with references that share no code with the course (references.py).

    test_random_results.py [--count N] [--seed S] STAGES_JSON

Each case is one input for one stage of a chapter, under a random schedule, device and number of
workers. The serial stages run too, and now and then the counting engine in place of the fast one.
"""

import csv
import math
import random
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path

from common.tools.lib.csv_tables import read_records
from plots.distmesh import meshes
from tests.chapters.stage_programs import execute, load_programs
from tests.common.fuzz import references
from tests.common.fuzz.rounds import cases

STAGES_JSON = Path(sys.argv.pop())
USUAL = 60  # cases of each chapter
SMALL_DEVICE = r"\S+: (a block of )?this stage needs (\d+ bytes of shared memory; on|a GPU of) .*\n"
EXTREME = (-(2**31), 2**31 - 1, 0, -1)


def settings(draw: random.Random) -> dict[str, str]:
    schedules = ("in-order", "reversed", f"shuffled:{draw.randrange(1000)}")
    return {
        "EMULATOR_SCHEDULE": draw.choice(schedules),
        "EMULATOR_WORKERS": draw.choice(("1", "2", "5")),
        "EMULATOR_DEVICE": draw.choice(("h200", "gtx980")),
        "EMULATOR_APPROXIMATIONS": f"bounded:{draw.randrange(1, 1000)}",
        "EMULATOR_COUNTERS": "none",
    }


def size(draw: random.Random, largest: int) -> int:
    """Small sizes, those beside powers of two, and any."""
    powers = [2**i + beside for i in range(1, 12) for beside in (-1, 0, 1)]
    wanted = draw.choice((draw.randint(1, 9), draw.choice(powers), draw.randint(1, largest)))
    return max(1, min(wanted, largest))


def farthest_apart(own: Sequence[meshes.Triangle], other: Sequence[meshes.Triangle]) -> float:
    """The largest distance of a point of one mesh from the nearest of the other."""
    places, others = ({corner for one in mesh for corner in one.corners} for mesh in (own, other))
    return max(min(math.dist(place, one) for one in others) for place in places)


class RandomResults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, name: str, lines: Sequence[object]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def execute(
        self, draw: random.Random, program: Path, *arguments: object, device: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """A quiet run. `device`: the only one that has what it needs. A device without what a
        stage needs is refused in one line; then the run is on the default device."""
        chosen = settings(draw) | ({"EMULATOR_DEVICE": device} if device else {})
        result = execute(program, *arguments, "--quiet", **chosen)
        if re.fullmatch(SMALL_DEVICE, result.stderr):
            self.assertEqual((result.returncode, result.stdout), (77, ""))
            self.assertEqual(chosen.pop("EMULATOR_DEVICE"), "gtx980")
            result = execute(program, *arguments, "--quiet", **chosen)
        return result

    def run_stage(
        self, draw: random.Random, stage: str, *arguments: object, device: str = ""
    ) -> str:
        """What a stage writes with --output."""
        chapter, _, name = stage.partition("/")
        programs = load_programs(STAGES_JSON, "emu", chapter)
        if draw.random() < 0.1:
            programs |= load_programs(STAGES_JSON, "count", chapter)  # not of serial stages
        program = programs[name]
        result = self.execute(draw, program, *arguments, "--output", "-", device=device)
        told = f"{program} {' '.join(map(str, arguments))}\n{result.stderr}"
        self.assertEqual((result.returncode, result.stderr), (0, ""), told)
        return result.stdout

    def mesh_of(self, output: str) -> list[meshes.Triangle]:
        path = self.written("mesh.csv", output.splitlines())
        return meshes.triangles_of(read_records(path, meshes.COLUMNS), path)

    def check_all(
        self, chapter: str, check: Callable[[random.Random, str], None], usual: int = USUAL
    ) -> None:
        emulated = load_programs(STAGES_JSON, "emu", chapter)
        for name, draw in cases(f"results of {chapter}", usual):
            stage = draw.choice(sorted(emulated))
            with self.subTest(name, stage=stage):
                check(draw, f"{chapter}/{stage}")

    def check_sort(self, draw: random.Random, stage: str) -> None:
        most = 2048 if "bitonic" in stage else 3000
        several = draw.choice((1, 2, 10, 2**16, 2**32))
        first = draw.choice((-(several // 2), 0)) if several < 2**32 else -(2**31)
        keys = [
            draw.choice(EXTREME) if draw.random() < 0.05 else first + draw.randrange(several)
            for _ in range(size(draw, most))
        ]
        keys.sort(key=draw.choice((lambda key: 0, lambda key: key, lambda key: -key)))
        output = self.run_stage(draw, stage, "--input", self.written("keys", keys))
        found = [int(line.split()[0]) for line in output.splitlines()]
        self.assertEqual(found, sorted(keys))
        if stage.endswith("_pairs"):  # a value is the place of its key; each is there once
            pairs = [tuple(map(int, line.split())) for line in output.splitlines()]
            self.assertEqual(sorted((place, key) for key, place in pairs), list(enumerate(keys)))
        else:
            self.assertEqual(output.split(), list(map(str, found)))

    def test_quicksort(self) -> None:
        self.check_all("quicksort", self.check_sort)

    def test_mergesort(self) -> None:
        self.check_all("mergesort", self.check_sort)

    def test_basics(self) -> None:
        def check(draw: random.Random, stage: str) -> None:
            n, seed = size(draw, 150), draw.randrange(2**32)
            output = self.run_stage(draw, stage, "--n", n, "--seed", seed)
            sums = references.row_and_column_sums(n, seed)
            self.assertEqual(list(map(int, output.split())), sums)

        self.check_all("basics", check)

    def test_kmeans(self) -> None:
        def check(draw: random.Random, stage: str) -> None:
            span = draw.choice((2, 20, 1000, 2**30))
            points = [
                (draw.randint(-span, span), draw.randint(-span, span))
                for _ in range(size(draw, 400))
            ]
            k, most = draw.randint(1, min(9, len(points))), draw.randint(1, 12)
            arguments = ["--k", k, "--init", "first", "--max-iterations", most]
            path = self.written("points", [f"{x} {y}" for x, y in points])
            centroids = self.folder / "centroids"
            output = self.run_stage(
                draw, stage, "--input", path, *arguments, "--centroids", centroids
            )
            labels, places = references.clusters(points, points[:k], most)
            rows = [tuple(map(int, row.split(","))) for row in output.splitlines()[1:]]
            self.assertEqual(rows, [(*point, label) for point, label in zip(points, labels)])
            lines = centroids.read_text(encoding="utf-8").splitlines()[1:]
            self.assertEqual([tuple(map(int, line.split(","))) for line in lines], places)

        self.check_all("kmeans", check)

    def test_floyd(self) -> None:
        def check(draw: random.Random, stage: str) -> None:
            n = size(draw, 40) + 1
            least = draw.choice((0, 0, -3))
            edges = [
                (*draw.sample(range(n), 2), draw.randint(0, 60))
                for _ in range(draw.randint(1, 4 * n))
            ]
            edges.append((n - 1, 0, 50))  # the largest number says how many vertices there are
            if least < 0:  # negative edges, and cycles that are negative only by chance
                edges[0] = (*edges[0][:2], least)
            path = self.written(
                "graph.csv", ["from,to,weight", *(f"{a},{b},{w}" for a, b, w in edges)]
            )
            distances = references.shortest_paths(n, edges)
            hops_file = self.folder / "hops"
            if distances is None:
                program = load_programs(STAGES_JSON, "emu", "floyd")[stage.partition("/")[2]]
                result = self.execute(draw, program, "--input", path)
                self.assertEqual(result.returncode, 1)
                self.assertIn("a cycle has negative length", result.stderr)
                return
            output = self.run_stage(draw, stage, "--input", path, "--next-hop", hops_file)
            found = [list(map(float, line.split(","))) for line in output.splitlines()]
            self.assertEqual(found, distances)
            weights: dict[tuple[int, int], int] = {}
            for a, b, weight in edges:
                weights[a, b] = min(weight, weights.get((a, b), weight))
            hops = [
                list(map(int, line.split(",")))
                for line in hops_file.read_text(encoding="utf-8").splitlines()
            ]
            for i in range(n):
                for j in range(n):
                    if i == j or distances[i][j] == math.inf:
                        self.assertEqual(hops[i][j], i if i == j else -1)
                        continue
                    first = hops[i][j]
                    self.assertEqual(weights[i, first] + distances[first][j], distances[i][j])

        self.check_all("floyd", check)

    def test_montecarlo(self) -> None:
        """Its random numbers are a stage's own: the same under each schedule, and in a quarter of
        the cases near the circle's share."""

        def check(draw: random.Random, stage: str) -> None:
            n, seed = size(draw, 20_000), draw.randrange(2**31)
            arguments = ["--n", n, "--seed", seed]
            if not stage.endswith("cpu") and draw.random() < 0.5:
                arguments += ["--blocks", draw.randint(1, 40)]
            elif not stage.endswith("cpu"):
                arguments += ["--blocks", 8]
            first = self.run_stage(draw, stage, *arguments)
            self.assertEqual(self.run_stage(draw, stage, *arguments), first)
            (row,) = csv.DictReader(first.splitlines())
            names = ("samples", "inside", "estimate", "standard_error", "z")
            samples, inside, estimate, error, z = (float(row[name]) for name in names)
            self.assertEqual((samples, estimate), (n, round(4 * inside / n, 12)))
            share = math.pi / 4
            expected = math.sqrt(share * (1 - share) / n)
            self.assertAlmostEqual(z, (inside / n - share) / expected, places=2)
            self.assertLess(abs(z), 6)
            self.assertAlmostEqual(error / (4 * expected), 1, places=4)

        self.check_all("montecarlo", check)

    def test_storms(self) -> None:
        def check(draw: random.Random, stage: str) -> None:
            cells = max(3, size(draw, 260))
            far = draw.choice((cells, 3 * cells, 2**40, 2**60))
            values = draw.choice((3, 1000, 2**31 - 1))
            waves = [
                [
                    (
                        draw.choice((draw.randrange(cells), draw.randint(-far, far))),
                        draw.randint(-values, values),
                    )
                    for _ in range(draw.choice((0, 1, 2, 9)))
                ]
                for _ in range(draw.randint(1, 3))
            ]
            paths = [
                self.written(f"wave{i}", [len(wave), *(f"{p} {v}" for p, v in wave)])
                for i, wave in enumerate(waves)
            ]
            layer_file = self.folder / "layer"
            arguments = ["--n", cells, "--layer", layer_file]
            output = self.run_stage(draw, stage, "--input", ",".join(map(str, paths)), *arguments)
            maxima, layer = references.storm(cells, waves)
            lines = layer_file.read_text(encoding="utf-8").splitlines()[1:]
            energies = [references.single(float(line.split(",")[1])) for line in lines]
            self.assertEqual(energies, layer)
            self.assertEqual(output.splitlines(), [f"{p} {value:f}" for p, value in maxima])

        self.check_all("storms", check)

    def test_nbody(self) -> None:
        def check(draw: random.Random, stage: str) -> None:
            bodies = [
                (
                    draw.random(),
                    *(draw.uniform(-1, 1) for _ in range(3)),
                    *(draw.uniform(-0.3, 0.3) for _ in range(3)),
                )
                for _ in range(size(draw, 45))
            ]
            bodies = [tuple(references.single(number) for number in body) for body in bodies]
            softening, dt, steps = draw.choice((0.1, 0.5, 2)), 0.01, draw.randint(1, 4)
            path = self.written("bodies", [" ".join(map(repr, body)) for body in bodies])
            arguments = ["--steps", steps, "--dt", dt, "--softening", softening]
            output = self.run_stage(
                draw, stage, "--input", path, *arguments, "--output-every", steps
            )
            rows = [list(map(float, line.split(","))) for line in output.splitlines()[1:]]
            last = [row[2:] for row in rows if row[0] == steps]
            expected = references.leapfrog(bodies, softening, dt, steps)
            self.assertEqual(len(last), len(bodies))
            for row, body in zip(last, expected):
                for got, wanted in zip(row, body[1:]):
                    self.assertAlmostEqual(got, wanted, delta=2e-5 * max(1, abs(wanted)))

        self.check_all("nbody", check)

    def test_distmesh(self) -> None:
        """Each mesh must be one, with the same points as the serial stage's."""

        def check(draw: random.Random, stage: str) -> None:
            domain, area, holes = draw.choice(
                (
                    ("circle", math.pi, 0),
                    ("ring", 0.75 * math.pi, 1),
                    ("square-hole", 4 - math.pi / 4, 1),
                    ("ellipse", 2 * math.pi, 0),
                )
            )
            most = 10_000 if stage.endswith("cpu") else draw.choice((2, 5, 30))
            points = draw.randint(100, 220)
            arguments = ["--domain", domain, "--n", points, "--max-iterations", most]
            own, serial = (
                self.mesh_of(self.run_stage(draw, one, *arguments, device="h200"))
                for one in (stage, "distmesh/00_cpu")
            )
            self.assertEqual(meshes.points_in(own), meshes.points_in(serial))
            if not stage.endswith(("edge_flips", "claims")):
                # Where four points lie on a circle, those two may choose other bars.
                self.assertLess(farthest_apart(own, serial), 1e-3)
            if most < 10_000:
                return  # not at rest: triangles may be flat, and cover what they should not
            pairs = [
                pair for one in own for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))
            ]
            border = sum((b, a) not in set(pairs) for a, b in pairs)
            euler = meshes.points_in(own) - (len(pairs) + border) // 2 + len(own)
            self.assertEqual(euler, 1 - holes)
            twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)
            self.assertAlmostEqual(twice / 2 / area, 1, delta=0.05)

        self.check_all("distmesh", check, USUAL // 3)


if __name__ == "__main__":
    unittest.main()
