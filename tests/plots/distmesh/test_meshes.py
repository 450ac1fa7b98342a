# SPDX-License-Identifier: MIT
"""The meshes that distmesh draws, and the animation of one from stand-in runs. Meshes that cannot
be are refused."""

import math
import re
import shutil
import sys
import unittest

from common.tools.lib.stages import DataError
from plots.distmesh import meshes
from plots.distmesh.animation import LAST_SECONDS, make_meshing
from plots.drawing.animation import Animation, hold_last_picture
from plots.records.folders import PLOTS
from plots.records.stages import Stages
from tests.plots.fixtures import PlotsTest, TraceTest, stage


class MeshesTest(TraceTest):
    def meshes(self) -> list[list[meshes.Triangle]]:
        return [
            meshes.triangles_of(self.source.trace(mesh.name, meshes.COLUMNS), mesh.name)
            for mesh in meshes.MESHES
        ]

    def test_meshes_cover_their_domains(self) -> None:
        """Each edge belongs to two triangles or to the boundary, which goes round the domain and
        its holes. The area is the domain's, except for what lies between boundary and chords."""
        areas = (math.pi, 4 - math.pi / 4, 0.75 * math.pi, 2 * math.pi - 4 * 0.0817, 0.0817)
        for mesh, trace, area, holes in zip(
            self.meshes(), meshes.MESHES, areas, (0, 1, 1, 1, 0), strict=True
        ):
            with self.subTest(trace.name):
                edges = [
                    pair
                    for one in mesh
                    for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))
                ]
                around = {pair for pair in edges if (pair[1], pair[0]) not in edges}
                self.assertEqual(len(edges), len(set(edges)))
                self.assertEqual(
                    points := meshes.points_in(mesh),
                    len({corner for pair in edges for corner in pair}),
                )
                # Euler: points, less edges, and triangles.
                self.assertEqual(points - (len(edges) + len(around)) // 2 + len(mesh), 1 - holes)
                twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges)
                self.assertAlmostEqual(twice / 2 / area, 1, delta=0.03)

    def test_triangles_are_coloured_by_their_quality(self) -> None:
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (1, 0), (0.5, 0.75**0.5)]), 1)
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (3, 0), (0, 4)]), 0.8)
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (0, 4), (3, 0)]), -0.8)
        self.assertEqual(meshes.quality_of([(0, 0), (1, 1), (1, 1)]), 0)
        for quality, number in ((0.1, 0), (0.54, 0), (0.56, 1), (0.94, 8), (0.96, 9), (1.0, 9)):
            self.assertEqual(
                meshes.Triangle(((0, 0), (1, 0), (0, 1)), quality).quality_class, number
            )
        for mesh in self.meshes():
            blocks = meshes.quality_blocks(mesh)
            self.assertEqual(" ".join(block.title for block in blocks), meshes.class_numbers(mesh))
            self.assertEqual(
                sum(len([row for row in block.rows if row]) for block in blocks), 3 * len(mesh)
            )
            self.assertFalse(any(block.rows[0] == () or block.rows[-1] == () for block in blocks))
            edges = meshes.edge_blocks(mesh)[0].rows
            self.assertEqual(
                len(edges),
                len(
                    {
                        frozenset(pair)
                        for one in mesh
                        for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))
                    }
                ),
            )
        scripts = (PLOTS / "distmesh" / "distmesh_colours.gp").read_text(encoding="utf-8")
        self.assertEqual(scripts.count("'#"), meshes.CLASSES)

    def test_what_the_meshes_figure_says(self) -> None:
        said = meshes.prepare_meshes(self.source)
        every = [one for mesh in self.meshes() for one in mesh]
        self.assertIn(f"{len(every)} triangles", said.subtitle)
        shares = [row[1] for row in said.tables["shares"][0].rows]
        self.assertAlmostEqual(sum(shares), 100)
        self.assertAlmostEqual(
            shares[-1], 100 * sum(one.quality >= 0.95 for one in every) / len(every)
        )
        for i, mesh in enumerate(self.meshes()):
            qualities = [one.quality for one in mesh]
            self.assertEqual(
                said.variables[f"caption{i}"],
                f"least {min(qualities):.2f}, mean {sum(qualities) / len(qualities):.3f}",
            )

    def test_meshes_that_cannot_be_are_refused(self) -> None:
        path = self.traces / "distmesh_ring.csv"
        text = path.read_text(encoding="utf-8")
        head, first, second, *_ = text.splitlines()
        x1, y1, x2, y2, x3, y3, quality = first.split(",")
        for line, said in (
            (first.replace(x1, "left", 1), "is no triangle"),
            (f"{x2},{y2},{x1},{y1},{x3},{y3},{quality}", "has a quality of -"),
            (f"{x2},{y2},{x1},{y1},{x3},{y3},-{quality}", "has a quality of -"),
            (f"{x1},{y1},{x2},{y2},{x3},{y3},0.3", "has a quality of 0"),
            (second, "lies on another one"),
        ):
            path.write_text(f"{head}\n{line}\n{second}\n", encoding="utf-8")
            with self.assertRaisesRegex(DataError, rf"distmesh_ring\.csv: .*{said}"):
                meshes.prepare_meshes(self.source)
        path.write_text(f"{head}\n", encoding="utf-8")
        with self.assertRaisesRegex(DataError, r"distmesh_ring\.csv: no triangles"):
            meshes.prepare_meshes(self.source)


