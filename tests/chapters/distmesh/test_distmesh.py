# SPDX-License-Identifier: MIT
"""Distmesh through its executables: the known result, every domain, orders of blocks, work.

    test_distmesh.py STAGES_JSON ENGINE     ENGINE: gpu, emu (with the serial stage) or count
"""

import math
import re
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from tests.chapters.stage_programs import (
    declared_and_moved,
    execute,
    load_programs,
    sharing_a_process,
    with_the_same_host_code,
)
from tests.quick import QUICK

ENGINE = sys.argv.pop(2)
STAGES_JSON = Path(sys.argv.pop(1))
SCHEDULES = ("in-order", "reversed", "shuffled:1", "shuffled:2", "shuffled:3")
FEW = (
    ["--n", 60, "--max-iterations", 35] if ENGINE == "count" else ["--n", 150]
)  # every access is counted
# Those whose blocks add in the same order have the same bits.
SAME_BITS = (
    ("limit/01_gather", "limit/02_resident"),
    ("limit/03_device_lists",),
    ("limit/04_edge_flips",),
    ("limit/05_claims",),
    ("limit/06_rows",),
    ("limit/07_own_lists", "limit/08_one_launch"),
)
SAME_EVERY_RUN = ("00_cpu", *(stage for group in SAME_BITS for stage in group))
PROGRAMS = load_programs(STAGES_JSON, ENGINE, "distmesh")


Corner = tuple[str, str]


def corners_of(mesh: str) -> list[tuple[Corner, Corner, Corner]]:
    rows = [line.split(",") for line in mesh.splitlines()[1:]]
    return [((row[0], row[1]), (row[2], row[3]), (row[4], row[5])) for row in rows]


def angle_at(corner: Corner, one: Corner, other: Corner) -> float:
    (x, y), (ax, ay), (bx, by) = ((float(p[0]), float(p[1])) for p in (corner, one, other))
    return abs(
        math.atan2(
            (ax - x) * (by - y) - (ay - y) * (bx - x), (ax - x) * (bx - x) + (ay - y) * (by - y)
        )
    )


class DistmeshTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def meshes(self, program: Path, *runs: Sequence[object], **settings: str) -> list[str]:
        """The CSV of each run. All must be right."""
        paths = [self.folder / f"mesh{i}.csv" for i in range(len(runs))]
        words = sharing_a_process(
            ["--check", "--quiet", "--output", path, *run]
            for run, path in zip(runs, paths, strict=True)
        )
        result = execute(program, *words, **settings)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [path.read_text(encoding="utf-8") for path in paths]

    def test_known_result(self) -> None:
        """Persson and Strang's first example."""
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                lines = self.meshes(program, ["--h0", 0.2])[0].splitlines()
                triangles = [[float(word) for word in line.split(",")] for line in lines[1:]]
                nodes = {(row[i], row[i + 1]) for row in triangles for i in (0, 2, 4)}
                self.assertEqual((len(nodes), len(triangles)), (88, 143))
                area = (
                    sum(
                        (x2 - x1) * (y3 - y1) - (y2 - y1) * (x3 - x1)
                        for x1, y1, x2, y2, x3, y3, _ in triangles
                    )
                    / 2
                )
                self.assertLess(abs(area - math.pi), 0.04)
                self.assertGreaterEqual(min(row[6] for row in triangles), 0.6)

    def test_every_domain(self) -> None:
        polygon = self.folder / "polygon"
        polygon.write_text("0 0\n2 0\n2 1\n1 1\n1 2\n0 2\n0 0\n", encoding="utf-8")
        fixed = self.folder / "fixed"
        fixed.write_text("0.3 0.1\n-0.2 0.4\n", encoding="utf-8")
        few = (
            ["--n", 40, "--max-iterations", 16 if QUICK else 32]
            if ENGINE == "count"
            else ["--n", 60, "--max-iterations", 400]
        )
        runs: list[list[object]] = [
            *(["--domain", domain] for domain in ("ellipse", "ring", "square-hole", "wing")),
            ["--input", polygon],
            ["--fixed", fixed],
            ["--plus", "square:1,0,0.5", "--minus", "circle:0,0,0.3", "--grading", 1],
            ["--minus", "ellipse:0,0.1,0.3", "--grading", 2],
        ]
        # A corner of this star has no triangle at the start. No flip gives it one; the host does
        # later.
        star = self.folder / "star"
        corners = [(1 - 0.55 * (i % 2), math.pi * i / 5) for i in range(11)]
        star.write_text(
            "".join(f"{r * math.cos(a):.6f} {r * math.sin(a):.6f}\n" for r, a in corners),
            encoding="utf-8",
        )
        runs = [[*few, *words] for words in runs] + [["--input", star, "--n", 40]]
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                self.meshes(program, *runs)

    def test_angles_across_an_edge_are_delaunay_s(self) -> None:
        """At most two right angles in total, but for the movement since the triangulation."""
        for stage, program in PROGRAMS.items():
            runs = [["--n", 60], ["--domain", "ring", "--n", 100]]
            if QUICK and ENGINE == "count":
                runs = runs[:1]
            for domain, mesh in zip(("circle", "ring"), self.meshes(program, *runs)):
                with self.subTest(f"{stage} {domain}"):
                    across: dict[frozenset[Corner], float] = {}
                    for a, b, c in corners_of(mesh):
                        for corner, one, other in ((a, b, c), (b, c, a), (c, a, b)):
                            edge = frozenset((one, other))
                            across[edge] = across.get(edge, 0) + angle_at(corner, one, other)
                    self.assertGreater(len(across), 100)
                    self.assertLess(max(across.values()), math.pi + 0.02)

    def counts_of(self, stage: str, *words: object) -> dict[str, int]:
        result = execute(PROGRAMS[stage], "--repeats", 1, "--warmup", 0, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {
            name: int(re.search(rf"^  {name} +(\d+)$", result.stdout, re.MULTILINE)[1])
            for name in ("triangulations", "host_triangulations")
        }

    @unittest.skipUnless("limit/03_device_lists" in PROGRAMS, "the stages are not counted late")
    def test_without_flips_the_host_makes_all_triangulations(self) -> None:
        counts = self.counts_of("limit/03_device_lists", "--h0", 0.2)
        self.assertEqual(counts, {"triangulations": 16, "host_triangulations": 16})

    @unittest.skipUnless("limit/04_edge_flips" in PROGRAMS, "the stages are not counted late")
    def test_the_host_triangulates_where_flips_do_not_mend(self) -> None:
        """The host triangulates at the start. It does so again where a triangle stays turned over,
        and when the iterations are over. (No point is dropped before iteration 30.)"""
        for words, on_host in (
            (["--n", 60], 1),
            (["--n", 75, "--max-iterations", 29], 2),
            (["--domain", "square-hole", "--n", 75, "--max-iterations", 29], 3),
        ):
            for stage in ("limit/04_edge_flips", "limit/05_claims"):
                with self.subTest(f"{stage} {words}"):
                    counts = self.counts_of(stage, *words)
                    self.assertGreater(counts["triangulations"], 5 * on_host)
                    if on_host < 3 or ENGINE != "gpu":  # points on a GPU may differ in the last bit
                        self.assertEqual(counts["host_triangulations"], on_host)
                    self.meshes(PROGRAMS[stage], words)

    def test_the_host_does_not_triangulate_rows(self) -> None:
        """A corner of the square with a hole is on no row, so the host begins there, as in limit/05."""
        for words, on_host in (
            (["--n", 60], 0),
            (["--domain", "ring", "--n", 75], 0),
            (["--minus", "circle:0,0,0.3", "--grading", 2, "--n", 60], 0),
            (["--domain", "square-hole", "--n", 75], 2),
        ):
            for stage in ("limit/06_rows", "limit/07_own_lists", "limit/08_one_launch"):
                if stage not in PROGRAMS:  # counted late
                    continue
                with self.subTest(f"{stage} {words}"):
                    # At the end the host triangulates, too.
                    counts = self.counts_of(stage, *words, "--max-iterations", 29)
                    self.assertGreater(counts["triangulations"], 4)
                    if ENGINE != "gpu":  # points on a GPU may differ in the last bit
                        self.assertEqual(counts["host_triangulations"], on_host + 1)

    def test_a_mesh_at_rest_may_not_be_ready(self) -> None:
        """The forces rest with a point just behind the boundary, where the host puts it; or a point
        slides along the boundary. limit/08 finds both on the device, limit/06 on the host."""
        if "limit/08_one_launch" not in PROGRAMS:  # counted late
            return
        for h0, on_host in ((0.29, 1), (0.149, 0)):
            with self.subTest(h0):
                self.meshes(PROGRAMS["limit/08_one_launch"], ["--h0", h0])
                if ENGINE == "gpu":  # points on a GPU may differ in the last bit
                    continue
                counts = self.counts_of("limit/08_one_launch", "--h0", h0)
                self.assertEqual(counts["host_triangulations"], on_host)
                self.assertEqual(counts, self.counts_of("limit/06_rows", "--h0", h0))

    def test_points_of_no_triangle_are_bad_input(self) -> None:
        for stage, program in with_the_same_host_code([*PROGRAMS.items()], ENGINE):
            with self.subTest(stage):
                words = ["--domain", "ring", "--n", 6, "--output", self.folder / "mesh.csv"]
                # Stages that begin on the device launch kernels before the host refuses.
                result = execute(program, *words, EMULATOR_COUNTERS="none")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(
                    result.stderr,
                    r"^\S+: h0 = [0-9.]+: too coarse for the domain: .* of its 3 points is inside\n$",
                )
                self.assertFalse((self.folder / "mesh.csv").exists())

    def test_without_iterations_all_have_the_lattice(self) -> None:
        runs = [
            ["--domain", domain, "--n", 100, "--max-iterations", 0]
            for domain in ("circle", "square-hole")
        ]
        lattices = {tuple(self.meshes(program, *runs)) for program in PROGRAMS.values()}
        self.assertEqual(len(lattices), 1)
        for mesh in lattices.pop():
            self.assertGreater(mesh.count("\n"), 100)

    @unittest.skipIf(ENGINE == "gpu", "a GPU chooses the order of its blocks")
    def test_without_atomic_sums_every_order_has_the_same_bits(self) -> None:
        for stages in SAME_BITS:
            with self.subTest(stages):
                meshes = {
                    self.meshes(PROGRAMS[stage], FEW, EMULATOR_SCHEDULE=schedule)[0]
                    for stage in stages
                    if stage in PROGRAMS  # or it is counted late
                    for schedule in SCHEDULES
                }
                self.assertEqual(len(meshes), 1 if stages[0] in PROGRAMS else 0)

    @unittest.skipIf(ENGINE == "gpu", "a GPU chooses the order of its blocks")
    @unittest.skipUnless("01_global_atomics" in PROGRAMS, "the stages are not counted late")
    def test_with_atomic_sums_the_order_shows(self) -> None:
        """An erratum of Gaudiani 2012: runs differ, here in the last bits."""
        for stage in ("01_global_atomics", "02_shared_atomics"):
            with self.subTest(stage):
                meshes = {
                    self.meshes(PROGRAMS[stage], FEW, EMULATOR_SCHEDULE=one)[0] for one in SCHEDULES
                }
                self.assertGreater(len(meshes), 1)

    @unittest.skipIf(ENGINE != "gpu", "the orders of the CPU engine have a test of their own")
    def test_runs_repeat(self) -> None:
        for stage in SAME_EVERY_RUN:
            if stage in PROGRAMS:
                meshes = self.meshes(PROGRAMS[stage], *[["--n", 2000]] * 3)
                self.assertEqual(len(set(meshes)), 1, stage)

    @unittest.skipIf(ENGINE != "count", "bytes are counted by the engine with counters")
    def test_no_stage_declares_more_than_it_moves(self) -> None:
        for stage, program in PROGRAMS.items():
            with self.subTest(stage):
                declared, moved = declared_and_moved(
                    program, "--n", 60, "--max-iterations", 20, "--repeats", 1, "--warmup", 0
                )
                self.assertGreater(declared, 0)
                self.assertLessEqual(declared, moved)


if __name__ == "__main__":
    unittest.main()
