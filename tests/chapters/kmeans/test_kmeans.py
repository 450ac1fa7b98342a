# SPDX-License-Identifier: MIT
"""Runs the executables of the k-means stages: files with points on the edges of cells and boxes,
ties, crowds.

    test_kmeans.py STAGES_JSON ENGINE [--long]
        ENGINE: gpu, emu (also runs the serial stage) or count
"""

import random
import sys
import tempfile
import unittest
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.chapters.stage_programs import execute, load_programs, sharing_a_process

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
ENGINE = sys.argv.pop(2)
PROGRAMS = load_programs(Path(sys.argv.pop(1)), ENGINE, "kmeans")
if ENGINE == "count":  # only the stages after the thesis': the others take long
    PROGRAMS = {name: program for name, program in PROGRAMS.items() if not name[0].isdigit()}
# Stages with columns, and stages that sort the points.
COLUMNS = ("limit/02", "limit/03", "limit/04", "limit/05")
SORTED = ("limit/06", "limit/07")
FAR = 2**30
# Boxes up to this width have packed columns and lines between pairs (limit/04 and limit/05).
PACKED = 2**21 - 1

Point = tuple[int, int]


def square(low: Point, width: int, height: int, count: int, seed: int) -> list[Point]:
    """Random points of a box, with its corners."""
    draw = random.Random(seed)
    corners = [
        (low[0] + x, low[1] + y) for x, y in ((0, 0), (width, height), (width, 0), (0, height))
    ]
    return corners + [
        (low[0] + draw.randint(0, width), low[1] + draw.randint(0, height)) for _ in range(count)
    ]


