# SPDX-License-Identifier: MIT
"""The animation of two galaxies, from small results and from stand-in stages."""

import shutil
import sys
import unittest
from pathlib import Path
from unittest import mock

from common.tools.lib.stages import DataError, Stage
from plots.drawing.animation import Animation
from plots.nbody.animation import (
    draw_trajectory,
    make_collision,
    read_trajectory,
    split_galaxies,
)
from plots.records.stages import Stages
from tests.plots.fixtures import PlotsTest, stage

TRAJECTORY = "step,body,x,y,z,vx,vy,vz\n" + "".join(
    f"{step},{body},{(body - 3.5) * (5 - step)},{body % 3},0,1,0,0\n"
    for step in range(5)
    for body in range(8)
)


STAND_IN = r"""#!{python}
import sys
flags = dict(zip(sys.argv[1:], sys.argv[2:]))
if {status}:
    sys.exit({status})
assert flags["--input"] == "galaxies"
open(flags["--output"], "w").write({text!r})
"""


def frames_of(data: bytes) -> int:
    """Graphic control extensions: one before each picture."""
    return data.count(b"\x21\xf9\x04")


class AnimationTest(PlotsTest):
    def trajectory(self, text: str) -> Path:
        path = self.folder / "run.csv"
        path.write_text(text, encoding="utf-8")
        return path

    def test_gif(self) -> None:
        target = self.folder / "out" / "galaxies.gif"
        self.assertEqual(draw_trajectory(self.trajectory(TRAJECTORY), target, self.folder), 5)
        data = target.read_bytes()
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual(int.from_bytes(data[6:8], "little"), 640)
        self.assertEqual(frames_of(data), 5)
        self.assertIn(b"NETSCAPE2.0", data)  # it loops

    def test_galaxies_are_told_apart_by_their_first_place(self) -> None:
        first = {0: (-5.0, 0.2), 1: (-4.0, -0.3), 2: (6.0, 0.1)}
        self.assertEqual(split_galaxies(first), {0: 0, 1: 0, 2: 1})

    def test_bad_trajectories(self) -> None:
        for text, said in (
            ("", "is empty"),
            ("a,b\n", "header"),
            ("step,body,x,y,z,vx,vy,vz\n", "no positions"),
            (TRAJECTORY + "5,1,nan,0,0,0,0,0\n", "not a finite number"),
            (TRAJECTORY + "5,1\n", "run.csv:42"),
        ):
            with self.assertRaisesRegex(DataError, said):
                read_trajectory(self.trajectory(text))
        with self.assertRaisesRegex(DataError, "absent.csv"):
            read_trajectory(self.folder / "absent.csv")

    def stage(self, name: str, engine: str, status: int) -> Stage:
        program = self.folder / f"{name}.{engine}"
        program.write_text(STAND_IN.format(python=sys.executable, status=status, text=TRAJECTORY))
        program.chmod(0o755)
        before = "" if engine == "cpu" else "00_cpu"
        return stage(name, before, "nbody", executables={engine: program.name})

    def make(self, *found: Stage) -> Animation:
        return make_collision(Stages("nbody", found, "x"), self.folder, self.folder / "out")

    def test_takes_what_the_machine_has(self) -> None:
        animation = self.make(self.stage("00_cpu", "cpu", 0), self.stage("01_best", "gpu", 77))
        self.assertIn("nbody/00_cpu on the CPU", animation.caption)
        self.assertEqual(frames_of(animation.path.read_bytes()), 5)
        animation = self.make(self.stage("00_cpu", "cpu", 1), self.stage("01_best", "gpu", 0))
        self.assertIn("nbody/01_best on a GPU", animation.caption)

    def test_failures(self) -> None:
        with self.refuses("failed"):
            self.make(self.stage("00_cpu", "cpu", 0), self.stage("01_best", "gpu", 1))
        with self.refuses("no usable device"):
            self.make(stage("00_cpu", "", "nbody"), self.stage("01_best", "gpu", 77))
        with self.refuses("no executable of nbody/01_best"):
            self.make(stage("00_cpu", "", "nbody"), stage("01_best", "00_cpu", "nbody"))

    def test_a_stage_that_does_not_end(self) -> None:
        endless = self.stage("00_cpu", "cpu", 0)
        program = self.folder / endless.executables["cpu"]
        program.write_text("#!/bin/sh\nexec sleep 60\n")
        with (
            mock.patch("plots.drawing.animation.LIMIT_S", 0.2),
            self.refuses(f"{program}: did not end within 0.2 seconds"),
        ):
            self.make(endless, stage("01_best", "00_cpu", "nbody"))


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
