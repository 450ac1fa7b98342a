# SPDX-License-Identifier: MIT
"""The animation from a small trajectory, and from a stand-in stage."""

import json
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
        return animate.make_animation(self.folder, self.folder / "out")

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
            animate.make_animation(self.folder / "absent", self.folder / "out")


if __name__ == "__main__":
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing")
        sys.exit(77)
    unittest.main()
