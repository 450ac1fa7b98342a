# SPDX-License-Identifier: MIT
"""The animations from small results, and from stand-in stages."""

import json
import re
import shutil
import sys
import unittest

from plots_data import PlotsTest

import animate
from measurements import DataError

TRAJECTORY = "step,body,x,y,z,vx,vy,vz\n" + "".join(
    f"{step},{body},{(body - 3.5) * (5 - step)},{body % 3},0,1,0,0\n"
    for step in range(5) for body in range(8))

STAND_IN = r'''#!{python}
import sys
flags = dict(zip(sys.argv[1:], sys.argv[2:]))
if {status}:
    sys.exit({status})
assert flags["--input"] == "galaxies"
open(flags["--output"], "w").write({text!r})
'''


# A square of two triangles that becomes a rhombus of equilateral ones, at rest after `rest` iterations.
MESHING = r'''#!{python}
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
'''


def frames_of(data: bytes) -> int:
    """Graphic control extensions: one before each picture."""
    return data.count(b"\x21\xf9\x04")


class AnimationTest(PlotsTest):
    def trajectory(self, text: str) -> animate.Path:
        path = self.folder / "run.csv"
        path.write_text(text, encoding="utf-8")
        return path

    def test_gif(self) -> None:
        target = self.folder / "out" / "galaxies.gif"
        self.assertEqual(animate.draw_trajectory(self.trajectory(TRAJECTORY), target, self.folder), 5)
        data = target.read_bytes()
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual(int.from_bytes(data[6:8], "little"), 640)
        self.assertEqual(frames_of(data), 5)
        self.assertIn(b"NETSCAPE2.0", data)  # it loops

    def test_galaxies_are_told_apart_by_their_first_place(self) -> None:
        first = {0: (-5.0, 0.2), 1: (-4.0, -0.3), 2: (6.0, 0.1)}
        self.assertEqual(animate.split_galaxies(first), {0: 0, 1: 0, 2: 1})

    def test_bad_trajectories(self) -> None:
        for text, said in (("", "header"), ("a,b\n", "header"),
                           ("step,body,x,y,z,vx,vy,vz\n", "no positions"),
                           (TRAJECTORY + "5,1,nan,0,0,0,0,0\n", "not finite"),
                           (TRAJECTORY + "5,1\n", "run.csv:42")):
            with self.assertRaisesRegex(DataError, said):
                animate.read_trajectory(self.trajectory(text))
        with self.assertRaisesRegex(DataError, "absent.csv"):
            animate.read_trajectory(self.folder / "absent.csv")

    def stage(self, name: str, engine: str, status: int) -> dict[str, object]:
        program = self.folder / f"{name}.{engine}"
        program.write_text(STAND_IN.format(python=sys.executable, status=status, text=TRAJECTORY))
        program.chmod(0o755)
        return {"chapter": "nbody", "name": name, "executables": {engine: program.name}}

    def make(self, *stages: dict[str, object]) -> animate.Animation:
        (self.folder / "stages.json").write_text(json.dumps(stages), encoding="utf-8")
        return animate.make_collision(self.folder, self.folder / "out")

    def test_takes_what_the_machine_has(self) -> None:
        animation = self.make(self.stage(animate.STAGE, "gpu", 77), self.stage("00_cpu", "cpu", 0))
        self.assertIn("nbody/00_cpu on the CPU", animation.caption)
        self.assertEqual(frames_of(animation.path.read_bytes()), 5)
        animation = self.make(self.stage(animate.STAGE, "emu", 0), self.stage("00_cpu", "cpu", 1))
        self.assertIn("the CPU engine", animation.caption)

    def test_failures(self) -> None:
        with self.assertRaisesRegex(DataError, "failed"):
            self.make(self.stage(animate.STAGE, "emu", 1))
        with self.assertRaisesRegex(DataError, "no usable device"):
            self.make(self.stage(animate.STAGE, "gpu", 77))
        with self.assertRaisesRegex(DataError, "build the course first"):
            animate.make_collision(self.folder / "absent", self.folder / "out")


class MeshingTest(PlotsTest):
    def make(self, rest: int = 13, status: int = 0) -> animate.Animation:
        program = self.folder / "mesh.cpu"
        program.write_text(MESHING.format(python=sys.executable, rest=rest, status=status))
        program.chmod(0o755)
        stage = {"chapter": "distmesh", "name": "00_cpu", "executables": {"cpu": program.name}}
        (self.folder / "stages.json").write_text(json.dumps([stage]), encoding="utf-8")
        return animate.make_meshing(self.folder, self.folder / "out")

    def test_every_frame_is_a_run(self) -> None:
        animation = self.make()
        data = animation.path.read_bytes()
        self.assertEqual(animation.path.name, "meshing.gif")
        self.assertEqual(data[:6], b"GIF89a")
        # After 0 to 10 iterations, after 12, and after 13, when it is at rest.
        self.assertEqual(frames_of(data), 13)
        variables = (self.folder / "out" / "data" / "meshing.gp").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"title_\d+ = '(.*)'", variables),
                         ["the lattice, triangulated", *(f"iteration {i}" for i in (*range(1, 11), 12)), "iteration 13, at rest"])
        self.assertEqual(re.findall(r"quality_(\d+) = '(.*)'", variables)[0], ("0", "quality: least 0.83, mean 0.83"))
        self.assertEqual(re.findall(r"numbers_\d+ = '(.*)'", variables)[::12], ["6", "9"])
        self.assertIn("13 runs of distmesh/00_cpu", animation.caption)
        self.assertIn("from 0.83 to 1.00", animation.alt)

    def test_the_last_picture_stays(self) -> None:
        data = self.make().path.read_bytes()
        delays = [int.from_bytes(one, "little") for one in re.findall(rb"\x21\xf9\x04.(..).\x00\x2c", data, re.DOTALL)]
        self.assertEqual(delays, [14] * 12 + [100 * animate.LAST_SECONDS])
        path = self.folder / "empty.gif"
        path.write_bytes(b"GIF89a")
        with self.assertRaisesRegex(DataError, "no picture"):
            animate.hold_last_picture(path, 1)

    def test_failures(self) -> None:
        with self.assertRaisesRegex(DataError, "failed: out of order"):
            self.make(status=1)
        with self.assertRaisesRegex(DataError, "not at rest after 10000 iterations"):
            self.make(rest=10**6)
        (self.folder / "stages.json").write_text("[]", encoding="utf-8")
        with self.assertRaisesRegex(DataError, "no executable of distmesh/00_cpu"):
            animate.make_meshing(self.folder, self.folder / "out")


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
