# SPDX-License-Identifier: MIT
"""The stages of n-body through their executables: files of bodies, and bad input.

    test_nbody.py STAGES_JSON ENGINE     ENGINE: gpu, emu (with the serial stage) or count
"""

import os
import re
import sys
import unittest

from tests.chapters.stage_programs import sharing_a_process
from tests.common.tools.programs import ProgramTest, programs

ENGINE = sys.argv.pop(2)
del sys.argv[1]
# The stages share what is tested here: the serial one and the last one with kernels.
ENGINES = ("cpu", "emu") if ENGINE == "emu" else (ENGINE,)
ALL_PROGRAMS = [
    program for program in programs() if program.chapter == "nbody" and program.engine in ENGINES
]
PROGRAMS = list({program.engine: program for program in ALL_PROGRAMS}.values())


class InputTest(ProgramTest):
    def test_more_than_the_memory(self) -> None:
        for program in PROGRAMS:
            self.assert_refused(program, 2, ["--n", "1000000000000000"], "--n", "1000000000000000")

    def test_bad_files(self) -> None:
        good = "1 0 0 0 0 0 0\n"
        (self.folder / "directory").mkdir()
        for name, text, parts in (
            ("empty", "", ["empty"]),
            ("comments", "# nothing\n\n", ["comments"]),
            ("short", good + "1 2 3\n", ["short:2: "]),
            ("long", good + "1 2 3 4 5 6 7 8\n", ["long:2: "]),
            ("text", "# mass x\n" + good + "1 0 zero 0 0 0 0\n", ["text:3: ", "zero"]),
            ("nan", good + "1 nan 0 0 0 0 0\n", ["nan:2: "]),
            ("infinity", "1 0 0 0 inf 0 0\n", ["infinity:1: "]),
            ("overflow", "1 0 1e999 0 0 0 0\n", ["overflow:1: "]),
            ("negative-mass", good + "-1 0 0 0 0 0 0\n", ["negative-mass:2: "]),
        ):
            self.write(name, text)
            for program in PROGRAMS:
                self.assert_refused(
                    program,
                    1,
                    ["--input", f"./{name}", "--output", "out.csv"],
                    *map(re.escape, parts),
                )
        for program in PROGRAMS:
            self.assert_refused(program, 1, ["--input", "./none"], "none")
            self.assert_refused(program, 1, ["--input", "./directory"], "directory")

    def test_an_unreadable_file(self) -> None:
        name = self.write("secret", "1 0 0 0 0 0 0\n")
        (self.folder / name).chmod(0)
        if os.access(self.folder / name, os.R_OK):
            self.skipTest("root reads everything")
        for program in PROGRAMS:
            self.assert_refused(program, 1, ["--input", f"./{name}"], "secret")

    def test_a_good_file(self) -> None:
        name = self.write("two", "# mass x y z vx vy vz\n1 -1 0 0 0 0 0\n\n1 1 0 0 0 0 0\n")
        for program in PROGRAMS:
            result = self.run_program(program, "--check", "--input", f"./{name}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("n=2", result.stdout)

    def test_bodies_without_mass(self) -> None:
        """They feel all pulls. Stages that divide by a mass, or take its logarithm, must not
        fail."""
        bodies = {
            "some": "1 0 0 0 0 0 0\n0 1 0 0 0 1 0\n0 0 2 0 1 0 0\n1e-30 3 0 0 0 0.5 0\n",
            "all": "0 0 0 0 0 0 0\n0 1 0 0 0 1 0\n0 0 2 0 1 0 0\n",
            "one": "1 0 0 0 0 1 0\n",
            "one-without": "0 0 0 0 0 1 0\n",
            "heavy": "1e15 0 0 0 0 0 0\n1e14 1e5 0 0 0 0 0\n1 0 1e5 0 0 0 0\n",
            "light": "1e-37 0 0 0 0 0 0\n1e-36 1 0 0 0 0 0\n0 0 1 0 0 0 0\n",
        }
        for name, text in bodies.items():
            self.write(name, text)
        runs = sharing_a_process(["--check", "--input", f"./{name}"] for name in bodies)
        for program in ALL_PROGRAMS:
            with self.subTest(program=str(program)):
                result = self.run_program(program, *map(str, runs))
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertEqual(result.stdout.count("OK "), len(bodies), result.stdout)

    def test_bad_numbers(self) -> None:
        for program in PROGRAMS:
            for arguments, part in (
                (["--dt", "0"], "--dt"),
                (["--dt", "nan"], "--dt"),
                (["--dt", "soon"], "soon"),
                (["--steps", "-1"], "--steps"),
                (["--softening", "-1"], "--softening"),
                (["--softening", "inf"], "--softening"),
                (["--output-every", "0"], "--output-every"),
            ):
                self.assert_refused(program, 2, ["--check", *arguments], re.escape(part))


if __name__ == "__main__":
    unittest.main()