# A square of two triangles becomes a rhombus of equilateral ones, at rest after `rest` iterations.
MESHING = r"""#!{python}
import json, sys
flags = dict(zip(sys.argv[1:], sys.argv[2:]))
if {status}:
    sys.exit("out of order")
assert sys.argv[1:5] == ["--domain", "square-hole", "--n", "400"]
asked = int(flags["--max-iterations"])
done = min(asked, {rest})
x, y = 0.5 * done / {rest}, 1 - (1 - 0.75 ** 0.5) * done / {rest}

def line(*corners):
    (ax, ay), (bx, by), (cx, cy) = corners
    a, b, c = (((px - qx) ** 2 + (py - qy) ** 2) ** 0.5 for (px, py), (qx, qy) in zip(corners[1:] + corners[:1], corners[2:] + corners[:2]))
    return ",".join(map(repr, (ax, ay, bx, by, cx, cy, (b + c - a) * (c + a - b) * (a + b - c) / (a * b * c)))) + "\n"

with open(flags["--output"], "w") as file:
    file.write("x1,y1,x2,y2,x3,y3,quality\n" + line((0, 0), (1, 0), (x, y)) + line((x, y), (1, 0), (1 + x, y)))
with open(flags["--json"], "w") as file:
    json.dump(dict(report=dict(iterations=str(done), converged="yes" if asked > {rest} else "not converged")), file)
"""


def frames_of(data: bytes) -> int:
    """Graphic control extensions: one before each picture."""
    return data.count(b"\x21\xf9\x04")


class MeshingTest(PlotsTest):
    def make(self, rest: int = 13, status: int = 0) -> Animation:
        program = self.folder / "mesh.cpu"
        program.write_text(MESHING.format(python=sys.executable, rest=rest, status=status))
        program.chmod(0o755)
        own = Stages(
            "distmesh", [stage("00_cpu", "", "distmesh", executables={"cpu": program.name})], "x"
        )
        return make_meshing(own, self.folder, self.folder / "out")

    def test_every_frame_is_a_run(self) -> None:
        animation = self.make()
        data = animation.path.read_bytes()
        self.assertEqual(animation.path.name, "meshing.gif")
        self.assertEqual(data[:6], b"GIF89a")
        # Frames after 0 to 10 iterations, after 12, and after 13, when the mesh is at rest.
        self.assertEqual(frames_of(data), 13)
        variables = (self.folder / "out" / "data" / "meshing.gp").read_text(encoding="utf-8")
        self.assertEqual(
            re.findall(r"title_\d+ = '(.*)'", variables),
            [
                "the lattice, triangulated",
                *(f"iteration {i}" for i in (*range(1, 11), 12)),
                "iteration 13, at rest",
            ],
        )
        self.assertEqual(
            re.findall(r"quality_(\d+) = '(.*)'", variables)[0],
            ("0", "quality: least 0.83, mean 0.83"),
        )
        self.assertEqual(re.findall(r"numbers_\d+ = '(.*)'", variables)[::12], ["6", "9"])
        self.assertIn("13 runs of distmesh/00_cpu", animation.caption)
        self.assertIn("from 0.83 to 1.00", animation.alt)

    def test_the_last_picture_stays(self) -> None:
        data = self.make().path.read_bytes()
        delays = [
            int.from_bytes(one, "little")
            for one in re.findall(rb"\x21\xf9\x04.(..).\x00\x2c", data, re.DOTALL)
        ]
        self.assertEqual(delays, [14] * 12 + [100 * LAST_SECONDS])
        path = self.folder / "empty.gif"
        path.write_bytes(b"GIF89a")
        with self.assertRaisesRegex(DataError, "no picture"):
            hold_last_picture(path, 1)

    def test_failures(self) -> None:
        with self.assertRaisesRegex(DataError, "failed: out of order"):
            self.make(status=1)
        with self.assertRaisesRegex(DataError, "not at rest after 10000 iterations"):
            self.make(rest=10**6)
        with self.refuses("no executable of distmesh/00_cpu"):
            own = Stages("distmesh", [stage("00_cpu", "", "distmesh")], "x")
            make_meshing(own, self.folder, self.folder / "out")


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