def cases() -> Iterator[tuple[str, list[Point], list[Point]]]:
    """What the case is about, points and initial centroids."""
    draw = random.Random(19)
    for width in (PACKED, PACKED + 1, PACKED + 2):
        for box in ((width, 1000), (1000, width), (width, width)):
            points = square((-FAR, FAR - box[1]), *box, 300, width)
            yield f"a box of {box}", points, draw.sample(points, 7)
    points = square((-FAR, -FAR), 2 * FAR, 2 * FAR, 300, 1)
    yield "the widest box", points, draw.sample(points, 20)
    yield "corners as centroids", points, [
        (-FAR, -FAR),
        (FAR, FAR),
        (-FAR, FAR),
        (FAR, -FAR),
        (0, 0),
    ]
    yield "one column", square((5, -700), 0, 1400, 200, 2), [(5, 3), (5, -3), (5, 3)]
    yield "negative coordinates", square((-900, -4000), 700, 3000, 300, 3), [(-300, -1500)] * 3 + [
        (-299, -1499)
    ]
    points = square((5, 5), 2**23, 2**23, 300, 9)
    yield "a box of 2^23", points, draw.sample(points, 5)
    edge = [(FAR, y * 2**25) for y in range(-32, 33)]
    points = [(-FAR, -FAR), *edge, *((y, x) for x, y in edge)] * 2
    yield "greatest coordinates", points, [(-FAR, 0), (0, -FAR), (FAR, FAR // 2), (FAR // 2, FAR)]
    yield "equal points at the greatest coordinates", [(FAR, FAR)] * 40 + [(-FAR, -FAR)], [(0, 0)]
    # Cells reach beyond the widest box. From there, the distance of the first centroid would not
    # fit.
    points = [(FAR, -FAR + y) for y in range(9)] + [(-FAR, -FAR), (0, FAR)]
    yield "cells beyond the widest box", points, [(-FAR, -FAR), (0, FAR * 73 // 100)]
    yield "the same in y", [(y, x) for x, y in points], [(-FAR, -FAR), (FAR * 73 // 100, 0)]
    points = square((-120, -120), 255, 255, 300, 10)
    yield "all centroids far outside", points, [(FAR, FAR), (FAR, -FAR)]
    points = square((0, 0), 255, 255, 300, 4)
    yield "a centroid far outside", points, [(9, 9), (FAR, -FAR), (200, 100)]
    yield "a centroid outside, in a packed box", points, [(9, 9), (-(2**20), 2**20), (200, 100)]
    # Cells of 2^13 coordinates: points at both sides of their edges, centroids at their corners.
    edges = [
        (8192 * i + dx, 8192 * j + dy)
        for i in range(0, 256, 51)
        for j in range(0, 256, 51)
        for dx, dy in ((0, 0), (8191, 0), (0, 8191), (8191, 8191))
    ]
    edges.append((PACKED, PACKED))
    yield "edges of cells", edges, [
        (0, 0),
        (8192 * 102, 8192 * 102),
        (8192 * 204, 0),
        (8192 * 51, 0),
    ]
    # Cells of 256 coordinates: the points of a whole edge are equally near to two centroids.
    wall = [(2048, 16 * y) for y in range(256)] + [(0, 0), (4095, 4095)]
    yield "a border on the edges of cells", wall, [(1948, 2000), (2148, 2000)]
    yield "the same in y", [(y, x) for x, y in wall], [(2000, 1948), (2000, 2148)]
    # Every bisector passes through points.
    grid = [(1000 * x, 1000 * y) for x in range(-10, 11) for y in range(-10, 11)]
    a = 4000
    yield "ties", grid, [(a, a), (-a, a), (a, -a), (-a, -a), (0, a), (a, 0), (0, 0), (a, a)]
    yield "collinear centroids", grid, [(x, x) for x in range(-9000, 9001, 3000)]
    crowd = [(17 + i % 3, 17) for i in range(900)] + square(
        (-(10**6), -(10**6)), 2 * 10**6, 2 * 10**6, 96, 6
    )
    yield "a crowd in one cell", crowd, draw.sample(crowd, 32)
    # limit/06 and limit/07 guess their grid from every 64th point, which does not see the last one.
    near = [(i % 7, i % 5) for i in range(200)]
    yield "one far point", near + [(90_000, -80_000)], [(0, 0), (90_000, -80_000), (6, 4)]
    yield "one point at the edge of the range", near + [(-FAR, FAR)], [(0, 0), (1, 1)]
    points = square((-70, 30), 5000, 5000, 60, 7)
    yield "as many centroids as points", points[:32], points[:32]


class KMeansTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, points: Iterable[Point]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{x} {y}\n" for x, y in points), encoding="utf-8")
        return path

    def verify(self, program: Path, *arguments: object, **settings: str) -> None:
        result = execute(program, "--check", "--quiet", *arguments, **settings)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipIf(LONG, "a quick test")
    def test_files(self) -> None:
        runs: list[list[object]] = []
        for number, (about, points, centroids) in enumerate(cases()):
            files = ["--input", self.file(f"points{number}", points)]
            files += ["--init", self.file(f"centroids{number}", centroids)]
            # After one iteration, the labels are those of the centroids in the file.
            for iterations in (1, 4) if "far outside" in about else (4,):
                words = ["--check", "--quiet", "--k", len(centroids)]
                runs.append([*words, "--max-iterations", iterations, *files])
        for name, program in PROGRAMS.items():
            with self.subTest(stage=name):
                result = execute(program, *sharing_a_process(runs))
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipIf(LONG or ENGINE == "count", "a quick test; takes long with counters")
    def test_iterations(self) -> None:
        """Around the batches of 32 iterations that stage limit/06 queues, converged or not."""
        points = self.file("points", square((-(10**6), 0), 2 * 10**6, 10**6, 150, 8))
        runs = sharing_a_process(
            ["--check", "--quiet", "--input", points, "--k", 9, "--max-iterations", *words.split()]
            for words in ("31", "32", "33 --all-iterations", "65 --all-iterations", "1000000")
        )
        for name, program in PROGRAMS.items():
            with self.subTest(stage=name):
                result = execute(program, *runs)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_another_device(self) -> None:
        """A GTX 980 has fewer multiprocessors and less shared memory, so threads have more
        points."""
        if ENGINE == "gpu":
            self.skipTest("only the CPU engine can be another device")
        for name, program in PROGRAMS.items():
            with self.subTest(stage=name):
                for k in (1, 5, 16, 32, 33) if LONG else (5,):
                    for words in ((), ("--max-coordinate", 10**6)):
                        self.verify(
                            program,
                            "--n",
                            70001 if LONG else 3001,
                            "--k",
                            k,
                            "--max-iterations",
                            2,
                            *words,
                            EMULATOR_DEVICE="gtx980",
                        )

    @unittest.skipUnless(LONG, "takes minutes")
    def test_many_points_per_thread(self) -> None:
        """Columns are full, and must be taken, within the loop over the points. On the CPU engine,
        stages without columns have fewer points, still many per thread."""
        for name, program in PROGRAMS.items():
            few = ENGINE != "gpu" and not name.startswith(COLUMNS)
            with self.subTest(stage=name):
                for words in (
                    "all-equal",
                    "gaussians",
                    "all-equal --max-coordinate 1000000",
                    "uniform --max-coordinate 1000000",
                ):
                    for k in (4, 32):
                        self.verify(
                            program,
                            *(
                                "--n",
                                300001 if few else 2000001,
                                "--k",
                                k,
                                "--max-iterations",
                                1,
                                "--input",
                            ),
                            *words.split(),
                            EMULATOR_DEVICE="gtx980",
                        )

    @unittest.skipUnless(LONG, "takes minutes")
    def test_all_rows_and_columns(self) -> None:
        """1024 rows and columns of cells, keys of 32 and of 64 bits, crowded and even."""
        for name, program in PROGRAMS.items():
            if not name.startswith(SORTED):
                continue
            with self.subTest(stage=name):
                for words in (
                    "--k 8 --max-coordinate 1000000",
                    "--k 32 --max-coordinate 1048577",
                    "--k 16 --input gaussians",
                    "--k 5 --input all-equal",
                ):
                    self.verify(program, "--n", 8400001, "--max-iterations", 2, *words.split())


if __name__ == "__main__":
    unittest.main()
